import express from 'express';
import { Worker } from 'bullmq';
import { Kafka } from 'kafkajs';
import nodemailer from 'nodemailer';
import { PrismaClient } from '@prisma/client';
import { createClient } from 'redis';
import Stripe from 'stripe';
const app = express();
const prisma = new PrismaClient();
const redis = createClient();
const mailer = nodemailer.createTransport({ host: 'smtp' });
const consumer = new Kafka({ brokers: [] }).consumer({ groupId: 'g' });

app.post('/webhooks/insert', async (req, res) => {
  await prisma.payment.create({ data: { amount: req.body.amount } });
  //    ^^^^^^^^^^^^^^^^^^^^^ redelivery-without-dedup: When the same event comes a second time, `prisma.payment.create` adds a second `payment`: nothing on the way claims the event first.
  res.sendStatus(200);
});
app.post('/webhooks/balance', async (req, res) => {
  await prisma.account.update({ where: { id: req.body.id }, data: { balance: { increment: req.body.amount } } });
  //    ^^^^^^^^^^^^^^^^^^^^^ redelivery-without-dedup: When the same event comes a second time, `prisma.account.update` changes `account` a second time: nothing on the way claims the event first.
  res.sendStatus(200);
});
async function credit(body: { amount: number }) {
  await prisma.credit.create({ data: { amount: body.amount } });
}
app.post('/webhooks/helper', async (req, res) => {
  await credit(req.body);
  //    ^^^^^^ redelivery-without-dedup
  res.sendStatus(200);
});
await consumer.run({
  eachMessage: async ({ message }) => {
    await prisma.shipment.create({ data: { body: String(message) } });
    //    ^^^^^^^^^^^^^^^^^^^^^^ redelivery-without-dedup: When the same message comes a second time, `prisma.shipment.create` adds a second `shipment`: nothing on the way claims the message first.
  },
});
new Worker('mail', async job => {
  await mailer.sendMail({ to: job.data.to, text: 'hello' });
  //    ^^^^^^^^^^^^^^^ redelivery-without-dedup: When the same job comes a second time, `mailer.sendMail` sends a second mail: nothing on the way claims the job first.
});
export async function paid(event: Stripe.Event) {
  await prisma.grant.create({ data: { kind: event.type } });
  //    ^^^^^^^^^^^^^^^^^^^ redelivery-without-dedup
}

app.post('/webhooks/one-branch', async (req, res) => {
  if (req.body.invoice) {
    const first = await redis.set(`invoice:${req.body.invoice}`, '1', { NX: true });
    if (!first) return res.send('already processed');
  } else {
    await prisma.buyer.create({ data: { stripeCustomerId: req.body.customer, email: req.body.email } });
    //    ^^^^^^^^^^^^^^^^^^^ redelivery-without-dedup
  }
  res.sendStatus(200);
});

// --- claimed first
app.post('/webhooks/upsert', async (req, res) => {
  await prisma.payment.upsert({ where: { ref: req.body.ref }, update: {}, create: { ref: req.body.ref } }); // ok: redelivery-without-dedup
  await prisma.line.create({ data: { amount: 1 } }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
app.post('/webhooks/nx', async (req, res) => {
  const first = await redis.set(`event:${req.body.id}`, '1', { NX: true, EX: 86400 });
  if (first) await prisma.payment.create({ data: { amount: 1 } }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
app.post('/webhooks/own-key', async (req, res) => {
  await prisma.payment.create({ data: { eventId: req.body.id, amount: 1 } }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
app.post('/webhooks/violation', async (req, res) => {
  try {
    await prisma.seen.create({ data: { name: req.body.id } }); // ok: redelivery-without-dedup
  } catch (error) {
    if ((error as { code?: string }).code === 'P2002') return res.sendStatus(200);
    throw error;
  }
  await prisma.payment.create({ data: { amount: 1 } }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
app.post('/webhooks/conditional', async (req, res) => {
  const moved = await prisma.order.updateMany({ where: { ref: req.body.ref, paid: false }, data: { paid: true } });
  if (moved.count === 0) return res.sendStatus(200);
  await prisma.payment.create({ data: { amount: 1 } }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
app.post('/webhooks/looked-up', async (req, res) => {
  const seen = await prisma.seen.findUnique({ where: { name: req.body.id } });
  if (seen) return res.sendStatus(200);
  await prisma.payment.create({ data: { amount: 1 } }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
app.post('/webhooks/state', async (req, res) => {
  const order = await prisma.order.findUniqueOrThrow({ where: { ref: req.body.ref } });
  if (order.status === 'paid') return res.sendStatus(200);
  await prisma.payment.create({ data: { amount: 1 } }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
app.post('/webhooks/batch', async (req, res) => {
  await prisma.payment.createMany({ data: req.body.items, skipDuplicates: true }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
// --- the same however often
app.post('/webhooks/set', async (req, res) => {
  await prisma.order.update({ where: { ref: req.body.ref }, data: { paid: true } }); // ok: redelivery-without-dedup
  await prisma.session.deleteMany({ where: { ref: req.body.ref } }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
app.post('/webhooks/log', async (req, res) => {
  await prisma.webhookLog.create({ data: { body: req.body } }); // ok: redelivery-without-dedup
  res.sendStatus(200);
});
app.post('/orders', async (req, res) => {
  await prisma.order.create({ data: { body: req.body } }); // ok: redelivery-without-dedup
  res.sendStatus(201);
});

// --- found again by what the first run has left
new Worker('notes', async (job) => {
  const note = await prisma.note.findFirst({ where: { ticket: job.data.ticket } });
  const sent = await fetch('https://chat.example.com/post', { method: 'POST', body: note?.ref ?? '' });
  if (sent.ok) {
    if (note) await prisma.note.update({ where: { id: note.id }, data: { ref: 'x' } });
    else await prisma.note.create({ data: { ticket: job.data.ticket, ref: 'x' } }); // ok: redelivery-without-dedup
  }
});

// --- nobody hands it work: it looks for work by itself
export async function poll() {
  while (true) {
    for (const feed of await prisma.feed.findMany()) await prisma.item.create({ data: { feed: feed.id } }); // ok: redelivery-without-dedup
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
}

declare const RedisWorker: any;
export const jobs = new RedisWorker({
  jobs: {
    'invoice.close': async ({ payload }: { payload: { id: string } }) => {
      await prisma.closing.create({ data: { invoice: payload.id } });
      //    ^^^^^^^^^^^^^^^^^^^^^ redelivery-without-dedup
    },
    // @deprecated, moved to the other worker
    'invoice.open': async ({ payload }: { payload: { id: string } }) => {
      await prisma.opening.create({ data: { invoice: payload.id } }); // ok: redelivery-without-dedup
    },
  },
});
