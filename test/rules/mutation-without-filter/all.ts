//- /src/prisma.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function leave(options: object) {
  await prisma.membership.deleteMany();
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ mutation-without-filter: `prisma.membership.deleteMany` deletes every row of `membership`: it has no condition.
  await prisma.membership.deleteMany({});
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ mutation-without-filter
  await prisma.membership.updateMany({ data: { role: 'guest' } });
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ mutation-without-filter
  await prisma.membership.updateMany({ where: {}, data: { role: 'guest' } });
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ mutation-without-filter
  await prisma.membership.deleteMany({ where: { teamId: 1 } }); // ok: mutation-without-filter
  await prisma.membership.deleteMany(options as never); // ok: mutation-without-filter
  await prisma.membership.deleteMany({ ...options }); // ok: mutation-without-filter
  await prisma.searchCache.deleteMany(); // ok: mutation-without-filter
}
export async function resetAll() {
  await prisma.membership.deleteMany(); // ok: mutation-without-filter
}
export async function replace(rows: object[]) {
  await prisma.rate.deleteMany(); // ok: mutation-without-filter
  await prisma.rate.createMany({ data: rows });
}
//- /src/others.ts
import { Pool } from 'pg';
import knex from 'knex';
import mongoose from 'mongoose';
import { drizzle } from 'drizzle-orm/node-postgres';
import { eq } from 'drizzle-orm';
import { DataSource } from 'typeorm';
import { members } from './schema';
const pool = new Pool();
const db = knex({ client: 'pg' });
const orm = drizzle('x');
const Member = mongoose.model('Member', {} as never);
class Item {}
export async function leave(id: string, source: DataSource) {
  await pool.query('DELETE FROM members');
  //    ^^^^^^^^^^ mutation-without-filter
  await pool.query('UPDATE members SET role = $1', ['guest']);
  //    ^^^^^^^^^^ mutation-without-filter
  await pool.query('DELETE FROM members WHERE id = $1', [id]); // ok: mutation-without-filter
  await pool.query(`DELETE FROM members ${id}`); // ok: mutation-without-filter
  await db('members').del();
  //    ^^^^^^^^^^^^^^^^^ mutation-without-filter
  await db('members').where({ id }).del(); // ok: mutation-without-filter
  await db('members').update({ role: 'guest' }).where({ id }); // ok: mutation-without-filter
  await db('members').truncate(); // ok: mutation-without-filter
  await orm.delete(members);
  //    ^^^^^^^^^^ mutation-without-filter
  await orm.update(members).set({ role: 'guest' });
  //    ^^^^^^^^^^ mutation-without-filter
  await orm.delete(members).where(eq(members.id, id)); // ok: mutation-without-filter
  const later = orm.delete(members).$dynamic(); // ok: mutation-without-filter
  await Member.deleteMany({});
  //    ^^^^^^^^^^^^^^^^^ mutation-without-filter
  await Member.updateMany({}, { role: 'guest' });
  //    ^^^^^^^^^^^^^^^^^ mutation-without-filter
  await Member.deleteMany({ id }); // ok: mutation-without-filter
  await source.createQueryBuilder().delete().from(Item).execute();
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ mutation-without-filter
  await source.createQueryBuilder().delete().from(Item).where('id = 1').execute(); // ok: mutation-without-filter
  await source.getRepository(Item).delete({ id }); // ok: mutation-without-filter
  const qb = source.createQueryBuilder().delete().from(Item);
  qb.where('id = 1');
  await qb.execute(); // ok: mutation-without-filter
  return later;
}
