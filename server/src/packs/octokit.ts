/** Octokit: `octokit.rest.issues.create`, `octokit.request('POST /…')`, GraphQL. */
import { definePack, type EffectSpec, type MemberSpec } from './contract.ts';

const timeout: EffectSpec['timeout'] = {
  defaults: [{ range: '*', value: { total: null } }],
  instance: [
    { arg: 0, path: 'request.timeout', bounds: 'total', range: '<19' },
    { arg: 0, path: 'request.signal', bounds: 'total' },
  ],
  signal: [
    { arg: 0, path: 'request.signal' },
    { arg: 1, path: 'request.signal' },
  ],
  fix: { style: 'signal', arg: 0, path: 'request.signal' },
};

const api: EffectSpec = {
  kind: 'sdk',
  op: 'write',
  timeout,
  variants: {
    at: 'member',
    list: [
      { match: '^(?:get|list|check|search|compare|download)', effect: { op: 'read' } },
      { match: '^(?:delete|remove)', effect: { op: 'delete' } },
      { match: '^(?:update|set|replace|add|merge|lock)', effect: { op: 'update' } },
      { match: '^create', effect: { op: 'create' } },
    ],
  },
};
const operation: MemberSpec = { call: { effect: api, returns: 'Response' } };
const requestCall: MemberSpec = {
  call: {
    effect: {
      kind: 'sdk',
      op: 'request',
      timeout: { ...timeout, fix: { style: 'signal', arg: 1, path: 'request.signal' } },
    },
    returns: 'Response',
  },
};
const GROUPS = [
  'actions',
  'activity',
  'apps',
  'checks',
  'git',
  'gists',
  'issues',
  'migrations',
  'orgs',
  'packages',
  'projects',
  'pulls',
  'rateLimit',
  'reactions',
  'repos',
  'search',
  'teams',
  'users',
  'codeScanning',
  'dependabot',
  'secretScanning',
  'markdown',
  'meta',
] as const;
const groups: Record<string, MemberSpec> = Object.fromEntries(GROUPS.map((g) => [g, { type: 'Group' }]));

export const pack = definePack({
  id: 'octokit',
  packages: ['@octokit/rest', 'octokit', '@octokit/core', '@octokit/action', '@octokit/request'],
  assumedVersion: '22.0.1',
  types: {
    Octokit: {
      role: 'client',
      members: {
        ...groups,
        rest: { type: 'Rest' },
        request: requestCall,
        graphql: requestCall,
        paginate: { call: { promise: true } },
      },
    },
    Rest: { rest: { type: 'Group' } },
    Group: { rest: operation },
    Response: { role: 'response', members: { data: { type: 'Input' } } },
    Input: { rest: { type: 'Input' } },
  },
  exports: {
    Octokit: { construct: { type: 'Octokit' } },
    default: { construct: { type: 'Octokit' } },
    request: requestCall,
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: '22.0.1',
      says: 'None; a signal goes under `request`.',
      source: '@octokit/request',
    },
    {
      topic: 'retry.default',
      versions: '22.0.1',
      says: 'None without the retry plugin, which repeats any method three times.',
      source: '@octokit/plugin-retry',
    },
  ],
});
