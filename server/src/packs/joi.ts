/** Joi: schemas and what checks a value against them. */
import { definePack } from './contract.ts';

const make = { call: { returns: 'Schema' } };

export const pack = definePack({
  id: 'joi',
  packages: ['joi', '@hapi/joi'],
  assumedVersion: '18.0.1',
  types: {
    Joi: {
      members: {
        assert: { call: { promise: false } },
        attempt: { call: { returns: 'Parsed', promise: false } },
      },
      rest: make,
    },
    Schema: {
      role: 'builder',
      members: {
        validate: { call: { promise: false } },
        validateAsync: { call: { returns: 'Parsed', promise: true, rejects: true } },
      },
      rest: { call: { returns: 'self' } },
    },
    /** A value that passed a schema. */
    Parsed: { rest: { type: 'Parsed' } },
  },
  exports: { default: { type: 'Joi' }, Joi: { type: 'Joi' } },
  restExport: make,
  typeNames: { ObjectSchema: 'Schema', AnySchema: 'Schema' },
  facts: [
    {
      topic: 'validate',
      versions: '>=16',
      says: 'validate gives { value, error } and does not throw; validateAsync rejects; attempt and assert throw.',
      source: 'API.md, any.validate',
    },
  ],
});
