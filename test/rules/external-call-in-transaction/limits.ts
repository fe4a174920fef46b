//- /package.json
{ "dependencies": { "@prisma/client": "6.19.0", "axios": "1.7.0", "sequelize": "6.37.0", "stripe": "17.0.0" } }
//- /src/limits.ts
import { PrismaClient } from '@prisma/client';
import axios from 'axios';
import Stripe from 'stripe';
const prisma = new PrismaClient();
const patient = new PrismaClient({ transactionOptions: { timeout: 15_000, maxWait: 5000 } });
const stripe = new Stripe('key');

export async function ownTimeout(id: string) {
  await prisma.$transaction(
    async (tx) => {
      await tx.plan.delete({ where: { id } });
      await stripe.subscriptions.cancel(id);
      //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ external-call-in-transaction: `stripe.subscriptions.cancel` waits for `stripe` inside a transaction that Prisma ends after 20 s: once they have passed, what the transaction wrote is rolled back, while what `stripe.subscriptions.cancel` did outside stays.
      await tx.member.deleteMany({ where: { plan: id } });
    },
    { timeout: 20_000 },
  );
}
export async function clientTimeout(id: string) {
  await patient.$transaction(async (tx) => {
    await tx.plan.delete({ where: { id } });
    await stripe.subscriptions.cancel(id);
    //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ external-call-in-transaction: `stripe.subscriptions.cancel` waits for `stripe` inside a transaction that Prisma ends after 15 s: once they have passed, what the transaction wrote is rolled back, while what `stripe.subscriptions.cancel` did outside stays.
    await tx.member.deleteMany({ where: { plan: id } });
  });
}
export async function handedIn(id: string, given: PrismaClient) {
  await given.$transaction(async (tx) => {
    await tx.plan.delete({ where: { id } });
    await stripe.subscriptions.cancel(id);
    //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ external-call-in-transaction: `stripe.subscriptions.cancel` waits for `stripe` inside a transaction that Prisma ends after 5 s (where its client sets no other): once they have passed, what the transaction wrote is rolled back, while what `stripe.subscriptions.cancel` did outside stays.
    await tx.member.deleteMany({ where: { plan: id } });
  });
}
export async function oneForAll(id: string) {
  await prisma.$transaction(async (tx) => {
    const user = await tx.user.findUnique({ where: { id } });
    await axios.post('https://files.example.com/drop', user);
    //    ^^^^^^^^^^ external-call-in-transaction: `axios.post` waits for `files.example.com` inside a transaction that Prisma ends after 5 s: once they have passed, what the transaction wrote is rolled back, while what `axios.post` did outside stays. The same holds for `stripe.subscriptions.cancel` and `fetch` in it.
    await stripe.subscriptions.cancel(id);
    await fetch('https://mail.example.com/bye', { method: 'POST' });
    await tx.user.delete({ where: { id } });
  });
}
export async function noHandle(id: string) {
  await prisma.$transaction(async () => {
    await prisma.user.delete({ where: { id } });
    await stripe.subscriptions.cancel(id); // ok: external-call-in-transaction
    await prisma.member.deleteMany({ where: { user: id } });
  });
}
//- /src/sequelize.ts
import { Model, Sequelize } from 'sequelize';
const sequelize = new Sequelize('x');
class Order extends Model {}
export async function nothingLocked(id: number) {
  await sequelize.transaction(async (transaction) => {
    const order = await Order.findByPk(id, { transaction });
    const res = await fetch('https://pay.example.com');
    //                ^^^^^ external-call-in-transaction: The transaction stays open while `fetch` waits for `pay.example.com`: its connection is held for that long.
    await order?.update({ ok: res.ok }, { transaction });
  });
}
export async function rowsLocked(id: number) {
  await sequelize.transaction(async (transaction) => {
    await Order.update({ paid: true }, { where: { id }, transaction });
    await fetch('https://pay.example.com');
    //    ^^^^^ external-call-in-transaction: The transaction stays open while `fetch` waits for `pay.example.com`: its connection, and the rows it has locked, are held for that long.
    await Order.update({ told: true }, { where: { id }, transaction });
  });
}
