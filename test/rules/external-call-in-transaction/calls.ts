//- /src/mail.ts
export async function notify(id: string) {
  await fetch('https://mail.example.com/' + id, { method: 'POST' });
}
export function later(id: string) {
  setTimeout(() => fetch('https://mail.example.com/' + id), 10);
}
//- /src/order.ts
import { PrismaClient } from '@prisma/client';
import axios from 'axios';
import { later, notify } from './mail';
const prisma = new PrismaClient();

export async function direct(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: { status: 'paid' } });
    await fetch('https://pay.example.com/' + id, { method: 'POST' });
    //    ^^^^^ external-call-in-transaction: `fetch` waits for `pay.example.com` inside a transaction that Prisma ends after 5 s: once they have passed, what the transaction wrote is rolled back, while what `fetch` did outside stays.   💡 Move the call after the transaction
  });
}
export async function bounded(id: string) {
  await prisma.$transaction(async (tx) => {
    const { data } = await axios.get('https://rates.example.com', { timeout: 5000 });
    //                     ^^^^^^^^^ external-call-in-transaction: `axios.get` waits for `rates.example.com` inside a transaction that Prisma ends after 5 s: once they have passed, what the transaction wrote is rolled back.   💡 Move the call before the transaction
    await tx.order.update({ where: { id }, data: { rate: data } });
  });
}
export async function throughHelper(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: { status: 'paid' } });
    await notify(id);
    //    ^^^^^^ external-call-in-transaction: `notify` (`fetch` in it) waits for `mail.example.com` inside a transaction that Prisma ends after 5 s: once they have passed, what the transaction wrote is rolled back, while what `notify` did outside stays.
    await tx.order.update({ where: { id }, data: { told: true } });
  });
}
export async function sleeps(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: { status: 'paid' } });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    //        ^^^^^^^ external-call-in-transaction
    await tx.order.update({ where: { id }, data: { status: 'sent' } });
  });
}
export async function loops(ids: string[]) {
  await prisma.$transaction(async (tx) => {
    for (const id of ids) {
      const res = await fetch('https://pay.example.com/' + id);
      //                ^^^^^ external-call-in-transaction
      await tx.order.update({ where: { id }, data: { ok: res.ok } });
    }
  });
}
export async function outside(id: string) {
  const res = await fetch('https://pay.example.com/' + id); // ok: external-call-in-transaction
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: { ok: res.ok } });
  });
  await notify(id); // ok: external-call-in-transaction
}
export async function notAwaited(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: {} });
    later(id); // ok: external-call-in-transaction
  });
}
export const traced = wrap('notify')(notify);
function wrap(name: string) {
  return function decorate<A extends unknown[], R>(target: (...args: A) => R) {
    return function wrapper(...args: A): R {
      console.log(name);
      return target(...args);
    };
  };
}
export async function throughWrapper(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: {} });
    await traced(id);
    //    ^^^^^^ external-call-in-transaction: `traced` (`fetch` in it) waits for `mail.example.com` inside a transaction that Prisma ends after 5 s: once they have passed, what the transaction wrote is rolled back, while what `traced` did outside stays.
    await tx.order.update({ where: { id }, data: { told: true } });
  });
}
//- /src/manual.ts
import { Sequelize, Model } from 'sequelize';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
const sequelize = new Sequelize('x');
const pool = new Pool();
class Order extends Model {}
export async function unmanaged(id: number) {
  const t = await sequelize.transaction();
  try {
    await Order.update({ a: 1 }, { where: { id }, transaction: t });
    await fetch('https://pay.example.com');
    //    ^^^^^ external-call-in-transaction
    await t.commit();
  } catch (error) {
    await t.rollback();
    throw error;
  }
  await fetch('https://mail.example.com'); // ok: external-call-in-transaction
}
export async function afterCommit(id: number) {
  await sequelize.transaction(async (t) => {
    await Order.update({ a: 1 }, { where: { id }, transaction: t });
    t.afterCommit(async () => {
      await fetch('https://mail.example.com'); // ok: external-call-in-transaction
    });
  });
}
export async function onClient() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await fetch('https://pay.example.com');
    //    ^^^^^ external-call-in-transaction
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
export async function checkedOut() {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('SELECT url FROM hooks');
    await fetch(rows[0].url);
    //    ^^^^^ external-call-in-transaction: The connection `client` stays checked out while `fetch` waits for the other side.
  } finally {
    client.release();
  }
}
export async function givenBack() {
  const client = await pool.connect();
  const { rows } = await client.query('SELECT url FROM hooks');
  client.release();
  await fetch(rows[0].url); // ok: external-call-in-transaction
}
export async function runner(source: DataSource) {
  const runner = source.createQueryRunner();
  await fetch('https://pay.example.com/rates'); // ok: external-call-in-transaction
  await runner.startTransaction();
  try {
    await fetch('https://pay.example.com');
    //    ^^^^^ external-call-in-transaction
    await runner.commitTransaction();
  } finally {
    await runner.release();
  }
}
