import { PrismaClient } from '@prisma/client';
import { drizzle } from 'drizzle-orm/node-postgres';
import { orders } from './schema';

const prisma = new PrismaClient();
const db = drizzle(process.env.DATABASE_URL ?? '');

export async function dropped(id: string) {
  db.transaction(async (tx) => {
//^^^^^^^^^^^^^^ unobserved-promise
    await tx.insert(orders).values({ id });
  });
}
export async function droppedToo(id: string) {
  prisma.$transaction(async (tx) => {
//^^^^^^^^^^^^^^^^^^^ unobserved-promise
    await tx.order.create({ data: { id } });
  });
}
export async function awaited(id: string) {
  await db.transaction(async (tx) => { // ok: unobserved-promise
    await tx.insert(orders).values({ id });
  });
}
export async function givenBack(id: string) {
  return prisma.$transaction(async (tx) => { // ok: unobserved-promise
    await tx.order.create({ data: { id } });
  });
}
export function handled(id: string) {
  db.transaction(async (tx) => { // ok: unobserved-promise
    await tx.insert(orders).values({ id });
  }).catch(console.error);
}
export function withoutWaiting(id: string) {
  db.transaction((tx) => tx.insert(orders).values({ id })); // ok: unobserved-promise
}

export async function fromContext(ctx: any, id: string) {
  ctx.db.transaction(async (tx: any) => {
//^^^^^^^^^^^^^^^^^^ unobserved-promise
    await tx.insert(orders).values({ id });
  });
}
export function traced(tracer: any, id: string) {
  tracer.transaction('work', () => id.length); // ok: unobserved-promise
}
