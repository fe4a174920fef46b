/** p-retry. */
import { definePack, type CallSpec } from './contract.ts';

const call: CallSpec = {
  promise: true,
  returns: 'callback',
  callbacks: [{ arg: 0, role: 'retry' }],
  retry: {
    attempts: [{ range: '*', value: 11 }],
    attemptsOption: [{ arg: 1, path: 'retries', counts: 'retries' }],
    backoff: 'exponential',
    jitter: false,
    backoffOption: [{ arg: 1, path: 'randomize' }],
    constantWhen: [{ arg: 1, path: 'factor', equals: 1 }],
    filterOption: [
      { arg: 1, path: 'shouldRetry' },
      { arg: 1, path: 'onFailedAttempt' },
    ],
    methods: null,
  },
};

export const pack = definePack({
  id: 'pRetry',
  packages: ['p-retry'],
  assumedVersion: '7.1.1',
  types: {},
  exports: { default: { call }, AbortError: { construct: { type: 'AbortError' } } },
  facts: [
    {
      topic: 'retry.default',
      versions: '7.1.1',
      says: 'Ten retries, 1 s doubling without limit, no randomness; no timeout for an attempt.',
      source: 'index.js',
    },
    {
      topic: 'retry.filter',
      versions: '7.1.1',
      says: 'Every error is repeated but AbortError and TypeErrors that are not of the network.',
      source: 'index.js',
    },
  ],
});
