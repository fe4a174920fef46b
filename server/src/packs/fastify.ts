/** Fastify: instances, plugins, requests and replies. */
import { definePack, type CallSpec } from './contract.ts';

const params = ['Request', 'Reply'];
const route: CallSpec = {
  returns: 'self',
  promise: false,
  callbacks: [
    { arg: 'last', role: 'handler', params },
    { arg: 1, path: 'handler', role: 'handler', params },
  ],
};
const verbs = Object.fromEntries(
  ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'all'].map((v) => [v, { call: route }]),
);
const respond = {
  call: { effect: { kind: 'respond' as const, op: 'send' as const }, returns: 'self', promise: false },
};
const chained = { call: { returns: 'self', promise: false } };

export const pack = definePack({
  id: 'fastify',
  packages: ['fastify'],
  assumedVersion: '5.12.8',
  types: {
    App: {
      role: 'router',
      members: {
        ...verbs,
        route: {
          call: {
            returns: 'self',
            promise: false,
            callbacks: [
              'handler',
              'preHandler',
              'onRequest',
              'preValidation',
              'preParsing',
              'onSend',
              'onError',
            ].map((path) => ({ arg: 0, path, role: 'handler' as const, params })),
          },
        },
        addHook: {
          call: { returns: 'self', promise: false, callbacks: [{ arg: 1, role: 'handler', params }] },
        },
        setErrorHandler: {
          call: {
            returns: 'self',
            promise: false,
            callbacks: [{ arg: 0, role: 'handler', params: [null, 'Request', 'Reply'] }],
          },
        },
        setNotFoundHandler: {
          call: { returns: 'self', promise: false, callbacks: [{ arg: 'last', role: 'handler', params }] },
        },
        register: {
          call: {
            returns: 'self',
            promise: false,
            callbacks: [{ arg: 0, role: 'sync', params: ['App', null] }],
          },
        },
        after: { call: { returns: 'self', promise: false } },
        ready: { call: { promise: true, rejects: true } },
        listen: { call: { promise: true, rejects: true } },
        close: { call: { promise: true, rejects: true } },
        inject: { call: { promise: true, rejects: true } },
        withTypeProvider: chained,
        decorate: chained,
        decorateRequest: chained,
        decorateReply: chained,
        log: { type: 'Logger' },
      },
    },
    Logger: {
      role: 'logger',
      members: {
        ...Object.fromEntries(
          ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [
            level,
            {
              call: {
                effect: { kind: 'log' as const, op: 'emit' as const, bestEffort: true },
                promise: false,
              },
            },
          ]),
        ),
        child: chained,
      },
    },
    Request: {
      role: 'request',
      members: {
        body: { type: 'Input' },
        query: { type: 'Input' },
        params: { type: 'Input' },
        headers: { type: 'Input' },
        cookies: { type: 'Input' },
        log: { type: 'Logger' },
      },
    },
    Input: { rest: { type: 'Input' } },
    Reply: {
      role: 'response',
      members: {
        code: chained,
        status: chained,
        header: chained,
        headers: chained,
        type: chained,
        hijack: chained,
        setCookie: chained,
        send: respond,
        redirect: respond,
        callNotFound: respond,
        log: { type: 'Logger' },
      },
    },
  },
  exports: { default: { call: { returns: 'App' } }, fastify: { call: { returns: 'App' } } },
  typeNames: {
    FastifyInstance: 'App',
    FastifyRequest: 'Request',
    FastifyReply: 'Reply',
    FastifyBaseLogger: 'Logger',
  },
  facts: [
    {
      topic: 'async',
      versions: '>=2',
      says: 'Handlers and hooks that return a promise are awaited; a rejection is logged and answered.',
      source: 'docs/Reference/Routes.md, Async Await',
    },
    {
      topic: 'limits',
      versions: '5.12.8',
      says: 'Bodies over 1 MiB are refused; requestTimeout, connectionTimeout and handlerTimeout are off; keepAliveTimeout is 72 s; a plugin has 10 s to load.',
      source: 'lib/config-validator.js',
    },
    {
      topic: 'shutdown',
      versions: '>=4',
      says: 'close() stops taking requests, waits for those in flight and runs the onClose hooks; no signal calls it by itself.',
      source: 'docs/Reference/Server.md, close',
    },
  ],
});
