import { Queue } from 'bullmq';
import { redis } from '../clients.ts';

export interface EmailJob {
  orderId: string;
  to: string;
}

export const emailQueue = new Queue<EmailJob>('emails', {
  connection: redis,
  defaultJobOptions: { attempts: 5, backoff: { type: 'exponential', delay: 1_000 } },
});

export const stockQueue = new Queue<{ sku: string; found: number }>('stock', { connection: redis });
