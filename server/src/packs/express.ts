/** Express: apps, routers, requests and responses. */
import { definePack, type CallSpec } from './contract.ts';

const handlers: CallSpec = {
  returns: 'self',
  callbacks: [1, 2, 3, 4, 5, 6].map((arg) => ({
    arg,
    role: 'handler' as const,
    params: ['Request', 'Response', null],
  })),
};
const use: CallSpec = {
  returns: 'self',
  callbacks: [0, 1, 2, 3, 4].map((arg) => ({
    arg,
    role: 'handler' as const,
    params: ['Request', 'Response', null],
  })),
};
const verbs = Object.fromEntries(
  ['get', 'post', 'put', 'patch', 'delete', 'all', 'head', 'options'].map((v) => [v, { call: handlers }]),
);
const respond = {
  call: { effect: { kind: 'respond' as const, op: 'send' as const }, returns: 'self', promise: false },
};
const chained = { call: { returns: 'self' } };

export const pack = definePack({
  id: 'express',
  packages: ['express', 'express-promise-router', 'express-async-router', 'router'],
  assumedVersion: '5.3.0',
  types: {
    Router: {
      role: 'router',
      members: { ...verbs, use: { call: use }, param: { call: use }, route: { call: { returns: 'Route' } } },
    },
    App: {
      extends: 'Router',
      members: {
        listen: { call: { returns: 'Server', promise: false } },
        set: chained,
        disable: chained,
        enable: chained,
      },
    },
    Route: {
      role: 'router',
      members: Object.fromEntries(
        ['get', 'post', 'put', 'patch', 'delete', 'all', 'head', 'options'].map((v) => [v, { call: use }]),
      ),
    },
    Server: { role: 'emitter' },
    Request: {
      role: 'request',
      members: {
        body: { type: 'Input' },
        query: { type: 'Input' },
        params: { type: 'Input' },
        headers: { type: 'Input' },
        cookies: { type: 'Input' },
        get: { call: { returns: 'Input' } },
        header: { call: { returns: 'Input' } },
      },
    },
    Input: { rest: { type: 'Input' } },
    Response: {
      role: 'response',
      members: {
        status: chained,
        set: chained,
        header: chained,
        type: chained,
        cookie: chained,
        send: respond,
        json: respond,
        end: respond,
        sendStatus: respond,
        redirect: respond,
        render: respond,
        sendFile: respond,
        download: respond,
      },
    },
  },
  exports: {
    default: { call: { returns: 'App' } },
    Router: { call: { returns: 'Router' }, construct: { type: 'Router' } },
    express: { call: { returns: 'App' } },
  },
  typeNames: { Express: 'App', Application: 'App', IRouter: 'Router' },
  facts: [
    {
      topic: 'async',
      versions: '>=5',
      says: 'A handler that returns a rejecting promise is forwarded to next(err); in Express 4 it is not.',
      source: 'express 5.3.0, router 2.3.0',
    },
    {
      topic: 'limits',
      versions: '5.3.0',
      says: 'json, urlencoded, raw and text read at most 100 kB by default.',
      source: 'body-parser 2.4.0',
    },
  ],
});
