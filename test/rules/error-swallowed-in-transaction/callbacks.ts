import { PrismaClient } from '@prisma/client';
import { drizzle } from 'drizzle-orm/node-postgres';
import { orders, ledger } from './schema';
const prisma = new PrismaClient();
const db = drizzle('postgres://x');

export async function logged(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: {} });
    try {
      await tx.ledger.create({ data: { id } });
    } catch (error) {
    //^^^^^^^^^^^^^^ error-swallowed-in-transaction: When `tx.ledger.create` fails, the error ends here and the rest of the transaction is committed without it.
      console.error(error);
    }
  });
}
export async function defaulted(id: string) {
  return db.transaction(async (tx) => {
    await tx.insert(orders).values({ id });
    try {
      await tx.insert(ledger).values({ id });
    } catch {
    //^^^^^^ error-swallowed-in-transaction
      return false;
    }
    return true;
  });
}
export async function inLoop(ids: string[]) {
  await prisma.$transaction(async (tx) => {
    await tx.batch.create({ data: {} });
    for (const id of ids) {
      try {
        await tx.order.delete({ where: { id } });
      } catch (error) {
      //^^^^^^^^^^^^^^ error-swallowed-in-transaction
        console.warn(id);
      }
    }
  });
}
export async function rethrown(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: {} });
    try {
      await tx.ledger.create({ data: { id } });
    } catch (error) { // ok: error-swallowed-in-transaction
      console.error(error);
      throw error;
    }
  });
}
export async function outside(id: string) {
  try {
    await prisma.$transaction(async (tx) => {
      await tx.order.update({ where: { id }, data: {} });
      await tx.ledger.create({ data: { id } });
    });
  } catch (error) { // ok: error-swallowed-in-transaction
    console.error(error);
  }
}
export async function savepoint(id: string) {
  await db.transaction(async (tx) => {
    await tx.insert(orders).values({ id });
    try {
      await tx.transaction(async (inner) => {
        await inner.insert(ledger).values({ id });
      });
    } catch (error) { // ok: error-swallowed-in-transaction
      console.error(error);
    }
  });
}
export async function noWrite(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: {} });
    try {
      JSON.parse(id);
    } catch (error) { // ok: error-swallowed-in-transaction
      console.error(error);
    }
  });
}
export async function onlyStatement(id: string) {
  await prisma.$transaction(async (tx) => {
    try {
      await tx.ledger.create({ data: { id } });
    } catch (error) { // ok: error-swallowed-in-transaction
      console.error(error);
    }
  });
}
export async function rolledBack(id: string) {
  await db.transaction(async (tx) => {
    await tx.insert(orders).values({ id });
    try {
      await tx.insert(ledger).values({ id });
    } catch (error) { // ok: error-swallowed-in-transaction
      tx.rollback();
    }
  });
}
export async function filtered(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: {} });
    try {
      await tx.ledger.create({ data: { id } });
    } catch (error) { // ok: error-swallowed-in-transaction
      if ((error as { code?: string }).code !== 'P2002') throw error;
    }
  });
}
export async function noTransaction(id: string) {
  await prisma.order.update({ where: { id }, data: {} });
  try {
    await prisma.ledger.create({ data: { id } });
  } catch (error) { // ok: error-swallowed-in-transaction
    console.error(error);
  }
}
