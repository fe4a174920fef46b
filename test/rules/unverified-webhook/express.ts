//- /src/fixture.ts
import express from 'express';
import Stripe from 'stripe';
import { Pool } from 'pg';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { requireSignature, logRequest } from './middleware.ts';
import { withSharedSecret } from 'elsewhere';

const app = express();
const pool = new Pool();
const stripe = new Stripe(process.env.STRIPE_KEY ?? '');

async function markPaid(id: string) {
  await pool.query('UPDATE orders SET paid = true WHERE id = $1', [id]);
}

export function mount() {
  app.post('/webhooks/payments', async (req, res) => {
//^^^^^^^^ unverified-webhook: Whoever knows the address can post to POST /webhooks/payments, and `markPaid` acts on it: nothing checks who sent it.
    await markPaid(req.body.orderId);
    res.sendStatus(200);
  });

  app.post('/hooks/shipping', express.json(), logRequest, async (req, res) => {
//^^^^^^^^ unverified-webhook
    await pool.query('UPDATE parcels SET state = $1 WHERE id = $2', [req.body.state, req.body.id]);
    res.sendStatus(200);
  });

  app.post('/webhooks/parsed-only', async (req, res) => {
//^^^^^^^^ unverified-webhook
    if (req.body.type === undefined || req.body.token === null) return res.sendStatus(400);
    await markPaid(req.body.orderId);
    res.sendStatus(200);
  });
}

// --- checked
app.post('/webhooks/stripe', express.raw({ type: '*/*' }), async (req, res) => {
  const event = stripe.webhooks.constructEvent(req.body, req.get('stripe-signature') as string, process.env.WH ?? ''); // ok: unverified-webhook
  await markPaid(event.id);
  res.sendStatus(200);
});
app.post('/webhooks/hmac', async (req, res) => { // ok: unverified-webhook
  const mac = createHmac('sha256', 'k').update(req.body).digest();
  if (!timingSafeEqual(mac, Buffer.from(req.get('x-mac') as string, 'hex'))) return res.sendStatus(400);
  await markPaid(req.body.orderId);
  res.sendStatus(200);
});
function isFromProvider(headers: Record<string, string>) {
  return headers['x-token'] === process.env.PROVIDER_TOKEN;
}
app.post('/webhooks/by-helper', async (req, res) => { // ok: unverified-webhook
  if (!verifySender(req)) return res.sendStatus(403);
  await markPaid(req.body.orderId);
  res.sendStatus(200);
});
function verifySender(req: express.Request) {
  return isFromProvider(req.headers as Record<string, string>);
}
app.post('/webhooks/shared-token', async (req, res) => { // ok: unverified-webhook
  if (req.query.token !== process.env.HOOK_TOKEN) return res.sendStatus(403);
  await markPaid(req.body.orderId);
  res.sendStatus(200);
});
app.post('/webhooks/middleware', requireSignature, async (req, res) => { // ok: unverified-webhook
  await markPaid(req.body.orderId);
  res.sendStatus(200);
});
app.post('/webhooks/wrapped', withSharedSecret(async (req: express.Request, res: express.Response) => { // ok: unverified-webhook
  await markPaid(req.body.orderId);
  res.sendStatus(200);
}));
app.post('/webhooks/:secret/payments', async (req, res) => { // ok: unverified-webhook
  await markPaid(req.body.orderId);
  res.sendStatus(200);
});
app.post('/webhooks/read-back', async (req, res) => { // ok: unverified-webhook
  const intent = await stripe.paymentIntents.retrieve(req.body.id);
  if (intent.status === 'succeeded') await markPaid(intent.id);
  res.sendStatus(200);
});
app.post('/webhooks/no-action', async (req, res) => { // ok: unverified-webhook
  console.log(req.body.type);
  res.sendStatus(200);
});
app.post('/webhooks', async (req, res) => { // ok: unverified-webhook
  await pool.query('INSERT INTO webhook_endpoints (url) VALUES ($1)', [req.body.url]);
  res.sendStatus(201);
});
app.post('/orders', async (req, res) => { // ok: unverified-webhook
  await markPaid(req.body.orderId);
  res.sendStatus(200);
});
app.get('/webhooks/status', async (req, res) => { // ok: unverified-webhook
  await markPaid(String(req.query.id));
  res.sendStatus(200);
});

const guarded = express.Router();
guarded.use(requireSignature);
guarded.post('/webhooks/router', async (req, res) => { // ok: unverified-webhook
  await markPaid(req.body.orderId);
  res.sendStatus(200);
});
//- /src/middleware.ts
import type { NextFunction, Request, Response } from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';

export function requireSignature(req: Request, res: Response, next: NextFunction) {
  const mac = createHmac('sha256', 'k').update(req.body).digest();
  if (!timingSafeEqual(mac, Buffer.from(req.get('x-mac') as string, 'hex'))) return res.sendStatus(400);
  next();
}
export function logRequest(req: Request, _res: Response, next: NextFunction) {
  console.log(req.url);
  next();
}
