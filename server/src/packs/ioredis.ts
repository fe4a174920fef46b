/** ioredis: single clients, clusters, pipelines and `multi`. */
import { redisCommands } from './_kit/redisCommands.ts';
import { definePack, type MemberSpec, type TimeoutSpec } from './contract.ts';

const timeout: TimeoutSpec = {
  defaults: [{ range: '*', value: { connect: 10_000, total: null } }],
  instance: [0, 1, 2].flatMap((arg) => [
    { arg, path: 'connectTimeout', bounds: 'connect' as const },
    { arg, path: 'commandTimeout', bounds: 'total' as const },
    { arg, path: 'socketTimeout', bounds: 'idle' as const },
  ]),
};
const listen: MemberSpec = {
  call: { returns: 'self', promise: false, callbacks: [{ arg: 1, role: 'listener' }] },
};
const batch: MemberSpec = { call: { returns: 'Pipeline', promise: false } };
const made: MemberSpec = { construct: { type: 'Redis' } };

export const pack = definePack({
  id: 'ioredis',
  packages: ['ioredis', '@upstash/redis', '@vercel/kv', 'iovalkey'],
  assumedVersion: '6.0.0',
  types: {
    Redis: {
      role: 'client',
      members: {
        ...redisCommands(timeout, (c) => [c]),
        on: listen,
        once: listen,
        connect: { call: { effect: { kind: 'connection', op: 'connect', timeout } } },
        duplicate: { call: { returns: 'Redis', promise: false } },
        pipeline: batch,
        multi: batch,
        watch: { call: { promise: true } },
        unwatch: { call: { promise: true } },
        subscribe: { call: { promise: true } },
        psubscribe: { call: { promise: true } },
        call: { call: { effect: { kind: 'cache', op: 'write', timeout } } },
        quit: { call: { promise: true } },
        disconnect: { call: { promise: false } },
        defineCommand: { call: { promise: false } },
      },
    },
    Pipeline: {
      role: 'transaction',
      members: { exec: { call: { effect: { kind: 'cache', op: 'write', timeout } } } },
      rest: { call: { returns: 'self', promise: false } },
    },
  },
  exports: {
    default: made,
    Redis: made,
    Cluster: made,
    'default.Cluster': made,
    'Redis.Cluster': made,
    // The client of a hosted database that takes its address from the environment.
    'Redis.fromEnv': { call: { returns: 'Redis', promise: false } },
    kv: { type: 'Redis' },
  },
  typeNames: { RedisClientType: 'Redis', ChainableCommander: 'Pipeline' },
  facts: [
    {
      topic: 'timeout.default',
      versions: '6.0.0',
      says: 'Connecting gives up after 10 s; `commandTimeout` and `socketTimeout` are unset, so a command has no bound.',
      source: 'built/redis/RedisOptions.js, built/Redis.js',
    },
    {
      topic: 'retry.default',
      versions: '6.0.0',
      says: '`maxRetriesPerRequest` is 20; reconnects for ever between 50 ms and 5 s with jitter; commands wait in the offline queue.',
      source: 'built/redis/RedisOptions.js',
    },
    {
      topic: 'retry.trap',
      versions: '6.0.0',
      says: '`autoResendUnfulfilledCommands` sends commands again whose answer was lost: INCR, LPUSH and scripts run twice.',
      source: 'built/redis/event_handler.js',
    },
  ],
});
