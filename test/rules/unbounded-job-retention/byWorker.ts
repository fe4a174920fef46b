//- /src/queues.ts
import { Queue } from 'bullmq';
export const mails = new Queue('mails'); // ok: unbounded-job-retention
export const bills = new Queue('bills', { connection: {} }); // ok: unbounded-job-retention
//- /src/worker.ts
import { Worker } from 'bullmq';
export const worker = new Worker('mails', async () => {}, { removeOnComplete: { count: 100 } });
