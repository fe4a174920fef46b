/** superagent: requests as chains that start when they are awaited. */
import { definePack, type EffectSpec } from './contract.ts';

function effect(method: string): EffectSpec {
  return {
    kind: 'http',
    op: 'request',
    method,
    urlAt: { arg: 0, path: '' },
    timeout: { defaults: [{ range: '*', value: { total: null } }] },
    rejectsOnStatus: true,
  };
}

const verb = (method: string) => ({ call: { effect: effect(method), returns: 'Request', lazy: true } });
const chained = { call: { returns: 'self' } };
const verbs = {
  get: verb('GET'),
  head: verb('HEAD'),
  options: verb('OPTIONS'),
  post: verb('POST'),
  put: verb('PUT'),
  patch: verb('PATCH'),
  delete: verb('DELETE'),
  del: verb('DELETE'),
};

export const pack = definePack({
  id: 'superagent',
  packages: ['superagent'],
  assumedVersion: '10.4.2',
  types: {
    Agent: { role: 'client', members: { ...verbs, timeout: chained, set: chained, auth: chained } },
    Request: {
      role: 'builder',
      members: {
        set: chained,
        query: chained,
        send: chained,
        type: chained,
        accept: chained,
        auth: chained,
        attach: chained,
        field: chained,
        ok: chained,
        redirects: chained,
        timeout: { call: { returns: 'self', refines: 'timeout' } },
        retry: {
          call: {
            returns: 'self',
            retry: {
              attempts: [{ range: '*', value: 2 }],
              attemptsOption: [{ arg: 0, path: '', counts: 'retries' }],
              backoff: 'none',
              jitter: false,
              methods: null,
            },
          },
        },
      },
    },
  },
  exports: { default: { type: 'Agent' }, agent: { call: { returns: 'Agent' } }, ...verbs },
  typeNames: { SuperAgentRequest: 'Request' },
  facts: [
    { topic: 'timeout.default', versions: '10.4.2', says: 'None.', source: 'lib/request-base.js' },
    {
      topic: 'timeout.option',
      versions: '10.4.2',
      says: '`.timeout(ms)` and `deadline` bound the whole; `response` alone does not cover the body.',
      source: 'lib/request-base.js',
    },
    {
      topic: 'retry',
      versions: '10.4.2',
      says: '`.retry(n)` sends every method again, at once.',
      source: 'lib/request-base.js',
    },
  ],
});
