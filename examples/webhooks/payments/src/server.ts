import express from 'express';
import { createTables, openDatabase } from './database.ts';
import { deliverOutbox, reportQueueDepth } from './outbox.ts';
import { payments } from './payments.ts';

const { DATABASE_URL, WAREHOUSE_URL, WEBHOOK_SECRET, PORT = '3000' } = process.env;
if (!WAREHOUSE_URL || !WEBHOOK_SECRET) throw new Error('WAREHOUSE_URL and WEBHOOK_SECRET must be set');
const warehouse = WAREHOUSE_URL;

const db = openDatabase(DATABASE_URL, 'payments.db');
await createTables(db);
const server = express().use(payments(db, WEBHOOK_SECRET)).listen(Number(PORT));

let stopped = false;
async function work(): Promise<void> {
  while (!stopped) {
    try {
      await deliverOutbox(db, warehouse);
      await reportQueueDepth(db, console.error);
    } catch (error) {
      console.error(JSON.stringify({ event: 'outbox_round_failed', reason: String(error) }));
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
const working = work();

process.once('SIGTERM', async () => {
  stopped = true;
  server.close();
  await working;
  await db.destroy();
});
