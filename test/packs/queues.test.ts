import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('pack bullmq', () => {
  it('knows queues, flows, and the jobs that workers hand over', () => {
    assert.deepEqual(
      callEffects(`import { Queue, Worker, FlowProducer, type Job } from 'bullmq';
const queue = new Queue('mail');
await queue.add('send', { to: 'a' }, { jobId: 'a' });
await new FlowProducer().add({ name: 'n', queueName: 'q' });
new Worker('mail', async job => { await job.moveToCompleted('ok', 'token'); });
export class Mail { constructor(private readonly queue: Queue) {} run() { return this.queue.addBulk([]); } }`),
      [
        'add → bullmq.Queue publish',
        'add → bullmq.FlowProducer publish',
        'moveToCompleted → bullmq.Job ack',
        'addBulk → bullmq.Queue publish',
      ],
    );
  });
});

describe('pack bull', () => {
  it('knows queues by construction and call', () => {
    assert.deepEqual(
      callEffects(
        `import Queue from 'bull';\nconst q = new Queue('a');\nq.add({ a: 1 });\nq.process(async job => job.data);`,
      ),
      ['add → bull.Queue publish'],
    );
  });
});

describe('pack amqplib', () => {
  it('follows promises to the channel', () => {
    assert.deepEqual(
      callEffects(`import amqp from 'amqplib';
const connection = await amqp.connect('amqp://mq');
const channel = await connection.createChannel();
await channel.consume('q', async msg => { channel.ack(msg); channel.nack(msg, false, false); });
channel.sendToQueue('q', Buffer.from(''));`),
      [
        'connect → lib connect',
        'ack → amqplib.Channel ack',
        'nack → amqplib.Channel nack',
        'consume → amqplib.Channel consume',
        'sendToQueue → amqplib.Channel publish',
      ],
    );
  });
  it('follows the callback form', () => {
    assert.deepEqual(
      callEffects(`const amqp = require('amqplib/callback_api');
amqp.connect('amqp://mq', (err, conn) => { conn.createChannel((e, ch) => { ch.consume('q', m => ch.ack(m)); }); });`),
      ['ack → amqplib.Channel ack', 'consume → amqplib.Channel consume', 'connect → lib connect'],
    );
  });
});

describe('pack kafkajs', () => {
  it('knows producers, consumers and what the handler is given', () => {
    assert.deepEqual(
      callEffects(`import { Kafka } from 'kafkajs';
const kafka = new Kafka({ brokers: [] });
const producer = kafka.producer();
const consumer = kafka.consumer({ groupId: 'g' });
await producer.send({ topic: 't', messages: [] });
await consumer.run({ eachBatch: async ({ batch, resolveOffset }) => { resolveOffset('1'); } });
await consumer.commitOffsets([]);`),
      [
        'send → kafkajs.Producer publish',
        'resolveOffset → kafkajs.Payload ack',
        'commitOffsets → kafkajs.Consumer ack',
      ],
    );
  });
});

describe('pack pgBoss', () => {
  it('knows send and work', () => {
    assert.deepEqual(
      callEffects(
        `import PgBoss from 'pg-boss';\nconst boss = new PgBoss('postgres://db');\nawait boss.send('mail', {});\nawait boss.work('mail', async jobs => jobs.length);\nawait boss.complete('mail', '1');`,
      ),
      ['send → pgBoss.Boss publish', 'complete → pgBoss.Boss ack'],
    );
  });
});

describe('pack graphileWorker', () => {
  it('knows added jobs inside and outside tasks', () => {
    assert.deepEqual(
      callEffects(`import { quickAddJob, run, type JobHelpers } from 'graphile-worker';
await quickAddJob({}, 'mail', {});
export async function task(payload: unknown, helpers: JobHelpers) { await helpers.addJob('next', {}, { jobKey: 'k' }); }
await run({ taskList: { mail: async (p, h) => { await h.addJob('audit', {}); } } });`),
      [
        'quickAddJob → lib publish',
        'addJob → graphileWorker.Helpers publish',
        'addJob → graphileWorker.Helpers publish',
      ],
    );
  });
});

describe('pack nats', () => {
  it('knows publishing, requests and acknowledgements', () => {
    assert.deepEqual(
      callEffects(`import { connect, type JsMsg } from 'nats';
const nc = await connect();
nc.publish('a', 'b');
await nc.request('a');
await nc.jetstream().publish('a', 'b', { msgID: '1' });
export function on(m: JsMsg) { m.ack(); }`),
      [
        'connect → lib connect',
        'publish → nats.Connection publish',
        'request → nats.Connection request',
        'publish → nats.JetStream publish',
        'ack → nats.Message ack',
      ],
    );
  });
});

describe('pack asyncMutex', () => {
  it('knows acquiring and the function that releases', () => {
    assert.deepEqual(
      callEffects(`import { Mutex } from 'async-mutex';
import Redlock from 'redlock';
const mutex = new Mutex();
const release = await mutex.acquire();
release();
const redlock = new Redlock([]);
const lock = await redlock.acquire(['a'], 1000);
await lock.release();`),
      [
        'acquire → asyncMutex.Mutex acquire',
        'release → asyncMutex.Release release',
        'acquire → asyncMutex.Redlock acquire',
        'release → asyncMutex.Lease release',
      ],
    );
  });
});
