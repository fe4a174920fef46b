/** The global `fetch` and undici: its functions, pools and agents. */
import { definePack, type EffectSpec, type TimeoutSpec } from './contract.ts';

const defaults: TimeoutSpec['defaults'] = [
  { range: '*', value: { connect: 10_000, headers: 300_000, idle: 300_000, total: null } },
];

const timeout: TimeoutSpec = {
  defaults,
  signal: [{ arg: 1, path: 'signal' }],
  ignored: [{ arg: 1, path: 'timeout' }],
  fix: { style: 'signal', arg: 1, path: 'signal' },
};

const fetchRequest: EffectSpec = {
  kind: 'http',
  op: 'request',
  urlAt: { arg: 0, path: '' },
  bodyAt: { arg: 1, path: 'body' },
  methodAt: [{ arg: 1, path: 'method' }],
  timeout,
  rejectsOnStatus: false,
};

/** undici's own calls read phase timers beside the signal. */
function undici(arg: number, url: { arg: number; path: string }): EffectSpec {
  return {
    kind: 'http',
    op: 'request',
    urlAt: url,
    bodyAt: { arg, path: 'body' },
    methodAt: [{ arg, path: 'method' }],
    timeout: {
      defaults,
      instance: [
        { arg: 0, path: 'headersTimeout', bounds: 'headers' },
        { arg: 0, path: 'bodyTimeout', bounds: 'idle' },
        { arg: 1, path: 'headersTimeout', bounds: 'headers' },
        { arg: 1, path: 'bodyTimeout', bounds: 'idle' },
      ],
      call: [
        { arg, path: 'headersTimeout', bounds: 'headers' },
        { arg, path: 'bodyTimeout', bounds: 'idle' },
      ],
      signal: [{ arg, path: 'signal' }],
      ignored: [{ arg, path: 'timeout' }],
      fix: { style: 'signal', arg, path: 'signal' },
    },
    rejectsOnStatus: false,
  };
}

const fetchCall = { call: { effect: fetchRequest, returns: 'Response' } };
const request = { call: { effect: undici(1, { arg: 0, path: '' }), returns: 'Answer' } };
const dispatched = { call: { effect: undici(0, { arg: 0, path: 'path' }), returns: 'Answer' } };
const read = { call: { promise: true, rejects: true, returns: 'Input' } };

export const pack = definePack({
  id: 'fetch',
  packages: ['undici', 'cross-fetch', 'isomorphic-fetch', 'node-fetch-native', '@whatwg-node/fetch'],
  assumedVersion: '7.30.2',
  types: {
    Response: {
      role: 'response',
      members: {
        json: read,
        text: read,
        arrayBuffer: read,
        blob: read,
        formData: read,
        bytes: read,
        clone: { call: { returns: 'Response' } },
      },
    },
    Answer: { role: 'response', members: { body: { type: 'Body' } } },
    Body: { members: { json: read, text: read, arrayBuffer: read, blob: read, bytes: read, formData: read } },
    /** What the other side sent. */
    Input: { rest: { type: 'Input' } },
    Dispatcher: {
      role: 'client',
      members: {
        request: dispatched,
        stream: dispatched,
        pipeline: { call: { effect: undici(0, { arg: 0, path: 'path' }), promise: false } },
        close: { call: { promise: true } },
        destroy: { call: { promise: true } },
        compose: { call: { returns: 'self' } },
      },
    },
  },
  exports: {
    default: fetchCall,
    fetch: fetchCall,
    request,
    stream: request,
    Pool: { construct: { type: 'Dispatcher' } },
    Client: { construct: { type: 'Dispatcher' } },
    Agent: { construct: { type: 'Dispatcher' } },
    ProxyAgent: { construct: { type: 'Dispatcher' } },
    RetryAgent: { construct: { type: 'Dispatcher' } },
    BalancedPool: { construct: { type: 'Dispatcher' } },
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
      says: 'fetch has no `timeout` key; an unknown key is ignored. request and the dispatchers read headersTimeout and bodyTimeout, neither of which ends a body that drips.',
      source: 'lib/web/fetch/index.js, docs/docs/api/Client.md',
    },
    {
      topic: 'response.check',
      versions: '7.30.2',
      says: 'fetch and request resolve for 4xx and 5xx answers.',
      source: 'lib/web/fetch/index.js',
    },
  ],
});
