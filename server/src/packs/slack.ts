/** @slack/web-api, and the client that Bolt hands out. */
import { definePack, type EffectSpec, type MemberSpec } from './contract.ts';

const effect: EffectSpec = {
  kind: 'sdk',
  op: 'send',
  timeout: {
    defaults: [{ range: '*', value: { total: null } }],
    instance: [{ arg: 1, path: 'timeout', bounds: 'total' }],
    clientFix: { arg: 1, property: 'timeout: $ms' },
  },
  retry: { attempts: [{ range: '*', value: 11 }], backoff: 'exponential', jitter: true, methods: null },
  variants: {
    at: 'member',
    list: [
      {
        match: '^(?:list|info|history|replies|members|get|lookupByEmail|test|identity)',
        effect: { op: 'read' },
      },
      { match: '^(?:update|set|rename|open|publish|push|join|invite)', effect: { op: 'update' } },
      { match: '^(?:delete|remove|archive|kick)', effect: { op: 'delete' } },
      { match: '^create', effect: { op: 'create' } },
    ],
  },
};
const call: MemberSpec = { call: { effect, returns: 'Answer' } };

export const pack = definePack({
  id: 'slack',
  packages: ['@slack/web-api', '@slack/webhook'],
  assumedVersion: '8.2.0',
  types: {
    WebClient: {
      role: 'client',
      members: { apiCall: call, paginate: { call: {} } },
      rest: { type: 'Group' },
    },
    Group: {
      members: Object.fromEntries(
        [
          'postMessage',
          'postEphemeral',
          'scheduleMessage',
          'update',
          'delete',
          'list',
          'info',
          'history',
          'replies',
          'members',
          'lookupByEmail',
          'open',
          'publish',
          'push',
          'create',
          'join',
          'invite',
          'archive',
          'add',
          'remove',
          'upload',
          'uploadV2',
          'test',
          'getPermalink',
          'set',
          'access',
        ].map((m) => [m, call]),
      ),
      rest: { type: 'Group' },
    },
    IncomingWebhook: {
      role: 'client',
      members: {
        send: {
          call: {
            effect: {
              kind: 'sdk',
              op: 'send',
              timeout: {
                defaults: [{ range: '*', value: { total: null } }],
                instance: [{ arg: 1, path: 'timeout', bounds: 'total' }],
              },
            },
          },
        },
      },
    },
    Answer: { role: 'response' },
  },
  exports: {
    WebClient: { construct: { type: 'WebClient' } },
    IncomingWebhook: { construct: { type: 'IncomingWebhook' } },
  },
  facts: [
    { topic: 'timeout.default', versions: '8.2.0', says: '`timeout: 0`: none.', source: 'dist/WebClient.js' },
    {
      topic: 'retry.default',
      versions: '8.2.0',
      says: 'Ten retries over about half an hour with randomised delays, any method.',
      source: 'dist/retry-policies.js',
    },
  ],
});
