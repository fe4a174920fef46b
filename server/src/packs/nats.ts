/** NATS: core connections and JetStream. */
import { definePack, type MemberSpec } from './contract.ts';

const ack: MemberSpec = { call: { effect: { kind: 'queue', op: 'ack' }, promise: false } };
const nack: MemberSpec = { call: { effect: { kind: 'queue', op: 'nack' }, promise: false } };

export const pack = definePack({
  id: 'nats',
  packages: ['nats', '@nats-io/transport-node', '@nats-io/nats-core', '@nats-io/jetstream'],
  assumedVersion: '2.29.3',
  types: {
    Connection: {
      role: 'client',
      members: {
        publish: { call: { effect: { kind: 'queue', op: 'publish' }, promise: false } },
        request: {
          call: {
            effect: {
              kind: 'rpc',
              op: 'request',
              timeout: {
                defaults: [{ range: '*', value: { total: 1_000 } }],
                call: [{ arg: 2, path: 'timeout', bounds: 'total' }],
              },
            },
            returns: 'Message',
          },
        },
        subscribe: {
          call: {
            promise: false,
            callbacks: [{ arg: 1, path: 'callback', role: 'consumer', params: [null, 'Message'] }],
          },
        },
        jetstream: { call: { returns: 'JetStream', promise: false } },
        jetstreamManager: { call: { promise: true } },
        drain: { call: { promise: true } },
        close: { call: { promise: true } },
        flush: { call: { promise: true } },
      },
    },
    JetStream: {
      role: 'queue',
      members: {
        publish: {
          call: {
            effect: {
              kind: 'queue',
              op: 'publish',
              idempotency: { at: { arg: 2, path: 'msgID' }, property: 'msgID' },
            },
          },
        },
      },
    },
    Message: {
      role: 'message',
      members: {
        ack,
        ackAck: { call: { effect: { kind: 'queue', op: 'ack' } } },
        nak: nack,
        term: nack,
        working: { call: { promise: false } },
      },
    },
  },
  exports: {
    connect: { call: { effect: { kind: 'connection', op: 'connect' }, returns: 'Connection' } },
    jetstream: { call: { returns: 'JetStream', promise: false } },
  },
  typeNames: { NatsConnection: 'Connection', JetStreamClient: 'JetStream', JsMsg: 'Message', Msg: 'Message' },
  facts: [
    {
      topic: 'timeout.default',
      versions: '2.29.3',
      says: '`request` gives up after 1 s, connecting after 20 s.',
      source: 'nats-core lib/nats.js, lib/options.js',
    },
    {
      topic: 'idempotency',
      versions: '2.29.3',
      says: "`publish` of JetStream drops a second message with the same `msgID` within the stream's window.",
      source: 'jetstream lib/jsclient.js',
    },
    {
      topic: 'delivery',
      versions: '2.29.3',
      says: 'Core subjects deliver at most once; JetStream consumers at least once until `ack`.',
      source: 'jetstream lib/jsmsg.d.ts',
    },
  ],
});
