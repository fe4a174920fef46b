//- /package.json
{ "dependencies": { "express": "^5.0.0", "knex": "^3.1.0" } }
//- /src/hooks.ts
import { randomUUID } from 'node:crypto';
import express from 'express';
import knex from 'knex';
const app = express();
const db = knex({ client: 'pg' });

app.post('/webhooks/paid', async (req, res) => {
  await db.transaction(async (trx) => {
    const mine = await trx('processed_events').insert({ event_id: req.body.id }).onConflict('event_id').ignore().returning('event_id');
    if (mine.length === 0) return;
    await trx('shipments').insert({ id: randomUUID(), order_id: req.body.order }); // ok: redelivery-without-dedup
  });
  res.sendStatus(200);
});
app.post('/webhooks/refunded', async (req, res) => {
  const mine = await db('webhook_log').insert({ id: req.body.id }).onConflict('id').ignore().returning('id');
  if (mine.length > 0) await db('refunds').insert({ id: randomUUID(), order_id: req.body.order }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
app.post('/webhooks/noted', async (req, res) => {
  await db('audit_log').insert({ id: req.body.id, text: 'noted' }).onConflict('id').merge();
  await db('shipments').insert({ id: randomUUID(), order_id: req.body.order });
  //    ^^^^^^^^^^^^^^^^^^^^^^ redelivery-without-dedup: When the same event comes a second time, `db().insert` adds a second `shipments`: nothing on the way claims the event first.
  res.sendStatus(200);
});
