/** BullMQ: queues, flows, workers and their jobs. */
import { definePack, type EffectSpec, type MemberSpec } from './contract.ts';

const listen: MemberSpec = {
  call: { returns: 'self', promise: false, callbacks: [{ arg: 1, role: 'listener' }] },
};
const DONE: MemberSpec = { call: { promise: true } };
const add: EffectSpec = {
  kind: 'queue',
  op: 'publish',
  bodyAt: { arg: 1, path: '' },
  idempotency: { at: { arg: 2, path: 'jobId' }, property: 'jobId' },
};

export const pack = definePack({
  id: 'bullmq',
  packages: ['bullmq', '@nestjs/bullmq', '@taskforcesh/bullmq-pro'],
  assumedVersion: '6.7.0',
  types: {
    Queue: {
      role: 'queue',
      members: {
        add: { call: { effect: add, returns: 'Job' } },
        addBulk: { call: { effect: { kind: 'queue', op: 'publish', many: true } } },
        // Both set a schedule under a name of their own: running them again changes nothing.
        upsertJobScheduler: { call: { effect: { kind: 'queue', op: 'upsert' } } },
        removeRepeatable: DONE,
        getJob: { call: { returns: 'Job', promise: true } },
        getJobs: DONE,
        pause: DONE,
        resume: DONE,
        obliterate: DONE,
        drain: DONE,
        close: DONE,
        on: listen,
        once: listen,
      },
    },
    FlowProducer: {
      role: 'queue',
      members: {
        add: {
          call: {
            effect: {
              kind: 'queue',
              op: 'publish',
              idempotency: { at: { arg: 0, path: 'opts.jobId' }, property: 'opts.jobId' },
            },
          },
        },
        addBulk: { call: { effect: { kind: 'queue', op: 'publish', many: true } } },
        close: DONE,
        on: listen,
      },
    },
    Worker: {
      role: 'worker',
      members: {
        on: listen,
        once: listen,
        close: DONE,
        run: DONE,
        pause: DONE,
        resume: { call: { promise: false } },
      },
    },
    QueueEvents: { role: 'emitter', members: { on: listen, once: listen, close: DONE } },
    Job: {
      role: 'message',
      members: {
        data: { type: 'Input' },
        updateProgress: DONE,
        updateData: DONE,
        log: DONE,
        remove: DONE,
        retry: DONE,
        moveToFailed: DONE,
        moveToCompleted: { call: { effect: { kind: 'queue', op: 'ack' } } },
        waitUntilFinished: DONE,
        extendLock: DONE,
      },
    },
    Input: { rest: { type: 'Input' } },
  },
  exports: {
    Queue: { construct: { type: 'Queue' } },
    FlowProducer: { construct: { type: 'FlowProducer' } },
    QueueEvents: { construct: { type: 'QueueEvents' } },
    Worker: {
      construct: { type: 'Worker' },
      call: { returns: 'Worker', promise: false, callbacks: [{ arg: 1, role: 'consumer', params: ['Job'] }] },
    },
    Job: { construct: { type: 'Job' } },
  },
  facts: [
    {
      topic: 'error.event',
      versions: '5.13.0',
      says: 'Queues and workers catch what `emit` throws and print it: an `error` event without listener ends no process.',
      source: 'dist/cjs/classes/queue-base.js, emit',
    },
    {
      topic: 'idempotency',
      versions: '6.7.0',
      says: 'A second `add` with a `jobId` that is still stored is ignored; once that job has been removed the id is free again.',
      source: 'dist/esm/interfaces/base-job-options.d.ts',
    },
    {
      topic: 'delivery',
      versions: '6.7.0',
      says: 'At least once: a job whose 30 s lock is not renewed is taken up by another worker while the first one may still finish it.',
      source: 'dist/cjs/classes/worker.js',
    },
    {
      topic: 'retry.default',
      versions: '6.7.0',
      says: 'One run unless `attempts` says more; no delay between runs unless `backoff` does, and that without jitter unless given.',
      source: 'dist/cjs/classes/job.js, dist/cjs/classes/backoffs.js',
    },
    {
      topic: 'ack.default',
      versions: '6.7.0',
      says: 'A job is completed when its processor settles without throwing: a swallowed error completes it.',
      source: 'dist/cjs/classes/worker.js',
    },
  ],
});
