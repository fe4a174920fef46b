/** Routers for Koa. */
import { definePack, type CallSpec } from './contract.ts';

const route: CallSpec = {
  returns: 'self',
  promise: false,
  callbacks: [0, 1, 2, 3, 4, 5].map((arg) => ({ arg, role: 'handler' as const, params: ['Context'] })),
};

export const pack = definePack({
  id: 'koa-router',
  packages: ['@koa/router', 'koa-router'],
  assumedVersion: '15.0.0',
  types: {
    Router: {
      role: 'router',
      members: {
        ...Object.fromEntries(
          ['get', 'post', 'put', 'patch', 'delete', 'del', 'all', 'head', 'options', 'use', 'param'].map(
            (v) => [v, { call: route }],
          ),
        ),
        prefix: { call: { returns: 'self', promise: false } },
        routes: { call: { promise: false } },
        allowedMethods: { call: { promise: false } },
      },
    },
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
  exports: {
    default: { construct: { type: 'Router' }, call: { returns: 'Router' } },
    Router: { construct: { type: 'Router' } },
  },
  typeNames: { RouterContext: 'Context' },
  facts: [
    {
      topic: 'async',
      versions: '>=7',
      says: 'Route handlers are Koa middleware: what they return is awaited.',
      source: 'README',
    },
  ],
});
