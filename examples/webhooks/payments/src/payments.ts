import { randomUUID } from 'node:crypto';
import express, { Router } from 'express';
import type { Knex } from 'knex';
import { isSigned } from './signature.ts';

interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  readonly orderId: string;
}

/** The provider delivers each event at least once, and again until it sees a 2xx. */
export function payments(db: Knex, secret: string): Router {
  const router = Router();

  router.post('/webhooks/payments', express.raw({ type: '*/*', limit: '64kb' }), async (req, res) => {
    const body: Buffer = req.body;
    if (!isSigned(body, req.get('x-signature') ?? '', secret)) {
      res.sendStatus(401);
      return;
    }
    const event: PaymentEvent = JSON.parse(body.toString('utf8'));
    switch (event.type) {
      case 'payment.succeeded':
        await fulfilOnce(db, event);
        break;
      default:
        // The provider adds types without notice and asks that unknown ones be acknowledged.
        console.info(JSON.stringify({ event: 'unknown_payment_event', type: event.type, id: event.id }));
    }
    res.sendStatus(200);
  });

  return router;
}

/** Paid, recorded as seen, and to be fulfilled: all of it or nothing. */
async function fulfilOnce(db: Knex, event: PaymentEvent): Promise<void> {
  await db.transaction(async (trx) => {
    const claimed = await trx('processed_events')
      .insert({ event_id: event.id })
      .onConflict('event_id')
      .ignore()
      .returning('event_id');
    if (claimed.length === 0) return;
    await trx('orders').where({ id: event.orderId }).update({ status: 'paid' });
    await trx('fulfilments').insert({ id: randomUUID(), order_id: event.orderId });
  });
}
