import { Mutex, Semaphore } from 'async-mutex';
import Redlock from 'redlock';
import Redis from 'ioredis';
import { Pool } from 'pg';
const mutex = new Mutex();
const other = new Mutex();
const gate = new Semaphore(2);
const redis = new Redis();
const redlock = new Redlock([redis]);
const pool = new Pool();
declare function work(): Promise<string>;
declare const stop: boolean;

export async function lost() {
  const release = await mutex.acquire();
  try {
    const value = await work();
    return value;
  } finally {
    release();
  }
}
export async function lostOnReturn() {
  const release = await mutex.acquire();
  try {
    if (stop) return null;
    return 'done';
  } finally {
    release();
  }
}
export async function lostWithoutName() {
  await mutex.acquire();
  try {
    await work();
  } finally {
    mutex.release();
  }
}
export async function lostPermit() {
  const [, release] = await gate.acquire();
  try {
    await work();
  } finally {
    release();
  }
}
export async function neverGivenBack() {
  const release = await other.acquire();
  try {
    await work();
  } finally {
    release();
  }
}
export async function lostLease(id: string) {
  const lock = await redlock.acquire([`lock:${id}`], 5000);
  try {
    await work();
  } finally {
    await lock.release();
  }
}
export async function lostAdvisory() {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [7]);
    try {
      await work();
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [7]);
    }
  } finally {
    client.release();
  }
}
async function acquireLease(key: string) {
  return (await redis.set(`lock:${key}`, '1', 'EX', 30, 'NX')) === 'OK';
}
async function releaseLease(key: string) {
  await redis.eval('return 1', 1, `lock:${key}`);
}
export async function lostHelperLease(key: string) {
  const got = await acquireLease(key);
  if (!got) return;
  try {
    await work();
  } finally {
    await releaseLease(key);
  }
}
export async function lostInCatch() {
  const release = await mutex.acquire();
  try {
    await work();
    release();
  } catch (error) {
    console.error(error);
  }
}

// ---- given back whatever happens

export async function inFinally() {
  const release = await mutex.acquire(); // ok: lock-not-released
  try {
    return await work();
  } finally {
    release();
  }
}
export async function inFinallyWithoutName() {
  await mutex.acquire(); // ok: lock-not-released
  try {
    await work();
  } finally {
    mutex.release();
  }
}
export async function acquiredInside() {
  let release: (() => void) | undefined;
  try {
    release = await mutex.acquire(); // ok: lock-not-released
    await work();
  } finally {
    release?.();
  }
}
export async function exclusive() {
  return mutex.runExclusive(() => work()); // ok: lock-not-released
}
export async function using() {
  return redlock.using(['lock:a'], 5000, async () => work()); // ok: lock-not-released
}
export async function leaseInFinally() {
  const lock = await redlock.acquire(['lock:a'], 5000); // ok: lock-not-released
  try {
    await work();
  } finally {
    await lock.release();
  }
}
export async function nothingFails() {
  const release = await mutex.acquire(); // ok: lock-not-released
  release();
}
export async function acquire() {
  return mutex.acquire(); // ok: lock-not-released
}
export async function handedOut() {
  const release = await mutex.acquire(); // ok: lock-not-released
  return release;
}
export async function handedOn(run: (release: () => void) => Promise<void>) {
  const release = await mutex.acquire(); // ok: lock-not-released
  await run(release);
}
export async function bothWays() {
  const release = await mutex.acquire(); // ok: lock-not-released
  try {
    await work();
    release();
  } catch (error) {
    release();
    throw error;
  }
}
export async function inCallback(stream: { once(event: string, fn: () => void): void }) {
  const release = await mutex.acquire(); // ok: lock-not-released
  stream.once('end', () => release());
}
export class Gate {
  private readonly own = new Mutex();
  async enter() {
    await this.own.acquire(); // ok: lock-not-released
  }
  leave() {
    this.own.release();
  }
}
export async function transactionLock() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [7]); // ok: lock-not-released
    await work();
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
export async function advisoryInFinally() {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [7]); // ok: lock-not-released
    await work();
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [7]);
    client.release();
  }
}
export async function helperInFinally(key: string) {
  if (!(await acquireLease(key))) return; // ok: lock-not-released
  try {
    await work();
  } finally {
    await releaseLease(key);
  }
}
class Door {
  acquire() {
    return () => undefined;
  }
}
const door = new Door();
export async function noLock() {
  const close = door.acquire(); // ok: lock-not-released
  await work();
  close();
}
export async function triedAndCovered(key: string) {
  const got = await acquireLease(key); // ok: lock-not-released
  if (!got) return;
  try {
    await work();
  } finally {
    await releaseLease(key);
  }
}
export async function triedAdvisory() {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS got', [7]); // ok: lock-not-released
    if (!rows[0].got) return;
    try {
      await work();
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [7]);
    }
  } finally {
    client.release();
  }
}
export async function onlyWhenGot(key: string) {
  const got = await acquireLease(key); // ok: lock-not-released
  if (got) {
    try {
      await work();
    } finally {
      await releaseLease(key);
    }
  }
}
