import express from 'express';
import { PrismaClient } from '@prisma/client';
import { Worker } from 'bullmq';
import { Pool } from 'pg';
import Redis from 'ioredis';
const app = express();
const prisma = new PrismaClient();
const pool = new Pool();
const redis = new Redis();

app.post('/webhooks/a', async (req, res) => {
  await prisma.processedEvent.create({ data: { id: req.body.id } });
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ dedup-outside-transaction: When the process ends after `prisma.processedEvent.create` and before `prisma.invoice.update`, the event is marked as handled in `processedevent` and its change is missing: every redelivery is turned away.
  await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  res.sendStatus(200);
});
app.post('/webhooks/b', async (req, res) => {
  await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  //    ^^^^^^^^^^^^^^^^^^^^^ dedup-outside-transaction: When the process ends after `prisma.invoice.update` and before `prisma.webhookEvent.create`, the change is made and the event is not marked in `webhookevent`: the redelivery makes it again.
  await prisma.webhookEvent.create({ data: { id: req.body.id } });
  res.sendStatus(200);
});
app.post('/webhooks/c', async (req, res) => {
  const { rowCount } = await pool.query('INSERT INTO processed_events (id) VALUES ($1) ON CONFLICT DO NOTHING', [req.body.id]);
  //                         ^^^^^^^^^^ dedup-outside-transaction: When the process ends after `pool.query` and before `pool.query`, the event is marked as handled in `processed_events` and its change is missing: every redelivery is turned away.
  if (rowCount === 0) return res.sendStatus(200);
  await pool.query('UPDATE wallets SET cents = cents + $1 WHERE id = $2', [req.body.cents, req.body.wallet]);
  return res.sendStatus(200);
});
app.post('/webhooks/d', async (req, res) => {
  const fresh = await redis.set(`invoice:${req.body.invoice}:paid`, '1', 'EX', 86400, 'NX');
  //                  ^^^^^^^^^ dedup-outside-transaction
  if (!fresh) return res.sendStatus(200);
  await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  return res.sendStatus(200);
});
async function book(id: string, cents: number) {
  await prisma.booking.create({ data: { id, cents } });
}
app.post('/webhooks/e', async (req, res) => {
  await prisma.processedEvent.create({ data: { id: req.body.id } });
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ dedup-outside-transaction
  await book(req.body.invoice, req.body.cents);
  res.sendStatus(200);
});
app.post('/webhooks/f', async (req, res) => {
  const fresh = await redis.set(`evt:${req.body.id}`, '1', 'EX', 86400, 'NX');
  //                  ^^^^^^^^^ dedup-outside-transaction
  if (!fresh) return res.sendStatus(200);
  await prisma.$transaction(async (tx) => {
    await tx.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
    await tx.booking.create({ data: { id: req.body.invoice, cents: 1 } });
  });
  return res.sendStatus(200);
});
export const worker = new Worker('payments', async (job) => {
  await prisma.handledMessage.create({ data: { id: job.data.id } });
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ dedup-outside-transaction
  await prisma.invoice.update({ where: { id: job.data.invoice }, data: { paid: true } });
});

// ---- together, or taken back

app.post('/webhooks/g', async (req, res) => {
  await prisma.$transaction(async (tx) => {
    await tx.processedEvent.create({ data: { id: req.body.id } }); // ok: dedup-outside-transaction
    await tx.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  });
  res.sendStatus(200);
});
app.post('/webhooks/h', async (req, res) => {
  await prisma.$transaction([
    prisma.processedEvent.create({ data: { id: req.body.id } }), // ok: dedup-outside-transaction
    prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } }),
  ]);
  res.sendStatus(200);
});
app.post('/webhooks/i', async (req, res) => {
  await prisma.processedEvent.create({ data: { id: req.body.id } }); // ok: dedup-outside-transaction
  try {
    await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  } catch (error) {
    await prisma.processedEvent.delete({ where: { id: req.body.id } });
    throw error;
  }
  res.sendStatus(200);
});
app.post('/webhooks/j', async (req, res) => {
  await prisma.processedEvent.create({ data: { id: req.body.id, status: 'begun' } }); // ok: dedup-outside-transaction
  await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  res.sendStatus(200);
});
app.post('/webhooks/k', async (req, res) => {
  const fresh = await redis.set(`evt:${req.body.id}`, '1', 'EX', 86400, 'NX'); // ok: dedup-outside-transaction
  if (!fresh) return res.sendStatus(200);
  try {
    await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  } catch (error) {
    await redis.del(`evt:${req.body.id}`);
    throw error;
  }
  return res.sendStatus(200);
});
app.post('/webhooks/l', async (req, res) => {
  const got = await redis.set(`lock:${req.body.id}`, '1', 'EX', 30, 'NX'); // ok: dedup-outside-transaction
  if (!got) return res.sendStatus(200);
  await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  return res.sendStatus(200);
});
app.post('/webhooks/m', async (req, res) => {
  await redis.set(`evt:${req.body.id}`, '1', 'EX', 86400, 'NX'); // ok: dedup-outside-transaction
  await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  res.sendStatus(200);
});
app.post('/webhooks/n', async (req, res) => {
  await prisma.processedEvent.create({ data: { id: req.body.id } }); // ok: dedup-outside-transaction
  await prisma.auditLog.create({ data: { text: 'seen' } });
  res.sendStatus(200);
});
app.post('/webhooks/o', async (req, res) => {
  await prisma.message.create({ data: { id: req.body.id } }); // ok: dedup-outside-transaction
  await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  res.sendStatus(200);
});
app.post('/webhooks/p', async (req, res) => {
  if (req.body.kind === 'ping') {
    await prisma.processedEvent.create({ data: { id: req.body.id } }); // ok: dedup-outside-transaction
    return res.sendStatus(200);
  }
  await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  return res.sendStatus(200);
});
// Asked once by a person: nothing is delivered again.
app.post('/invoices', async (req, res) => {
  await prisma.processedEvent.create({ data: { id: req.body.id } }); // ok: dedup-outside-transaction
  await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  res.sendStatus(200);
});
