//- /src/pg.ts
import { Pool, type PoolClient } from 'pg';
const pool = new Pool({ max: 10 });
const single = new Pool({ max: 1 });
export async function move() {
  await pool.query('BEGIN');
  //    ^^^^^^^^^^ transaction-on-pool: BEGIN goes to whichever connection of the pool is free, and the statements after it to others: nothing holds them together.
  await pool.query('UPDATE a SET b = 1 WHERE c = 2');
  await pool.query('COMMIT');
}
export async function local() {
  await pool.query("SET LOCAL statement_timeout = '5s'");
  //    ^^^^^^^^^^ transaction-on-pool: SET LOCAL goes to whichever connection of the pool is free, and the statements after it to others: nothing holds them together.
}
export async function lock(id: number) {
  await pool.query('SELECT pg_advisory_lock($1)', [id]);
  //    ^^^^^^^^^^ transaction-on-pool
}
export async function begins() {
  await pool.query(`begin isolation level serializable`);
  //    ^^^^^^^^^^ transaction-on-pool
}
export async function fromParameter(db: Pool) {
  await db.query('START TRANSACTION');
  //    ^^^^^^^^ transaction-on-pool
}
export async function ownClient() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN'); // ok: transaction-on-pool
    await client.query('COMMIT'); // ok: transaction-on-pool
  } finally {
    client.release();
  }
}
export async function handed(client: PoolClient) {
  await client.query('BEGIN'); // ok: transaction-on-pool
}
export async function one() {
  await single.query('BEGIN'); // ok: transaction-on-pool
}
export async function reads() {
  await pool.query('SELECT begin FROM spans'); // ok: transaction-on-pool
}
export async function plainSet() {
  await pool.query("SET search_path = 'a'"); // ok: transaction-on-pool
}
//- /src/others.ts
import { PrismaClient } from '@prisma/client';
import mysql from 'mysql2/promise';
import knex from 'knex';
import postgres from 'postgres';
const prisma = new PrismaClient();
const pool = mysql.createPool({});
const db = knex({ client: 'pg' });
const sql = postgres('x');
export async function throughPrisma() {
  await prisma.$executeRaw`BEGIN`;
  //    ^^^^^^^^^^^^^^^^^^ transaction-on-pool
}
export async function batch() {
  await prisma.$transaction([prisma.$executeRaw`LOCK TABLE jobs IN EXCLUSIVE MODE`, prisma.job.count()]); // ok: transaction-on-pool
}
export async function lockedByTransaction() {
  await prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(1)`; // ok: transaction-on-pool
  });
}
export async function throughMysql() {
  await pool.query('START TRANSACTION');
  //    ^^^^^^^^^^ transaction-on-pool
}
export async function mysqlConnection() {
  const connection = await pool.getConnection();
  try {
    await connection.query('START TRANSACTION'); // ok: transaction-on-pool
  } finally {
    connection.release();
  }
}
export async function throughKnex() {
  await db.raw('BEGIN');
  //    ^^^^^^ transaction-on-pool
}
export async function throughTag() {
  await sql`begin`;
  //    ^^^ transaction-on-pool
  await sql.begin(async (tx) => {
    await tx`set local role reader`; // ok: transaction-on-pool
  });
}
//- /src/sequelize.ts
import { Sequelize, type Transaction } from 'sequelize';
const sequelize = new Sequelize('x');
export async function withOption(transaction: Transaction) {
  await sequelize.query('SET LOCAL statement_timeout = 5000', { transaction }); // ok: transaction-on-pool
  await sequelize.query('SET LOCAL statement_timeout = 5000');
  //    ^^^^^^^^^^^^^^^ transaction-on-pool
}
//- /src/names.ts
export async function byName(pool: any, carpool: any, client: any) {
  await pool.query('BEGIN');
  //    ^^^^^^^^^^ transaction-on-pool
  await carpool.query('BEGIN'); // ok: transaction-on-pool
  await client.query('BEGIN'); // ok: transaction-on-pool
}
