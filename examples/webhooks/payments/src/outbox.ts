import type { Knex } from 'knex';

/** Above this many waiting orders somebody is called. */
export const QUEUE_DEPTH_ALERT = 1000;

/** Sends what waits, oldest first. A failed order stays and is tried again with the next round. */
export async function deliverOutbox(db: Knex, warehouse: string): Promise<void> {
  const waiting = await db('fulfilments').whereNull('sent_at').orderBy('id').limit(100).select('id', 'order_id');
  for (const { id, order_id: orderId } of waiting) {
    try {
      await startFulfilment(warehouse, id, orderId);
      await db('fulfilments').where({ id }).update({ sent_at: new Date().toISOString() });
    } catch (error) {
      console.warn(JSON.stringify({ event: 'fulfilment_failed', orderId, reason: String(error) }));
    }
  }
}

/** The warehouse keeps one order for each key, however often it is sent. */
export async function startFulfilment(warehouse: string, key: string, orderId: string): Promise<void> {
  const response = await fetch(`${warehouse}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ orderId }),
    signal: AbortSignal.timeout(5000),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the warehouse answered ${response.status}`);
}

/** Logged every minute; the alert on this line pages the payments on-call. */
export async function reportQueueDepth(db: Knex, log: (line: string) => void): Promise<void> {
  const [row] = await db('fulfilments').whereNull('sent_at').count({ depth: '*' });
  const depth = Number(row?.depth ?? 0);
  if (depth > QUEUE_DEPTH_ALERT) log(JSON.stringify({ event: 'queue_depth_alert', depth }));
}
