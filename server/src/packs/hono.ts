/** Hono: applications, contexts, requests and responses. */
import { definePack, type CallSpec } from './contract.ts';

const route: CallSpec = {
  returns: 'self',
  promise: false,
  callbacks: [0, 1, 2, 3, 4, 5].map((arg) => ({ arg, role: 'handler' as const, params: ['Context'] })),
};
const respond = { call: { effect: { kind: 'respond' as const, op: 'send' as const }, promise: false } };
const read = { call: { returns: 'Input', promise: true, rejects: true } };

export const pack = definePack({
  id: 'hono',
  packages: ['hono', 'hono/*', '@hono/zod-openapi'],
  assumedVersion: '4.10.7',
  types: {
    App: {
      role: 'router',
      members: {
        ...Object.fromEntries(
          ['get', 'post', 'put', 'patch', 'delete', 'options', 'all', 'use'].map((v) => [v, { call: route }]),
        ),
        on: { call: route },
        openapi: { call: route },
        route: { call: { returns: 'self', promise: false } },
        basePath: { call: { returns: 'self', promise: false } },
        notFound: {
          call: {
            returns: 'self',
            promise: false,
            callbacks: [{ arg: 0, role: 'handler', params: ['Context'] }],
          },
        },
        onError: {
          call: {
            returns: 'self',
            promise: false,
            callbacks: [{ arg: 0, role: 'handler', params: [null, 'Context'] }],
          },
        },
      },
    },
    Context: {
      role: 'request',
      members: {
        req: { type: 'Request' },
        json: respond,
        text: respond,
        html: respond,
        body: respond,
        redirect: respond,
        notFound: respond,
        newResponse: respond,
        header: { call: { promise: false } },
        status: { call: { promise: false } },
      },
    },
    Request: {
      role: 'request',
      members: {
        json: read,
        text: read,
        parseBody: read,
        formData: read,
        arrayBuffer: read,
        blob: read,
        header: { call: { returns: 'Input', promise: false } },
        query: { call: { returns: 'Input', promise: false } },
        queries: { call: { returns: 'Input', promise: false } },
        param: { call: { returns: 'Input', promise: false } },
        valid: { call: { promise: false } },
      },
    },
    Input: { rest: { type: 'Input' } },
  },
  exports: { Hono: { construct: { type: 'App' } }, OpenAPIHono: { construct: { type: 'App' } } },
  typeNames: { HonoRequest: 'Request' },
  facts: [
    {
      topic: 'async',
      versions: '>=3',
      says: 'Handlers are awaited; a rejection goes to onError, which answers 500 unless set.',
      source: 'src/hono-base.ts',
    },
  ],
});
