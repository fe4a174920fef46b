/** mysql2 (and mysql): pools and connections, promised or not. */
import { definePack, type MemberSpec } from './contract.ts';

const query: MemberSpec = { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 } } };
const RUN: MemberSpec = { call: { promise: true } };

export const pack = definePack({
  id: 'mysql2',
  packages: ['mysql2', 'mysql2/promise', 'mysql', 'mysql2/*', 'promise-mysql', 'mariadb'],
  assumedVersion: '3.24.6',
  types: {
    Pool: {
      role: 'pool',
      members: {
        query,
        execute: query,
        getConnection: { call: { effect: { kind: 'connection', op: 'acquire' }, returns: 'PoolConnection' } },
        promise: { call: { returns: 'self', promise: false } },
        end: RUN,
        on: { call: { callbacks: [{ arg: 1, role: 'listener' }], promise: false } },
      },
    },
    Connection: {
      role: 'connection',
      release: ['end', 'destroy'],
      members: {
        query,
        execute: query,
        connect: { call: { effect: { kind: 'connection', op: 'connect' } } },
        beginTransaction: { call: { effect: { kind: 'db', op: 'begin' } } },
        commit: { call: { effect: { kind: 'db', op: 'commit' } } },
        rollback: { call: { effect: { kind: 'db', op: 'rollback' } } },
        promise: { call: { returns: 'self', promise: false } },
        end: { call: { effect: { kind: 'connection', op: 'release' }, promise: true } },
        destroy: { call: { effect: { kind: 'connection', op: 'release' }, promise: false } },
        on: { call: { callbacks: [{ arg: 1, role: 'listener' }], promise: false } },
      },
    },
    PoolConnection: {
      extends: 'Connection',
      release: ['release', 'destroy'],
      members: { release: { call: { effect: { kind: 'connection', op: 'release' }, promise: false } } },
    },
  },
  exports: {
    createPool: { call: { returns: 'Pool', promise: false } },
    createConnection: {
      call: { effect: { kind: 'connection', op: 'acquire' }, returns: 'Connection', promise: true },
    },
  },
  facts: [
    {
      topic: 'pool.default',
      versions: '3.24.6',
      says: '10 connections; waiting for one is unbounded in time and length.',
      source: 'lib/pool_config.js',
    },
    {
      topic: 'tx.handle',
      versions: '3.24.6',
      says: 'The connection is the handle; `pool.query` inside takes another one.',
      source: 'lib/base/pool.js',
    },
    {
      topic: 'leak.api',
      versions: '3.24.6',
      says: '`release()` in finally; the promise connection is async disposable.',
      source: 'lib/promise/pool_connection.js',
    },
    {
      topic: 'timeout.default',
      versions: '3.24.6',
      says: 'Connecting 10 s; queries none, and `timeout` of a query only watches for silence.',
      source: 'lib/connection_config.js, lib/commands/query.js',
    },
  ],
});
