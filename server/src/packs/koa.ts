/** Koa: the application and its context. */
import { definePack } from './contract.ts';

export const pack = definePack({
  id: 'koa',
  packages: ['koa'],
  assumedVersion: '3.1.1',
  types: {
    App: {
      role: 'router',
      members: {
        use: {
          call: {
            returns: 'self',
            promise: false,
            callbacks: [{ arg: 0, role: 'handler', params: ['Context'] }],
          },
        },
        listen: { call: { returns: 'Server', promise: false } },
        on: { call: { returns: 'self', promise: false, callbacks: [{ arg: 1, role: 'listener' }] } },
      },
    },
    Server: { role: 'emitter' },
    Context: {
      role: 'request',
      members: {
        request: { type: 'Request' },
        query: { type: 'Input' },
        params: { type: 'Input' },
        headers: { type: 'Input' },
        get: { call: { returns: 'Input', promise: false } },
        redirect: { call: { effect: { kind: 'respond', op: 'send' }, promise: false } },
        throw: { call: { promise: false } },
      },
    },
    Request: {
      role: 'request',
      members: {
        body: { type: 'Input' },
        query: { type: 'Input' },
        headers: { type: 'Input' },
        get: { call: { returns: 'Input', promise: false } },
      },
    },
    Input: { rest: { type: 'Input' } },
  },
  exports: { default: { construct: { type: 'App' } } },
  typeNames: { ParameterizedContext: 'Context', DefaultContext: 'Context', BaseContext: 'Context' },
  facts: [
    {
      topic: 'async',
      versions: '>=2',
      says: 'Middleware is awaited; a rejection reaches the application, which emits `error` and answers 500.',
      source: 'lib/application.js',
    },
  ],
});
