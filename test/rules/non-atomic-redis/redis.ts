import Redis from 'ioredis';
import { createClient } from 'redis';
const redis = new Redis();
const client = createClient();

export async function limit(ip: string) {
  const n = await redis.incr(`hits:${ip}`);
  //              ^^^^^^^^^^ non-atomic-redis: When the process ends or the connection breaks between `redis.incr` and `redis.expire`, the key stays for ever: the count never starts anew.
  if (n === 1) await redis.expire(`hits:${ip}`, 60);
  return n < 100;
}
export async function claim(key: string) {
  const got = await redis.setnx(key, '1');
  //                ^^^^^^^^^^^ non-atomic-redis: When the process ends or the connection breaks between `redis.setnx` and `redis.expire`, the key stays for ever: nobody gets the claim again.
  if (got) await redis.expire(key, 60);
}
export async function camel(key: string) {
  const n = await client.incrBy(key, 2);
  //              ^^^^^^^^^^^^^ non-atomic-redis
  if (n === 2) await client.expire(key, 60);
}
export async function everyTime(key: string) {
  await client.incr(key); // ok: non-atomic-redis
  await client.expire(key, 60);
}
export async function once(id: string) {
  if (await redis.exists(id)) return;
  await redis.set(id, '1');
  //    ^^^^^^^^^ non-atomic-redis   💡 Set only when the key is free
}
export async function stamped(id: string) {
  const seen = await client.get(id);
  if (!seen) {
    await client.set(id, String(Date.now()));
    //    ^^^^^^^^^^ non-atomic-redis   💡 Set only when the key is free
  }
}

export async function together(ip: string) {
  await redis.multi().incr(`hits:${ip}`).expire(`hits:${ip}`, 60).exec(); // ok: non-atomic-redis
}
export async function oneCommand(key: string) {
  const got = await redis.set(key, '1', 'PX', 1000, 'NX'); // ok: non-atomic-redis
  return got === 'OK';
}
export async function nx(key: string) {
  if (await client.get(key)) return;
  await client.set(key, '1', { NX: true }); // ok: non-atomic-redis
}
export async function cache(key: string, load: () => Promise<string>) {
  const hit = await redis.get(key);
  if (hit) return hit;
  const value = await load();
  await redis.set(key, value); // ok: non-atomic-redis
  return value;
}
export async function otherKey(a: string, b: string) {
  await redis.incr(a); // ok: non-atomic-redis
  await redis.expire(b, 60);
}
export async function watched(key: string) {
  const n = await redis.incr(key); // ok: non-atomic-redis
  if ((await redis.ttl(key)) < 0) await redis.expire(key, 60);
  return n;
}
export async function plainCount(key: string) {
  return redis.incr(key); // ok: non-atomic-redis
}
export async function unconditional(key: string) {
  const old = await redis.get(key);
  await redis.set(key, '1'); // ok: non-atomic-redis
  return old;
}
export async function script(key: string) {
  return redis.eval('return 1', 1, key); // ok: non-atomic-redis
}
const local = new Map<string, string>();
export function memory(key: string) {
  if (!local.get(key)) local.set(key, '1'); // ok: non-atomic-redis
}
