//- /src/fixture.ts
import { Worker, Queue } from 'bullmq';

export class Runner {
  private worker: Worker;
  private queue: Queue;
  constructor() {
    this.worker = new Worker('mails', async () => {});
    this.queue = new Queue('mails');
  }
  async stop() {
    await Promise.all([this.queue.disconnect(), this.worker.disconnect()]);
    //                                          ^^^^^^^^^^^^^^^^^^^^^^ no-graceful-shutdown: `this.worker.disconnect` abandons the jobs that run: each stays locked until it counts as stalled, and then runs a second time.
  }
  async reconnect() {
    await this.worker.disconnect(); // ok: no-graceful-shutdown
  }
}

const worker = new Worker('reports', async () => {});
export async function shutdownNow() {
  await worker.close(true);
  //    ^^^^^^^^^^^^ no-graceful-shutdown
}
export async function shutdown() {
  await worker.close(); // ok: no-graceful-shutdown
}
export async function closeWithin(ms: number) {
  await Promise.race([worker.close(), new Promise(done => setTimeout(done, ms))]);
  await worker.close(true); // ok: no-graceful-shutdown
}
