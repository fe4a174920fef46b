/** node-redis: clients, pools, clusters and `multi`. */
import { camelCase, redisCommands } from './_kit/redisCommands.ts';
import { definePack, type MemberSpec, type TimeoutSpec } from './contract.ts';

const timeout: TimeoutSpec = {
  defaults: [{ range: '*', value: { connect: 5_000, total: null } }],
  instance: [
    { arg: 0, path: 'socket.connectTimeout', bounds: 'connect' },
    { arg: 0, path: 'socket.socketTimeout', bounds: 'idle' },
  ],
};
const listen: MemberSpec = {
  call: { returns: 'self', promise: false, callbacks: [{ arg: 1, role: 'listener' }] },
};
const commands = redisCommands(timeout, (c) => [...new Set([c, camelCase(c), c.toUpperCase()])]);
const multi: MemberSpec = { call: { returns: 'Multi', promise: false } };

export const pack = definePack({
  id: 'redis',
  packages: ['redis', '@redis/client'],
  assumedVersion: '6.3.1',
  types: {
    Client: {
      role: 'client',
      errorEventCrashes: [{ range: '*', value: true }],
      members: {
        ...commands,
        on: listen,
        once: listen,
        connect: { call: { effect: { kind: 'connection', op: 'connect', timeout }, returns: 'self' } },
        duplicate: { call: { returns: 'Client', promise: false } },
        multi,
        MULTI: multi,
        watch: { call: { promise: true } },
        unwatch: { call: { promise: true } },
        subscribe: { call: { promise: true, callbacks: [{ arg: 1, role: 'consumer' }] } },
        pSubscribe: { call: { promise: true, callbacks: [{ arg: 1, role: 'consumer' }] } },
        execute: { call: { returns: 'callback', callbacks: [{ arg: 0, role: 'sync', params: ['Client'] }] } },
        executeIsolated: {
          call: { returns: 'callback', callbacks: [{ arg: 0, role: 'sync', params: ['Client'] }] },
        },
        sendCommand: { call: { effect: { kind: 'cache', op: 'write', timeout } } },
        withAbortSignal: { call: { returns: 'self', promise: false } },
        withCommandOptions: { call: { returns: 'self', promise: false } },
        quit: { call: { promise: true } },
        disconnect: { call: { promise: true } },
        close: { call: { promise: true } },
        destroy: { call: { promise: false } },
      },
    },
    Pool: { extends: 'Client', role: 'pool' },
    Multi: {
      role: 'transaction',
      members: {
        exec: { call: { effect: { kind: 'cache', op: 'write', timeout } } },
        execAsPipeline: { call: { effect: { kind: 'cache', op: 'write', timeout } } },
      },
      rest: { call: { returns: 'self', promise: false } },
    },
  },
  exports: {
    createClient: { call: { returns: 'Client', promise: false } },
    createClientPool: { call: { returns: 'Pool', promise: false } },
    createCluster: { call: { returns: 'Client', promise: false } },
    createSentinel: { call: { returns: 'Client', promise: false } },
  },
  typeNames: {
    RedisClientType: 'Client',
    RedisClusterType: 'Client',
    RedisClientPoolType: 'Pool',
    RedisClient: 'Client',
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: '6.3.1',
      says: 'Connecting gives up after 5 s. The command timeout covers the wait in the queue only; a command that is on the wire has no bound, and `socketTimeout` is unset.',
      source: '@redis/client dist/lib/defaults.js, dist/lib/client/commands-queue.js',
    },
    {
      topic: 'retry.default',
      versions: '6.3.1',
      says: 'Reconnects for ever, doubling from 50 ms to 2 s with up to 200 ms of jitter; commands wait in an unbounded queue meanwhile.',
      source: '@redis/client dist/lib/client/socket.js',
    },
    {
      topic: 'tx.api',
      versions: '6.3.1',
      says: "WATCH needs a connection of its own (a pool's `execute`): on a shared client every caller is watched.",
      source: '@redis/client dist/lib/client/pool.js',
    },
  ],
});
