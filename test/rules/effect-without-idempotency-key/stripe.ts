import Stripe from 'stripe';
import { randomUUID } from 'node:crypto';
import { keyOptions } from './options';
const stripe = new Stripe(process.env.STRIPE_KEY ?? '', { maxNetworkRetries: 2 });

export async function charge(order: { id: string; total: number }) {
  return stripe.charges.create({ amount: order.total, currency: 'eur', source: 'tok', metadata: { id: order.id } });
  //     ^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key: When this runs again for the same work, `stripe.charges.create` moves the money a second time: it carries no idempotency key.   💡 Add an idempotency key from `order.id`
}
export async function transfer(payoutId: string, amount: number, destination: string) {
  await stripe.transfers.create({ amount, currency: 'usd', destination }, { stripeAccount: 'acct' });
  //    ^^^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key   💡 Add an idempotency key from `payoutId`
}
export async function partialRefund(refund: { id: string; charge: string; amount: number }, options: Stripe.RequestOptions) {
  log(refund.id);
  await stripe.refunds.create({ charge: refund.charge, amount: refund.amount }, undefined);
  //    ^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key   💡 Add an idempotency key from `refund.id`
  await stripe.refunds.create({ charge: refund.charge, amount: refund.amount }, options); // ok: effect-without-idempotency-key
}
export async function subscribe(customer: string, price: string) {
  return stripe.subscriptions.create({ customer, items: [{ price }] });
  //     ^^^^^^^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key: When this runs again for the same work, `stripe.subscriptions.create` starts a second subscription: it carries no idempotency key.
}
export async function customer(userId: string, email: string) {
  return stripe.customers.create({ email, metadata: { userId } });
  //     ^^^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key: When this runs again for the same work, `stripe.customers.create` creates a second customer: it carries no idempotency key.   💡 Add an idempotency key from `userId`
}
export async function checkout(orderId: string, userId: string) {
  return stripe.checkout.sessions.create({ mode: 'payment', metadata: { userId, orderId } });
  //     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key   💡 Add an idempotency key from `orderId`
}
export async function payAll(orders: { id: string; total: number }[], batchRunId: string) {
  for (const order of orders) {
    await stripe.paymentIntents.create({ amount: order.total, currency: 'eur', metadata: { order: order.id, batchRunId } });
    //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key   💡 Add an idempotency key from `order.id`
  }
}
export async function onEvent(event: Stripe.Event) {
  if (event.type === 'invoice.paid') {
    await stripe.transfers.create({ amount: 1, currency: 'eur', destination: 'acct' });
    //    ^^^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key   💡 Add an idempotency key from `event.id`
  }
}
export async function usage(customerId: string, value: string) {
  await stripe.billing.meterEvents.create({ event_name: 'rows', payload: { value, stripe_customer_id: customerId } });
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key: When this runs again for the same work, `stripe.billing.meterEvents.create` bills the usage a second time: it carries no idempotency key.
  await stripe.billing.meterEvents.create({ event_name: 'rows', payload: { value }, identifier: `rows-${customerId}` }); // ok: effect-without-idempotency-key
}
export class Wallet {
  private readonly api = new Stripe('sk');
  async payout(amount: number) {
    await this.api.payouts.create({ amount, currency: 'eur' });
    //    ^^^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key
  }
}

// --- with a key, or one that cannot be excluded
export async function keyed(order: { id: string }) {
  await stripe.charges.create({ amount: 1, currency: 'eur' }, { idempotencyKey: order.id }); // ok: effect-without-idempotency-key
  const options = { idempotencyKey: `c-${order.id}` };
  await stripe.charges.create({ amount: 1, currency: 'eur' }, options); // ok: effect-without-idempotency-key
  await stripe.charges.create({ amount: 1, currency: 'eur' }, { ...options, timeout: 1000 }); // ok: effect-without-idempotency-key
}
export async function unreadable(params: Stripe.ChargeCreateParams, id: string, ...rest: [Stripe.ChargeCreateParams]) {
  await stripe.charges.create(params, keyOptions(id)); // ok: effect-without-idempotency-key
  await stripe.charges.create({ amount: 1, currency: 'eur' }, { ...keyOptions(id) }); // ok: effect-without-idempotency-key
  await stripe.charges.create(...rest); // ok: effect-without-idempotency-key
}
export async function assigned(id: string) {
  const options: Stripe.RequestOptions = {};
  options.idempotencyKey = id;
  await stripe.paymentIntents.create({ amount: 1, currency: 'eur' }, options); // ok: effect-without-idempotency-key
}
// --- nothing that a repeat doubles
export async function harmless(id: string) {
  await stripe.paymentIntents.retrieve(id); // ok: effect-without-idempotency-key
  await stripe.paymentIntents.confirm(id); // ok: effect-without-idempotency-key
  await stripe.paymentIntents.capture(id); // ok: effect-without-idempotency-key
  await stripe.customers.update(id, { name: 'x' }); // ok: effect-without-idempotency-key
  await stripe.billingPortal.sessions.create({ customer: id }); // ok: effect-without-idempotency-key
  await stripe.checkout.sessions.create({ mode: 'setup', customer: id }); // ok: effect-without-idempotency-key
  await stripe.subscriptionSchedules.create({ from_subscription: id }); // ok: effect-without-idempotency-key
  await stripe.accountLinks.create({ account: id, type: 'account_onboarding' }); // ok: effect-without-idempotency-key
}
// --- other things called alike
export async function own(id: string) {
  const stripe = { charges: { create: async (x: object) => x } };
  await stripe.charges.create({ id }); // ok: effect-without-idempotency-key
  return randomUUID();
}
// --- run once, by hand
await stripe.charges.create({ amount: 1, currency: 'eur' }); // ok: effect-without-idempotency-key
function log(text: string) {
  return text;
}
