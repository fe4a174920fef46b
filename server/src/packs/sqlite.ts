/** SQLite in process: better-sqlite3 and node:sqlite, whose statements run at once. */
import { definePack, type MemberSpec } from './contract.ts';

const raw: MemberSpec = { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 }, promise: false } };
const PLAIN: MemberSpec = { call: { promise: false } };

export const pack = definePack({
  id: 'sqlite',
  packages: ['better-sqlite3', 'sqlite'],
  assumedVersion: '12.0.0',
  types: {
    Database: {
      role: 'connection',
      members: {
        prepare: { call: { returns: 'Statement', promise: false } },
        exec: raw,
        transaction: { call: { promise: false, callbacks: [{ arg: 0, role: 'transaction' }] } },
        pragma: PLAIN,
        close: PLAIN,
      },
    },
    Statement: {
      role: 'builder',
      members: {
        run: { call: { effect: { kind: 'db', op: 'raw' }, promise: false } },
        get: { call: { effect: { kind: 'db', op: 'read' }, promise: false } },
        all: { call: { effect: { kind: 'db', op: 'read', many: true }, promise: false } },
        iterate: { call: { effect: { kind: 'db', op: 'read', many: true }, promise: false } },
        bind: { call: { returns: 'self', promise: false } },
        pluck: { call: { returns: 'self', promise: false } },
      },
    },
  },
  exports: {
    default: { construct: { type: 'Database' } },
    DatabaseSync: { construct: { type: 'Database' } },
  },
  facts: [
    {
      topic: 'tx.api',
      versions: '12.0.0',
      says: '`db.transaction(fn)` gives a function that runs `fn` between BEGIN and COMMIT; an async `fn` commits before its work is done.',
      source: 'lib/methods/transaction.js',
    },
  ],
});
