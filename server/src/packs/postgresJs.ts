/** postgres.js: the `sql` tag, transactions by `begin`, and reserved connections. */
import { definePack, type MemberSpec } from './contract.ts';

const begin: MemberSpec = {
  call: { promise: true, callbacks: [{ arg: 'last', role: 'transaction', params: ['TransactionSql'] }] },
};
const PLAIN: MemberSpec = { call: { promise: false } };

export const pack = definePack({
  id: 'postgresJs',
  packages: ['postgres'],
  assumedVersion: '3.4.9',
  types: {
    Sql: {
      role: 'pool',
      tag: { effect: { kind: 'db', op: 'raw', sqlAt: 'tag' } },
      call: { promise: false },
      members: {
        unsafe: { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 } } },
        begin,
        reserve: { call: { effect: { kind: 'connection', op: 'acquire' }, returns: 'ReservedSql' } },
        file: { call: { effect: { kind: 'db', op: 'raw' } } },
        json: PLAIN,
        array: PLAIN,
        listen: { call: { promise: true, callbacks: [{ arg: 1, role: 'listener' }] } },
        notify: { call: { effect: { kind: 'db', op: 'publish' } } },
        end: { call: { promise: true } },
      },
    },
    TransactionSql: { extends: 'Sql', role: 'transaction', members: { savepoint: begin } },
    ReservedSql: {
      extends: 'Sql',
      role: 'connection',
      release: ['release'],
      members: { release: { call: { effect: { kind: 'connection', op: 'release' }, promise: false } } },
    },
  },
  exports: {
    default: { call: { returns: 'Sql', promise: false } },
    postgres: { call: { returns: 'Sql', promise: false } },
  },
  typeNames: {
    Sql: 'Sql',
    TransactionSql: 'TransactionSql',
    'default.Sql': 'Sql',
    'default.TransactionSql': 'TransactionSql',
    'default.ReservedSql': 'ReservedSql',
  },
  facts: [
    {
      topic: 'tx.handle',
      versions: '3.4.9',
      says: 'Only queries on the callback parameter are in the transaction; the outer tag uses another connection.',
      source: 'src/index.js',
    },
    {
      topic: 'tx.api',
      versions: '3.4.9',
      says: 'A thrown error or a failed query that nobody awaited rolls back; an array that is returned is awaited.',
      source: 'src/index.js',
    },
    {
      topic: 'pool.default',
      versions: '3.4.9',
      says: 'At most 10 connections; waiting for a free one has no bound.',
      source: 'src/index.js; porsager/postgres#824',
    },
    {
      topic: 'timeout.default',
      versions: '3.4.9',
      says: 'Connecting 30 s; statements none.',
      source: 'src/index.js',
    },
  ],
});
