/** pg-promise: the library set-up, the database object it makes, and the tasks and transactions run on that. */
import { definePack, type EffectSpec, type MemberSpec } from './contract.ts';

const query: EffectSpec = { kind: 'db', op: 'raw', sqlAt: 0 };
const QUERY: MemberSpec = { call: { promise: true, effect: query } };
const transaction: MemberSpec = {
  call: { promise: true, callbacks: [{ arg: 'last', role: 'transaction', params: ['TransactionContext'] }] },
};
const task: MemberSpec = {
  call: { promise: true, callbacks: [{ arg: 'last', role: 'sync', params: ['TaskContext'] }] },
};

export const pack = definePack({
  id: 'pgPromise',
  packages: ['pg-promise'],
  assumedVersion: '12.7.1',
  types: {
    Library: { call: { returns: 'Database', promise: false } },
    Protocol: {
      members: {
        none: QUERY,
        one: QUERY,
        oneOrNone: QUERY,
        many: QUERY,
        manyOrNone: QUERY,
        any: QUERY,
        result: QUERY,
        query: QUERY,
        multi: QUERY,
        multiResult: QUERY,
        map: QUERY,
        each: QUERY,
        tx: transaction,
        txIf: transaction,
        task,
        taskIf: task,
      },
    },
    Database: { extends: 'Protocol', role: 'pool' },
    TaskContext: { extends: 'Protocol', role: 'connection' },
    TransactionContext: {
      extends: 'Protocol',
      role: 'transaction',
      members: { batch: { call: { promise: true } } },
    },
  },
  exports: {
    default: { call: { returns: 'Library', promise: false } },
  },
  typeNames: { 'default.IDatabase': 'Database', IDatabase: 'Database', ITask: 'TaskContext' },
  facts: [
    {
      topic: 'tx.handle',
      versions: '12',
      says: 'Queries on the callback parameter of `tx` share its connection; those on the database object take another one.',
      source: 'lib/task.js',
    },
    {
      topic: 'tx.api',
      versions: '12',
      says: 'A rejected promise or a thrown error of the callback rolls back; a nested `tx` becomes a savepoint.',
      source: 'lib/task.js',
    },
  ],
});
