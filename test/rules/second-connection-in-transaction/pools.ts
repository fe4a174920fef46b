import { Pool } from 'pg';
import mysql from 'mysql2/promise';
import { PrismaClient } from '@prisma/client';
const pool = new Pool({ max: 5 });
const audits = new Pool({ max: 5 });
const my = mysql.createPool({ host: 'db' });
const prisma = new PrismaClient();

export async function queryBeside(id: string) {
  const client = await pool.connect();
  try {
    await client.query('SELECT 1');
    await pool.query('SELECT * FROM boards WHERE id = $1', [id]);
    //    ^^^^^^^^^^ second-connection-in-transaction: `pool.query` asks the pool for a second connection while `client` holds one: as many of these at once as the pool has connections, and each waits for one that only the others could give back.
  } finally {
    client.release();
  }
}
export async function secondCheckout() {
  const a = await pool.connect();
  const b = await pool.connect();
  //              ^^^^^^^^^^^^ second-connection-in-transaction: `pool.connect` asks the pool for a second connection while `a` holds one: as many of these at once as the pool has connections, and each waits for one that only the others could give back.
  b.release();
  a.release();
}
async function find(id: string) {
  return pool.query('SELECT * FROM boards WHERE id = $1', [id]);
}
export async function queryBehind(id: string) {
  const client = await pool.connect();
  try {
    await find(id);
    //    ^^^^ second-connection-in-transaction: `find` (`pool.query` in it) asks the pool for a second connection while `client` holds one: as many of these at once as the pool has connections, and each waits for one that only the others could give back.
    await client.query('SELECT 1');
  } finally {
    client.release();
  }
}
export async function mysqlBeside(id: string) {
  const connection = await my.getConnection();
  try {
    await my.query('SELECT * FROM boards WHERE id = ?', [id]);
    //    ^^^^^^^^ second-connection-in-transaction
  } finally {
    connection.release();
  }
}
export async function nestedTransaction(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.board.findFirst({ where: { id } });
    await prisma.$transaction(async (inner) => {
    //    ^^^^^^^^^^^^^^^^^^^ second-connection-in-transaction
      await inner.line.deleteMany({ where: { boardId: id } });
    });
  });
}
async function clear(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.line.deleteMany({ where: { boardId: id } });
  });
}
export async function nestedBehind(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.board.findFirst({ where: { id } });
    await clear(id);
    //    ^^^^^ second-connection-in-transaction
  });
}

// ---- one at a time

export async function throughHeld(id: string) {
  const client = await pool.connect();
  try {
    await client.query('SELECT * FROM boards WHERE id = $1', [id]); // ok: second-connection-in-transaction
  } finally {
    client.release();
  }
}
export async function beforehand(id: string) {
  await pool.query('SELECT * FROM boards WHERE id = $1', [id]); // ok: second-connection-in-transaction
  const client = await pool.connect();
  try {
    await client.query('SELECT 1');
  } finally {
    client.release();
  }
}
export async function afterRelease(id: string) {
  const client = await pool.connect();
  await client.query('SELECT 1');
  client.release();
  await pool.query('SELECT * FROM boards WHERE id = $1', [id]); // ok: second-connection-in-transaction
}
export async function afterFinally(id: string) {
  const client = await pool.connect();
  try {
    await client.query('SELECT 1');
  } finally {
    client.release();
  }
  await pool.query('SELECT * FROM boards WHERE id = $1', [id]); // ok: second-connection-in-transaction
}
export async function otherPool(id: string) {
  const client = await pool.connect();
  try {
    await audits.query('INSERT INTO audits (id) VALUES ($1)', [id]); // ok: second-connection-in-transaction
    await client.query('SELECT 1');
  } finally {
    client.release();
  }
}
export async function notWaitedFor(id: string) {
  const client = await pool.connect();
  try {
    void pool.query('SELECT * FROM boards WHERE id = $1', [id]); // ok: second-connection-in-transaction
    await client.query('SELECT 1');
  } finally {
    client.release();
  }
}
export async function later(id: string) {
  const client = await pool.connect();
  try {
    setTimeout(async () => {
      await pool.query('SELECT * FROM boards WHERE id = $1', [id]); // ok: second-connection-in-transaction
    }, 1000);
    await client.query('SELECT 1');
  } finally {
    client.release();
  }
}
export async function savepoint(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.board.findFirst({ where: { id } }); // ok: second-connection-in-transaction
  });
  await prisma.$transaction(async (tx) => { // ok: second-connection-in-transaction
    await tx.board.findFirst({ where: { id } });
  });
}
async function clearIn(id: string, db: unknown) {
  void db;
  await prisma.$transaction(async (tx) => {
    await tx.line.deleteMany({ where: { boardId: id } });
  });
}
export async function handedOn(id: string) {
  await prisma.$transaction(async (tx) => {
    await clearIn(id, tx); // ok: second-connection-in-transaction
  });
}
export async function inOtherBranch(id: string, simple: boolean) {
  if (simple) return pool.query('SELECT * FROM boards WHERE id = $1', [id]); // ok: second-connection-in-transaction
  const client = await pool.connect();
  try {
    return await client.query('SELECT 1');
  } finally {
    client.release();
  }
}
class Pools {
  connect() {
    return { release() {} };
  }
  query(text: string) {
    return text;
  }
}
const fake = new Pools();
export function noPool() {
  const c = fake.connect();
  fake.query('SELECT 1'); // ok: second-connection-in-transaction
  c.release();
}
