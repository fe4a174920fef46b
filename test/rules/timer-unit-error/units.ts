import Redis from 'ioredis';
import { createClient } from 'redis';
import { setTimeout as pause } from 'node:timers/promises';
import axios from 'axios';

const ioredis = new Redis();
const redis = createClient();
const timeoutSeconds = Number(process.env.TIMEOUT_SECONDS ?? 30);
const lockTtlMs = 30_000;
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;
interface Config {
  pollIntervalSec: number;
  cacheMinutes: number;
  cacheMs: number;
}

export function timers(config: Config, fn: () => void) {
  setTimeout(fn, timeoutSeconds);
//               ^^^^^^^^^^^^^^ timer-unit-error: `setTimeout` reads this as milliseconds and `timeoutSeconds` is in seconds: the time is 1,000 times too short.   💡 Convert seconds to milliseconds
  setInterval(fn, config.pollIntervalSec);
//                ^^^^^^^^^^^^^^^^^^^^^^ timer-unit-error
  setTimeout(fn, config.cacheMinutes * 60);
//               ^^^^^^^^^^^^^^^^^^^^^^^^ timer-unit-error
  setTimeout(fn, Math.min(timeoutSeconds, 60));
//               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ timer-unit-error
  setTimeout(fn, MONTH_MS);
//               ^^^^^^^^ timer-unit-error: This timer fires at once: 720 h is more than the 24.8 days that a timer holds, and Node takes 1 ms instead.
  setTimeout(fn, 40 * 24 * 60 * 60 * 1000);
//               ^^^^^^^^^^^^^^^^^^^^^^^^ timer-unit-error
}

export async function waits(config: Config) {
  await pause(config.pollIntervalSec);
//            ^^^^^^^^^^^^^^^^^^^^^^ timer-unit-error
  await fetch('https://rates.example.com', { signal: AbortSignal.timeout(timeoutSeconds) });
//                                                                       ^^^^^^^^^^^^^^ timer-unit-error
  await axios.get('https://rates.example.com', { timeout: timeoutSeconds });
//                                                        ^^^^^^^^^^^^^^ timer-unit-error
}

export async function lifetimes(key: string, config: Config) {
  await ioredis.set(key, '1', 'EX', lockTtlMs);
//                                  ^^^^^^^^^ timer-unit-error: `ioredis.set` reads this as seconds and `lockTtlMs` is in milliseconds: the time is 1,000 times too long.   💡 Convert milliseconds to seconds
  await ioredis.expire(key, config.cacheMs);
//                          ^^^^^^^^^^^^^^ timer-unit-error
  await redis.set(key, '1', { EX: config.cacheMs });
//                                ^^^^^^^^^^^^^^ timer-unit-error
  await ioredis.set(key, '1', 'PX', timeoutSeconds);
//                                  ^^^^^^^^^^^^^^ timer-unit-error
  await ioredis.setex(key, lockTtlMs, '1');
//                         ^^^^^^^^^ timer-unit-error
}

// ---- silent

export function rightTimers(config: Config, fn: () => void, delay: number, retries: number) {
  setTimeout(fn, timeoutSeconds * 1000); // ok: timer-unit-error
  setTimeout(fn, config.cacheMinutes * 60 * 1000); // ok: timer-unit-error
  setTimeout(fn, config.cacheMinutes * 60_000); // ok: timer-unit-error
  setTimeout(fn, lockTtlMs); // ok: timer-unit-error
  setTimeout(fn, lockTtlMs * 2); // ok: timer-unit-error
  setTimeout(fn, delay); // ok: timer-unit-error
  setTimeout(fn, retries * 100); // ok: timer-unit-error
  setTimeout(fn, 1000); // ok: timer-unit-error
  setTimeout(fn, 24 * 24 * 60 * 60 * 1000); // ok: timer-unit-error
  setTimeout(fn, timeoutSeconds * delay); // ok: timer-unit-error
  setTimeout(fn, config.cacheMs + 10); // ok: timer-unit-error
}

export async function rightLifetimes(key: string, config: Config) {
  await ioredis.set(key, '1', 'PX', lockTtlMs); // ok: timer-unit-error
  await ioredis.set(key, '1', 'EX', timeoutSeconds); // ok: timer-unit-error
  await ioredis.set(key, '1', 'EX', lockTtlMs / 1000); // ok: timer-unit-error
  await ioredis.set(key, '1', 'EX', Math.ceil(lockTtlMs / 1000)); // ok: timer-unit-error
  await ioredis.expire(key, config.cacheMinutes * 60); // ok: timer-unit-error
  await redis.set(key, '1', { PX: config.cacheMs }); // ok: timer-unit-error
  await ioredis.pexpire(key, config.cacheMs); // ok: timer-unit-error
  await fetch('https://rates.example.com', { signal: AbortSignal.timeout(timeoutSeconds * 1000) }); // ok: timer-unit-error
}

interface Store {
  expire(key: string, seconds: number): void;
}
export function otherStore(store: Store, key: string) {
  store.expire(key, lockTtlMs); // ok: timer-unit-error
}
