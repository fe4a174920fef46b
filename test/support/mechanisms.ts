/** Mechanisms with two tests each: one that watches it, and one that would pass without it. */

export interface MechanismSample {
  readonly name: string;
  /** Exports `unit`. */
  readonly source: string;
  readonly rule?: string;
  readonly at?: string;
  readonly how: string;
  /** Bodies of tests; `unit`, `assert` and what the source exports are in scope as `m`. */
  readonly watches: string;
  readonly decorates: string;
}

/** Packages that the samples use, as far as they use them; installed, so never part of the project's own code. */
export const PACKAGES: Readonly<Record<string, string>> = {
  stripe: `export default class Stripe {
  constructor() {
    const seen = new Map();
    this.charges = 0;
    this.paymentIntents = { create: async (params, { idempotencyKey } = {}) => {
      if (idempotencyKey && seen.has(idempotencyKey)) return seen.get(idempotencyKey);
      const made = { id: ++this.charges, ...params };
      seen.set(idempotencyKey, made);
      return made;
    } };
  }
}
`,
  '@prisma/client': `export class PrismaClient {
  rows = { order: [], ledger: [], user: [] };
  constructor() {
    for (const name of Object.keys(this.rows)) this[name] = {
      create: async ({ data }) => {
        if (data.fails) throw new Error('refused');
        if (this.rows[name].some((row) => row.email !== undefined && row.email === data.email)) throw new Error('P2002');
        this.rows[name].push(data);
        return data;
      },
      upsert: async ({ where, create, update }) => {
        const found = this.rows[name].find((row) => row.email === where.email);
        if (!found) this.rows[name].push(create);
        return Object.assign(found ?? create, update);
      },
      findMany: async ({ take = Infinity } = {}) => this.rows[name].slice(0, take),
    };
  }
  async $transaction(work) {
    const before = structuredClone(this.rows);
    try { return await work(this); } catch (error) { Object.assign(this.rows, before); throw error; }
  }
}
`,
  pg: `export class Pool {
  open = 0;
  done = [];
  async connect() {
    this.open++;
    let kept = null;
    return {
      query: async (text) => {
        if (/^BEGIN/.test(text)) kept = [...this.done];
        else if (/^ROLLBACK/.test(text)) this.done = kept ?? this.done;
        else if (/refused/.test(text)) throw new Error('refused');
        else if (!/^COMMIT/.test(text)) this.done.push(text);
        return { rows: [] };
      },
      release: () => { this.open--; },
    };
  }
}
`,
  'p-limit': `export default function pLimit(most) {
  let running = 0;
  const waiting = [];
  return async (work) => {
    while (running >= most) await new Promise((ok) => waiting.push(ok));
    running++;
    try { return await work(); } finally { running--; waiting.shift()?.(); }
  };
}
`,
};

const tick = 'const tick = () => new Promise((ok) => setTimeout(ok, 5));\n';
const late = "new Promise((ok) => setTimeout(ok, 250, 'still waiting'))";

export const MECHANISMS: readonly MechanismSample[] = [
  {
    name: 'signal',
    rule: 'call-without-timeout',
    at: 'fetch',
    how: 'ends after 60 ms, by its abort signal',
    source: `export async function unit(url) {
  const res = await fetch(url, { method: 'GET', signal: AbortSignal.timeout(60) });
  return res.text();
}
`,
    watches: `await serving(() => {}, async (url) => {
    const call = m.unit(url).then(() => 'answered', () => 'gave up');
    assert.equal(await Promise.race([call, ${late}]), 'gave up');
  });`,
    decorates: `await serving((_, res) => res.end('a'), async (url) => assert.equal(await m.unit(url), 'a'));`,
  },
  {
    name: 'race',
    at: 'work',
    how: 'raced against a timer, so that it ends in time',
    source: `const timer = () => new Promise((_, no) => setTimeout(no, 60, new Error('late')));
export async function unit(work) {
  return await Promise.race([work(), timer()]);
}
`,
    watches: `const call = m.unit(() => new Promise(() => {})).catch((error) => error.message);
  assert.equal(await Promise.race([call, ${late}]), 'late');`,
    decorates: `assert.equal(await m.unit(async () => 1), 1);`,
  },
  {
    name: 'wrapper',
    rule: 'call-without-timeout',
    at: 'fetch',
    how: 'bounded by withTimeout',
    source: `function withTimeout(promise, ms) {
  return Promise.race([promise, new Promise((_, no) => setTimeout(no, ms, new Error('late')))]);
}
export async function unit(url) {
  const res = await withTimeout(fetch(url), 60);
  return res.status;
}
`,
    watches: `await serving(() => {}, async (url) => {
    const call = m.unit(url).catch((error) => error.message);
    assert.equal(await Promise.race([call, ${late}]), 'late');
  });`,
    decorates: `await serving((_, res) => res.end('a'), async (url) => assert.equal(await m.unit(url), 200));`,
  },
  {
    name: 'status',
    rule: 'unchecked-response-status',
    at: 'fetch',
    how: 'an answer that is not ok is an error',
    source: `export async function unit(url) {
  const res = await fetch(url);
  if (!res.ok) throw new Error('answered ' + res.status);
  return res.text();
}
`,
    watches: `await serving((_, res) => res.writeHead(500).end('a'), (url) => assert.rejects(m.unit(url), /answered 500/));`,
    decorates: `await serving((_, res) => res.end('a'), async (url) => assert.equal(await m.unit(url), 'a'));`,
  },
  {
    name: 'idempotency-key',
    rule: 'effect-without-idempotency-key',
    at: 'stripe.paymentIntents.create',
    how: 'idempotency key order.id',
    source: `import Stripe from 'stripe';
export const stripe = new Stripe('sk');
export async function unit(order) {
  return stripe.paymentIntents.create({ amount: order.amount, currency: 'eur' }, { idempotencyKey: order.id });
}
`,
    watches: `await m.unit({ id: 'a', amount: 1 });
  await m.unit({ id: 'a', amount: 1 });
  assert.equal(m.stripe.charges, 1);`,
    decorates: `assert.equal((await m.unit({ id: 'b', amount: 3 })).amount, 3);`,
  },
  {
    name: 'idempotency-header',
    rule: 'retry-of-unsafe-effect',
    at: 'fetch',
    how: 'keyed by the header Idempotency-Key',
    source: `export async function unit(url, order) {
  const res = await fetch(url, { method: 'POST', headers: { accept: 'text/plain', 'Idempotency-Key': order } });
  return res.text();
}
`,
    watches: `await serving((req, res) => res.end(req.headers['idempotency-key'] ?? 'none'), async (url) => {
    assert.equal(await m.unit(url, 'o1'), 'o1');
  });`,
    decorates: `await serving((_, res) => res.end('a'), async (url) => assert.equal(await m.unit(url, 'o1'), 'a'));`,
  },
  {
    name: 'transaction',
    rule: 'writes-without-transaction',
    at: 'tx.order.create',
    how: 'one transaction',
    source: `import { PrismaClient } from '@prisma/client';
export const prisma = new PrismaClient();
export async function unit(id, fails) {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { id } });
    await tx.ledger.create({ data: { id, fails } });
  });
}
`,
    watches: `await m.unit('a', true).catch(() => {});
  assert.equal(m.prisma.rows.order.length, 0);`,
    decorates: `await m.unit('b', false);
  assert.equal(m.prisma.rows.ledger.at(-1).id, 'b');`,
  },
  {
    name: 'begin-commit',
    rule: 'writes-without-transaction',
    at: 'client.query#2',
    how: 'BEGIN and COMMIT around both writes, rolled back on error',
    source: `import { Pool } from 'pg';
export const pool = new Pool();
export async function unit(id) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(\`INSERT INTO orders (id) VALUES ('\${id}')\`);
    await client.query(\`INSERT INTO ledger (id) VALUES ('\${id}')\`);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
`,
    watches: `const bad = "x" + "'); refused";
  m.pool.done.length = 0;
  const connect = m.pool.connect.bind(m.pool);
  m.pool.connect = async () => {
    const client = await connect();
    const query = client.query;
    let calls = 0;
    return { ...client, query: (text) => query(/ledger/.test(text) ? 'refused' : text, ++calls) };
  };
  await m.unit('a').catch(() => {});
  m.pool.connect = connect;
  assert.deepEqual(m.pool.done, [], bad);`,
    decorates: `m.pool.done.length = 0;
  await m.unit('b');
  assert.equal(m.pool.done.length, 2);`,
  },
  {
    name: 'claim',
    rule: 'redelivery-without-dedup',
    at: 'store.claim',
    how: 'the event is claimed once',
    source: `export async function unit(store, event) {
  const fresh = await store.claim(event.id);
  if (!fresh) return 'seen';
  await store.fulfil(event.id);
  return 'done';
}
`,
    watches: `const store = { seen: new Set(), done: 0, claim: async (id) => !store.seen.has(id) && !!store.seen.add(id), fulfil: async () => void store.done++ };
  await m.unit(store, { id: 1 });
  await m.unit(store, { id: 1 });
  assert.equal(store.done, 1);`,
    decorates: `const store = { claim: async () => true, fulfil: async () => {} };
  assert.equal(await m.unit(store, { id: 1 }), 'done');`,
  },
  {
    name: 'unique-claim',
    at: 'store.insert',
    how: 'unique(event_id): the second delivery stops there',
    source: `export async function unit(store, event) {
  try {
    await store.insert(event.id);
  } catch {
    return 'seen';
  }
  await store.fulfil(event.id);
  return 'done';
}
`,
    watches: `const store = { seen: new Set(), done: 0, fulfil: async () => void store.done++, insert: async (id) => {
    if (store.seen.has(id)) throw new Error('duplicate');
    store.seen.add(id);
  } };
  await m.unit(store, { id: 1 });
  await m.unit(store, { id: 1 });
  assert.equal(store.done, 1);`,
    decorates: `const store = { insert: async () => {}, fulfil: async () => {} };
  assert.equal(await m.unit(store, { id: 1 }), 'done');`,
  },
  {
    name: 'upsert',
    rule: 'check-then-write',
    at: 'prisma.user.upsert',
    how: 'one statement that inserts or updates',
    source: `import { PrismaClient } from '@prisma/client';
export const prisma = new PrismaClient();
export async function unit(email) {
  return prisma.user.upsert({ where: { email }, create: { email }, update: { seen: true } });
}
`,
    watches: `await m.unit('a@b');
  await assert.doesNotReject(m.unit('a@b'));`,
    decorates: `assert.equal((await m.unit('c@d')).email, 'c@d');`,
  },
  {
    name: 'limiter',
    rule: 'unbounded-concurrency',
    at: 'limit',
    how: 'limited by limit',
    source: `import pLimit from 'p-limit';
const limit = pLimit(2);
export async function unit(items, work) {
  return Promise.all(items.map((item) => limit(() => work(item))));
}
`,
    watches: `${tick}let now = 0, most = 0;
  await m.unit([1, 2, 3, 4, 5], async () => { most = Math.max(most, ++now); await tick(); now--; });
  assert.equal(most, 2);`,
    decorates: `assert.deepEqual(await m.unit([1, 2], async (n) => n * 2), [2, 4]);`,
  },
  {
    name: 'batches',
    rule: 'unbounded-concurrency',
    at: 'work',
    how: 'in batches of two',
    source: `function* chunk(items, size) {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
export async function unit(items, work) {
  for (const batch of chunk(items, 2)) await Promise.all(batch.map((item) => work(item)));
}
`,
    watches: `${tick}let now = 0, most = 0;
  await m.unit([1, 2, 3, 4, 5], async () => { most = Math.max(most, ++now); await tick(); now--; });
  assert.equal(most, 2);`,
    decorates: `let sum = 0;
  await m.unit([1, 2, 3], async (n) => void (sum += n));
  assert.equal(sum, 6);`,
  },
  {
    name: 'parse',
    rule: 'unguarded-parse',
    at: 'JSON.parse',
    how: 'a malformed body is answered 400',
    source: `export async function unit(body) {
  try {
    return { status: 200, data: JSON.parse(body) };
  } catch {
    return { status: 400 };
  }
}
`,
    watches: `const status = await m.unit('{').then((r) => r.status, () => 'threw');
  assert.equal(status, 400);`,
    decorates: `assert.equal((await m.unit('1')).data, 1);`,
  },
  {
    name: 'signature',
    rule: 'unverified-webhook',
    how: 'the signature is verified first',
    source: `import { createHmac } from 'node:crypto';
const sign = (body) => createHmac('sha256', 'k').update(body).digest('hex');
function verifySignature(body, given) {
  return sign(body) === given;
}
export async function unit(body, given) {
  if (!verifySignature(body, given)) return { status: 401 };
  return { status: 200, id: JSON.parse(body).id };
}
`,
    watches: `assert.equal((await m.unit('{"id":1}', 'forged')).status, 401);`,
    decorates: `const { createHmac } = await import('node:crypto');
  const signed = createHmac('sha256', 'k').update('{"id":1}').digest('hex');
  assert.equal((await m.unit('{"id":1}', signed)).id, 1);`,
  },
  {
    name: 'constant-time',
    rule: 'timing-unsafe-compare',
    at: 'crypto.timingSafeEqual',
    how: 'compared in constant time',
    source: `import crypto from 'node:crypto';
export async function unit(a, b) {
  return a.length === b.length && crypto.timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
`,
    watches: `const { default: crypto } = await import('node:crypto');
  const real = crypto.timingSafeEqual;
  let calls = 0;
  crypto.timingSafeEqual = (...args) => { calls++; return real(...args); };
  await m.unit('a', 'b');
  crypto.timingSafeEqual = real;
  assert.equal(calls, 1);`,
    decorates: `assert.equal(await m.unit('a', 'b'), false);`,
  },
  {
    name: 'order',
    rule: 'locks-in-argument-order',
    at: 'lock',
    how: 'locks are taken in the order of ids',
    source: `export async function unit(from, to, lock) {
  const ids = [from, to].sort();
  for (const id of ids) await lock(id);
  return ids.length;
}
`,
    watches: `const taken = [];
  await m.unit('b', 'a', async (id) => void taken.push(id));
  assert.deepEqual(taken, ['a', 'b']);`,
    decorates: `assert.equal(await m.unit('b', 'a', async () => {}), 2);`,
  },
  {
    name: 'mutex',
    rule: 'read-modify-write',
    at: 'account.write',
    how: 'one at a time, under a mutex',
    source: `let last = Promise.resolve();
function withLock(work) {
  const run = last.then(work);
  last = run.catch(() => {});
  return run;
}
export async function unit(account, amount) {
  await withLock(async () => {
    const balance = await account.read();
    await account.write(balance + amount);
  });
}
`,
    watches: `${tick}let balance = 0;
  const account = { read: async () => { const b = balance; await tick(); return b; }, write: async (b) => { await tick(); balance = b; } };
  await Promise.all([m.unit(account, 1), m.unit(account, 1)]);
  assert.equal(balance, 2);`,
    decorates: `let balance = 0;
  await m.unit({ read: async () => balance, write: async (b) => void (balance = b) }, 5);
  assert.equal(balance, 5);`,
  },
  {
    name: 'release',
    rule: 'unreleased-connection',
    at: 'pool.connect',
    how: 'released in finally',
    source: `import { Pool } from 'pg';
export const pool = new Pool();
export async function unit(text) {
  const client = await pool.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    client.release();
  }
}
`,
    watches: `await m.unit('refused').catch(() => {});
  assert.equal(m.pool.open, 0);`,
    decorates: `assert.deepEqual(await m.unit('SELECT 1'), []);`,
  },
  {
    name: 'row-limit',
    rule: 'unbounded-query',
    at: 'prisma.user.findMany',
    how: 'at most two rows',
    source: `import { PrismaClient } from '@prisma/client';
export const prisma = new PrismaClient();
export async function unit() {
  return prisma.user.findMany({ orderBy: { id: 'asc' }, take: 2 });
}
`,
    watches: `m.prisma.rows.user = [{}, {}, {}];
  assert.equal((await m.unit()).length, 2);`,
    decorates: `m.prisma.rows.user = [{ id: 1 }];
  assert.equal((await m.unit())[0].id, 1);`,
  },
  {
    name: 'listener',
    at: 'emitter.emit',
    how: 'a listener for its error event',
    source: `import { EventEmitter } from 'node:events';
export async function unit(told) {
  const emitter = new EventEmitter();
  emitter.on('error', (error) => told.push(error.message));
  emitter.emit('error', new Error('reset'));
  return told.length;
}
`,
    watches: `const told = [];
  await m.unit(told).catch(() => {});
  assert.deepEqual(told, ['reset']);`,
    decorates: `assert.equal(typeof m.unit, 'function');`,
  },
  {
    name: 'backoff',
    rule: 'retry-without-backoff',
    at: 'work',
    how: 'waits between attempts',
    source: `export async function unit(work, sleep) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 2) throw error;
      await sleep(10 * 2 ** attempt);
    }
  }
}
`,
    watches: `const waits = [];
  await m.unit(async () => { throw new Error('x'); }, async (ms) => void waits.push(ms)).catch(() => {});
  assert.deepEqual(waits, [10, 20]);`,
    decorates: `let calls = 0;
  assert.equal(await m.unit(async () => { if (++calls < 2) throw new Error('x'); return 7; }, async () => {}), 7);`,
  },
  {
    name: 'rethrow',
    rule: 'swallowed-error',
    at: 'store.save',
    how: 'the error is thrown on',
    source: `export async function unit(store, log) {
  try {
    await store.save();
  } catch (error) {
    log(error.message);
    throw error;
  }
}
`,
    watches: `await assert.rejects(m.unit({ save: async () => { throw new Error('full'); } }, () => {}), /full/);`,
    decorates: `let said = '';
  await m.unit({ save: async () => { throw new Error('full'); } }, (text) => (said = text)).catch(() => {});
  assert.equal(said, 'full');`,
  },
  {
    name: 'cause',
    rule: 'dropped-cause',
    at: 'store.save',
    how: 'the cause is kept',
    source: `export async function unit(store) {
  try {
    await store.save();
  } catch (error) {
    throw new Error('not saved', { cause: error });
  }
}
`,
    watches: `const error = await m.unit({ save: async () => { throw new Error('full'); } }).catch((e) => e);
  assert.equal(error.cause?.message, 'full');`,
    decorates: `await assert.rejects(m.unit({ save: async () => { throw new Error('full'); } }), /not saved/);`,
  },
  {
    name: 'guard',
    at: 'amount <= 0',
    how: 'refused by a guard',
    source: `export async function unit(amount, charge) {
  if (amount <= 0) throw new RangeError('nothing to charge');
  return charge(amount);
}
`,
    watches: `await assert.rejects(m.unit(-1, async () => 1), /nothing to charge/);`,
    decorates: `assert.equal(await m.unit(2, async (n) => n), 2);`,
  },
  {
    name: 'clock',
    rule: 'wall-clock-duration',
    at: 'work',
    how: 'measured by performance.now, which never goes back',
    source: `export async function unit(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
`,
    watches: `const real = Date.now;
  const ms = await m.unit(async () => { Date.now = () => 0; });
  Date.now = real;
  assert.ok(ms >= 0);`,
    decorates: `assert.equal(typeof (await m.unit(async () => {})), 'number');`,
  },
];
