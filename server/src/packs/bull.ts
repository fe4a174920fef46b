/** Bull, the forerunner of BullMQ: the queue takes both jobs and their processor. */
import { definePack, type MemberSpec } from './contract.ts';

const listen: MemberSpec = {
  call: { returns: 'self', promise: false, callbacks: [{ arg: 1, role: 'listener' }] },
};
const DONE: MemberSpec = { call: { promise: true } };
const made: MemberSpec = { construct: { type: 'Queue' }, call: { returns: 'Queue', promise: false } };

export const pack = definePack({
  id: 'bull',
  packages: ['bull', '@nestjs/bull', 'bee-queue'],
  assumedVersion: '4.16.5',
  types: {
    Queue: {
      role: 'queue',
      members: {
        // The name comes first or is left out, so the options are the last argument either way.
        add: {
          call: {
            effect: {
              kind: 'queue',
              op: 'publish',
              idempotency: { at: { arg: 'last', path: 'jobId' }, property: 'jobId' },
            },
            returns: 'Job',
          },
        },
        addBulk: { call: { effect: { kind: 'queue', op: 'publish', many: true } } },
        process: {
          call: {
            promise: true,
            rejects: false,
            callbacks: [{ arg: 'last', role: 'consumer', params: ['Job'] }],
          },
        },
        getJob: { call: { returns: 'Job', promise: true } },
        close: DONE,
        pause: DONE,
        resume: DONE,
        empty: DONE,
        on: listen,
        once: listen,
      },
    },
    Job: {
      role: 'message',
      members: {
        data: { type: 'Input' },
        progress: DONE,
        update: DONE,
        log: DONE,
        remove: DONE,
        retry: DONE,
        moveToFailed: DONE,
        finished: DONE,
      },
    },
    Input: { rest: { type: 'Input' } },
  },
  exports: { default: made, Queue: made },
  typeNames: { 'Bull.Queue': 'Queue', 'Bull.Job': 'Job' },
  facts: [
    {
      topic: 'idempotency',
      versions: '4.16.5',
      says: 'A job whose `jobId` is still stored is not added a second time.',
      source: 'REFERENCE.md, Queue#add',
    },
    {
      topic: 'delivery',
      versions: '4.16.5',
      says: 'At least once: a stalled job is run again.',
      source: 'README.md, important notes',
    },
  ],
});
