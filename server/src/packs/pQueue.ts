/** p-queue: tasks run under the queue's concurrency. */
import { definePack, type CallSpec } from './contract.ts';

const add: CallSpec = {
  promise: true,
  returns: 'callback',
  callbacks: [{ arg: 0, role: 'limit' }],
  concurrencyAt: { arg: 0, path: 'concurrency' },
  concurrencyOnInstance: true,
};

export const pack = definePack({
  id: 'pQueue',
  packages: ['p-queue'],
  assumedVersion: '9.3.5',
  types: {
    Queue: {
      members: {
        add: { call: add },
        addAll: { call: { promise: true } },
        onIdle: { call: { promise: true, rejects: false } },
        onEmpty: { call: { promise: true, rejects: false } },
        on: { call: { callbacks: [{ arg: 1, role: 'listener' }] } },
      },
    },
  },
  exports: { default: { construct: { type: 'Queue' } } },
  facts: [
    {
      topic: 'bounds',
      versions: '9.3.5',
      says: '`concurrency` is Infinity unless it is given.',
      source: 'dist/index.js',
    },
    {
      topic: 'timeout',
      versions: '9.3.5',
      says: '`timeout` counts from the start of the task, not while it waits.',
      source: 'dist/index.js',
    },
  ],
});
