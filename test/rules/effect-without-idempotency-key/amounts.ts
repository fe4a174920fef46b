import Stripe from 'stripe';
const stripe = new Stripe('key');

export async function begin(request: { amount: number }) {
  return stripe.paymentIntents.create({ amount: request.amount, currency: 'eur' });
  //     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key: When this runs again for the same work, `stripe.paymentIntents.create` makes a second payment intent that can be paid too: it carries no idempotency key.
}
export async function take(request: { amount: number }) {
  return stripe.paymentIntents.create({ amount: request.amount, currency: 'eur', confirm: true });
  //     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key: When this runs again for the same work, `stripe.paymentIntents.create` moves the money a second time: it carries no idempotency key.
}
export async function payOutWhatIsThere(account: string) {
  const balance = await stripe.balance.retrieve({}, { stripeAccount: account });
  let amount = balance.available[0]?.amount ?? 0;
  if (amount <= 0) return;
  amount = Math.floor(amount / 100) * 100;
  await stripe.payouts.create({ amount, currency: 'eur' }, { stripeAccount: account }); // ok: effect-without-idempotency-key
}
export async function payOutTheRest(load: () => Promise<number>) {
  const [state, reserved] = await Promise.all([stripe.balance.retrieve(), load()]);
  const rest = (state.available[0]?.amount ?? 0) - reserved;
  await stripe.payouts.create({ amount: rest, currency: 'eur' }); // ok: effect-without-idempotency-key
}
export async function payOutTheOther(load: () => Promise<number>) {
  const [state, owed] = await Promise.all([stripe.balance.retrieve(), load()]);
  if (state.available.length === 0) return;
  await stripe.payouts.create({ amount: owed, currency: 'eur' });
  //    ^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key: When this runs again for the same work, `stripe.payouts.create` moves the money a second time: it carries no idempotency key.
}
export async function giveBack(payment: string, amount: number) {
  await stripe.refunds.create({ payment_intent: payment, amount });
  //    ^^^^^^^^^^^^^^^^^^^^^ effect-without-idempotency-key: When this runs again for the same work, `stripe.refunds.create` gives the amount back a second time where the payment still covers it: it carries no idempotency key.
}
