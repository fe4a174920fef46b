import express, { Router } from 'express';
import { prisma, stripe } from '../clients.ts';
import { orderLabel } from '../http/shipping.ts';

export const payments = Router();

/** The payment provider delivers at least once, in any order, and repeats until it sees a 2xx. */
payments.post('/webhooks/payments', express.json(), async (req, res) => {
  const event = req.body;
  res.sendStatus(200);

  if (event.type === 'payment.succeeded') {
    const order = await prisma.order.update({
      where: { paymentRef: event.data.object.id },
      data: { status: 'paid' },
    });
    await prisma.paymentEvent.create({ data: { id: event.id, kind: event.type } });
    try {
      await orderLabel(order.id);
    } catch {
      // The label can be printed by hand.
    }
  }
});

/** The same provider's disputes: signature checked on the raw body, repeats recognised by the event's own id. */
payments.post('/webhooks/disputes', express.raw({ type: 'application/json' }), async (req, res) => {
  const signature = req.header('stripe-signature') ?? '';
  let event;
  try {
    event = stripe.webhooks.constructEvent(req.body, signature, process.env.STRIPE_WEBHOOK_SECRET ?? '');
  } catch (error) {
    console.warn('dispute webhook refused', error);
    res.sendStatus(400);
    return;
  }
  const charge = (event.data.object as { charge?: string }).charge;
  await prisma.$transaction(async (tx) => {
    const { count } = await tx.paymentEvent.createMany({
      data: [{ id: event.id, kind: event.type }],
      skipDuplicates: true,
    });
    if (count === 0 || !charge) return;
    await tx.order.updateMany({ where: { paymentRef: charge }, data: { status: 'disputed' } });
  });
  res.sendStatus(200);
});
