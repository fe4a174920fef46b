//- /src/hooks.ts
import express from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';
import Stripe from 'stripe';
import { PrismaClient } from '@prisma/client';
import { Controller, Post, Body, Headers } from '@nestjs/common';
const app = express();
const stripe = new Stripe('key');
const prisma = new PrismaClient();
app.use(express.json());

app.post('/webhooks/a', (req, res) => {
  const expected = createHmac('sha256', 's').update(JSON.stringify(req.body)).digest('hex');
  //                                                ^^^^^^^^^^^^^^^^^^^^^^^^ signature-after-parse: The signature is checked over `JSON.stringify(req.body)`, not over the bytes that were signed: a genuine event that was written differently is refused.
  if (expected !== req.headers['x-signature']) return res.sendStatus(401);
  res.sendStatus(204);
});
app.post('/webhooks/b', (req, res) => {
  const { body } = req;
  const text = `${req.get('x-time')}.${JSON.stringify(body)}`;
  //                                   ^^^^^^^^^^^^^^^^^^^^ signature-after-parse
  const mac = createHmac('sha256', 's').update(text).digest();
  if (!timingSafeEqual(mac, Buffer.from(String(req.get('x-signature')), 'hex'))) return res.sendStatus(401);
  res.sendStatus(204);
});
app.post('/webhooks/d', async (req, res) => {
  const event = stripe.webhooks.constructEvent(JSON.stringify(req.body), String(req.get('stripe-signature')), 's');
  //                                           ^^^^^^^^^^^^^^^^^^^^^^^^ signature-after-parse
  res.json(event.id);
});
app.post('/webhooks/e', async (req, res) => {
  await prisma.order.update({ where: { id: req.body.id }, data: { paid: true } });
  //    ^^^^^^^^^^^^^^^^^^^ signature-after-parse: `prisma.order.update` acts on the payload before `verifySignature` has told whether it is genuine.
  if (!verifySignature(req.rawBody, req.get('x-signature'))) return res.sendStatus(401);
  res.sendStatus(204);
});
@Controller()
export class Hooks {
  @Post('/webhooks/f')
  take(@Body() body: object, @Headers('x-signature') signature: string) {
    const expected = createHmac('sha256', 's').update(JSON.stringify(body)).digest('hex');
  //                                                  ^^^^^^^^^^^^^^^^^^^^ signature-after-parse
    if (expected !== signature) throw new Error('forged');
  }
}

// The raw body is checked.
app.post('/webhooks/g', (req, res) => {
  const expected = createHmac('sha256', 's').update(req.rawBody).digest('hex'); // ok: signature-after-parse
  if (expected !== req.headers['x-signature']) return res.sendStatus(401);
  res.sendStatus(204);
});
app.post('/webhooks/h', async (req, res) => {
  if (!verifySignature(req.rawBody, req.get('x-signature'))) return res.sendStatus(401);
  await prisma.order.update({ where: { id: req.body.id }, data: { paid: true } }); // ok: signature-after-parse
  res.sendStatus(204);
});
// A part of the body, or something put together here, is signed by contract.
app.post('/webhooks/i', (req, res) => {
  const signed = JSON.stringify(req.body.payload); // ok: signature-after-parse
  const expected = createHmac('sha256', 's').update(signed).digest('hex');
  const both = createHmac('sha256', 's').update(JSON.stringify({ id: req.body.id })).digest('hex'); // ok: signature-after-parse
  if (expected !== req.body.signature || both !== req.body.other) return res.sendStatus(401);
  res.sendStatus(204);
});
// What is sent out is signed, and compared with nothing.
export function sign(body: object) {
  return createHmac('sha256', 's').update(JSON.stringify(body)).digest('hex'); // ok: signature-after-parse
}
app.post('/relay', async (req, res) => {
  const mac = createHmac('sha256', 's').update(JSON.stringify(req.body)).digest('hex'); // ok: signature-after-parse
  await fetch('https://peer.example.com', { method: 'POST', headers: { 'x-signature': mac }, body: '{}' });
  res.sendStatus(204);
});
// The delivery is noted before it is judged.
app.post('/webhooks/j', async (req, res) => {
  await prisma.deliveryLog.create({ data: { body: req.body } }); // ok: signature-after-parse
  if (!verifySignature(req.rawBody, req.get('x-signature'))) return res.sendStatus(401);
  res.sendStatus(204);
});
// Nothing of the payload is written.
app.post('/webhooks/k', async (req, res) => {
  await prisma.counter.update({ where: { id: 'hooks' }, data: { n: 1 } }); // ok: signature-after-parse
  if (!verifySignature(req.rawBody, req.get('x-signature'))) return res.sendStatus(401);
  res.sendStatus(204);
});
declare function verifySignature(body: unknown, signature: unknown): boolean;
//- /src/raw.ts
import express from 'express';
import Stripe from 'stripe';
const app = express();
const stripe = new Stripe('key');
app.use(express.json({ verify: (req, res, buf) => Object.assign(req, { rawBody: buf }) }));
app.post('/webhooks/a', (req, res) => {
  res.json(stripe.webhooks.constructEvent(req.body, String(req.get('stripe-signature')), 's').id); // ok: signature-after-parse
});
//- /src/parsed.ts
import express from 'express';
import Stripe from 'stripe';
const app = express();
const stripe = new Stripe('key');
app.use(express.json());
app.post('/webhooks/c', async (req, res) => {
  const event = stripe.webhooks.constructEvent(req.body, String(req.get('stripe-signature')), 's');
  //                                           ^^^^^^^^ signature-after-parse: `stripe.webhooks.constructEvent` is given a body that `express.json()` has parsed: the signature never matches and every event is refused.
  res.json(event.id);
});
//- /src/ordered.ts
import express from 'express';
import Stripe from 'stripe';
const app = express();
const stripe = new Stripe('key');
app.post('/webhooks/a', express.raw({ type: '*/*' }), (req, res) => {
  res.json(stripe.webhooks.constructEvent(req.body, String(req.get('stripe-signature')), 's').id); // ok: signature-after-parse
});
app.use(express.json());
//- /src/pages/api/hook.ts
import type { NextApiRequest, NextApiResponse } from 'next';
import Stripe from 'stripe';
const stripe = new Stripe('key');
export default async function handler(req: NextApiRequest, res: NextApiResponse) {
  const event = stripe.webhooks.constructEvent(req.body, String(req.headers['stripe-signature']), 's');
  //                                           ^^^^^^^^ signature-after-parse: `stripe.webhooks.constructEvent` is given a body that Next.js has parsed: the signature never matches and every event is refused.
  res.json(event.id);
}
//- /src/pages/api/raw.ts
import type { NextApiRequest, NextApiResponse } from 'next';
import Stripe from 'stripe';
const stripe = new Stripe('key');
export const config = { api: { bodyParser: false } };
export default async function handler(req: NextApiRequest, res: NextApiResponse) {
  const event = stripe.webhooks.constructEvent(req.body, String(req.headers['stripe-signature']), 's'); // ok: signature-after-parse
  res.json(event.id);
}
