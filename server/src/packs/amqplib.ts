/** amqplib, promise and callback forms, and the managed connections that wrap it. */
import { definePack, type MemberSpec } from './contract.ts';

const DONE: MemberSpec = { call: { promise: true } };
const listen: MemberSpec = {
  call: { returns: 'self', promise: false, callbacks: [{ arg: 1, role: 'listener' }] },
};
const publish = (promise: boolean): MemberSpec => ({
  call: { effect: { kind: 'queue', op: 'publish' }, promise },
});
const connect: MemberSpec = {
  call: {
    effect: { kind: 'connection', op: 'connect' },
    returns: 'Connection',
    callbacks: [{ arg: 'last', role: 'listener', params: [null, 'Connection'] }],
  },
};
const channel = (type: string): MemberSpec => ({
  call: {
    returns: type,
    promise: true,
    callbacks: [
      { arg: 'last', role: 'listener', params: [null, type] },
      { arg: 0, path: 'setup', role: 'listener', params: [type] },
    ],
  },
});

export const pack = definePack({
  id: 'amqplib',
  packages: ['amqplib', 'amqplib/callback_api', 'amqp-connection-manager'],
  assumedVersion: '2.3.1',
  types: {
    Connection: {
      role: 'client',
      errorEventCrashes: [{ range: '*', value: true }],
      members: {
        createChannel: channel('Channel'),
        createConfirmChannel: channel('ConfirmChannel'),
        close: DONE,
        on: listen,
        once: listen,
      },
    },
    Channel: {
      role: 'queue',
      errorEventCrashes: [{ range: '*', value: true }],
      members: {
        assertQueue: DONE,
        assertExchange: DONE,
        bindQueue: DONE,
        checkQueue: DONE,
        prefetch: { call: { promise: true, rejects: false } },
        consume: {
          call: {
            effect: { kind: 'queue', op: 'consume' },
            callbacks: [{ arg: 1, role: 'consumer', params: ['Message'] }],
          },
        },
        get: { call: { effect: { kind: 'queue', op: 'consume' }, returns: 'Message' } },
        publish: publish(false),
        sendToQueue: publish(false),
        ack: { call: { effect: { kind: 'queue', op: 'ack' }, promise: false } },
        ackAll: { call: { effect: { kind: 'queue', op: 'ack', many: true }, promise: false } },
        nack: { call: { effect: { kind: 'queue', op: 'nack' }, promise: false } },
        nackAll: { call: { effect: { kind: 'queue', op: 'nack', many: true }, promise: false } },
        reject: { call: { effect: { kind: 'queue', op: 'nack' }, promise: false } },
        cancel: DONE,
        close: DONE,
        addSetup: {
          call: { promise: true, callbacks: [{ arg: 0, role: 'listener', params: ['ConfirmChannel'] }] },
        },
        waitForConnect: DONE,
        on: listen,
        once: listen,
      },
    },
    ConfirmChannel: { extends: 'Channel', members: { waitForConfirms: DONE } },
    Message: {
      role: 'message',
      members: { content: { type: 'Input' }, fields: { type: 'Input' }, properties: { type: 'Input' } },
    },
    Input: { rest: { type: 'Input' } },
  },
  exports: { connect },
  typeNames: {
    ConsumeMessage: 'Message',
    GetMessage: 'Message',
    ChannelWrapper: 'ConfirmChannel',
    AmqpConnectionManager: 'Connection',
    ChannelModel: 'Connection',
  },
  facts: [
    {
      topic: 'ack.api',
      versions: '2.3.1',
      says: '`consume` waits for `ack` unless `noAck: true`, which settles a message as it is sent; `nack` and `reject` put it back unless told otherwise.',
      source: 'lib/channel_model.js, lib/api_args.js',
    },
    {
      topic: 'prefetch',
      versions: '2.3.1',
      says: 'Unlimited until `prefetch(n)` is called.',
      source: 'lib/channel_model.js',
    },
    {
      topic: 'publish',
      versions: '2.3.1',
      says: 'On a plain channel `publish` returns a back-pressure flag and promises nothing; a confirm channel has `waitForConfirms()`.',
      source: 'lib/channel_model.js',
    },
  ],
});
