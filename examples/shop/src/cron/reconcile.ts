import cron from 'node-cron';
import { prisma, stripe } from '../clients.ts';

/** Every night: orders that say they are paid, compared with what the payment provider says. */
export async function reconcile(): Promise<void> {
  const orders = await prisma.order.findMany({ where: { status: 'paid' } });
  await Promise.all(
    orders.map(async (order) => {
      if (!order.paymentRef) return;
      const charge = await stripe.charges.retrieve(order.paymentRef);
      if (charge.refunded)
        await prisma.order.update({ where: { id: order.id }, data: { status: 'refunded' } });
    }),
  );
}

cron.schedule('0 3 * * *', async () => {
  try {
    await reconcile();
  } catch {
    return;
  }
});

/** Old events go a thousand at a time, and a failure is told. */
export async function forgetOldEvents(now: Date): Promise<number> {
  const before = new Date(now.getTime() - 90 * 24 * 3_600_000);
  const old = await prisma.paymentEvent.findMany({ where: { receivedAt: { lt: before } }, take: 1_000 });
  const { count } = await prisma.paymentEvent.deleteMany({ where: { id: { in: old.map(({ id }) => id) } } });
  return count;
}

cron.schedule('30 4 * * *', () =>
  forgetOldEvents(new Date()).catch((error: unknown) => console.error('old events stay', error)),
);
