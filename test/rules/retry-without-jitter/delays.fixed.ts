import pRetry from 'p-retry';
import asyncRetry from 'async-retry';
import { backOff } from 'exponential-backoff';
import { Pool } from 'pg';
const pool = new Pool();
const url = 'https://a.test';
const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
declare const backoff: { wait(n: number): Promise<void> };
declare function nextDelay(attempt: number): number;

export const a = () => pRetry(() => fetch(url), { randomize: true });
export const b = () => backOff(() => fetch(url), { numOfAttempts: 4, jitter: 'full' });
export async function power() {
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url);
    } catch {
      await sleep((100 * 2 ** i) * (0.5 + Math.random() / 2));
    }
  }
}
export async function doubled() {
  let delay = 100;
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url);
    } catch {
      await sleep(delay * (0.5 + Math.random() / 2));
      delay *= 2;
    }
  }
}
export async function recursive(attempt = 0): Promise<Response> {
  try {
    return await fetch(url);
  } catch (error) {
    if (attempt > 4) throw error;
    await sleep((200 * (attempt + 1)) * (0.5 + Math.random() / 2));
    return recursive(attempt + 1);
  }
}
export const c = () => pRetry(() => fetch(url), { randomize: true }); // ok: retry-without-jitter
export const d = () => backOff(() => fetch(url), { jitter: 'full' }); // ok: retry-without-jitter
export const e = () => asyncRetry(() => fetch(url)); // ok: retry-without-jitter
export const f = (options: object) => pRetry(() => fetch(url), options); // ok: retry-without-jitter
export const g = () => pRetry(() => fetch(url), { retries: 1 }); // ok: retry-without-jitter
export const h = () => pRetry(() => pool.query('SELECT 1')); // ok: retry-without-jitter
export async function random() {
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url);
    } catch {
      await sleep(Math.random() * 100 * 2 ** i); // ok: retry-without-jitter
    }
  }
}
export async function randomName() {
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url);
    } catch {
      const noise = Math.random() * 50;
      const delay = 100 * 2 ** i + noise;
      await sleep(delay); // ok: retry-without-jitter
    }
  }
}
export async function unseen() {
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url);
    } catch {
      await sleep(nextDelay(i)); // ok: retry-without-jitter
    }
  }
}
export async function unseenWait() {
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url);
    } catch {
      await backoff.wait(i); // ok: retry-without-jitter
    }
  }
}
export async function told() {
  for (let attempt = 0; attempt < 5; attempt++) {
    const res = await fetch(url);
    if (res.ok) return res;
    await sleep(Number(res.headers.get('retry-after')) * 1000); // ok: retry-without-jitter
  }
}
export async function constant() {
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url);
    } catch {
      await sleep(1000); // ok: retry-without-jitter
    }
  }
}
