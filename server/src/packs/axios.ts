/** axios: the default instance, `create`, and calls on both. */
import { definePack, type EffectSpec, type TimeoutSpec } from './contract.ts';

function timeoutAt(arg: number): TimeoutSpec {
  return {
    defaults: [{ range: '*', value: { total: null } }],
    // The Node adapter's timer is idle-style, yet it is the bound this library offers; a dripping peer alone outlives it.
    call: [{ arg, path: 'timeout', bounds: 'total' }],
    instance: [{ arg: 0, path: 'timeout', bounds: 'total' }],
    assigned: [{ path: 'defaults.timeout', bounds: 'total' }],
    signal: [
      { arg, path: 'signal' },
      { arg, path: 'cancelToken' },
    ],
    ignored: [
      { arg, path: 'Timeout' },
      { arg, path: 'setTimeout' },
      { arg, path: 'requestTimeout' },
    ],
    clientFix: { arg: 0, property: 'timeout: $ms' },
    fix: { style: 'signal', arg, path: 'signal' },
  };
}

function verb(method: string, config: number): { call: { effect: EffectSpec; returns: string } } {
  return {
    call: {
      effect: {
        kind: 'http',
        op: 'request',
        method,
        urlAt: { arg: 0, path: '' },
        ...(config === 2 ? { bodyAt: { arg: 1, path: '' } } : {}),
        timeout: timeoutAt(config),
        rejectsOnStatus: true,
      },
      returns: 'Response',
    },
  };
}

const request: EffectSpec = {
  kind: 'http',
  op: 'request',
  urlAt: { arg: 0, path: 'url' },
  bodyAt: { arg: 0, path: 'data' },
  methodAt: [
    { arg: 0, path: 'method' },
    { arg: 1, path: 'method' },
  ],
  timeout: timeoutAt(0),
  rejectsOnStatus: true,
};

export const pack = definePack({
  id: 'axios',
  packages: ['axios'],
  assumedVersion: '1.21.1',
  types: {
    Response: { role: 'response', members: { data: { type: 'Input' } } },
    /** What the other side sent. */
    Input: { rest: { type: 'Input' } },
    Defaults: { rest: { type: 'Defaults' } },
    Instance: {
      role: 'client',
      call: { effect: request, returns: 'Response' },
      members: {
        request: { call: { effect: request, returns: 'Response' } },
        get: verb('GET', 1),
        delete: verb('DELETE', 1),
        head: verb('HEAD', 1),
        options: verb('OPTIONS', 1),
        post: verb('POST', 2),
        put: verb('PUT', 2),
        patch: verb('PATCH', 2),
        postForm: verb('POST', 2),
        putForm: verb('PUT', 2),
        patchForm: verb('PATCH', 2),
        create: { call: { returns: 'Instance' } },
        defaults: { type: 'Defaults' },
      },
    },
  },
  exports: {
    default: { type: 'Instance' },
    axios: { type: 'Instance' },
    Axios: { construct: { type: 'Instance' } },
  },
  typeNames: { AxiosInstance: 'Instance', AxiosStatic: 'Instance', AxiosResponse: 'Response' },
  facts: [
    {
      topic: 'timeout.default',
      versions: '1.21.1',
      says: '`timeout: 0`: none.',
      source: 'lib/defaults/index.js',
    },
    {
      topic: 'signature',
      versions: '1.21.1',
      says: 'get, delete, head and options take (url, config); post, put and patch take (url, data, config).',
      source: 'lib/core/Axios.js',
    },
    {
      topic: 'response.check',
      versions: '1.21.1',
      says: 'Rejects on status outside 2xx through `validateStatus`.',
      source: 'lib/defaults/index.js',
    },
  ],
});
