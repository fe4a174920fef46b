import { Router } from 'express';
import { prisma, stripe } from './clients.ts';
import { quoteShipping } from './http/shipping.ts';
import { emailQueue } from './queue/queues.ts';

interface Line {
  sku: string;
  quantity: number;
  unitCents: number;
}

export const checkout = Router();

checkout.post('/checkout', async (req, res) => {
  const { customerId, cardToken, zip, lines } = req.body as {
    customerId: string;
    cardToken: string;
    zip: string;
    lines: Line[];
  };
  const shipping = await quoteShipping(zip);
  const totalCents = lines.reduce((sum, line) => sum + line.unitCents * line.quantity, shipping.cents);

  const order = await prisma.order.create({
    data: {
      customerId,
      totalCents,
      items: { create: lines.map(({ sku, quantity }) => ({ sku, quantity })) },
    },
  });
  for (const line of lines) {
    await prisma.stock.update({
      where: { sku: line.sku },
      data: { available: { decrement: line.quantity } },
    });
  }

  const charge = await stripe.charges.create({ amount: totalCents, currency: 'eur', source: cardToken });
  await prisma.order.update({ where: { id: order.id }, data: { status: 'paid', paymentRef: charge.id } });

  emailQueue.add('receipt', { orderId: order.id, to: customerId });
  res.status(201).json({ id: order.id });
});

checkout.post('/coupons/:code/redeem', async (req, res) => {
  const customerId = String(req.body.customerId);
  const used = await prisma.coupon.findFirst({ where: { code: req.params.code, customerId } });
  if (used) {
    res.status(409).json({ error: 'this coupon was redeemed before' });
    return;
  }
  await prisma.coupon.create({ data: { code: req.params.code, customerId, used: true } });
  res.sendStatus(204);
});

/** Cancels in one transaction, and takes the money back under a key of its own: a repeat changes nothing. */
checkout.post('/orders/:id/cancel', async (req, res) => {
  const order = await prisma.$transaction(async (tx) => {
    const cancelled = await tx.order.update({
      where: { id: req.params.id, status: 'paid' },
      data: { status: 'cancelled' },
      include: { items: true },
    });
    for (const item of cancelled.items) {
      await tx.stock.update({ where: { sku: item.sku }, data: { available: { increment: item.quantity } } });
    }
    return cancelled;
  });
  if (order.paymentRef) {
    await stripe.refunds.create({ charge: order.paymentRef }, { idempotencyKey: `refund-${order.id}` });
  }
  res.json({ id: order.id, status: order.status });
});
