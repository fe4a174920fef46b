import { PrismaClient } from '@prisma/client';
import knex from 'knex';

const prisma = new PrismaClient();
const db = knex({ client: 'pg' });

export async function prismaNeverRuns(id: string) {
  await prisma.user.update({ where: { id }, data: { seen: true } });
}

export async function knexNeverRuns(id: string) {
  await db('users').where({ id }).update({ seen: true });
}

export async function builtInSteps(onlyOpen: boolean) {
  const query = db('orders').select('*');
  if (onlyOpen) query.where({ open: true }); // ok: unobserved-promise
  return await query;
}
