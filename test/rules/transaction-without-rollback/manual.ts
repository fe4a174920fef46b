//- /src/pg.ts
import { Pool, type PoolClient } from 'pg';
const pool = new Pool();
export async function noCatch() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    //    ^^^^^^^^^^^^ transaction-without-rollback: When a statement after `client.query` fails, nothing rolls back: the transaction stays open with its locks.
    await client.query('DELETE FROM a WHERE b = 1');
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
export async function earlyReturn(id: string) {
  const client = await pool.connect();
  await client.query('BEGIN');
  //    ^^^^^^^^^^^^ transaction-without-rollback: Some way out after `client.query` neither commits nor rolls back: the transaction stays open with its locks.
  try {
    if (!id) return;
    await client.query('DELETE FROM a WHERE b = 1');
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
export async function both() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN'); // ok: transaction-without-rollback
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
export async function thrownAway() {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query('BEGIN'); // ok: transaction-without-rollback
    await client.query('COMMIT');
    failed = false;
  } finally {
    client.release(failed);
  }
}
export async function handedIn(client: PoolClient) {
  await client.query('BEGIN'); // ok: transaction-without-rollback
}
export async function throughHelper() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN'); // ok: transaction-without-rollback
    await client.query('COMMIT');
  } catch (error) {
    await rollBack(client);
    throw error;
  }
}
async function rollBack(client: PoolClient) {
  await client.query('ROLLBACK');
}
//- /src/others.ts
import { Sequelize, Model } from 'sequelize';
import { DataSource } from 'typeorm';
import knex from 'knex';
import mongoose from 'mongoose';
import mysql from 'mysql2/promise';
const sequelize = new Sequelize('x');
const db = knex({ client: 'pg' });
const pool = mysql.createPool({});
class Order extends Model {}
export async function unmanaged(id: number) {
  const t = await sequelize.transaction();
  //              ^^^^^^^^^^^^^^^^^^^^^ transaction-without-rollback
  await Order.destroy({ where: { id }, transaction: t });
  await t.commit();
}
export async function unmanagedBoth(id: number) {
  const t = await sequelize.transaction(); // ok: transaction-without-rollback
  try {
    await Order.destroy({ where: { id }, transaction: t });
    await t.commit();
  } catch (error) {
    await t.rollback();
    throw error;
  }
}
export async function managed(id: number) {
  await sequelize.transaction(async (t) => { // ok: transaction-without-rollback
    await Order.destroy({ where: { id }, transaction: t });
  });
}
export async function given() {
  const t = await sequelize.transaction(); // ok: transaction-without-rollback
  return t;
}
export async function trx() {
  const trx = await db.transaction();
  //                ^^^^^^^^^^^^^^ transaction-without-rollback
  await trx('a').insert({});
  await trx.commit();
}
export async function runner(source: DataSource) {
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  //    ^^^^^^^^^^^^^^^^^^^^^^^ transaction-without-rollback
  try {
    await runner.query('DELETE FROM a WHERE b = 1');
    await runner.commitTransaction();
  } finally {
    await runner.release();
  }
}
export async function session() {
  const session = await mongoose.startSession();
  session.startTransaction(); // ok: transaction-without-rollback
  try {
    await session.commitTransaction();
  } finally {
    await session.endSession();
  }
}
export async function mysqlBoth() {
  const connection = await pool.getConnection();
  await connection.beginTransaction(); // ok: transaction-without-rollback
  try {
    await connection.query('DELETE FROM a WHERE b = 1');
    await connection.commit();
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}
