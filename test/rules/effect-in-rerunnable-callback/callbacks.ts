import { MongoClient } from 'mongodb';
import mongoose from 'mongoose';
import nodemailer from 'nodemailer';
import pRetry from 'p-retry';
import { PrismaClient } from '@prisma/client';
import { Queue } from 'bullmq';
import Stripe from 'stripe';
const mongo = new MongoClient('mongodb://db');
const mail = nodemailer.createTransport({ host: 'smtp' });
const prisma = new PrismaClient();
const queue = new Queue('orders');
const stripe = new Stripe('sk');
declare function sleep(ms: number): Promise<void>;

async function tell(address: string) {
  await mail.sendMail({ to: address });
}

export async function mailInside(address: string) {
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    await mongo.db().collection('orders').insertOne({ address }, { session });
    await mail.sendMail({ to: address });
    //    ^^^^^^^^^^^^^ effect-in-rerunnable-callback: `mail.sendMail` takes effect once for each run of the callback: `withTransaction` runs its callback again after a transient error, and only the database forgets the run that failed.
  });
}
export async function mailBehind(address: string) {
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    await mongo.db().collection('orders').insertOne({ address }, { session });
    await tell(address);
    //    ^^^^ effect-in-rerunnable-callback: `tell` (`mail.sendMail` in it) takes effect once for each run of the callback: `withTransaction` runs its callback again after a transient error, and only the database forgets the run that failed.
  });
}
export async function queued(id: string) {
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    await mongo.db().collection('orders').insertOne({ id }, { session });
    await queue.add('order', { id });
    //    ^^^^^^^^^ effect-in-rerunnable-callback: `queue.add` takes effect once for each run of the callback: `withTransaction` runs its callback again after a transient error, and only the database forgets the run that failed.
  });
}
export async function grown(ids: string[]) {
  const made: string[] = [];
  let count = 0;
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    for (const id of ids) {
      await mongo.db().collection('orders').insertOne({ id }, { session });
      made.push(id);
   // ^^^^^^^^^ effect-in-rerunnable-callback
      count++;
   // ^^^^^^^ effect-in-rerunnable-callback
    }
  });
  return { made, count };
}
export async function mongooseForm(address: string) {
  await mongoose.connection.transaction(async () => {
    await mail.sendMail({ to: address });
    //    ^^^^^^^^^^^^^ effect-in-rerunnable-callback
  });
}
export async function retried(id: string) {
  await pRetry(() =>
    prisma.$transaction(async (tx) => {
      await tx.order.create({ data: { id } });
      await stripe.charges.create({ amount: 1, currency: 'eur' });
      //    ^^^^^^^^^^^^^^^^^^^^^ effect-in-rerunnable-callback
    }),
  );
}
export async function looped(id: string) {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await prisma.$transaction(async (tx) => {
        await tx.order.create({ data: { id } });
        await queue.add('order', { id });
        //    ^^^^^^^^^ effect-in-rerunnable-callback
      });
      return;
    } catch (error) {
      if (attempt === 4) throw error;
      await sleep(2 ** attempt * 10);
    }
  }
}

// ---- once, or undone

export async function afterwards(address: string) {
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    await mongo.db().collection('orders').insertOne({ address }, { session });
  });
  await mail.sendMail({ to: address }); // ok: effect-in-rerunnable-callback
}
export async function notRerun(address: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { address } });
    await mail.sendMail({ to: address }); // ok: effect-in-rerunnable-callback
  });
}
export async function keyed(id: string) {
  await pRetry(() =>
    prisma.$transaction(async (tx) => {
      await tx.order.create({ data: { id } });
      await stripe.charges.create({ amount: 1, currency: 'eur' }, { idempotencyKey: id }); // ok: effect-in-rerunnable-callback
    }),
  );
}
export async function jobId(id: string) {
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    await queue.add('order', { id }, { jobId: id }); // ok: effect-in-rerunnable-callback
  });
}
export async function begunAnew(ids: string[]) {
  let made: string[] = [];
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    made = [];
    for (const id of ids) made.push(id); // ok: effect-in-rerunnable-callback
  });
  return made;
}
export async function ownList(ids: string[]) {
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    const made: string[] = [];
    for (const id of ids) made.push(id); // ok: effect-in-rerunnable-callback
    await mongo.db().collection('orders').insertMany(made.map((id) => ({ id })), { session });
  });
}
export async function reads(id: string) {
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    const rate = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(100) }); // ok: effect-in-rerunnable-callback
    await mongo.db().collection('orders').insertOne({ id, rate: rate.status }, { session }); // ok: effect-in-rerunnable-callback
  });
}
export async function onFailure(id: string) {
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    try {
      await mongo.db().collection('orders').insertOne({ id }, { session });
    } catch (error) {
      await mail.sendMail({ to: 'ops@example.com' }); // ok: effect-in-rerunnable-callback
      throw error;
    }
  });
}
export async function loopWithoutRetry(ids: string[]) {
  for (const id of ids)
    await prisma.$transaction(async (tx) => {
      await tx.order.create({ data: { id } });
      await queue.add('order', { id }); // ok: effect-in-rerunnable-callback
    });
}
export async function later(address: string) {
  const session = mongo.startSession();
  await session.withTransaction(async () => {
    setTimeout(() => void mail.sendMail({ to: address }), 10); // ok: effect-in-rerunnable-callback
  });
}
class Sessions {
  withTransaction(run: () => Promise<void>) {
    return run();
  }
}
const sessions = new Sessions();
export async function otherLibrary(address: string) {
  await sessions.withTransaction(async () => {
    await mail.sendMail({ to: address }); // ok: effect-in-rerunnable-callback
  });
}
