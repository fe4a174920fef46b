//- /package.json
{ "dependencies": { "node-cron": "3.0.3", "bullmq": "5.0.0", "bull": "4.0.0", "pg": "8.0.0" } }
//- /src/plain.ts
import { Worker } from 'bullmq';
import { Pool } from 'pg';

const pool = new Pool();
new Worker('mails', async job => {
//  ^^^^^^ unobserved-job-failure: When a job of this worker fails, nobody hears of it: nothing listens for `failed` and the processor logs nothing.
  await pool.query('INSERT INTO mails (id) VALUES ($1)', [job.id]);
});

//- /src/kept.ts
import { Worker } from 'bullmq';
import { send } from './send.ts';

const worker = new Worker('mails', send);
//                 ^^^^^^ unobserved-job-failure
worker.on('error', error => console.error(error));
process.on('SIGTERM', () => void worker.close());

//- /src/send.ts
import { Pool } from 'pg';
const pool = new Pool();
export async function send(job: { id?: string }) {
  await pool.query('INSERT INTO mails (id) VALUES ($1)', [job.id]);
}

//- /src/old.ts
import Bull from 'bull';
import { send } from './send.ts';
const queue = new Bull('mails');
export function start() {
  queue.process(send);
//^^^^^^^^^^^^^ unobserved-job-failure: When a job of this queue fails, nobody hears of it: nothing listens for `failed` and the processor logs nothing.
}

//- /src/nightly.ts
import cron from 'node-cron';
import { send } from './send.ts';
export function start() {
  cron.schedule('0 3 * * *', async () => {
//^^^^^^^^^^^^^ unobserved-job-failure: When a round of this schedule fails, nobody hears of it: node-cron 3.0.3 catches the rejection and keeps it to itself.
    await send({ id: 'nightly' });
  });
}
// ok: unobserved-job-failure
cron.schedule('0 4 * * *', async () => {
  try {
    await send({ id: 'nightly' });
  } catch (error) {
    console.error('nightly run failed', error);
  }
});
cron.schedule('0 5 * * *', () => console.info('five')); // ok: unobserved-job-failure

//- /src/listened.ts
import { Worker } from 'bullmq';
import { send } from './send.ts';
const worker = new Worker('mails', send); // ok: unobserved-job-failure
worker.on('failed', (job, error) => console.error(job?.id, error));

//- /src/logged.ts
import { Worker } from 'bullmq';
import { send } from './send.ts';
// ok: unobserved-job-failure
new Worker('mails', async job => {
  try {
    await send(job);
  } catch (error) {
    console.error('mail not sent', job.id, error);
    throw error;
  }
});

//- /src/loggedBelow.ts
import { Worker } from 'bullmq';
import { Pool } from 'pg';
const pool = new Pool();
async function store(id: string | undefined) {
  try {
    await pool.query('INSERT INTO mails (id) VALUES ($1)', [id]);
  } catch (error) {
    console.error('mail not stored', id, error);
    throw error;
  }
}
new Worker('mails', async job => store(job.id)); // ok: unobserved-job-failure

//- /src/given.ts
import { Worker } from 'bullmq';
import { send } from './send.ts';
export function make() {
  return new Worker('mails', send); // ok: unobserved-job-failure
}
export const shared = new Worker('mails', send); // ok: unobserved-job-failure
declare function observe(worker: Worker): void;
const watched = new Worker('mails', send); // ok: unobserved-job-failure
observe(watched);

//- /src/file.ts
import { Worker } from 'bullmq';
import path from 'node:path';
new Worker('mails', path.join(__dirname, 'processor.js')); // ok: unobserved-job-failure

//- /src/quiet.ts
import { Worker } from 'bullmq';
new Worker('mails', async job => { // ok: unobserved-job-failure
  console.info(job.id);
});

//- /src/injected.ts
import type { Queue } from 'bull';
import { send } from './send.ts';
export function attach(queue: Queue) {
  queue.process(send); // ok: unobserved-job-failure
}

//- /src/events.ts
import { QueueEvents, Worker } from 'bullmq';
import { send } from './send.ts';
new QueueEvents('mails').on('failed', event => console.error(event));
new Worker('mails', send); // ok: unobserved-job-failure
