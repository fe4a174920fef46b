import { PrismaClient } from '@prisma/client';
import { Queue } from 'bullmq';
import nodemailer from 'nodemailer';
import Stripe from 'stripe';
const prisma = new PrismaClient();
const stripe = new Stripe('sk');
const mail = nodemailer.createTransport({ host: 'smtp' });
const queue = new Queue('rooms');
async function tell(to: string) {
  await mail.sendMail({ to });
}
async function tellOrLog(to: string) {
  try {
    await mail.sendMail({ to });
  } catch (error) {
    console.error(error);
  }
}

export async function chargeBesideRow(customer: string) {
  await Promise.all([prisma.booking.create({ data: { customer } }), stripe.charges.create({ amount: 1, currency: 'eur', customer })]);
  //    ^^^^^^^^^^^ fail-fast-siblings: When `prisma.booking.create` fails, this rejects at once while `stripe.charges.create` goes on unobserved: the caller is told that the whole has failed, and it has not.
}
export async function mailBesideRow(to: string) {
  await Promise.all([prisma.token.create({ data: { to } }), mail.sendMail({ to })]);
  //    ^^^^^^^^^^^ fail-fast-siblings: When `prisma.token.create` fails, this rejects at once while `mail.sendMail` goes on unobserved: the caller is told that the whole has failed, and it has not.
}
export async function helperBesideRow(to: string) {
  const [row] = await Promise.all([prisma.token.create({ data: { to } }), tell(to)]);
  //                  ^^^^^^^^^^^ fail-fast-siblings: When `prisma.token.create` fails, this rejects at once while `tell` goes on unobserved: the caller is told that the whole has failed, and it has not.
  return row;
}
export async function queueBesideRow(id: string) {
  return Promise.all([prisma.booking.update({ where: { id }, data: { paid: true } }), queue.add('paid', { id })]);
  //     ^^^^^^^^^^^ fail-fast-siblings
}
export async function twoOutside(to: string, customer: string) {
  await Promise.all([mail.sendMail({ to }), stripe.charges.create({ amount: 1, currency: 'eur', customer })]);
  //    ^^^^^^^^^^^ fail-fast-siblings
}

export async function settled(to: string) {
  const results = await Promise.allSettled([prisma.token.create({ data: { to } }), mail.sendMail({ to })]); // ok: fail-fast-siblings
  return results;
}
export async function reads(id: string) {
  await Promise.all([prisma.booking.findFirst({ where: { id } }), prisma.room.findFirst({ where: { id } })]); // ok: fail-fast-siblings
}
export async function readBesideMail(id: string, to: string) {
  await Promise.all([prisma.booking.findFirst({ where: { id } }), mail.sendMail({ to })]); // ok: fail-fast-siblings
}
export async function rowsOnly(id: string) {
  await Promise.all([prisma.booking.create({ data: { id } }), prisma.room.update({ where: { id }, data: { free: false } })]); // ok: fail-fast-siblings
}
export async function caught(to: string) {
  await Promise.all([prisma.token.create({ data: { to } }), mail.sendMail({ to }).catch(console.error)]); // ok: fail-fast-siblings
}
export async function caughtInside(to: string) {
  await Promise.all([prisma.token.create({ data: { to } }), tellOrLog(to)]); // ok: fail-fast-siblings
}
export async function sameKind(a: string, b: string) {
  await Promise.all([mail.sendMail({ to: a }), mail.sendMail({ to: b })]); // ok: fail-fast-siblings
}
export async function oneAfterTheOther(to: string) {
  await prisma.token.create({ data: { to } });
  await mail.sendMail({ to }); // ok: fail-fast-siblings
}
export async function mapped(list: string[]) {
  await Promise.all(list.map((to) => mail.sendMail({ to }))); // ok: fail-fast-siblings
}
export function left(to: string) {
  void Promise.all([prisma.token.create({ data: { to } }), mail.sendMail({ to })]); // ok: fail-fast-siblings
}
export function handled(to: string) {
  return Promise.all([prisma.token.create({ data: { to } }), mail.sendMail({ to })]).catch(() => null); // ok: fail-fast-siblings
}
