//- /src/prisma.ts
import { PrismaClient, Prisma } from '@prisma/client';
import { mailbox } from './mailbox';
export const prisma = new PrismaClient();

type Job = { bookingId: string; seats: number };

async function enqueueVoucher(job: Job, tx?: Prisma.TransactionClient) {
  await mailbox.put('voucher', job, { tx });
}

async function describeVoucher(id: string, tx?: Prisma.TransactionClient) {
  return mailbox.peek(id, { tx });
}

async function recordPayment({ bookingId, tx = prisma }: { bookingId: string; tx?: Prisma.TransactionClient }) {
  await tx.payment.create({ data: { bookingId } });
}

async function saveSeat(seat: { id: string }, options: { transaction?: Prisma.TransactionClient } = {}) {
  await mailbox.put('seat', seat, options.transaction);
}

async function createInvoice(bookingId: string, tx: Prisma.TransactionClient) {
  await tx.invoice.create({ data: { bookingId } });
}

async function markSeen(bookingId: string, tx?: Prisma.TransactionClient) {
  return bookingId.length;
}

export async function book(userId: string, seats: number) {
  await prisma.$transaction(async (tx) => {
    const booking = await tx.booking.create({ data: { userId, seats } });
    await enqueueVoucher({ bookingId: booking.id, seats });
//        ^^^^^^^^^^^^^^ outer-handle-in-transaction
    await enqueueVoucher({ bookingId: booking.id, seats }, tx); // ok: outer-handle-in-transaction
    await recordPayment({ bookingId: booking.id });
//        ^^^^^^^^^^^^^ outer-handle-in-transaction
    await recordPayment({ bookingId: booking.id, tx }); // ok: outer-handle-in-transaction
    await saveSeat({ id: booking.id });
//        ^^^^^^^^ outer-handle-in-transaction
    await saveSeat({ id: booking.id }, { transaction: tx }); // ok: outer-handle-in-transaction
    const options = { transaction: tx };
    await saveSeat({ id: booking.id }, options); // ok: outer-handle-in-transaction
    await createInvoice(booking.id, tx); // ok: outer-handle-in-transaction
    await describeVoucher(booking.id); // ok: outer-handle-in-transaction
    await markSeen(booking.id); // ok: outer-handle-in-transaction
    void enqueueVoucher({ bookingId: booking.id, seats }); // ok: outer-handle-in-transaction
  });
  await enqueueVoucher({ bookingId: userId, seats }); // ok: outer-handle-in-transaction
}

class Desk {
  async #enqueue(job: Job, tx?: Prisma.TransactionClient) {
    await mailbox.put('desk', job, { tx });
  }

  async open(userId: string) {
    return prisma.$transaction(async (tx) => {
      const booking = await tx.booking.create({ data: { userId, seats: 1 } });
      try {
        await this.#enqueue({ bookingId: booking.id, seats: 1 });
//            ^^^^^^^^^^^^^ outer-handle-in-transaction
      } catch (error) {
        await this.#enqueue({ bookingId: booking.id, seats: 0 }); // ok: outer-handle-in-transaction
        throw error;
      }
      await Promise.all([1, 2].map((seats) => this.#enqueue({ bookingId: booking.id, seats }, tx))); // ok: outer-handle-in-transaction
      return booking;
    });
  }
}
export const desk = new Desk();
//- /src/mailbox.ts
export const mailbox = {
  async put(topic: string, body: unknown, how?: unknown) {
    await fetch('https://mail.example/' + topic, { method: 'POST', body: JSON.stringify({ body, how }), signal: AbortSignal.timeout(1000) });
  },
  async peek(id: string, how?: unknown) {
    return { id, how };
  },
};
