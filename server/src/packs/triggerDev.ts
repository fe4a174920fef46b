/** Trigger.dev: tasks and how they are started. */
import { definePack, type EffectSpec, type MemberSpec } from './contract.ts';

const start = (options: number): EffectSpec => ({
  kind: 'queue',
  op: 'publish',
  bodyAt: { arg: options - 1, path: '' },
  idempotency: { at: { arg: options, path: 'idempotencyKey' }, property: 'idempotencyKey' },
});
const begin = (options: number): MemberSpec => ({ call: { effect: start(options) } });
const task: MemberSpec = {
  call: { returns: 'Task', promise: false, callbacks: [{ arg: 0, path: 'run', role: 'consumer' }] },
};

export const pack = definePack({
  id: 'triggerDev',
  packages: ['@trigger.dev/sdk', '@trigger.dev/sdk/v3'],
  assumedVersion: '4.8.3',
  types: {
    Task: {
      members: {
        trigger: begin(1),
        triggerAndWait: begin(1),
        batchTrigger: { call: { effect: { kind: 'queue', op: 'publish', many: true } } },
        batchTriggerAndWait: { call: { effect: { kind: 'queue', op: 'publish', many: true } } },
      },
    },
    Tasks: {
      members: {
        trigger: begin(2),
        triggerAndWait: begin(2),
        batchTrigger: { call: { effect: { kind: 'queue', op: 'publish', many: true } } },
      },
    },
  },
  exports: { task, schemaTask: task, 'schedules.task': task, tasks: { type: 'Tasks' } },
  facts: [
    {
      topic: 'idempotency',
      versions: '4.8.3',
      says: 'Starting a task again with the same `idempotencyKey` gives the first run back.',
      source: 'dist/esm/v3/shared.js',
    },
  ],
});
