/** Work that no request waits for: consumers, workers, schedules, subscribers, sockets, loops, job catalogues. */
import { strict as assert } from 'node:assert';
import { handlersOf, unitsOf } from './unitsOf.ts';

describe('units: consumers and workers', () => {
  it('BullMQ and Bull: inline, by name, from a factory, by class member', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/mail.ts
import { Worker, type Job } from 'bullmq';
new Worker('mail', async (job) => { await send(job.data); }, { connection });
const w = new Worker(QUEUES.images, resize, { connection });
async function resize(job: Job) {}
export class Reports {
  start() { this.worker = new Worker('reports', this.handle.bind(this)); }
  async handle(job: Job) {}
}
//- /src/bull.ts
import Queue from 'bull';
const videoQueue = new Queue('video', url);
videoQueue.process(async (job) => {});
videoQueue.process('thumb', 5, async (job) => {});
//- /src/queues.ts
import Bull from 'bull';
export const audio = new Bull('audio');
//- /src/use.ts
import { audio } from './queues';
audio.process(async (job, done) => {});
`),
      ['job mail', 'job QUEUES.images', 'job reports', 'job video', 'job thumb', 'job audio'],
    );
  });

  it('pg-boss, agenda, graphile-worker, inngest, trigger.dev', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/boss.ts
import PgBoss from 'pg-boss';
const boss = new PgBoss(url);
await boss.work('welcome', async ([job]) => {});
await boss.work(Names.Digest, { batchSize: 5 }, async (jobs) => {});
//- /src/agenda.ts
import { Agenda } from 'agenda';
const agenda = new Agenda({});
agenda.define('purge', { priority: 'high' }, async (job) => {});
//- /src/graphile.ts
import { run } from 'graphile-worker';
await run({ connectionString, taskList: { hello: async (payload) => {}, async bye(payload) {} } });
//- /src/inngest.ts
import { Inngest } from 'inngest';
const inngest = new Inngest({ id: 'shop' });
export const onOrder = inngest.createFunction({ id: 'on-order' }, { event: 'order/placed' }, async ({ event, step }) => {});
//- /src/trigger.ts
import { task, schedules } from '@trigger.dev/sdk/v3';
export const nightly = schedules.task({ id: 'nightly', cron: '0 3 * * *', run: async (payload) => {} });
export const convert = task({ id: 'convert', run: async (payload) => {} });
`),
      [
        'job welcome',
        'job Names.Digest',
        'job purge',
        'job hello',
        'job bye',
        'job on-order',
        'cron nightly',
        'job convert',
      ],
    );
  });

  it('amqplib, kafkajs, SQS, pub/sub, NATS, MQTT', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/amqp.ts
import amqp from 'amqplib';
const connection = await amqp.connect(url);
const channel = await connection.createChannel();
await channel.consume('orders', async (msg) => { channel.ack(msg); });
await channel.consume(queueName, onMessage, { noAck: false });
async function onMessage(msg) {}
//- /src/kafka.ts
import { Kafka } from 'kafkajs';
const consumer = new Kafka({}).consumer({ groupId: 'g' });
await consumer.subscribe({ topic: 'payments' });
await consumer.run({ eachMessage: async ({ message }) => {} });
//- /src/batch.ts
import { Kafka } from 'kafkajs';
class Batches {
  async start() { await this.consumer.run({ eachBatch: this.batch }); }
  batch = async ({ batch }) => {};
}
//- /src/sqs.ts
import { Consumer } from 'sqs-consumer';
const app = Consumer.create({ queueUrl, handleMessage: async (message) => {} });
//- /src/pubsub.ts
import { PubSub } from '@google-cloud/pubsub';
const subscription = new PubSub().subscription('invoices');
subscription.on('message', async (message) => {});
subscription.on('error', async (error) => {});
//- /src/mqtt.ts
import mqtt from 'mqtt';
const client = mqtt.connect(url);
client.on('message', async (topic, payload) => {});
`),
      [
        'consumer orders',
        'consumer queueName',
        'consumer payments',
        'consumer consumer.run',
        'consumer SQS consumer',
        'consumer invoices',
        'consumer message',
      ],
    );
  });

  it('functions that take a job of a queue package are workers wherever they are registered', () => {
    assert.deepEqual(
      handlersOf(`
import type { Job } from 'bullmq';
export async function indexDocuments(job: Job<Payload>) { await index(job.data); }
export const makeProcessor = (deps: Deps) => async (job: Job) => { await deps.run(job); };
async function local(job: Job) {}
export function describeJob(job: Job) { return job.name; }
`),
      [
        'job indexDocuments → export async function indexDocuments(job: Job<Payload>) { await index(job.data); }',
        'job makeProcessor → async (job: Job) => { await deps.run(job); };',
      ],
    );
  });

  it('what only sounds like a worker is none', () => {
    assert.deepEqual(
      unitsOf(`
import { Worker } from 'node:worker_threads';
const thread = new Worker('./thread.js', async () => {});
image.process(async (pixel) => {});
await pipeline.run(async () => {});
promise.work('x', async () => {});
schema.define('user', async () => {});
stream.consume('x', 1);
const job = new CronJobModel('x', async () => {});
store.subscribe(async () => {});
`),
      [],
    );
  });
});

describe('units: schedules', () => {
  it('node-cron, cron, croner, node-schedule and their like', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/a.ts
import cron from 'node-cron';
cron.schedule('*/5 * * * *', async () => { await sync(); });
cron.schedule(process.env.WHEN ?? '0 * * * *', sweep, { timezone: 'UTC' });
async function sweep() {}
//- /src/b.ts
import { CronJob } from 'cron';
new CronJob('0 0 * * *', async () => {}, null, true);
new CronJob('0 1 * * *', () => { void nightly(); });
CronJob.from({ cronTime: '0 2 * * *', onTick: async () => {}, start: true });
//- /src/c.ts
import { Cron } from 'croner';
const j = new Cron('@daily', { protect: true }, async () => {});
//- /src/d.ts
import schedule from 'node-schedule';
schedule.scheduleJob('report', '0 8 * * 1', async () => {});
schedule.scheduleJob({ hour: 3 }, async () => {});
//- /src/e.ts
setInterval(async () => { await refresh(); }, 60_000);
`),
      [
        'cron cron */5 * * * *',
        'cron sweep (0 * * * *)',
        'cron 0 0 * * *',
        'cron 0 1 * * *',
        'cron 0 2 * * *',
        'cron @daily',
        'cron report (0 8 * * 1)',
        'cron schedule',
        'cron every 60000 ms',
      ],
    );
  });

  it('calls named schedule without a schedule are none', () => {
    assert.deepEqual(
      unitsOf(`
calendar.schedule('meeting', async () => {});
queue.schedule(async () => {});
const cron = parse('* * * * *');
new Task('build', 1);
setInterval(() => { counter++; }, 1000);
setInterval(tick, 1000);
async function renewDuring(lock) { const t = setInterval(async () => { await lock.extend(); }, 500); }
function tick() { beat = Date.now(); }
`),
      [],
    );
  });
});

describe('units: subscribers and sockets', () => {
  it('Socket.IO and ws', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/io.ts
import { Server } from 'socket.io';
const io = new Server(http);
io.on('connection', (socket) => {
  socket.on('chat message', async (text) => {});
  socket.on('disconnect', async () => {});
});
//- /src/ws.ts
import { WebSocketServer } from 'ws';
const wss = new WebSocketServer({ port: 1 });
wss.on('connection', (ws) => {
  ws.on('message', async (data) => {});
  ws.on('error', console.error);
});
`),
      [
        'socket connection',
        'socket chat message',
        'socket disconnect',
        'socket connection',
        'socket message',
      ],
    );
  });

  it('event buses', () => {
    assert.deepEqual(
      unitsOf(`
import { EventEmitter } from 'node:events';
const bus = new EventEmitter();
bus.on('order.created', async (order) => {});
eventBus.on('user.deleted', onDeleted);
async function onDeleted(user) {}
export class Handlers {
  constructor(private readonly events: EventEmitter2) {
    this.events.on('invoice.sent', this.archive);
  }
  archive = async (invoice) => {};
}
`),
      ['subscriber order.created', 'subscriber user.deleted', 'subscriber invoice.sent'],
    );
  });

  it('life cycle and stream events are none', () => {
    assert.deepEqual(
      unitsOf(`
process.on('SIGTERM', async () => { await stop(); });
process.on('unhandledRejection', async (e) => {});
server.on('listening', async () => {});
stream.on('data', async (chunk) => {});
emitter.on('error', async (e) => {});
redis.on('connect', async () => {});
pool.on('error', async () => {});
bus.on('ready', async () => {});
bus.on('changed', () => { n++; });
req.on('end', async () => {});
`),
      [],
    );
  });
});

describe('units: loops and catalogues', () => {
  it('endless loops that wait are jobs', () => {
    assert.deepEqual(
      unitsOf(`
export async function pump() {
  while (true) {
    const batch = await take();
    await work(batch);
    await sleep(1000);
  }
}
export class Poller {
  private running = true;
  async loop() {
    while (this.running) { await this.tick(); await delay(5); }
  }
}
export async function untilDone() {
  for (;;) {
    const state = await status();
    if (state.done) return state;
    await sleep(100);
  }
}
export async function waitUntilGone() {
  while (true) {
    if (await isEmpty()) break;
    await sleep(100);
  }
}
export async function worker(signal) {
  for (;;) {
    if (signal.aborted) break;
    for (const item of await take()) { if (!item) break; await work(item); }
    await sleep(100);
  }
}
export async function count() { for (const x of xs) await sleep(1); }
`),
      ['job pump', 'job Poller.loop', 'job worker'],
    );
  });

  it('catalogues of jobs and files of a jobs folder', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/queue.ts
export const jobHandlers = { sendMail: async (data) => {}, resize, notAsync: (x) => x };
async function resize(data) {}
//- /src/jobs/cleanup.ts
export default async function cleanup() {}
//- /src/jobs/helpers.ts
export function format(x) { return x; }
//- /src/cron/prune.ts
module.exports = async () => {};
//- /src/handlers.ts
const handlers = { click: () => {}, hover: () => {} };
`),
      ['job sendMail', 'job resize', 'job cleanup', 'cron prune'],
    );
  });
});
