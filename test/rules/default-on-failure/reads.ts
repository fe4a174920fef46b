import { PrismaClient } from '@prisma/client';
import { Pool } from 'pg';

const prisma = new PrismaClient();
const pool = new Pool();

export async function orders(customerId: string) {
  try {
    return await prisma.order.findMany({ where: { customerId }, take: 50 });
  } catch {
//  ^^^^^ default-on-failure: When `prisma.order.findMany` fails, the answer is an empty list: callers take a failure for "there is none", and no log says so.   💡 Log it with `console`
    return [];
  }
}

export async function openCount() {
  try {
    const found = await pool.query('SELECT count(*) AS n FROM tickets WHERE closed_at IS NULL');
    return Number(found.rows[0].n);
  } catch (error) {
//  ^^^^^ default-on-failure: When `pool.query` fails, the answer is zero: callers take a failure for "there is none", and no log says so.   💡 Log it with `console`
    return 0;
  }
}

export async function page(customerId: string) {
  try {
    const items = await prisma.order.findMany({ where: { customerId }, take: 50 });
    return { items, total: items.length };
  } catch {
//  ^^^^^ default-on-failure: When `prisma.order.findMany` fails, the answer is an empty result: callers take a failure for "there is none", and no log says so.   💡 Log it with `console`
    return { items: [], total: 0 };
  }
}

export async function customer(id: string) {
  try {
    return await prisma.customer.findUnique({ where: { id } });
  } catch {
//  ^^^^^ default-on-failure: When `prisma.customer.findUnique` fails, the answer is "not found": callers take a failure for "there is none", and no log says so.   💡 Log it with `console`
    return null;
  }
}

export async function rates() {
  try {
    const res = await fetch('https://rates.example.com/today');
    return await res.json();
  } catch {
//  ^^^^^ default-on-failure: When `fetch` fails, the answer is an empty object: callers take a failure for "there is none", and no log says so.   💡 Log it with `console`
    return {};
  }
}

export async function kept(customerId: string) {
  let list: unknown[] = [];
  try {
    list = await prisma.order.findMany({ where: { customerId }, take: 50 });
  } catch {
//  ^^^^^ default-on-failure
  }
  return list;
}

export async function set(customerId: string) {
  let list: unknown[];
  try {
    list = await prisma.order.findMany({ where: { customerId }, take: 50 });
  } catch {
//  ^^^^^ default-on-failure
    list = [];
  }
  return list;
}

export async function chained(customerId: string) {
  return prisma.order.findMany({ where: { customerId }, take: 50 }).catch(() => []);
//                                                                  ^^^^^ default-on-failure
}

export async function throughHelper(customerId: string) {
  const list = await readOrders(customerId).catch(() => []);
//                                          ^^^^^ default-on-failure
  return list;
}

async function readOrders(customerId: string) {
  return prisma.order.findMany({ where: { customerId }, take: 50 });
}

// ---- silent

export async function logged(customerId: string) {
  try {
    return await prisma.order.findMany({ where: { customerId }, take: 50 });
  } catch (error) {
    console.error('orders not read', customerId, error);
    return []; // ok: default-on-failure
  }
}

export async function counted(customerId: string, failures: { inc(): void }) {
  try {
    return await prisma.order.findMany({ where: { customerId }, take: 50 });
  } catch {
    failures.inc();
    return []; // ok: default-on-failure
  }
}

export async function reasoned(customerId: string) {
  try {
    return await prisma.order.findMany({ where: { customerId }, take: 50 });
  } catch { // ok: default-on-failure
    // The page shows a hint instead of the orders while the replica is behind.
    return [];
  }
}

export async function told(customerId: string) {
  try {
    return { ok: true, items: await prisma.order.findMany({ where: { customerId }, take: 50 }) };
  } catch { // ok: default-on-failure
    return { ok: false, items: [] };
  }
}

export async function oneError(customerId: string) {
  try {
    return await prisma.order.findMany({ where: { customerId }, take: 50 });
  } catch (error) { // ok: default-on-failure
    if ((error as { code?: string }).code !== 'P2021') throw error;
    return [];
  }
}

export async function distinguished(id: string) {
  try {
    return await prisma.customer.findUniqueOrThrow({ where: { id } });
  } catch { // ok: default-on-failure
    return null;
  }
}

export async function statusOnly() {
  try {
    const res = await fetch('https://rates.example.com/today');
    if (!res.ok) return null;
    return await res.json();
  } catch { // ok: default-on-failure
    return null;
  }
}

export async function isReachable() {
  try {
    await pool.query('SELECT 1');
    return 1;
  } catch { // ok: default-on-failure
    return 0;
  }
}

export async function tryOrders(customerId: string) {
  try {
    return await prisma.order.findMany({ where: { customerId }, take: 50 });
  } catch { // ok: default-on-failure
    return [];
  }
}

export async function avatarOf(id: string) {
  try {
    const res = await fetch(`https://pictures.example.com/${id}`);
    return await res.text();
  } catch { // ok: default-on-failure
    return '';
  }
}

export function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch { // ok: default-on-failure
    return {};
  }
}

export async function written(customerId: string) {
  try {
    return await prisma.order.create({ data: { customerId } });
  } catch { // ok: default-on-failure
    return null;
  }
}

export async function loggedByCallee(customerId: string) {
  return loggedRead(customerId).catch(() => []); // ok: default-on-failure
}

async function loggedRead(customerId: string) {
  try {
    return await prisma.order.findMany({ where: { customerId }, take: 50 });
  } catch (error) {
    console.error('orders not read', error);
    throw error;
  }
}

export async function alreadyFailing(customerId: string) {
  try {
    await prisma.order.create({ data: { customerId } });
  } catch (error) {
    const left = await prisma.order.findMany({ where: { customerId }, take: 50 }).catch(() => []); // ok: default-on-failure
    console.error('order not created', left.length, error);
    throw error;
  }
}

export async function inComment(customerId: string) {
  return prisma.order.findMany({ where: { customerId }, take: 50 }).catch(() => []); // an empty list hides the section, which is enough here
}

export async function rethrown(customerId: string) {
  try {
    return await prisma.order.findMany({ where: { customerId }, take: 50 });
  } catch (error) { // ok: default-on-failure
    throw new Error('orders not read', { cause: error });
  }
}
