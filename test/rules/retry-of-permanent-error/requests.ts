import axios from 'axios';
import retry from 'async-retry';
import pRetry from 'p-retry';
import { Pool } from 'pg';
declare function pause(ms: number): Promise<void>;
declare function isRetryable(error: unknown): boolean;
const pool = new Pool();
const URL_ = 'https://rates.example.com';

export async function byStatus() {
  for (let attempt = 0; attempt < 4; attempt++) {
    const res = await fetch(URL_);
    //                ^^^^^ retry-of-permanent-error: When the other side refuses the request (400, 401, 404), `fetch` makes it again as if it were an outage.
    if (res.ok) return res.json();
    await pause(2 ** attempt * 100);
  }
  throw new Error('no rates');
}
export async function byStatusFiltered() {
  for (let attempt = 0; attempt < 4; attempt++) {
    const res = await fetch(URL_); // ok: retry-of-permanent-error
    if (res.ok) return res.json();
    if (res.status < 500) throw new Error('refused');
    await pause(2 ** attempt * 100);
  }
  throw new Error('no rates');
}
export async function byCatch() {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await axios.get(URL_);
      //           ^^^^^^^^^ retry-of-permanent-error
    } catch (error) {
      console.warn('again', error);
      await pause(2 ** attempt * 100);
    }
  }
  throw new Error('no rates');
}
export async function byCatchFiltered() {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await axios.get(URL_); // ok: retry-of-permanent-error
    } catch (error) {
      if (!isRetryable(error)) throw error;
      await pause(2 ** attempt * 100);
    }
  }
  throw new Error('no rates');
}
export async function byCatchTyped() {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await axios.get(URL_); // ok: retry-of-permanent-error
    } catch (error) {
      if (error instanceof TypeError) await pause(2 ** attempt * 100);
      else throw error;
    }
  }
  throw new Error('no rates');
}
export async function thrown() {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      const res = await fetch(URL_);
      //                ^^^^^ retry-of-permanent-error
      if (!res.ok) throw new Error('down');
      return await res.json();
    } catch {
      await pause(2 ** attempt * 100);
    }
  }
  throw new Error('no rates');
}
export async function networkOnly() {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await fetch(URL_); // ok: retry-of-permanent-error
    } catch {
      await pause(2 ** attempt * 100);
    }
  }
  throw new Error('no rates');
}
export async function rows() {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await pool.query('SELECT 1'); // ok: retry-of-permanent-error
    } catch {
      await pause(2 ** attempt * 100);
    }
  }
  throw new Error('no rows');
}
export const helper = () => pRetry(() => axios.get(URL_));
//                          ^^^^^^ retry-of-permanent-error
export const helperFiltered = () => pRetry(() => axios.get(URL_), { shouldRetry: isRetryable }); // ok: retry-of-permanent-error
export const helperBails = () =>
  retry(async bail => { // ok: retry-of-permanent-error
    const res = await axios.get(URL_);
    if (!res.data) bail(new Error('empty'));
    return res;
  });
export const helperFetch = () =>
  retry(async () => {
//^^^^^ retry-of-permanent-error
    const res = await fetch(URL_);
    if (!res.ok) throw new Error('down');
    return res.json();
  });
export const helperNetworkOnly = () => retry(() => fetch(URL_)); // ok: retry-of-permanent-error
export const helperOnce = () => pRetry(() => axios.get(URL_), { retries: 0 }); // ok: retry-of-permanent-error
