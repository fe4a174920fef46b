//- /src/db.ts
import { PrismaClient } from '@prisma/client';
export const prisma = new PrismaClient();
//- /src/stock.ts
import type { Prisma } from '@prisma/client';
import { prisma } from './db';
export async function take(sku: string) {
  await prisma.stock.update({ where: { sku }, data: { left: { decrement: 1 } } });
}
export async function taxOf(country: string) {
  return prisma.tax.findFirst({ where: { country } });
}
export async function takeIn(tx: Prisma.TransactionClient, sku: string) {
  await tx.stock.update({ where: { sku }, data: { left: { decrement: 1 } } });
}
export class Carrier {
  constructor(private readonly db: Prisma.TransactionClient) {}
  book(id: string) {
    return this.db.booking.create({ data: { id } });
  }
}
//- /src/order.ts
import { Prisma, PrismaClient } from '@prisma/client';
import { prisma } from './db';
import { Carrier, take, takeIn, taxOf } from './stock';

export async function write(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { id } });
    await prisma.line.create({ data: { orderId: id } });
    //    ^^^^^^^^^^^^^^^^^^ outer-handle-in-transaction: `prisma.line.create` runs outside the open transaction: it stays when the transaction rolls back.   💡 Use the transaction handle `tx`
  });
}
export async function read(id: string) {
  await prisma.$transaction(async (tx) => {
    const found = await prisma.order.findUnique({ where: { id } });
    //                  ^^^^^^^^^^^^^^^^^^^^^^^ outer-handle-in-transaction: `prisma.order.findUnique` runs outside the open transaction: it takes a second connection and does not see what the transaction wrote.
    await tx.order.update({ where: { id }, data: { seen: found !== null } });
  });
}
export async function inLoop(ids: string[]) {
  await prisma.$transaction(async (tx) => {
    await tx.batch.create({ data: {} });
    await Promise.all(ids.map((id) => prisma.line.delete({ where: { id } })));
    //                                ^^^^^^^^^^^^^^^^^^ outer-handle-in-transaction
  });
}
export async function service(sku: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { sku } });
    await take(sku);
    //    ^^^^ outer-handle-in-transaction: `take` (`prisma.stock.update` in it) runs outside the open transaction: it stays when the transaction rolls back, and waits where the transaction has locked the row.
    await taxOf('NL');
    //    ^^^^^ outer-handle-in-transaction
    await takeIn(tx, sku); // ok: outer-handle-in-transaction
    await new Carrier(tx).book(sku); // ok: outer-handle-in-transaction
  });
}
export async function handedIn(tx: Prisma.TransactionClient, id: string) {
  await tx.order.create({ data: { id } });
  await prisma.line.create({ data: { orderId: id } });
  //    ^^^^^^^^^^^^^^^^^^ outer-handle-in-transaction   💡 Use the transaction handle `tx`
}
export async function own(client: PrismaClient, id: string) {
  await client.$transaction(async (tx) => {
    await tx.order.create({ data: { id } });
    await client.line.create({ data: { orderId: id } });
    //    ^^^^^^^^^^^^^^^^^^ outer-handle-in-transaction
  });
}
export async function shadowed(id: string) {
  await prisma.$transaction(async (prisma) => {
    await prisma.order.create({ data: { id } }); // ok: outer-handle-in-transaction
  });
}
export async function batch(id: string) {
  await prisma.$transaction([prisma.order.create({ data: { id } }), prisma.line.create({ data: { id } })]); // ok: outer-handle-in-transaction
}
export async function optional(id: string, tx?: Prisma.TransactionClient) {
  const db = tx ?? prisma;
  await db.order.create({ data: { id } }); // ok: outer-handle-in-transaction
  if (tx) await tx.line.create({ data: { id } });
  else await prisma.line.create({ data: { id } }); // ok: outer-handle-in-transaction
}
export async function after(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { id } });
  });
  await prisma.line.create({ data: { orderId: id } }); // ok: outer-handle-in-transaction
}
export async function later(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { id } });
    setTimeout(() => prisma.line.create({ data: { orderId: id } }), 10); // ok: outer-handle-in-transaction
  });
}
//- /src/forgot.ts
import { prisma } from './db';
export async function forgot(id: string) {
  await prisma.$transaction(async () => {
    //  ^^^^^^^^^^^^^^^^^^^ outer-handle-in-transaction: The callback of `prisma.$transaction` takes no handle, so `prisma.line.deleteMany` and `prisma.order.delete` run outside its transaction: when a later step fails, what was written before stays.   💡 Take the transaction handle as `tx` and use it
    await prisma.line.deleteMany({ where: { orderId: id } });
    await prisma.order.delete({ where: { id } });
  });
}
export async function forgotForReads(id: string) {
  return prisma.$transaction(async () => {
    //   ^^^^^^^^^^^^^^^^^^^ outer-handle-in-transaction: The callback of `prisma.$transaction` takes no handle, so `prisma.order.findMany` runs outside its transaction: the transaction holds a connection and contains no statement.
    return prisma.order.findMany({ where: { id } });
  });
}
export async function nested(id: string) {
  await prisma.$transaction(async (tx) => {
    const inner = async () => {
      await tx.order.delete({ where: { id } }); // ok: outer-handle-in-transaction
    };
    await inner();
  });
}
