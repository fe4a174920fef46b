/** zod: schemas and what checks a value against them. */
import { definePack } from './contract.ts';

const make = { call: { returns: 'Schema' } };

export const pack = definePack({
  id: 'zod',
  packages: ['zod', 'zod/*'],
  assumedVersion: '4.1.12',
  types: {
    Z: { rest: make, members: { coerce: { type: 'Z' }, iso: { type: 'Z' } } },
    Schema: {
      role: 'builder',
      members: {
        parse: { call: { returns: 'Parsed', promise: false } },
        safeParse: { call: { promise: false } },
        parseAsync: { call: { returns: 'Parsed', promise: true, rejects: true } },
        safeParseAsync: { call: { promise: true, rejects: false } },
        spa: { call: { promise: true, rejects: false } },
      },
      rest: { call: { returns: 'self' } },
    },
    /** A value that passed a schema. */
    Parsed: { rest: { type: 'Parsed' } },
  },
  exports: { z: { type: 'Z' }, default: { type: 'Z' } },
  restExport: make,
  typeNames: { ZodType: 'Schema', ZodSchema: 'Schema', ZodTypeAny: 'Schema', ZodObject: 'Schema' },
  facts: [
    {
      topic: 'parse',
      versions: '>=3',
      says: 'parse throws and parseAsync rejects on invalid data; the safe forms give a result and do neither.',
      source: 'docs, basics: handling errors',
    },
  ],
});
