//- /src/pg.ts
import { Client, Pool, type PoolClient } from 'pg';
const pool = new Pool();
export async function notOnError() {
  const client = await pool.connect();
  //                   ^^^^^^^^^^^^ unreleased-connection: A failure or early return leaves without `client.release()`: each time the pool has one connection less.   💡 Release in `finally`
  const { rows } = await client.query('SELECT 1');
  client.release();
  return rows;
}
export async function never() {
  const client = await pool.connect();
  //                   ^^^^^^^^^^^^ unreleased-connection: Nothing in this function calls `client.release()`: after each call the pool has one connection less.   💡 Release in `finally`
  return (await client.query('SELECT 1')).rows;
}
export async function earlyReturn(id: string) {
  const client = await pool.connect();
  //                   ^^^^^^^^^^^^ unreleased-connection
  try {
    if (!id) return null;
    const { rows } = await client.query('SELECT 1');
    client.release();
    return rows;
  } catch (error) {
    client.release();
    throw error;
  }
}
export async function onlyInTry() {
  const client = await pool.connect();
  //                   ^^^^^^^^^^^^ unreleased-connection
  try {
    await client.query('SELECT 1');
    client.release();
  } catch (error) {
    console.error(error);
  }
}
export async function beforeTry() {
  const client = await pool.connect();
  //                   ^^^^^^^^^^^^ unreleased-connection
  await client.query('BEGIN');
  try {
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
export async function inFinally() {
  const client = await pool.connect(); // ok: unreleased-connection
  try {
    return await client.query('SELECT 1');
  } finally {
    client.release();
  }
}
export async function bothWays() {
  const client = await pool.connect(); // ok: unreleased-connection
  try {
    await client.query('SELECT 1');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}
export async function assigned() {
  let client: PoolClient | undefined;
  try {
    client = await pool.connect(); // ok: unreleased-connection
    await client.query('SELECT 1');
  } finally {
    client?.release();
  }
}
export async function handedOut() {
  const client = await pool.connect(); // ok: unreleased-connection
  return client;
}
export async function inObject() {
  const client = await pool.connect(); // ok: unreleased-connection
  return { client, close: () => client.release() };
}
export class Owner {
  client: PoolClient | null = null;
  async open() {
    this.client = await pool.connect(); // ok: unreleased-connection
  }
  async keep() {
    const client = await pool.connect(); // ok: unreleased-connection
    this.client = client;
  }
}
export async function throughHelper() {
  const client = await pool.connect(); // ok: unreleased-connection
  try {
    await client.query('SELECT 1');
  } finally {
    giveBack(client);
  }
}
function giveBack(client: PoolClient) {
  client.release();
}
export async function disposed() {
  await using client = await pool.connect(); // ok: unreleased-connection
  await client.query('SELECT 1');
}
export async function handedToUnknown(register: (c: PoolClient) => void) {
  const client = await pool.connect(); // ok: unreleased-connection
  register(client);
}
export async function logsFirst() {
  const client = await pool.connect(); // ok: unreleased-connection
  console.log('connected');
  try {
    await client.query('SELECT 1');
  } finally {
    client.release();
  }
}
export async function ownClient() {
  const client = new Client();
  //                 ^^^^^^ unreleased-connection
  await client.connect();
  await client.query('SELECT 1');
  await client.end();
}
export async function callback() {
  return withClient(async (client) => client.query('SELECT 1')); // ok: unreleased-connection
}
async function withClient<T>(work: (c: PoolClient) => Promise<T>) {
  const client = await pool.connect(); // ok: unreleased-connection
  try {
    return await work(client);
  } finally {
    client.release();
  }
}
//- /src/others.ts
import mongoose from 'mongoose';
import mysql from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { PrismaClient } from '@prisma/client';
import { open } from 'node:fs/promises';
const pool = mysql.createPool({});
const User = mongoose.model('User', {} as never);
export async function session(id: string) {
  const session = await mongoose.startSession();
  //                    ^^^^^^^^^^^^^^^^^^^^^ unreleased-connection
  await session.withTransaction(async () => {
    await User.updateOne({ _id: id }, { a: 1 }, { session });
  });
}
export async function sessionEnded(id: string) {
  const session = await mongoose.startSession(); // ok: unreleased-connection
  session.startTransaction();
  try {
    await User.updateOne({ _id: id }, { a: 1 }, { session });
    await session.commitTransaction();
  } finally {
    await session.endSession();
  }
}
export async function mysqlConnection() {
  const connection = await pool.getConnection();
  //                       ^^^^^^^^^^^^^^^^^^ unreleased-connection
  await connection.execute('SELECT 1');
  connection.release();
}
export async function runner(source: DataSource) {
  const runner = source.createQueryRunner();
  //             ^^^^^^^^^^^^^^^^^^^^^^^^ unreleased-connection   💡 Release in `finally`
  await runner.query('SELECT 1');
  await runner.release();
}
export async function reused(source: DataSource, given?: ReturnType<DataSource['createQueryRunner']>) {
  let runner = given;
  if (!runner) {
    runner = source.createQueryRunner(); // ok: unreleased-connection
  }
  try {
    await runner.query('SELECT 1');
  } finally {
    if (!given) await runner.release();
  }
}
export async function file(path: string) {
  const handle = await open(path, 'r');
  //                   ^^^^ unreleased-connection: A failure or early return leaves without `handle.close()`: each time the descriptor stays open.
  const text = await handle.readFile('utf8');
  await handle.close();
  return text;
}
export async function fileClosed(path: string) {
  const handle = await open(path, 'r'); // ok: unreleased-connection
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
export async function readSettings() {
  const prisma = new PrismaClient();
  //                 ^^^^^^^^^^^^ unreleased-connection: Nothing in this function calls `prisma.$disconnect()`: after each call its connections stay open.
  return prisma.setting.findMany();
}
export async function readAndClose() {
  const prisma = new PrismaClient(); // ok: unreleased-connection
  const found = await prisma.setting.findMany();
  await prisma.$disconnect();
  return found;
}
export function makeClient() {
  const prisma = new PrismaClient(); // ok: unreleased-connection
  return prisma;
}
