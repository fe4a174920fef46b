/** Upstash QStash: messages that are delivered over HTTP. */
import { definePack, type MemberSpec } from './contract.ts';

const publish: MemberSpec = {
  call: {
    effect: {
      kind: 'queue',
      op: 'publish',
      bodyAt: { arg: 0, path: 'body' },
      idempotency: { at: { arg: 0, path: 'deduplicationId' }, property: 'deduplicationId' },
    },
  },
};

export const pack = definePack({
  id: 'qstash',
  packages: ['@upstash/qstash', '@upstash/qstash/*'],
  assumedVersion: '2.12.0',
  types: {
    Client: {
      role: 'queue',
      members: {
        publish,
        publishJSON: publish,
        batchJSON: { call: { effect: { kind: 'queue', op: 'publish', many: true } } },
        queue: { call: { returns: 'Queue', promise: false } },
      },
    },
    Queue: {
      role: 'queue',
      members: { enqueue: publish, enqueueJSON: publish, upsert: { call: { promise: true } } },
    },
  },
  exports: { Client: { construct: { type: 'Client' } } },
  facts: [
    {
      topic: 'idempotency',
      versions: '2.12.0',
      says: 'A message with a `deduplicationId` that was seen before is accepted and not delivered again.',
      source: 'client type declarations',
    },
    {
      topic: 'retry.default',
      versions: '2.12.0',
      says: 'A delivery that is not answered with 2xx is repeated; `retries` caps it.',
      source: 'client type declarations',
    },
  ],
});
