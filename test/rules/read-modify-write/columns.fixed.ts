import { PrismaClient } from '@prisma/client';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { accounts } from './tables';
const prisma = new PrismaClient();
const pool = new Pool();
const redis = createClient();
const db = drizzle(process.env.DB!);

export async function pay(id: string, amount: number) {
  const account = await prisma.account.findUniqueOrThrow({ where: { id } });
  if (account.balance < amount) throw new Error('too little');
  await prisma.account.update({ where: { id }, data: { balance: { decrement: amount } } });
}
export async function viaName(id: string, amount: number) {
  const account = await prisma.account.findUnique({ where: { id } });
  const balance = (account?.balance ?? 0) + amount;
  await prisma.account.update({ where: { id }, data: { balance } });
}
export async function merged(id: string, patch: object) {
  const user = await prisma.user.findUniqueOrThrow({ where: { id } });
  await prisma.user.update({ where: { id }, data: { settings: { ...user.settings, ...patch } } });
}
export async function appended(id: string, tag: string) {
  const post = await prisma.post.findUniqueOrThrow({ where: { id } });
  await prisma.post.update({ where: { id }, data: { tags: [...post.tags, tag] } });
}
export async function sql(id: string, amount: number) {
  const { rows } = await pool.query('SELECT cents FROM wallets WHERE id = $1', [id]);
  await pool.query('UPDATE wallets SET cents = cents + $1 WHERE id = $2', [amount, id]);
}
export async function set(id: string) {
  const [account] = await db.select().from(accounts).where(eq(accounts.id, id));
  await db.update(accounts).set({ visits: account.visits + 1 }).where(eq(accounts.id, id));
}
export async function counter(key: string) {
  const n = await redis.get(key);
  await redis.set(key, Number(n) + 1);
}
export async function cached(key: string, item: string) {
  const raw = await redis.get(key);
  const list = JSON.parse(raw ?? '[]');
  list.push(item);
  await redis.set(key, JSON.stringify(list));
}
export async function plainTransaction(id: string) {
  await prisma.$transaction(async tx => {
    const account = await tx.account.findUniqueOrThrow({ where: { id } });
    await tx.account.update({ where: { id }, data: { points: { increment: 1 } } });
  });
}

// --- done in one step, or noticed
export async function atomic(id: string, amount: number) {
  const account = await prisma.account.findUniqueOrThrow({ where: { id } });
  await prisma.account.update({ where: { id: account.id }, data: { balance: { decrement: amount } } }); // ok: read-modify-write
}
export async function inSql(id: string, amount: number) {
  const { rows } = await pool.query('SELECT cents FROM wallets WHERE id = $1', [id]);
  if (rows[0].cents < amount) return;
  await pool.query('UPDATE wallets SET cents = cents - $1 WHERE id = $2', [amount, id]); // ok: read-modify-write
}
export async function versioned(id: string, amount: number) {
  const account = await prisma.account.findUniqueOrThrow({ where: { id } });
  await prisma.account.updateMany({ where: { id, version: account.version }, data: { balance: account.balance - amount } }); // ok: read-modify-write
}
export async function compared(id: string, amount: number) {
  const { rows } = await pool.query('SELECT cents FROM wallets WHERE id = $1', [id]);
  await pool.query('UPDATE wallets SET cents = $1 WHERE id = $2 AND cents = $3', [rows[0].cents + amount, id, rows[0].cents]); // ok: read-modify-write
}
export async function locked(id: string, amount: number) {
  const client = await pool.connect();
  await client.query('BEGIN');
  const { rows } = await client.query('SELECT cents FROM wallets WHERE id = $1 FOR UPDATE', [id]);
  await client.query('UPDATE wallets SET cents = $1 WHERE id = $2', [rows[0].cents + amount, id]); // ok: read-modify-write
  await client.query('COMMIT');
  client.release();
}
export async function serial(id: string) {
  await prisma.$transaction(
    async tx => {
      const account = await tx.account.findUniqueOrThrow({ where: { id } });
      await tx.account.update({ where: { id }, data: { points: account.points + 1 } }); // ok: read-modify-write
    },
    { isolationLevel: 'Serializable' },
  );
}
// --- not a change of what was read
export async function otherColumn(id: string) {
  const order = await prisma.order.findUniqueOrThrow({ where: { id } });
  await prisma.order.update({ where: { id }, data: { total: order.price * order.count } }); // ok: read-modify-write
}
export async function otherTable(id: string) {
  const order = await prisma.order.findUniqueOrThrow({ where: { id } });
  await prisma.account.update({ where: { id }, data: { balance: order.balance - 1 } }); // ok: read-modify-write
}
export async function constant(id: string) {
  const order = await prisma.order.findUniqueOrThrow({ where: { id } });
  if (order.total > 0) await prisma.order.update({ where: { id }, data: { total: 0 } }); // ok: read-modify-write
}
export async function text(id: string) {
  const user = await prisma.user.findUniqueOrThrow({ where: { id } });
  await prisma.user.update({ where: { id }, data: { name: user.name + ' (old)' } }); // ok: read-modify-write
}
export async function otherKey(key: string) {
  const n = await redis.get(key);
  await redis.set(`${key}:copy`, Number(n) + 1); // ok: read-modify-write
}
