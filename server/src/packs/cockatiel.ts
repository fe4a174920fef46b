/** cockatiel: policies around a function. */
import { definePack, type RetrySpec } from './contract.ts';

const retry: RetrySpec = {
  attempts: [{ range: '*', value: null }],
  attemptsOption: [{ arg: 1, path: 'maxAttempts', counts: 'retries' }],
  backoff: 'none',
  jitter: false,
  backoffOption: [{ arg: 1, path: 'backoff' }],
  // The policy's first argument says which errors are repeated.
  filterOption: [{ arg: 0, path: '' }],
  methods: null,
  onInstance: true,
};
const listens = { call: { promise: false, callbacks: [{ arg: 0, role: 'listener' as const }] } };

export const pack = definePack({
  id: 'cockatiel',
  packages: ['cockatiel'],
  assumedVersion: '3.2.1',
  types: {
    RetryPolicy: {
      members: {
        execute: {
          call: { promise: true, returns: 'callback', callbacks: [{ arg: 0, role: 'retry' }], retry },
        },
        onRetry: listens,
        onGiveUp: listens,
        onFailure: listens,
      },
    },
    TimeoutPolicy: {
      members: {
        execute: { call: { promise: true, returns: 'callback', callbacks: [{ arg: 0, role: 'timeout' }] } },
      },
    },
    BulkheadPolicy: {
      members: {
        execute: { call: { promise: true, returns: 'callback', callbacks: [{ arg: 0, role: 'limit' }] } },
      },
    },
    BreakerPolicy: {
      members: {
        execute: { call: { promise: true, returns: 'callback', callbacks: [{ arg: 0, role: 'sync' }] } },
        onBreak: listens,
        onReset: listens,
      },
    },
    /** Which policies it holds is not followed; one of them may bound the time. */
    Wrapped: {
      members: {
        execute: { call: { promise: true, returns: 'callback', callbacks: [{ arg: 0, role: 'timeout' }] } },
      },
    },
  },
  exports: {
    retry: { call: { returns: 'RetryPolicy', promise: false } },
    timeout: { call: { returns: 'TimeoutPolicy', promise: false } },
    bulkhead: { call: { returns: 'BulkheadPolicy', promise: false } },
    circuitBreaker: { call: { returns: 'BreakerPolicy', promise: false } },
    wrap: { call: { returns: 'Wrapped', promise: false } },
  },
  typeNames: { IPolicy: 'Wrapped', CircuitBreakerPolicy: 'BreakerPolicy' },
  facts: [
    {
      topic: 'retry.default',
      versions: '3.2.1',
      says: '`retry(policy)` alone repeats without end and without delay.',
      source: 'dist/Policy.js, dist/RetryPolicy.js',
    },
    {
      topic: 'backoff',
      versions: '3.2.1',
      says: 'ExponentialBackoff: decorrelated jitter, 128 ms to 30 s.',
      source: 'dist/backoff/ExponentialBackoff.js',
    },
    {
      topic: 'timeout',
      versions: '3.2.1',
      says: 'The cooperative strategy only aborts its signal; the aggressive one rejects and leaves the work running.',
      source: 'dist/TimeoutPolicy.js',
    },
  ],
});
