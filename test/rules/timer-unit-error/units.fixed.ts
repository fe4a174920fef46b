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
  setTimeout(fn, timeoutSeconds * 1000);
  setInterval(fn, config.pollIntervalSec * 1000);
  setTimeout(fn, (config.cacheMinutes * 60) * 1000);
  setTimeout(fn, (Math.min(timeoutSeconds, 60)) * 1000);
  setTimeout(fn, MONTH_MS);
  setTimeout(fn, 40 * 24 * 60 * 60 * 1000);
}

export async function waits(config: Config) {
  await pause(config.pollIntervalSec * 1000);
  await fetch('https://rates.example.com', { signal: AbortSignal.timeout(timeoutSeconds * 1000) });
  await axios.get('https://rates.example.com', { timeout: timeoutSeconds * 1000 });
}

export async function lifetimes(key: string, config: Config) {
  await ioredis.set(key, '1', 'EX', Math.ceil(lockTtlMs / 1000));
  await ioredis.expire(key, Math.ceil(config.cacheMs / 1000));
  await redis.set(key, '1', { EX: Math.ceil(config.cacheMs / 1000) });
  await ioredis.set(key, '1', 'PX', timeoutSeconds * 1000);
  await ioredis.setex(key, Math.ceil(lockTtlMs / 1000), '1');
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
