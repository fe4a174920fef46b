import { Worker } from 'bullmq';
import { pool, prisma, redis } from '../clients.ts';
import type { EmailJob } from './queues.ts';

const MAILER = process.env.MAILER_URL ?? 'https://mailer.example';

/** Tried up to five times, so whatever it does can happen five times. */
export const emailWorker = new Worker<EmailJob>(
  'emails',
  async (job) => {
    const order = await prisma.order.findUniqueOrThrow({ where: { id: job.data.orderId } });
    await fetch(`${MAILER}/send`, {
      method: 'POST',
      body: JSON.stringify({ to: job.data.to, text: `Thank you! Total: ${order.totalCents / 100} EUR` }),
    });
  },
  { connection: redis, concurrency: 5 },
);

/** Counts what the warehouse found on the shelf; two counts of one article at a time lose one of them. */
export const stockWorker = new Worker<{ sku: string; found: number }>(
  'stock',
  async (job) => {
    const client = await pool.connect();
    const { rows } = await client.query('SELECT available FROM stock WHERE sku = $1', [job.data.sku]);
    const available = rows[0].available + job.data.found;
    await client.query('UPDATE stock SET available = $1 WHERE sku = $2', [available, job.data.sku]);
    client.release();
  },
  { connection: redis },
);

emailWorker.on('failed', (job, error) => console.error('email failed', job?.id, error));
stockWorker.on('failed', (job, error) => console.error('count failed', job?.id, error));
