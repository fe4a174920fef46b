//- /src/orders.ts
import express from 'express';
import http from 'node:http';
import { Pool } from 'pg';
import Redis from 'ioredis';
import { Redis as Upstash } from '@upstash/redis';
import { Queue } from 'bullmq';
import { PrismaClient } from '@prisma/client';
import { drizzle } from 'drizzle-orm/node-postgres';
import { makePool, sharedPool, openOnce } from './pools';
const app = express();
const ready = new Pool();
let later: Pool | undefined;
const pools = new Map<string, Pool>();

app.get('/a', async (req, res) => {
  const pool = new Pool({ max: 5 });
  //               ^^^^ client-per-request: GET /a runs `new Pool` on every call and never closes what it makes: each call leaves its connections open.
  res.json(await pool.query('SELECT 1'));
});
app.get('/b', async (req, res) => {
  const redis = new Redis('redis://cache');
  //                ^^^^^ client-per-request: GET /b runs `new Redis` on every call and never closes what it makes: each call leaves its connections open.
  res.json(await redis.get('x'));
});
app.get('/c', async (req, res) => {
  await new Queue('mail').add('send', req.body);
  //        ^^^^^ client-per-request: GET /c runs `new Queue` on every call and never closes what it makes: each call leaves its connections open.
  res.sendStatus(202);
});
app.get('/d', async (req, res) => {
  const prisma = new PrismaClient();
  //                 ^^^^^^^^^^^^ client-per-request: GET /d runs `new PrismaClient` on every call and never closes what it makes: each call leaves its connections open.
  res.json(await prisma.order.findMany({ take: 10 }));
});
app.get('/e', async (req, res) => {
  const agent = new http.Agent({ keepAlive: true });
  //                ^^^^^^^^^^ client-per-request: GET /e runs `new http.Agent` on every call and never closes what it makes: each call leaves its connections open.
  http.get('http://stock', { agent }, () => res.end());
  const plain = new http.Agent({}); // ok: client-per-request
  http.get('http://stock', { agent: plain }, () => res.end());
});
app.get('/f', async (req, res) => {
  const db = drizzle(new Pool()); // ok: client-per-request
  const pool = new Pool();
  //               ^^^^ client-per-request: GET /f runs `new Pool` on every call and never closes what it makes: each call leaves its connections open.
  const orm = drizzle(pool);
  res.json([db, await orm.execute('SELECT 1')]);
});
app.get('/g', async (req, res) => {
  const pool = makePool();
  res.json(await pool.query('SELECT 1'));
});

// Made once, closed again, kept for the next call, or given to somebody who owns it.
app.get('/h', async (req, res) => {
  res.json(await ready.query('SELECT 1'));
});
app.get('/i', async (req, res) => {
  const pool = new Pool({ connectionString: String(req.query.url) }); // ok: client-per-request
  try {
    res.json(await pool.query('SELECT 1'));
  } finally {
    await pool.end();
  }
});
app.get('/j', async (req, res) => {
  later ??= new Pool(); // ok: client-per-request
  if (!later) later = new Pool(); // ok: client-per-request
  res.json(await later.query('SELECT 1'));
});
app.get('/k', async (req, res) => {
  let pool = pools.get(String(req.query.shop));
  if (!pool) pools.set('x', (pool = new Pool())); // ok: client-per-request
  const other = new Pool(); // ok: client-per-request
  pools.set('y', other);
  res.json(await pool.query('SELECT 1'));
});
app.get('/l', async (req, res) => {
  const redis = new Upstash({ url: 'https://x', token: 'y' }); // ok: client-per-request
  res.json(await redis.get('x'));
});
app.get('/m', async (req, res) => {
  res.json(await sharedPool().query('SELECT 1'));
});
app.get('/n', async (req, res) => {
  const pool = await openOnce();
  res.json(await pool.query('SELECT 1'));
});
export async function connect() {
  const pool = new Pool(); // ok: client-per-request
  return pool.query('SELECT 1');
}
export class Store {
  private readonly pool: Pool;
  constructor() {
    this.pool = new Pool(); // ok: client-per-request
  }
}
//- /src/pools.ts
import { Pool } from 'pg';
import memoize from 'lodash/memoize';
let pool: Pool | undefined;
export function makePool() {
  return new Pool({ max: 2 });
  //         ^^^^ client-per-request: GET /g runs `new Pool` on every call and never closes what it makes: each call leaves its connections open.
}
export function sharedPool() {
  if (!pool) pool = new Pool(); // ok: client-per-request
  return pool;
}
export const openOnce = memoize(async () => new Pool()); // ok: client-per-request
//- /src/lambda.ts
import { Pool } from 'pg';
export const handler = async () => {
  const pool = new Pool(); // ok: client-per-request
  return pool.query('SELECT 1');
};
