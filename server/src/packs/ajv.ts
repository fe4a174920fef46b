/** Ajv: compiled validators. */
import { definePack } from './contract.ts';

const validator = { call: { returns: 'Validator' } };

export const pack = definePack({
  id: 'ajv',
  packages: ['ajv', 'ajv/*'],
  assumedVersion: '8.17.1',
  types: {
    Ajv: {
      members: {
        compile: validator,
        getSchema: validator,
        compileAsync: { call: { returns: 'Validator', promise: true, rejects: true } },
        validate: { call: { promise: false } },
        addSchema: { call: { returns: 'self' } },
        addKeyword: { call: { returns: 'self' } },
        addFormat: { call: { returns: 'self' } },
      },
    },
    Validator: { call: { promise: false } },
  },
  exports: {
    default: { construct: { type: 'Ajv' }, call: { returns: 'Ajv' } },
    Ajv: { construct: { type: 'Ajv' } },
  },
  typeNames: { ValidateFunction: 'Validator' },
  facts: [
    {
      topic: 'validate',
      versions: '>=6',
      says: 'A compiled validator returns true or false and keeps the reasons in its `errors`; only schemas marked `$async` reject.',
      source: 'docs/api.md',
    },
  ],
});
