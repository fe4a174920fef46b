//- /src/own.ts
class Queue {
  constructor(readonly name: string) {}
}
export const own = new Queue('mails'); // ok: unbounded-job-retention
//- /src/bee.ts
import Queue from 'bee-queue';
export const bee = new Queue('mails'); // ok: unbounded-job-retention
//- /src/typed.ts
import type { Queue } from 'bullmq';
export const add = (queue: Queue) => queue.add('mail', {}); // ok: unbounded-job-retention
//- /src/pq.ts
import PQueue from 'p-queue';
export const p = new PQueue({ concurrency: 4 }); // ok: unbounded-job-retention
