import axios from 'axios';

export async function pay(orderId: string, amount: number) {
  const res = await fetch('https://api.stripe.com/v1/payment_intents', {
    //              ^^^^^ effect-without-idempotency-key: When this runs again for the same work, `fetch` to `api.stripe.com` moves the money a second time: it carries no idempotency key.
    method: 'POST',
    headers: { authorization: 'Bearer x' },
    body: JSON.stringify({ orderId, amount }),
  });
  return res.ok;
}
export async function payPal(body: object) {
  await axios.post('https://api-m.paypal.com/v2/checkout/orders', body, { headers: { 'content-type': 'application/json' } });
  //    ^^^^^^^^^^ effect-without-idempotency-key
  await axios.post('https://api-m.paypal.com/v2/checkout/orders', body, { headers: { 'PayPal-Request-Id': 'k' } }); // ok: effect-without-idempotency-key
}
export async function keyed(id: string, headers: Record<string, string>) {
  await fetch('https://api.stripe.com/v1/charges', { method: 'POST', headers: { 'Idempotency-Key': id } }); // ok: effect-without-idempotency-key
  await fetch('https://api.stripe.com/v1/charges', { method: 'POST', headers }); // ok: effect-without-idempotency-key
  await fetch('https://api.stripe.com/v1/charges', { method: 'POST', headers: { ...headers } }); // ok: effect-without-idempotency-key
}
export async function other(id: string) {
  await fetch('https://api.stripe.com/v1/charges/' + id); // ok: effect-without-idempotency-key
  await fetch('https://api.stripe.com/v1/customers', { method: 'POST' }); // ok: effect-without-idempotency-key
  await fetch('https://hooks.example.com/v1/charges', { method: 'POST' }); // ok: effect-without-idempotency-key
}
