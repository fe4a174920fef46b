/** Graphile Worker: tasks and jobs kept in Postgres. */
import { definePack, type MemberSpec } from './contract.ts';

function addJob(options: number): MemberSpec {
  return {
    call: {
      effect: {
        kind: 'queue',
        op: 'publish',
        bodyAt: { arg: options - 1, path: '' },
        idempotency: { at: { arg: options, path: 'jobKey' }, property: 'jobKey' },
      },
    },
  };
}
const runner: MemberSpec = {
  call: {
    returns: 'Runner',
    promise: true,
    callbacks: [{ arg: 0, path: '*', role: 'consumer', params: [null, 'Helpers'] }],
  },
};

export const pack = definePack({
  id: 'graphileWorker',
  packages: ['graphile-worker'],
  assumedVersion: '0.16.6',
  types: {
    Runner: { role: 'worker', members: { addJob: addJob(2), stop: { call: { promise: true } } } },
    Utils: {
      role: 'queue',
      release: ['release'],
      members: {
        addJob: addJob(2),
        release: { call: { promise: true } },
        migrate: { call: { promise: true } },
      },
    },
    Helpers: {
      role: 'message',
      members: { addJob: addJob(2), query: { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 } } } },
    },
  },
  exports: {
    run: runner,
    runOnce: runner,
    quickAddJob: addJob(3),
    makeWorkerUtils: { call: { returns: 'Utils', promise: true } },
  },
  typeNames: { WorkerUtils: 'Utils', JobHelpers: 'Helpers' },
  facts: [
    {
      topic: 'idempotency',
      versions: '0.16.6',
      says: 'A job added under a `jobKey` that is still waiting replaces it.',
      source: 'website/docs/job-key.md',
    },
    {
      topic: 'delivery',
      versions: '0.16.6',
      says: 'At least once: a task that throws is run again, up to 25 times.',
      source: 'README.md',
    },
  ],
});
