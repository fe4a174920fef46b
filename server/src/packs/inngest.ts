/** Inngest: events, and functions whose steps are remembered. */
import { definePack, type MemberSpec } from './contract.ts';

/** What a step returned is kept: after a failure the function runs again, its finished steps do not. */
const step: MemberSpec = {
  call: { returns: 'callback', promise: true, callbacks: [{ arg: 1, role: 'step' }] },
};
const DONE: MemberSpec = { call: { promise: true } };

export const pack = definePack({
  id: 'inngest',
  packages: ['inngest', 'inngest/*'],
  assumedVersion: '4.24.0',
  types: {
    Client: {
      role: 'queue',
      members: {
        send: {
          call: {
            effect: {
              kind: 'queue',
              op: 'publish',
              bodyAt: { arg: 0, path: 'data' },
              idempotency: { at: { arg: 0, path: 'id' }, property: 'id' },
            },
          },
        },
        createFunction: {
          call: { promise: false, callbacks: [{ arg: 'last', role: 'consumer', params: ['Context'] }] },
        },
      },
    },
    Context: { members: { step: { type: 'Step' } } },
    Step: {
      members: {
        run: step,
        // Each is a step of its own, sent once however often the function runs again.
        sendEvent: { call: { effect: { kind: 'queue', op: 'publish', idempotent: true } } },
        invoke: DONE,
        sleep: DONE,
        sleepUntil: DONE,
        waitForEvent: DONE,
        fetch: DONE,
      },
    },
  },
  exports: { Inngest: { construct: { type: 'Client' } } },
  facts: [
    {
      topic: 'retry.default',
      versions: '4.24.0',
      says: 'A function or step that fails is run again three times unless `retries` says otherwise; finished steps keep their result.',
      source: 'components/InngestFunction.d.ts',
    },
    {
      topic: 'idempotency',
      versions: '4.24.0',
      says: 'A second event with the same `id` is dropped.',
      source: 'types.d.ts',
    },
  ],
});
