//- /src/locks.ts
import Redis from 'ioredis';
import { createClient } from 'redis';
const redis = new Redis();
const client = createClient();
const LOCK_KEY = 'sync:lock';
declare const token: string;

// ---- no expiry

export async function plainNx(run: () => Promise<void>) {
  const got = await redis.set('lock:sync', token, 'NX');
  //                ^^^^^^^^^ lease-without-expiry: When the holder of the lock `'lock:sync'` is killed, the key stays: `redis.set` gives it no expiry, and nobody gets the lock again.
  if (got === 'OK') await run();
}
export async function objectNx(id: string) {
  return client.set(`lock:${id}`, token, { NX: true });
  //     ^^^^^^^^^^ lease-without-expiry: When the holder of the lock ``lock:${id}`` is killed, the key stays: `client.set` gives it no expiry, and nobody gets the lock again.
}
export async function setnxThenExpire(id: string) {
  const lockKey = `sync:${id}:lock`;
  if (await redis.setnx(lockKey, token)) {
  //        ^^^^^^^^^^^ lease-without-expiry: When the process ends between `redis.setnx` and `redis.expire`, the lock `lockKey` has no expiry and nobody gets it again.
    await redis.expire(lockKey, 30);
    return true;
  }
  return false;
}
export async function setnxAlone() {
  return client.setNX('leader', token);
  //     ^^^^^^^^^^^^ lease-without-expiry
}
export async function acquireLock(key: string) {
  return redis.set(key, token, 'NX');
  //     ^^^^^^^^^ lease-without-expiry
}
export async function withExpiry() {
  return redis.set('lock:sync', token, 'PX', 30000, 'NX'); // ok: lease-without-expiry
}
export async function withExpiryObject() {
  return client.set('lock:sync', token, { NX: true, EX: 30 }); // ok: lease-without-expiry
}
export async function withExpiration() {
  return client.set('lock:sync', token, { condition: 'NX', expiration: { type: 'EX', value: 30 } }); // ok: lease-without-expiry
}
export async function expiryHandedIn(options: { NX: true; PX: number }) {
  return client.set('lock:sync', token, options); // ok: lease-without-expiry
}
export async function expirySpread(ttl: { EX?: number }) {
  return client.set('lock:sync', token, { NX: true, ...ttl }); // ok: lease-without-expiry
}
export async function wordsHandedIn(mode: 'PX', ms: number) {
  return redis.set('lock:sync', token, mode, ms, 'NX'); // ok: lease-without-expiry
}
export async function mark(eventId: string) {
  return redis.set(`seen:${eventId}`, '1', 'NX'); // ok: lease-without-expiry
}
export async function cooldown(user: string) {
  return redis.setnx(`cooldown-lock:${user}`, '1'); // ok: lease-without-expiry
}
export async function blockList(user: string) {
  return redis.setnx(`blocked:${user}`, '1'); // ok: lease-without-expiry
}
export async function overwrite() {
  return redis.set('lock:sync', token); // ok: lease-without-expiry
}
export async function queued() {
  return redis.multi().setnx('lock:sync', token).expire('lock:sync', 30).exec(); // ok: lease-without-expiry
}
const map = new Map<string, string>();
export function local() {
  map.set('lock', token); // ok: lease-without-expiry
}

// ---- deleted blindly

export async function blindFinally(run: () => Promise<void>) {
  if ((await redis.set('lock:report', '1', 'EX', 60, 'NX')) !== 'OK') return;
  try {
    await run();
  } finally {
    await redis.del('lock:report');
    //    ^^^^^^^^^ lease-without-expiry
  }
}
export async function take() {
  return client.set(LOCK_KEY, '1', { NX: true, PX: 5000 });
}
export async function giveBack() {
  await client.del(LOCK_KEY);
  //    ^^^^^^^^^^ lease-without-expiry
}
export class Turn {
  private readonly lockKey = 'turn:lock';
  async take() {
    return redis.set(this.lockKey, '1', 'PX', 5000, 'NX');
  }
  async free() {
    await redis.unlink(this.lockKey);
    //    ^^^^^^^^^^^^ lease-without-expiry
  }
}
export async function compared(holder: string, run: () => Promise<void>) {
  if ((await redis.set('lock:a', holder, 'EX', 60, 'NX')) !== 'OK') return;
  try {
    await run();
  } finally {
    if ((await redis.get('lock:a')) === holder) await redis.del('lock:a'); // ok: lease-without-expiry
  }
}
export async function scripted(holder: string, run: () => Promise<void>) {
  if ((await redis.set('lock:b', holder, 'EX', 60, 'NX')) !== 'OK') return;
  await run();
  await redis.eval('return 1', 1, 'lock:b', holder);
  await redis.del('lock:b:info'); // ok: lease-without-expiry
}
export async function keptAlive(holder: string, run: () => Promise<void>) {
  if ((await redis.set('lock:c', holder, 'EX', 60, 'NX')) !== 'OK') return;
  const timer = setInterval(() => void redis.expire('lock:c', 60), 20000);
  await run();
  clearInterval(timer);
  await redis.del('lock:c'); // ok: lease-without-expiry
}
export async function otherKey(id: string) {
  await redis.set('lock:d', '1', 'EX', 60, 'NX');
  await redis.del(`cache:${id}`); // ok: lease-without-expiry
}
export async function sameNameOtherScope(key: string) {
  await redis.del(key); // ok: lease-without-expiry
}
//- /src/route.ts
import Redis from 'ioredis';
const redis = new Redis();
export const maxDuration = 60;
export async function GET() {
  if ((await redis.set('lock:cron', '1', 'EX', 60, 'NX')) !== 'OK') return new Response(null);
  await fetch('https://partner.example.com/pull', { method: 'POST', signal: AbortSignal.timeout(5000) });
  await redis.del('lock:cron'); // ok: lease-without-expiry
  return new Response(null);
}
//- /src/short.ts
import Redis from 'ioredis';
const redis = new Redis();
export const maxDuration = 300;
export async function GET() {
  if ((await redis.set('lock:cron', '1', 'EX', 60, 'NX')) !== 'OK') return new Response(null);
  await fetch('https://partner.example.com/pull', { method: 'POST', signal: AbortSignal.timeout(5000) });
  await redis.del('lock:cron');
  //    ^^^^^^^^^ lease-without-expiry
  return new Response(null);
}
