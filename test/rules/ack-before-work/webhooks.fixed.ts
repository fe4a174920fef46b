import express from 'express';
import { Pool } from 'pg';
import { Queue } from 'bullmq';
const app = express();
const pool = new Pool();
const queue = new Queue('events');

async function fulfil(event: { id: string }) {
  await pool.query('UPDATE orders SET paid = true WHERE id = $1', [event.id]);
}
app.post('/webhooks/one', async (req, res) => {
  await fulfil(req.body);
  res.sendStatus(200);
});
app.post('/webhooks/two', async (req, res) => {
  await fulfil(req.body);
  res.json({ received: true });
});
app.post('/webhooks/three', async (req, res) => {
  await fulfil(req.body);
  res.sendStatus(200); // ok: ack-before-work
});
app.post('/webhooks/four', async (req, res) => {
  await queue.add('event', req.body);
  res.sendStatus(202); // ok: ack-before-work
  await fulfil(req.body);
});
app.post('/webhooks/five', async (req, res) => {
  if (!req.body.id) {
    res.status(400).send('no id'); // ok: ack-before-work
    return;
  }
  if (req.body.type === 'ping') {
    res.sendStatus(200); // ok: ack-before-work
    return;
  }
  await fulfil(req.body);
  res.sendStatus(200); // ok: ack-before-work
});
app.post('/webhooks/six', async (req, res) => {
  console.log('answered');
  await pool.query('INSERT INTO payments (id) VALUES ($1)', [req.body.id]);
  res.status(200).send('ok');
});
app.post('/orders', async (req, res) => {
  res.sendStatus(202); // ok: ack-before-work
  await fulfil(req.body);
});
