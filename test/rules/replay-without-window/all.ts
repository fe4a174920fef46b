//- /src/hooks.ts
import express from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';
import Stripe from 'stripe';
import { PrismaClient } from '@prisma/client';
const app = express();
const prisma = new PrismaClient();
const stripe = new Stripe('key');
app.use(express.raw({ type: '*/*' }));

app.post('/webhooks/c', (req, res) => {
  const event = stripe.webhooks.constructEvent(req.body, String(req.get('stripe-signature')), 's', 0);
  //                                                                                               ^ replay-without-window: With a tolerance of 0 s `stripe.webhooks.constructEvent` accepts a recorded event for ever.
  const other = stripe.webhooks.constructEvent(req.body, String(req.get('stripe-signature')), 's', Infinity);
  //                                                                                               ^^^^^^^^ replay-without-window: With a tolerance of infinity `stripe.webhooks.constructEvent` accepts a recorded event for ever.
  res.json([event.id, other.id]);
});

// The age is looked at, here or by who calls it.
app.post('/webhooks/d', (req, res) => {
  const timestamp = Number(req.get('x-timestamp'));
  if (Math.abs(Date.now() - timestamp) > 300_000) return res.sendStatus(401);
  const expected = createHmac('sha256', 's').update(`${timestamp}.${req.body}`).digest('hex'); // ok: replay-without-window
  if (expected !== req.get('x-signature')) return res.sendStatus(401);
  res.sendStatus(204);
});
function matches(timestamp: string, body: string, signature: string) {
  const expected = createHmac('sha256', 's').update(`${timestamp}.${body}`).digest('hex'); // ok: replay-without-window
  return expected === signature;
}
export function checked(timestamp: string, body: string, signature: string) {
  if (Date.now() / 1000 - Number(timestamp) > 300) return false;
  return matches(timestamp, body, signature);
}
app.post('/webhooks/e', (req, res) => {
  const timestamp = String(req.get('x-timestamp'));
  if (isTooOld(timestamp)) return res.sendStatus(401);
  const expected = createHmac('sha256', 's').update(`${timestamp}.${req.body}`).digest('hex'); // ok: replay-without-window
  if (expected !== req.get('x-signature')) return res.sendStatus(401);
  res.sendStatus(204);
});
// Each event is claimed once.
app.post('/webhooks/f', async (req, res) => {
  const timestamp = String(req.get('x-timestamp'));
  const expected = createHmac('sha256', 's').update(`${timestamp}.${req.body}`).digest('hex'); // ok: replay-without-window
  if (expected !== req.get('x-signature')) return res.sendStatus(401);
  await prisma.webhookEvent.create({ data: { id: String(req.get('x-id')) } });
  res.sendStatus(204);
});
// No time is signed.
app.post('/webhooks/g', (req, res) => {
  const expected = createHmac('sha256', 's').update(req.body).digest('hex'); // ok: replay-without-window
  const named = createHmac('sha256', 's').update(`${req.get('x-id')}.${req.body}`).digest('hex'); // ok: replay-without-window
  if (expected !== req.get('x-signature') && named !== req.get('x-signature')) return res.sendStatus(401);
  res.sendStatus(204);
});
// What is sent out is signed with the time of now, and compared with nothing.
export function sign(body: string) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return createHmac('sha256', 's').update(`${timestamp}.${body}`).digest('hex'); // ok: replay-without-window
}
export function signWith(timestamp: string, body: string) {
  return createHmac('sha256', 's').update(`${timestamp}.${body}`).digest('hex'); // ok: replay-without-window
}
// The library looks at the age by itself.
app.post('/webhooks/h', (req, res) => {
  const event = stripe.webhooks.constructEvent(req.body, String(req.get('stripe-signature')), 's'); // ok: replay-without-window
  const wide = stripe.webhooks.constructEvent(req.body, String(req.get('stripe-signature')), 's', 600); // ok: replay-without-window
  res.json([event.id, wide.id]);
});
declare function isTooOld(timestamp: string): boolean;
//- /src/validator.ts
import { createHmac } from 'node:crypto';
export class Validator {
  isFresh(request: { headers: Record<string, string> }) {
    return Number(request.headers['x-timestamp']) > Date.now() / 1000 - 300;
  }
  isGenuine(timestamp: string, body: string, signature: string) {
    return createHmac('sha256', 's').update(`v0:${timestamp}:${body}`).digest('hex') === signature; // ok: replay-without-window
  }
}
//- /src/never.ts
import express from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';
const app = express();
app.post('/webhooks/a', (req, res) => {
  const timestamp = String(req.get('x-timestamp'));
  const expected = createHmac('sha256', 's').update(`v0:${timestamp}:${req.body}`).digest('hex');
  //                                                      ^^^^^^^^^ replay-without-window: The signature covers `timestamp` but nothing asks how old it is: a recorded request passes for ever.
  if (expected !== req.get('x-signature')) return res.sendStatus(401);
  res.sendStatus(204);
});
app.post('/webhooks/b', (req, res) => {
  const ts = String(req.get('x-ts'));
  const mac = createHmac('sha256', 's').update(ts + '.' + req.body).digest('hex');
  //                                           ^^ replay-without-window
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(String(req.get('x-signature'))))) return res.sendStatus(401);
  res.sendStatus(204);
});
//- /src/genuine.ts
import { createHmac } from 'node:crypto';
export function isGenuine(headers: { timestamp: string; signature: string }, body: string) {
  const signed = [headers.timestamp, body].join('.');
  //              ^^^^^^^^^^^^^^^^^ replay-without-window
  const expected = createHmac('sha256', 's').update(signed).digest('hex');
  return expected === headers.signature;
}
