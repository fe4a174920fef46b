import { Queue, Worker } from 'bullmq';
const shared = { removeOnComplete: true };
export const mails = new Queue('mails', { defaultJobOptions: { removeOnComplete: 100, removeOnFail: 500 } }); // ok: unbounded-job-retention
export const bills = new Queue('bills', { defaultJobOptions: shared }); // ok: unbounded-job-retention
export const worker = new Worker('mails', async () => {}); // ok: unbounded-job-retention
export async function tidy() {
  await mails.add('mail', {}, { removeOnComplete: true }); // ok: unbounded-job-retention
}
