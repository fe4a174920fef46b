/** kafkajs: producers, transactions and consumers. */
import { definePack, type MemberSpec } from './contract.ts';

const DONE: MemberSpec = { call: { promise: true } };
const publish: MemberSpec = { call: { effect: { kind: 'queue', op: 'publish' } } };
const commit: MemberSpec = { call: { effect: { kind: 'queue', op: 'ack' } } };
const resolve: MemberSpec = { call: { effect: { kind: 'queue', op: 'ack' }, promise: false } };
const listen: MemberSpec = { call: { promise: false, callbacks: [{ arg: 1, role: 'listener' }] } };

export const pack = definePack({
  id: 'kafkajs',
  packages: ['kafkajs', '@confluentinc/kafka-javascript'],
  assumedVersion: '2.2.4',
  types: {
    Kafka: {
      role: 'client',
      members: {
        producer: { call: { returns: 'Producer', promise: false } },
        consumer: { call: { returns: 'Consumer', promise: false } },
        admin: { call: { promise: false } },
      },
    },
    Producer: {
      role: 'queue',
      members: {
        connect: { call: { effect: { kind: 'connection', op: 'connect' } } },
        disconnect: DONE,
        send: publish,
        sendBatch: publish,
        transaction: { call: { returns: 'Transaction', promise: true } },
        on: listen,
      },
    },
    Transaction: {
      role: 'transaction',
      members: {
        send: publish,
        sendBatch: publish,
        sendOffsets: commit,
        commit: { call: { effect: { kind: 'queue', op: 'commit' } } },
        abort: DONE,
      },
    },
    Consumer: {
      role: 'worker',
      members: {
        connect: { call: { effect: { kind: 'connection', op: 'connect' } } },
        disconnect: DONE,
        stop: DONE,
        subscribe: DONE,
        run: {
          call: {
            promise: true,
            callbacks: [
              { arg: 0, path: 'eachMessage', role: 'consumer', params: ['Payload'] },
              { arg: 0, path: 'eachBatch', role: 'consumer', params: ['Payload'] },
            ],
          },
        },
        commitOffsets: commit,
        seek: { call: { promise: false } },
        pause: { call: { promise: false } },
        resume: { call: { promise: false } },
        on: listen,
      },
    },
    Payload: {
      role: 'message',
      members: {
        message: { type: 'Input' },
        batch: { type: 'Input' },
        resolveOffset: resolve,
        commitOffsetsIfNecessary: commit,
        heartbeat: { call: { promise: true, rejects: false } },
        pause: { call: { promise: false } },
      },
    },
    Input: { rest: { type: 'Input' } },
  },
  exports: { Kafka: { construct: { type: 'Kafka' } }, 'KafkaJS.Kafka': { construct: { type: 'Kafka' } } },
  typeNames: { EachMessagePayload: 'Payload', EachBatchPayload: 'Payload' },
  facts: [
    {
      topic: 'ack.default',
      versions: '2.2.4',
      says: 'An offset is resolved when `eachMessage` settles: work that it does not await is acknowledged before it is done. A throw stops the batch and the messages come again.',
      source: 'src/consumer/runner.js',
    },
    {
      topic: 'ack.batch',
      versions: '2.2.4',
      says: '`eachBatch` resolves the whole batch unless `eachBatchAutoResolve: false`; then `resolveOffset` marks each message.',
      source: 'src/consumer/index.js',
    },
    {
      topic: 'timeout.default',
      versions: '2.2.4',
      says: 'Connecting gives up after 1 s, a request after 30 s; a session ends after 30 s without a heartbeat, and its messages are given to another consumer.',
      source: 'src/index.js, src/consumer/index.js',
    },
    {
      topic: 'producer.default',
      versions: '2.2.4',
      says: '`acks: -1`, not idempotent: a send that is repeated after a lost answer is stored twice.',
      source: 'src/producer/index.js',
    },
  ],
});
