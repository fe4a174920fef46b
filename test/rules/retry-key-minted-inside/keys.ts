import { randomUUID } from 'node:crypto';
import { nanoid } from 'nanoid';
import pRetry from 'p-retry';
import Stripe from 'stripe';
import axios from 'axios';
const stripe = new Stripe('sk');
declare function sleep(ms: number): Promise<void>;
const charge = { amount: 100, currency: 'eur' };

export async function helper() {
  return pRetry(() => stripe.paymentIntents.create(charge, { idempotencyKey: randomUUID() }));
  //                                                                         ^^^^^^^^^^^^ retry-key-minted-inside: Each attempt of `stripe.paymentIntents.create` sends a new key: when an answer is lost, the other side takes the next attempt for another request and does it again.   💡 Make the key before the first attempt
}
export async function helperBlock() {
  return pRetry(async () => {
    const key = nanoid();
    //          ^^^^^^^^ retry-key-minted-inside: Each attempt of `stripe.paymentIntents.create` sends a new key: when an answer is lost, the other side takes the next attempt for another request and does it again.   💡 Make the key before the first attempt
    return stripe.paymentIntents.create(charge, { idempotencyKey: key });
  });
}
export async function loop() {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await stripe.paymentIntents.create(charge, { idempotencyKey: randomUUID() });
      //                                                                  ^^^^^^^^^^^^ retry-key-minted-inside: Each attempt of `stripe.paymentIntents.create` sends a new key: when an answer is lost, the other side takes the next attempt for another request and does it again.   💡 Make the key before the first attempt
    } catch (error) {
      if (attempt === 2) throw error;
      await sleep(2 ** attempt * 100);
    }
  }
  return null;
}
export async function header(url: string) {
  return pRetry(() => fetch(url, { method: 'POST', headers: { 'Idempotency-Key': crypto.randomUUID() } }));
  //                                                                             ^^^^^^^^^^^^^^^^^^^ retry-key-minted-inside   💡 Make the key before the first attempt
}
export async function headerOfTime(url: string) {
  return pRetry(() => axios.post(url, charge, { headers: { 'Idempotency-Key': `charge-${Date.now()}` } }));
  //                                                                                    ^^^^^^^^^^ retry-key-minted-inside   💡 Make the key before the first attempt
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
  return withRetry(() => stripe.refunds.create({ charge: 'ch' }, { idempotencyKey: `refund-${randomUUID()}` }));
  //                                                                                         ^^^^^^^^^^^^ retry-key-minted-inside   💡 Make the key before the first attempt
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
