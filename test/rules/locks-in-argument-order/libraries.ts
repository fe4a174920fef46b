import { PrismaClient } from '@prisma/client';
import { Mutex } from 'async-mutex';
import Redlock from 'redlock';
import { Sequelize, Model } from 'sequelize';
import type { PoolClient } from 'pg';
const prisma = new PrismaClient();
const redlock = new Redlock([]);
const sequelize = new Sequelize('postgres://db');
class Account extends Model {}

export async function direct(client: PoolClient, from: number, to: number) {
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [from]);
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [to]);
  //    ^^^^^^^^^^^^ locks-in-argument-order   💡 Take the two locks in sorted order
  await client.query('COMMIT');
}
export async function updates(client: PoolClient, from: number, to: number, n: number) {
  await client.query('BEGIN');
  await client.query('UPDATE accounts SET n = n - $1 WHERE id = $2', [n, from]);
  await client.query('UPDATE accounts SET n = n + $1 WHERE id = $2', [n, to]);
  //    ^^^^^^^^^^^^ locks-in-argument-order
  await client.query('COMMIT');
}
export async function viaPrisma(from: string, to: string, n: number) {
  await prisma.$transaction(async tx => {
    await tx.account.update({ where: { id: from }, data: { n: { decrement: n } } });
    await tx.account.update({ where: { id: to }, data: { n: { increment: n } } });
    //    ^^^^^^^^^^^^^^^^^ locks-in-argument-order: Two calls that name the same two the other way round deadlock: each holds one row of `account` and waits for the other's.
  });
}
export async function request(req: { body: { a: string; b: string } }) {
  const { a, b } = req.body;
  await prisma.$transaction(async tx => {
    await tx.$queryRaw`SELECT id FROM accounts WHERE id = ${a} FOR UPDATE`;
    await tx.$queryRaw`SELECT id FROM accounts WHERE id = ${b} FOR UPDATE`;
    //    ^^^^^^^^^^^^ locks-in-argument-order   💡 Take the two locks in sorted order
  });
}
export async function noWait(client: PoolClient, from: number, to: number) {
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE NOWAIT', [from]);
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE NOWAIT', [to]);
  //    ^^^^^^^^^^^^ locks-in-argument-order
}
export async function advisory(client: PoolClient, from: number, to: number) {
  await client.query('SELECT pg_advisory_xact_lock($1)', [from]);
  await client.query('SELECT pg_advisory_xact_lock($1)', [to]);
  //    ^^^^^^^^^^^^ locks-in-argument-order: Two calls that name the same two the other way round deadlock: each holds one advisory lock and waits for the other's.
}
export async function models(from: string, to: string) {
  await sequelize.transaction(async t => {
    const source = await Account.findByPk(from, { transaction: t, lock: t.LOCK.UPDATE });
    const target = await Account.findByPk(to, { transaction: t, lock: t.LOCK.UPDATE });
    //                   ^^^^^^^^^^^^^^^^ locks-in-argument-order   💡 Take the two locks in sorted order
    return [source, target];
  });
}
export async function keyed(from: string, to: string) {
  const one = await redlock.acquire([`account:${from}`], 1000);
  const two = await redlock.acquire([`account:${to}`], 1000);
  //                ^^^^^^^^^^^^^^^ locks-in-argument-order: Two calls that name the same two the other way round deadlock: each holds one lock of `redlock` and waits for the other's.   💡 Take the two locks in sorted order
  await two.release();
  await one.release();
}
export async function each(client: PoolClient, ids: string[]) {
  for (const id of ids) {
    await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [id]);
    //    ^^^^^^^^^^^^ locks-in-argument-order: Two calls whose `ids` name the same two in different orders deadlock: each holds one row of `accounts` and waits for the other's.
  }
}
export async function stock(items: { productId: string; n: number }[]) {
  await prisma.$transaction(async tx => {
    for (const item of items) {
      await tx.product.update({ where: { id: item.productId }, data: { left: { decrement: item.n } } });
      //    ^^^^^^^^^^^^^^^^^ locks-in-argument-order
    }
  });
}
const left = new Mutex();
const right = new Mutex();
export async function leftFirst() {
  await left.runExclusive(async () => {
    await right.runExclusive(async () => 1); // todo-miss: locks-in-argument-order
  });
}
export async function first() {
  const a = await left.acquire();
  const b = await right.acquire();
  //              ^^^^^^^^^^^^^ locks-in-argument-order: `first` takes `left` and then `right`, `second` takes them the other way round: at the same time they deadlock.
  b();
  a();
}
export async function second() {
  const b = await right.acquire();
  const a = await left.acquire();
  //              ^^^^^^^^^^^^ locks-in-argument-order
  a();
  b();
}

// --- silent
export async function sortedList(client: PoolClient, ids: string[]) {
  for (const id of [...ids].sort()) await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [id]); // ok: locks-in-argument-order
}
export async function oneAfterTheOther(from: string, to: string) {
  const one = await redlock.acquire([from], 1000);
  await one.release();
  const two = await redlock.acquire([to], 1000); // ok: locks-in-argument-order
  await two.release();
}
export async function lowAndHigh(client: PoolClient, from: number, to: number) {
  const low = Math.min(from, to);
  const high = Math.max(from, to);
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [low]);
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [high]); // ok: locks-in-argument-order
}
export async function sameRow(client: PoolClient, id: number) {
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [id]);
  await client.query('UPDATE accounts SET n = 1 WHERE id = $1', [id]); // ok: locks-in-argument-order
}
export async function parentThenChild(client: PoolClient, id: number) {
  const { rows } = await client.query('SELECT parent FROM nodes WHERE id = $1 FOR UPDATE', [id]);
  await client.query('SELECT 1 FROM nodes WHERE id = $1 FOR UPDATE', [rows[0].parent]); // ok: locks-in-argument-order
}
export async function twoTables(client: PoolClient, order: number, account: number) {
  await client.query('SELECT 1 FROM orders WHERE id = $1 FOR UPDATE', [order]);
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [account]); // ok: locks-in-argument-order
}
export async function skipping(client: PoolClient, a: number, b: number) {
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE SKIP LOCKED', [a]);
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE SKIP LOCKED', [b]); // ok: locks-in-argument-order
}
export async function eitherOr(client: PoolClient, a: number, b: number, which: boolean) {
  if (which) await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [a]);
  else await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [b]); // ok: locks-in-argument-order
}
export async function apart(from: string, to: string) {
  await prisma.account.update({ where: { id: from }, data: { n: { decrement: 1 } } });
  await prisma.account.update({ where: { id: to }, data: { n: { increment: 1 } } }); // ok: locks-in-argument-order
}
export async function reorder(ids: string[]) {
  await prisma.$transaction(async tx => {
    for (const id of ids) await tx.item.update({ where: { id }, data: { place: ids.indexOf(id) } }); // ok: locks-in-argument-order
  });
}
const guard = new Mutex();
export async function guarded(client: PoolClient, from: number, to: number) {
  await guard.runExclusive(async () => {
    await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [from]);
    await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [to]); // ok: locks-in-argument-order
  });
}
