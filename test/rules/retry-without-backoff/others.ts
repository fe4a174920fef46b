import pRetry from 'p-retry';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import { backOff } from 'exponential-backoff';
import { retry, handleAll, ExponentialBackoff, ConstantBackoff } from 'cockatiel';
import request from 'superagent';
import { Pool } from 'pg';
const pool = new Pool();
const url = 'https://a.test';
const delay = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

export async function again(retries = 5): Promise<Response> {
  try {
    return await fetch(url);
  } catch (error) {
    if (retries === 0) throw error;
    await delay(5000);
    return again(retries - 1);
    //     ^^^^^ retry-without-backoff: While `again` fails, it is called again after 5 s each time, and the pause does not grow.
  }
}
export async function growing(attempt = 0): Promise<Response> {
  try {
    return await fetch(url);
  } catch (error) {
    if (attempt > 5) throw error;
    await delay(100 * 2 ** attempt);
    return growing(attempt + 1); // ok: retry-without-backoff
  }
}
export async function connect(): Promise<void> {
  try {
    await fetch(url);
  } catch {
    setTimeout(connect, 3000);
//  ^^^^^^^^^^ retry-without-backoff: While `connect` fails, it is called again after 3 s each time, and the pause does not grow.
  }
}
export async function claim(name: string): Promise<void> {
  try {
    await pool.query('INSERT INTO names (name) VALUES ($1)', [name]);
  } catch (error) {
    if ((error as { code: string }).code === '23505') return claim(`${name}-1`); // ok: retry-without-backoff
    throw error;
  }
}
const repeating = axiosRetry(axios, { retries: 4 });
//                ^^^^^^^^^^ retry-without-backoff: While what it calls is down, `axiosRetry` repeats it at once up to 5 times, with no pause while the fault lasts.
axiosRetry(axios, { retries: 4, retryDelay: axiosRetry.exponentialDelay }); // ok: retry-without-backoff
export const a = () => pRetry(() => fetch(url)); // ok: retry-without-backoff
export const b = () => pRetry(() => fetch(url), { factor: 1 });
//                     ^^^^^^ retry-without-backoff
export const c = () => backOff(() => fetch(url)); // ok: retry-without-backoff
export const d = () => backOff(() => fetch(url), { timeMultiple: 1 });
//                     ^^^^^^^ retry-without-backoff
const plain = retry(handleAll, { maxAttempts: 3 });
export const e = () => plain.execute(() => fetch(url));
//                     ^^^^^^^^^^^^^ retry-without-backoff
export const f = () => retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() }).execute(() => fetch(url)); // ok: retry-without-backoff
const steady = retry(handleAll, { maxAttempts: 3, backoff: new ConstantBackoff(50) });
export const g = () => steady.execute(() => fetch(url));
//                     ^^^^^^^^^^^^^^ retry-without-backoff
export const h = () => request.get(url).retry(3);
//                     ^^^^^^^^^^^^^^^^^^^^^^ retry-without-backoff
export async function unique() {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await pool.query('INSERT INTO names (name) VALUES ($1)', [Math.random()]); // ok: retry-without-backoff
    } catch (error) {
      if ((error as { code: string }).code !== '23505') throw error;
    }
  }
}
