/** Locks held by one process or many: async-mutex, async-lock, redlock. */
import { definePack, type MemberSpec } from './contract.ts';

const acquire: MemberSpec = { call: { effect: { kind: 'lock', op: 'acquire' }, returns: 'Release' } };
const release: MemberSpec = { call: { effect: { kind: 'lock', op: 'release' }, promise: false } };
const exclusive: MemberSpec = {
  call: { returns: 'callback', promise: true, callbacks: [{ arg: 0, role: 'lock' }] },
};
const wrapped: MemberSpec = { call: { returns: 'Mutex', promise: false } };

export const pack = definePack({
  id: 'asyncMutex',
  packages: ['async-mutex', 'async-lock', 'redlock', '@sesamecare-oss/redlock', 'await-lock'],
  assumedVersion: '0.5.0',
  types: {
    Mutex: {
      members: {
        acquire,
        acquireAsync: acquire,
        runExclusive: exclusive,
        release,
        isLocked: { call: { promise: false } },
        waitForUnlock: { call: { promise: true } },
        cancel: { call: { promise: false } },
      },
    },
    Release: { call: { effect: { kind: 'lock', op: 'release' }, promise: false } },
    Redlock: {
      members: {
        // async-lock takes the work as its second argument, where redlock takes milliseconds.
        acquire: {
          call: {
            effect: { kind: 'lock', op: 'acquire' },
            returns: 'Lease',
            callbacks: [{ arg: 1, role: 'lock' }],
          },
        },
        lock: { call: { effect: { kind: 'lock', op: 'acquire' }, returns: 'Lease' } },
        using: {
          call: { effect: { kind: 'lock', op: 'acquire' }, callbacks: [{ arg: 'last', role: 'lock' }] },
        },
        release: { call: { effect: { kind: 'lock', op: 'release' } } },
        on: { call: { promise: false, callbacks: [{ arg: 1, role: 'listener' }] } },
      },
    },
    Lease: {
      release: ['release', 'unlock'],
      members: {
        release: { call: { effect: { kind: 'lock', op: 'release' } } },
        unlock: { call: { effect: { kind: 'lock', op: 'release' } } },
        extend: { call: { returns: 'self', promise: true } },
      },
    },
  },
  exports: {
    Mutex: { construct: { type: 'Mutex' } },
    Semaphore: { construct: { type: 'Mutex' } },
    withTimeout: wrapped,
    tryAcquire: wrapped,
    AwaitLock: { construct: { type: 'Mutex' } },
    Redlock: { construct: { type: 'Redlock' } },
    // Which of the packages with a default export it is cannot be told here; both take the key first.
    default: { construct: { type: 'Redlock' } },
  },
  typeNames: { MutexInterface: 'Mutex', SemaphoreInterface: 'Mutex', Lock: 'Lease' },
  facts: [
    {
      topic: 'scope',
      versions: '0.5.0',
      says: 'A mutex holds within one process; other replicas do not see it.',
      source: 'README.md',
    },
    {
      topic: 'release',
      versions: '0.5.0',
      says: '`acquire` gives the function that releases; `runExclusive` releases on every path.',
      source: 'README.md',
    },
  ],
});
