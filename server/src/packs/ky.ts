/** ky: requests, `create` and `extend`. */
import { definePack, type EffectSpec, type RetrySpec, type TimeoutSpec } from './contract.ts';

const timeout: TimeoutSpec = {
  // The timer covers the time to the headers; that default is what users of ky rely on, so it counts as the bound.
  defaults: [{ range: '*', value: { headers: 10_000, total: 10_000 } }],
  call: [{ arg: 1, path: 'timeout', bounds: 'total' }],
  instance: [{ arg: 0, path: 'timeout', bounds: 'total' }],
  signal: [{ arg: 1, path: 'signal' }],
  fix: { style: 'signal', arg: 1, path: 'signal' },
};

const retry: RetrySpec = {
  attempts: [{ range: '*', value: 3 }],
  attemptsOption: [
    { arg: 1, path: 'retry', counts: 'retries' },
    { arg: 1, path: 'retry.limit', counts: 'retries' },
  ],
  backoff: 'exponential',
  jitter: false,
  methods: ['GET', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'],
};

function effect(method?: string): EffectSpec {
  return {
    kind: 'http',
    op: 'request',
    ...(method ? { method } : { methodAt: [{ arg: 1, path: 'method' }] }),
    urlAt: { arg: 0, path: '' },
    bodyAt: { arg: 1, path: 'json' },
    timeout,
    retry,
    rejectsOnStatus: true,
  };
}

const call = (method?: string) => ({ call: { effect: effect(method), returns: 'Response' } });
const read = { call: { promise: true, rejects: true, returns: 'Input' } };

export const pack = definePack({
  id: 'ky',
  packages: ['ky', 'ky-universal'],
  assumedVersion: '1.14.3',
  types: {
    Response: {
      role: 'response',
      members: {
        json: read,
        text: read,
        blob: read,
        arrayBuffer: read,
        formData: read,
        clone: { call: { returns: 'Response' } },
      },
    },
    Input: { rest: { type: 'Input' } },
    Instance: {
      role: 'client',
      call: { effect: effect(), returns: 'Response' },
      members: {
        get: call('GET'),
        head: call('HEAD'),
        delete: call('DELETE'),
        post: call('POST'),
        put: call('PUT'),
        patch: call('PATCH'),
        extend: { call: { returns: 'Instance' } },
        create: { call: { returns: 'Instance' } },
      },
    },
  },
  exports: { default: { type: 'Instance' } },
  typeNames: { KyInstance: 'Instance' },
  facts: [
    {
      topic: 'timeout.default',
      versions: '1.14.3',
      says: '10 s until the headers; `timeout: false` turns it off. A stalled body is not covered.',
      source: 'distribution/core/Ky.js',
    },
    {
      topic: 'retry.default',
      versions: '1.14.3',
      says: 'Two retries of idempotent methods, 0.3 s doubling, no jitter; Retry-After is honoured; timeouts are not repeated.',
      source: 'distribution/utils/normalize.js',
    },
    {
      topic: 'response.check',
      versions: '1.14.3',
      says: 'Throws outside 2xx.',
      source: 'distribution/core/Ky.js',
    },
  ],
});
