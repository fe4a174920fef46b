/** The global `fetch` and undici. */
import { definePack, type EffectSpec, type TimeoutSpec } from './contract.ts';

const timeout: TimeoutSpec = {
  defaults: [{ range: '*', value: { connect: 10_000, headers: 300_000, idle: 300_000, total: null } }],
  signal: [{ arg: 1, path: 'signal' }],
  ignored: [{ arg: 1, path: 'timeout' }],
  fix: { style: 'signal', arg: 1, path: 'signal' },
};

const request: EffectSpec = {
  kind: 'http',
  op: 'request',
  urlAt: { arg: 0, path: '' },
  bodyAt: { arg: 1, path: 'body' },
  methodAt: [{ arg: 1, path: 'method' }],
  timeout,
  rejectsOnStatus: false,
};

const fetchCall = { call: { effect: request, returns: 'Response' } };

export const pack = definePack({
  id: 'fetch',
  packages: ['undici', 'node-fetch', 'cross-fetch', 'isomorphic-fetch', 'node-fetch-native', '@whatwg-node/fetch', 'make-fetch-happen', 'fetch-retry'],
  assumedVersion: '7.30.2',
  types: {
    Response: {
      role: 'response',
      members: {
        json: { call: { promise: true, rejects: true } },
        text: { call: { promise: true, returns: 'Text', rejects: true } },
        arrayBuffer: { call: { promise: true, rejects: true } },
        blob: { call: { promise: true, rejects: true } },
        formData: { call: { promise: true, rejects: true } },
        clone: { call: { returns: 'Response' } },
      },
    },
    Text: {},
  },
  exports: {
    default: fetchCall,
    fetch: fetchCall,
    request: { call: { effect: request, returns: 'Response' } },
  },
  globals: { fetch: fetchCall },
  facts: [
    {
      topic: 'timeout.default',
      versions: '7.30.2; Node 20.20.2 bundles 6.24.1',
      says: 'Connect 10 s, headers 300 s, gap between body chunks 300 s; no end-to-end deadline.',
      source: 'lib/dispatcher/client.js, lib/core/connect.js',
    },
    {
      topic: 'timeout.option',
      versions: '7.30.2',
      says: 'fetch has no `timeout` key; an unknown key is ignored.',
      source: 'lib/web/fetch/index.js',
    },
    {
      topic: 'response.check',
      versions: '7.30.2',
      says: 'fetch resolves for 4xx and 5xx answers.',
      source: 'lib/web/fetch/index.js',
    },
  ],
});
