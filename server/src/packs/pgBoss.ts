/** pg-boss: jobs kept in the application's own Postgres. */
import { definePack, type MemberSpec } from './contract.ts';

const DONE: MemberSpec = { call: { promise: true } };
/** `send(name, data, options)` or `send(request)`; `singletonKey` and `id` make a second one the same job. */
const send: MemberSpec = {
  call: {
    effect: {
      kind: 'queue',
      op: 'publish',
      bodyAt: { arg: 1, path: '' },
      handleAt: [{ arg: 2, path: 'db' }],
      idempotency: { at: { arg: 2, path: 'singletonKey' }, property: 'singletonKey' },
    },
  },
};
const settle: MemberSpec = { call: { effect: { kind: 'queue', op: 'ack' } } };
const work: MemberSpec = {
  call: { promise: true, callbacks: [{ arg: 'last', role: 'consumer', params: ['Job'] }] },
};

export const pack = definePack({
  id: 'pgBoss',
  packages: ['pg-boss'],
  assumedVersion: '10.4.2',
  types: {
    Boss: {
      role: 'queue',
      errorEventCrashes: [{ range: '*', value: true }],
      members: {
        send,
        sendAfter: send,
        sendThrottled: send,
        sendDebounced: send,
        publish: send,
        insert: { call: { effect: { kind: 'queue', op: 'publish', many: true } } },
        fetch: { call: { effect: { kind: 'queue', op: 'consume', many: true } } },
        work,
        subscribe: work,
        schedule: { call: { effect: { kind: 'queue', op: 'upsert' } } },
        complete: settle,
        fail: { call: { effect: { kind: 'queue', op: 'nack' } } },
        start: { call: { returns: 'self', promise: true } },
        stop: DONE,
        createQueue: DONE,
        on: { call: { promise: false, callbacks: [{ arg: 1, role: 'listener' }] } },
      },
    },
    Job: { role: 'message', members: { data: { type: 'Input' } } },
    Input: { rest: { type: 'Input' } },
  },
  exports: { default: { construct: { type: 'Boss' } }, PgBoss: { construct: { type: 'Boss' } } },
  typeNames: { JobWithMetadata: 'Job', 'PgBoss.Job': 'Job' },
  facts: [
    {
      topic: 'retry.default',
      versions: '10.4.2',
      says: 'Two retries with no delay between them unless `retryBackoff` is set.',
      source: 'src/plans.js',
    },
    {
      topic: 'outbox',
      versions: '10.4.2',
      says: "`send(…, { db })` with the caller's transaction stores the job in that transaction.",
      source: 'src/manager.js',
    },
  ],
});
