/** gRPC: clients that are made of a loaded definition, and the base class of generated ones. */
import { definePack, type MemberSpec } from './contract.ts';

const call: MemberSpec = {
  call: {
    effect: {
      kind: 'rpc',
      op: 'request',
      timeout: {
        defaults: [{ range: '*', value: { total: null } }],
        // Metadata may stand between the message and the options.
        call: [
          { arg: 1, path: 'deadline', bounds: 'total' },
          { arg: 2, path: 'deadline', bounds: 'total' },
        ],
      },
    },
    promise: false,
  },
};

export const pack = definePack({
  id: 'grpc',
  packages: ['@grpc/grpc-js'],
  assumedVersion: '1.14.7',
  types: {
    Definition: { construct: { type: 'Client' }, rest: { type: 'Definition' } },
    Client: {
      role: 'client',
      members: {
        close: { call: { promise: false } },
        getChannel: { call: { promise: false } },
        waitForReady: { call: { promise: false, callbacks: [{ arg: 1, role: 'listener' }] } },
        makeUnaryRequest: {
          call: {
            effect: {
              kind: 'rpc',
              op: 'request',
              timeout: {
                defaults: [{ range: '*', value: { total: null } }],
                call: [
                  { arg: 4, path: 'deadline', bounds: 'total' },
                  { arg: 5, path: 'deadline', bounds: 'total' },
                ],
              },
            },
            promise: false,
          },
        },
      },
      rest: call,
    },
  },
  exports: {
    loadPackageDefinition: { call: { returns: 'Definition', promise: false } },
    makeGenericClientConstructor: { call: { returns: 'Definition', promise: false } },
    'default.loadPackageDefinition': { call: { returns: 'Definition', promise: false } },
    Client: { construct: { type: 'Client' } },
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: '1.14.7',
      says: 'A call without `deadline` in its options waits for ever.',
      source: 'build/src/deadline.js, build/src/resolving-call.js',
    },
    {
      topic: 'retry.default',
      versions: '1.14.7',
      says: 'One attempt unless a service config says otherwise; five at most.',
      source: 'build/src/retrying-call.js',
    },
  ],
});
