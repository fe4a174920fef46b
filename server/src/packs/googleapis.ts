/** googleapis (`google.drive('v3').files.list`) and gaxios beneath it. */
import { definePack, type EffectSpec, type MemberSpec } from './contract.ts';

function timeoutAt(arg: number): EffectSpec['timeout'] {
  return {
    defaults: [{ range: '*', value: { total: null } }],
    call: [{ arg, path: 'timeout', bounds: 'total' }],
    instance: [{ arg: 0, path: 'timeout', bounds: 'total' }],
    signal: [{ arg, path: 'signal' }],
    clientFix: { arg: 0, property: 'timeout: $ms' },
    fix: { style: 'option', arg, path: 'timeout' },
  };
}

const plain: EffectSpec = {
  kind: 'http',
  op: 'request',
  urlAt: { arg: 0, path: 'url' },
  bodyAt: { arg: 0, path: 'data' },
  methodAt: [{ arg: 0, path: 'method' }],
  timeout: timeoutAt(0),
  rejectsOnStatus: true,
};

const api: EffectSpec = {
  kind: 'sdk',
  op: 'write',
  timeout: timeoutAt(1),
  retry: {
    attempts: [{ range: '*', value: 4 }],
    backoff: 'exponential',
    jitter: false,
    methods: ['GET', 'HEAD', 'PUT', 'OPTIONS', 'DELETE'],
  },
  variants: {
    at: 'member',
    list: [
      {
        match: '^(?:get|list|query|search|batchGet|export|download|lookup|aggregatedList)',
        effect: { op: 'read' },
      },
      { match: '^(?:delete|remove|trash|clear)', effect: { op: 'delete' } },
      { match: '^(?:insert|create|add|copy|append|import|upload)', effect: { op: 'create' } },
      { match: '^(?:update|patch|set|modify|batchUpdate)', effect: { op: 'update' } },
      { match: '^send', effect: { op: 'send' } },
    ],
  },
};
const call: MemberSpec = { call: { effect: api, returns: 'Response' } };
const METHODS = [
  'get',
  'list',
  'query',
  'search',
  'batchGet',
  'export',
  'download',
  'lookup',
  'delete',
  'remove',
  'trash',
  'clear',
  'insert',
  'create',
  'add',
  'copy',
  'append',
  'import',
  'upload',
  'update',
  'patch',
  'set',
  'modify',
  'batchUpdate',
  'send',
  'watch',
  'stop',
] as const;
const methods = Object.fromEntries(METHODS.map((m) => [m, call]));

export const pack = definePack({
  id: 'googleapis',
  packages: ['gaxios', 'googleapis', '@googleapis/*'],
  assumedVersion: '7.3.1',
  types: {
    Google: {
      members: { auth: { type: 'Auth' }, options: { call: { promise: false } } },
      rest: { call: { returns: 'Api', promise: false } },
    },
    Auth: {},
    Api: { role: 'client', members: { context: { type: 'Auth' } }, rest: { type: 'Resource' } },
    Resource: { members: methods, rest: { type: 'Resource' } },
    Gaxios: { role: 'client', members: { request: { call: { effect: plain, returns: 'Response' } } } },
    Response: { role: 'response', members: { data: { type: 'Input' } } },
    Input: { rest: { type: 'Input' } },
  },
  exports: {
    google: { type: 'Google' },
    Gaxios: { construct: { type: 'Gaxios' } },
    request: { call: { effect: plain, returns: 'Response' } },
  },
  facts: [
    { topic: 'timeout.default', versions: 'gaxios 7.3.1', says: 'None.', source: 'build/cjs/src/gaxios.js' },
    {
      topic: 'timeout.option',
      versions: 'gaxios 7.3.1',
      says: '`timeout` becomes an abort signal over the whole exchange.',
      source: 'build/cjs/src/gaxios.js',
    },
    {
      topic: 'retry.default',
      versions: 'googleapis-common 8.0.3',
      says: 'On for idempotent methods, three attempts after the first, growing delays without jitter.',
      source: 'googleapis-common build/src/apirequest.js, gaxios build/cjs/src/retry.js',
    },
  ],
});
