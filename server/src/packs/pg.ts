/** node-postgres: pools, clients and the connections that are checked out of pools. */
import { definePack, type EffectSpec, type TimeoutSpec } from './contract.ts';

const timeout: TimeoutSpec = {
  defaults: [{ range: '*', value: { connect: null, acquire: null, total: null } }],
  instance: [
    { arg: 0, path: 'connectionTimeoutMillis', bounds: 'acquire' },
    { arg: 0, path: 'statement_timeout', bounds: 'total' },
    { arg: 0, path: 'query_timeout', bounds: 'total' },
  ],
  call: [{ arg: 0, path: 'query_timeout', bounds: 'total' }],
  fix: { style: 'instance', arg: 0, path: 'statement_timeout' },
};

const query: EffectSpec = { kind: 'db', op: 'raw', sqlAt: 0, timeout };

export const pack = definePack({
  id: 'pg',
  packages: ['pg', 'pg-pool', '@neondatabase/serverless', '@vercel/postgres'],
  assumedVersion: '8.23.1',
  types: {
    Pool: {
      role: 'pool',
      errorEventCrashes: [{ range: '*', value: true }],
      members: {
        query: { call: { effect: query, returns: 'Result' } },
        connect: { call: { effect: { kind: 'connection', op: 'acquire', timeout }, returns: 'PoolClient' } },
        end: { call: { promise: true } },
        on: { call: { callbacks: [{ arg: 1, role: 'listener' }] } },
      },
    },
    Connection: {
      role: 'connection',
      members: {
        query: { call: { effect: query, returns: 'Result' } },
        on: { call: { callbacks: [{ arg: 1, role: 'listener' }] } },
      },
    },
    PoolClient: {
      extends: 'Connection',
      release: ['release'],
      members: { release: { call: { effect: { kind: 'connection', op: 'release' }, promise: false } } },
    },
    Client: {
      extends: 'Connection',
      release: ['end'],
      errorEventCrashes: [{ range: '*', value: true }],
      members: {
        connect: { call: { effect: { kind: 'connection', op: 'connect', timeout } } },
        end: { call: { effect: { kind: 'connection', op: 'release' } } },
      },
    },
    Result: { role: 'response' },
  },
  exports: {
    Pool: { construct: { type: 'Pool' } },
    Client: { construct: { type: 'Client' } },
    native: { type: 'Namespace' },
    default: { construct: { type: 'Pool' } },
  },
  typeNames: { ClientBase: 'Connection' },
  facts: [
    {
      topic: 'timeout.default',
      versions: '8.23.1',
      says: 'statement_timeout, query_timeout, lock_timeout and the connect timeout are off.',
      source: 'lib/defaults.js, lib/client.js',
    },
    {
      topic: 'pool.default',
      versions: 'pg-pool 3.14.0',
      says: 'max 10; connectionTimeoutMillis unset: waits for ever for a free client.',
      source: 'pg-pool/index.js',
    },
    {
      topic: 'error.event',
      versions: 'pg-pool 3.14.0',
      says: 'Errors of idle clients are emitted as `error`; without a listener the process ends.',
      source: 'pg-pool/index.js',
    },
  ],
});
