import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { QUEUE_DEPTH_ALERT, deliverOutbox, reportQueueDepth, startFulfilment } from '../src/outbox.ts';
import { serving, withDatabase } from './support.ts';

describe('outbox', { concurrency: false }, () => {
  it('gives up on a warehouse that never answers', () =>
    serving(
      () => undefined,
      async (address) => {
        const call = startFulfilment(address, 'evt_1', 'o1').then(
          () => 'answered',
          () => 'gave up',
        );
        const patience = new Promise((resolve) => setTimeout(resolve, 7000, 'still waiting').unref());
        assert.equal(await Promise.race([call, patience]), 'gave up');
      },
    ));

  it('keeps an order that the warehouse refused, and sends it with the next round', () =>
    withDatabase(async (db) => {
      await db('fulfilments').insert({ id: 'evt_1', order_id: 'o1' });
      let status = 503;
      await serving(
        (_, res) => void res.writeHead(status).end(),
        async (address) => {
          await deliverOutbox(db, address);
          assert.equal((await db('fulfilments').whereNull('sent_at')).length, 1);
          status = 200;
          await deliverOutbox(db, address);
          assert.equal((await db('fulfilments').whereNull('sent_at')).length, 0);
        },
      );
    }));

  it('alerts when more orders wait than one warehouse works off', () =>
    withDatabase(async (db) => {
      const lines: string[] = [];
      const rows = Array.from({ length: QUEUE_DEPTH_ALERT + 1 }, (_, n) => ({ id: `evt_${n}`, order_id: 'o1' }));
      await db.batchInsert('fulfilments', rows, 100);
      await reportQueueDepth(db, (line) => lines.push(line));
      assert.match(lines.join(), /queue_depth_alert/);
    }));
});
