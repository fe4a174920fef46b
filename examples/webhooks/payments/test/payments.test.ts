import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import express from 'express';
import type { Knex } from 'knex';
import { payments } from '../src/payments.ts';
import { signatureOf } from '../src/signature.ts';
import { SECRET, fulfilments, serving, withService } from './support.ts';

const PAID = { id: 'evt_1', type: 'payment.succeeded', orderId: 'o1' };

describe('payments webhook', { concurrency: false }, () => {
  it('marks the order paid and has it fulfilled', () =>
    withService(async ({ db, deliver }) => {
      assert.equal(await deliver(PAID), 200);
      assert.deepEqual(await db('orders').pluck('status'), ['paid']);
      assert.equal(await fulfilments(db), 1);
    }));

  it('fulfils once when the event is delivered twice', () =>
    withService(async ({ db, deliver }) => {
      const answers = await Promise.all([deliver(PAID), deliver(PAID)]);
      assert.deepEqual(answers, [200, 200]);
      assert.equal(await fulfilments(db), 1);
    }));

  it('fulfils once when the answer to the first delivery was lost', () =>
    withService(async ({ db, deliver }) => {
      // The process ends after the commit: the provider never sees the 200 and sends the event again.
      await lostAnswer(db);
      assert.equal(await deliver(PAID), 200);
      assert.equal(await fulfilments(db), 1);
    }));

  it('answers although the warehouse hangs', () =>
    serving(
      () => undefined,
      (warehouse) =>
        withService(async ({ deliver }) => {
          process.env['WAREHOUSE_URL'] = warehouse;
          const answer = deliver(PAID).catch(() => 'no answer');
          const patience = new Promise((resolve) => setTimeout(resolve, 3000, 'still waiting').unref());
          assert.equal(await Promise.race([answer, patience]), 200);
        }),
    ));

  it('refuses what the provider did not sign', () =>
    withService(async ({ db, deliver }) => {
      assert.equal(await deliver(PAID, 'forged'), 401);
      assert.equal(await fulfilments(db), 0);
    }));

  it('acknowledges types it does not know', () =>
    withService(async ({ db, deliver }) => {
      assert.equal(await deliver({ ...PAID, type: 'payout.paid' }), 200);
      assert.equal(await fulfilments(db), 0);
    }));
});

/** Handles one delivery to its end, with a connection that breaks as the answer is written. */
async function lostAnswer(db: Knex): Promise<void> {
  const body = JSON.stringify(PAID);
  const app = express()
    .use((req, res, next) => {
      res.end = (() => req.socket.destroy()) as unknown as typeof res.end;
      next();
    })
    .use(payments(db, SECRET));
  await serving(app, async (address) => {
    const call = fetch(`${address}/webhooks/payments`, {
      method: 'POST',
      headers: { 'x-signature': signatureOf(Buffer.from(body), SECRET) },
      body,
      signal: AbortSignal.timeout(10_000),
    });
    await assert.rejects(call, 'the answer is lost');
  });
}
