/** axios-retry: makes an axios instance repeat its requests. */
import { definePack } from './contract.ts';

export const pack = definePack({
  id: 'axiosRetry',
  packages: ['axios-retry'],
  assumedVersion: '4.5.0',
  types: {},
  exports: {
    default: {
      call: {
        promise: false,
        retry: {
          attempts: [{ range: '*', value: 4 }],
          attemptsOption: [{ arg: 1, path: 'retries', counts: 'retries' }],
          backoff: 'none',
          jitter: false,
          backoffOption: [{ arg: 1, path: 'retryDelay' }],
          filterOption: [{ arg: 1, path: 'retryCondition' }],
          methods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'],
        },
      },
    },
    exponentialDelay: { call: { promise: false } },
    linearDelay: { call: { promise: false } },
    isNetworkError: { call: { promise: false } },
    isNetworkOrIdempotentRequestError: { call: { promise: false } },
  },
  facts: [
    {
      topic: 'retry.default',
      versions: '4.5.0',
      says: 'Three retries at once, without delay unless Retry-After or `retryDelay` gives one.',
      source: 'dist/cjs/index.js',
    },
    {
      topic: 'retry.methods',
      versions: '4.5.0',
      says: '5xx and 429 are repeated for idempotent methods, network errors for every method unless `retryCondition` says otherwise.',
      source: 'dist/cjs/index.js',
    },
  ],
});
