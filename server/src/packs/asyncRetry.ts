/** async-retry, promise-retry and the `retry` package beneath them. */
import { definePack, type CallSpec, type RetrySpec } from './contract.ts';

function spec(options: number): RetrySpec {
  return {
    attempts: [{ range: '*', value: 11 }],
    attemptsOption: [{ arg: options, path: 'retries', counts: 'retries' }],
    backoff: 'exponential',
    jitter: true,
    constantWhen: [{ arg: options, path: 'factor', equals: 1 }],
    methods: null,
  };
}

const call: CallSpec = {
  promise: true,
  returns: 'callback',
  callbacks: [{ arg: 0, role: 'retry' }],
  retry: spec(1),
};

export const pack = definePack({
  id: 'asyncRetry',
  packages: ['async-retry', 'promise-retry', 'retry'],
  assumedVersion: '1.3.3',
  types: {
    Operation: {
      members: {
        attempt: {
          call: { callbacks: [{ arg: 0, role: 'retry' }], retry: { ...spec(0), onInstance: true } },
        },
        retry: { call: {} },
        mainError: { call: {} },
      },
    },
  },
  exports: { default: { call }, operation: { call: { returns: 'Operation' } } },
  facts: [
    {
      topic: 'retry.default',
      versions: 'async-retry 1.3.3, retry 0.13.1',
      says: 'Ten retries, 1 s doubling, each delay times a random factor between one and two in async-retry.',
      source: 'lib/index.js',
    },
    {
      topic: 'retry.filter',
      versions: '1.3.3',
      says: 'Every error is repeated unless `bail` is called.',
      source: 'lib/index.js',
    },
  ],
});
