import { randomUUID } from 'node:crypto';
import { nanoid } from 'nanoid';
import pRetry from 'p-retry';
import Stripe from 'stripe';
import axios from 'axios';
const stripe = new Stripe('sk');
declare function sleep(ms: number): Promise<void>;
const charge = { amount: 100, currency: 'eur' };

export async function helper() {
  const idempotencyKey = randomUUID();
  return pRetry(() => stripe.paymentIntents.create(charge, { idempotencyKey: idempotencyKey }));
}
export async function helperBlock() {
  const idempotencyKey = nanoid();
  return pRetry(async () => {
    const key = idempotencyKey;
    return stripe.paymentIntents.create(charge, { idempotencyKey: key });
  });
}
export async function loop() {
  const idempotencyKey = randomUUID();
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await stripe.paymentIntents.create(charge, { idempotencyKey: idempotencyKey });
    } catch (error) {
      if (attempt === 2) throw error;
      await sleep(2 ** attempt * 100);
    }
  }
  return null;
}
export async function header(url: string) {
  const idempotencyKey = crypto.randomUUID();
  return pRetry(() => fetch(url, { method: 'POST', headers: { 'Idempotency-Key': idempotencyKey } }));
}
export async function headerOfTime(url: string) {
  const idempotencyKey = Date.now();
  return pRetry(() => axios.post(url, charge, { headers: { 'Idempotency-Key': `charge-${idempotencyKey}` } }));
}
async function withRetry<T>(run: () => Promise<T>): Promise<T> {
  for (let i = 0; ; i++) {
    try {
      return await run();
    } catch (error) {
      if (i === 4) throw error;
      await sleep(100 * 2 ** i);
    }
  }
}
export async function ownHelper() {
  const idempotencyKey = randomUUID();
  return withRetry(() => stripe.refunds.create({ charge: 'ch' }, { idempotencyKey: `refund-${idempotencyKey}` }));
}

// ---- the same key for every attempt

export async function outside() {
  const key = randomUUID();
  return pRetry(() => stripe.paymentIntents.create(charge, { idempotencyKey: key })); // ok: retry-key-minted-inside
}
export async function fromOrder(orderId: string) {
  return pRetry(() => stripe.paymentIntents.create(charge, { idempotencyKey: `order-${orderId}` })); // ok: retry-key-minted-inside
}
export async function notRepeated() {
  return stripe.paymentIntents.create(charge, { idempotencyKey: randomUUID() }); // ok: retry-key-minted-inside
}
export async function eachItem(ids: string[]) {
  for (const id of ids) await stripe.paymentIntents.create({ ...charge, metadata: { id } }, { idempotencyKey: randomUUID() }); // ok: retry-key-minted-inside
}
export async function loopOutside() {
  const key = nanoid();
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await stripe.paymentIntents.create(charge, { idempotencyKey: key }); // ok: retry-key-minted-inside
    } catch (error) {
      if (attempt === 2) throw error;
      await sleep(2 ** attempt * 100);
    }
  }
  return null;
}
export async function otherHeader(url: string) {
  return pRetry(() => fetch(url, { method: 'POST', headers: { 'X-Request-Time': String(Date.now()) } })); // ok: retry-key-minted-inside
}
export async function noKey() {
  return pRetry(() => stripe.paymentIntents.create(charge)); // ok: retry-key-minted-inside
}
export async function repeatedInside(orderId: string) {
  const key = `${orderId}-${nanoid()}`;
  return withRetry(async () => stripe.paymentIntents.create(charge, { idempotencyKey: key })); // ok: retry-key-minted-inside
}
export async function handedIn(key: string) {
  return withRetry(async () => stripe.paymentIntents.create(charge, { idempotencyKey: key })); // ok: retry-key-minted-inside
}
export async function body(url: string) {
  return pRetry(() => fetch(url, { method: 'POST', body: JSON.stringify({ id: randomUUID() }) })); // ok: retry-key-minted-inside
}
export async function readOnly() {
  return pRetry(() => fetch('https://a.example.com', { headers: { Accept: 'text/plain' } })); // ok: retry-key-minted-inside
}
