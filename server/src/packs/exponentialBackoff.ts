/** exponential-backoff: `backOff(fn, options)`. */
import { definePack } from './contract.ts';

export const pack = definePack({
  id: 'exponentialBackoff',
  packages: ['exponential-backoff'],
  assumedVersion: '3.1.2',
  types: {},
  exports: {
    backOff: {
      call: {
        promise: true,
        returns: 'callback',
        callbacks: [{ arg: 0, role: 'retry' }],
        retry: {
          attempts: [{ range: '*', value: 10 }],
          attemptsOption: [{ arg: 1, path: 'numOfAttempts', counts: 'attempts' }],
          backoff: 'exponential',
          jitter: false,
          backoffOption: [{ arg: 1, path: 'jitter' }],
          constantWhen: [{ arg: 1, path: 'timeMultiple', equals: 1 }],
          filterOption: [{ arg: 1, path: 'retry' }],
          methods: null,
        },
      },
    },
  },
  facts: [
    {
      topic: 'retry.default',
      versions: '3.1.2',
      says: 'Ten attempts, 100 ms doubling, `jitter: none`.',
      source: 'dist/options.js',
    },
  ],
});
