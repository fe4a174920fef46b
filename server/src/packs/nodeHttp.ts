/** The client side of `node:http` and `node:https`. */
import { definePack, type EffectSpec } from './contract.ts';

function effect(method?: string): EffectSpec {
  return {
    kind: 'http',
    op: 'request',
    ...(method
      ? { method }
      : {
          methodAt: [
            { arg: 0, path: 'method' },
            { arg: 1, path: 'method' },
          ],
        }),
    urlAt: { arg: 0, path: '' },
    timeout: {
      defaults: [{ range: '*', value: { total: null } }],
      call: [
        { arg: 0, path: 'timeout', bounds: 'idle' },
        { arg: 1, path: 'timeout', bounds: 'idle' },
      ],
      signal: [
        { arg: 0, path: 'signal' },
        { arg: 1, path: 'signal' },
      ],
      timerEvent: { event: 'timeout', setter: 'setTimeout', ends: ['destroy', 'abort'] },
    },
    rejectsOnStatus: false,
  };
}

const answer = (method?: string) => ({
  call: {
    effect: effect(method),
    returns: 'ClientRequest',
    promise: false,
    callbacks: [
      { arg: 1, role: 'listener' as const, params: ['IncomingMessage'] },
      { arg: 2, role: 'listener' as const, params: ['IncomingMessage'] },
    ],
  },
});
const listens = { call: { returns: 'self', callbacks: [{ arg: 1, role: 'listener' as const }] } };

export const pack = definePack({
  id: 'nodeHttp',
  packages: ['http', 'https', 'node:http', 'node:https'],
  assumedVersion: '20.20.2',
  types: {
    ClientRequest: {
      role: 'emitter',
      members: {
        on: listens,
        once: listens,
        setTimeout: listens,
        write: { call: {} },
        end: { call: {} },
        destroy: { call: {} },
      },
    },
    IncomingMessage: {
      role: 'response',
      members: { on: listens, once: listens, setEncoding: { call: { returns: 'self' } } },
    },
    Server: { role: 'emitter' },
    Agent: {},
  },
  exports: {
    request: answer(),
    get: answer('GET'),
    Agent: { construct: { type: 'Agent' } },
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: 'Node 20.20.2',
      says: 'A client request has no deadline.',
      source: 'node:http',
    },
    {
      topic: 'timeout.option',
      versions: 'Node 20.20.2',
      says: '`timeout` and `setTimeout` are idle timers that only emit `timeout`; nothing is destroyed unless a listener does it.',
      source: 'node:http',
    },
    {
      topic: 'signal',
      versions: 'Node 20.20.2',
      says: '`signal` aborts the request, which surfaces as an `error` event.',
      source: 'node:http',
    },
  ],
});
