/** node-fetch, whose `timeout` option went away with version 3. */
import { definePack, type EffectSpec } from './contract.ts';

const request: EffectSpec = {
  kind: 'http',
  op: 'request',
  urlAt: { arg: 0, path: '' },
  bodyAt: { arg: 1, path: 'body' },
  methodAt: [{ arg: 1, path: 'method' }],
  timeout: {
    defaults: [{ range: '*', value: { total: null } }],
    call: [{ arg: 1, path: 'timeout', bounds: 'total', range: '<3' }],
    signal: [{ arg: 1, path: 'signal' }],
    ignored: [{ arg: 1, path: 'timeout', range: '>=3' }],
    fix: { style: 'signal', arg: 1, path: 'signal' },
  },
  rejectsOnStatus: false,
};

const call = { call: { effect: request, returns: 'Response' } };
const read = { call: { promise: true, rejects: true, returns: 'Input' } };

export const pack = definePack({
  id: 'nodeFetch',
  packages: ['node-fetch'],
  assumedVersion: '3.3.2',
  types: {
    Response: {
      role: 'response',
      members: {
        json: read,
        text: read,
        buffer: read,
        arrayBuffer: read,
        blob: read,
        formData: read,
        clone: { call: { returns: 'Response' } },
      },
    },
    Input: { rest: { type: 'Input' } },
  },
  exports: { default: call, fetch: call },
  facts: [
    {
      topic: 'timeout.option',
      versions: '2.x and 3.3.2',
      says: '2.x reads `timeout` (request and body); 3.x has only `signal`. Neither has a default.',
      source: 'src/index.js of both',
    },
    {
      topic: 'response.check',
      versions: '3.3.2',
      says: 'Resolves for 4xx and 5xx answers.',
      source: 'src/index.js',
    },
  ],
});
