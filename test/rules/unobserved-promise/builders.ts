import { PrismaClient } from '@prisma/client';
import knex from 'knex';

const prisma = new PrismaClient();
const db = knex({ client: 'pg' });

export async function prismaNeverRuns(id: string) {
  prisma.user.update({ where: { id }, data: { seen: true } });
//^^^^^^^^^^^^^^^^^^ unobserved-promise: Nothing waits for `prisma.user.update`: the caller goes on before it is done, and a rejection of it reaches no handler here.   💡 Await it
}

export async function knexNeverRuns(id: string) {
  db('users').where({ id }).update({ seen: true });
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unobserved-promise
}

export async function builtInSteps(onlyOpen: boolean) {
  const query = db('orders').select('*');
  if (onlyOpen) query.where({ open: true }); // ok: unobserved-promise
  return await query;
}
