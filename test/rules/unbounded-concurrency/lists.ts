import { Pool } from 'pg';
import pLimit from 'p-limit';
import pMap from 'p-map';
import { PrismaClient } from '@prisma/client';
import express from 'express';

const pool = new Pool();
const prisma = new PrismaClient();
const limit = pLimit(5);
const app = express();
const REGIONS = ['eu', 'us'];

async function notify(id: string) {
  await fetch(`https://hooks.example.com/${id}`, { method: 'POST', signal: AbortSignal.timeout(1000) });
}

export async function byParameter(ids: string[]) {
  await Promise.all(ids.map(id => notify(id)));
  //    ^^^^^^^^^^^ unbounded-concurrency: All `fetch` calls start at once, and their number is set by the caller of `byParameter`: nothing here bounds it.   💡 Limit with p-map
}

export async function byName(ids: string[]) {
  await Promise.allSettled(ids.map(notify));
  //    ^^^^^^^^^^^^^^^^^^ unbounded-concurrency
}

export async function byQuery() {
  const { rows } = await pool.query('SELECT id FROM subscribers WHERE active');
  await Promise.all(rows.map(async row => notify(row.id)));
  //    ^^^^^^^^^^^ unbounded-concurrency: All `fetch` calls start at once, and their number is set by a query on `subscribers` with no limit: nothing here bounds it.
}

export async function byOrm() {
  const orders = await prisma.order.findMany({ where: { open: true } });
  await Promise.all(orders.map(order => prisma.order.update({ where: { id: order.id }, data: { open: false } })));
  //    ^^^^^^^^^^^ unbounded-concurrency
}

export async function throughFilter(ids: string[]) {
  const wanted = [...new Set(ids)].filter(id => id !== '');
  await Promise.all(wanted.map(id => notify(id)));
  //    ^^^^^^^^^^^ unbounded-concurrency
}

export async function startedFirst(ids: string[]) {
  const started = ids.map(id => notify(id));
  await Promise.all(started);
  //    ^^^^^^^^^^^ unbounded-concurrency
}

export async function pushed(ids: string[]) {
  const started: Promise<void>[] = [];
  for (const id of ids) started.push(notify(id));
  await Promise.all(started);
  //    ^^^^^^^^^^^ unbounded-concurrency
}

app.post('/notify', async (req, res) => {
  await Promise.all(req.body.ids.map((id: string) => notify(id)));
  //    ^^^^^^^^^^^ unbounded-concurrency: All `fetch` calls start at once, and their number is set by the request: nothing here bounds it.
  res.sendStatus(204);
});

async function listFromProvider(): Promise<string[]> {
  return JSON.parse(await (await fetch('https://api.example.com/list', { signal: AbortSignal.timeout(1000) })).text());
}
export async function byCall() {
  const ids = await listFromProvider();
  await Promise.all(ids.map(id => notify(id)));
  //    ^^^^^^^^^^^ unbounded-concurrency
}

// --- bounded
export async function literal() {
  await Promise.all(['a', 'b'].map(id => notify(id))); // ok: unbounded-concurrency
}
export async function constant() {
  await Promise.all(REGIONS.map(id => notify(id))); // ok: unbounded-concurrency
}
export async function keysOfLiteral() {
  const hosts = { eu: 'a', us: 'b' };
  await Promise.all(Object.values(hosts).map(id => notify(id))); // ok: unbounded-concurrency
}
export async function listOfCalls(a: string, b: string) {
  await Promise.all([notify(a), notify(b)]); // ok: unbounded-concurrency
}
export async function sliced(ids: string[]) {
  await Promise.all(ids.slice(0, 20).map(id => notify(id))); // ok: unbounded-concurrency
}
export async function inBatches(ids: string[]) {
  for (let i = 0; i < ids.length; i += 10) {
    const part = ids.slice(i, i + 10);
    await Promise.all(part.map(id => notify(id))); // ok: unbounded-concurrency
  }
}
declare function chunk<T>(xs: T[], n: number): T[][];
export async function inChunks(ids: string[]) {
  for (const group of chunk(ids, 10)) await Promise.all(group.map(id => notify(id))); // ok: unbounded-concurrency
}
export async function limited(ids: string[]) {
  await Promise.all(ids.map(id => limit(() => notify(id)))); // ok: unbounded-concurrency
}
export async function mapped(ids: string[]) {
  await pMap(ids, id => notify(id), { concurrency: 5 }); // ok: unbounded-concurrency
}
class Gate {
  private free = 5;
  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.free === 0) await new Promise(resolve => setTimeout(resolve, 5));
    this.free--;
    try {
      return await work();
    } finally {
      this.free++;
    }
  }
}
const semaphore = new Gate();
export async function ownLimiter(ids: string[]) {
  await Promise.all(ids.map(id => semaphore.run(() => notify(id)))); // ok: unbounded-concurrency
}
export async function queryWithLimit() {
  const { rows } = await pool.query('SELECT id FROM subscribers ORDER BY id LIMIT 50');
  await Promise.all(rows.map(row => notify(row.id))); // ok: unbounded-concurrency
}
export async function ormWithTake() {
  const orders = await prisma.order.findMany({ take: 50 });
  await Promise.all(orders.map(order => notify(order.id))); // ok: unbounded-concurrency
}
export async function batchedByPrisma(ids: string[]) {
  return Promise.all(ids.map(id => prisma.order.findUnique({ where: { id } }))); // ok: unbounded-concurrency
}
export async function onOneConnection(ids: string[]) {
  await prisma.$transaction(async tx => {
    await Promise.all(ids.map(id => tx.order.update({ where: { id }, data: { open: false } }))); // ok: unbounded-concurrency
  });
}
export async function noEffect(ids: string[]) {
  return Promise.all(ids.map(async id => id.toUpperCase())); // ok: unbounded-concurrency
}
export async function fixedLength() {
  await Promise.all(Array.from({ length: 4 }, (_, i) => notify(String(i)))); // ok: unbounded-concurrency
}
async function callAll(hosts: string[]) {
  await Promise.all(hosts.map(host => notify(host))); // ok: unbounded-concurrency
}
export const callBoth = () => callAll(['a', 'b']);
