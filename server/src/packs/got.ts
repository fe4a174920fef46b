/** got: requests, `extend`, and its phase timeouts. */
import { definePack, type EffectSpec, type RetrySpec, type TimeoutSpec } from './contract.ts';

const timeout: TimeoutSpec = {
  defaults: [{ range: '*', value: { total: null } }],
  // A bare number was the total until version 12 refused it.
  call: [
    { arg: 1, path: 'timeout', bounds: 'total', range: '<12' },
    { arg: 1, path: 'timeout.connect', bounds: 'connect' },
    { arg: 1, path: 'timeout.response', bounds: 'headers' },
    { arg: 1, path: 'timeout.read', bounds: 'idle' },
    { arg: 1, path: 'timeout.socket', bounds: 'idle' },
    { arg: 1, path: 'timeout.request', bounds: 'total' },
  ],
  instance: [
    { arg: 0, path: 'timeout', bounds: 'total', range: '<12' },
    { arg: 0, path: 'timeout.connect', bounds: 'connect' },
    { arg: 0, path: 'timeout.response', bounds: 'headers' },
    { arg: 0, path: 'timeout.read', bounds: 'idle' },
    { arg: 0, path: 'timeout.socket', bounds: 'idle' },
    { arg: 0, path: 'timeout.request', bounds: 'total' },
  ],
  signal: [{ arg: 1, path: 'signal' }],
  clientFix: { arg: 0, property: 'timeout: { request: $ms }' },
  fix: { style: 'option', arg: 1, path: 'timeout.request' },
};

const retry: RetrySpec = {
  attempts: [{ range: '*', value: 3 }],
  attemptsOption: [{ arg: 1, path: 'retry.limit', counts: 'retries' }],
  backoff: 'exponential',
  jitter: true,
  methods: ['GET', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'],
};

function effect(method?: string): EffectSpec {
  return {
    kind: 'http',
    op: 'request',
    ...(method
      ? { method }
      : {
          methodAt: [
            { arg: 1, path: 'method' },
            { arg: 0, path: 'method' },
          ],
        }),
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
  id: 'got',
  packages: ['got', 'got-cjs', 'got-scraping'],
  assumedVersion: '14.6.6',
  types: {
    Response: {
      role: 'response',
      members: { json: read, text: read, buffer: read, body: { type: 'Input' } },
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
      },
    },
  },
  exports: { default: { type: 'Instance' }, got: { type: 'Instance' }, gotScraping: { type: 'Instance' } },
  typeNames: { Got: 'Instance' },
  facts: [
    {
      topic: 'timeout.default',
      versions: '14.6.6',
      says: 'Every phase of `timeout` is unset.',
      source: 'dist/source/core/options.js',
    },
    {
      topic: 'timeout.option',
      versions: '14.6.6',
      says: 'Of the phases only `request` ends a body that drips; a bare number is refused.',
      source: 'dist/source/core/options.js',
    },
    {
      topic: 'retry.default',
      versions: '14.6.6',
      says: 'Two retries with growing delays and noise, never for POST or PATCH.',
      source: 'dist/source/core/options.js, core/calculate-retry-delay.js',
    },
    {
      topic: 'response.check',
      versions: '14.6.6',
      says: 'Rejects outside 2xx and 3xx.',
      source: 'dist/source/core/options.js',
    },
  ],
});
