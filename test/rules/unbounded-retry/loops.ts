import pRetry from 'p-retry';
import { backOff } from 'exponential-backoff';
import { retry, handleAll, ConstantBackoff } from 'cockatiel';
const url = 'https://a.test';
const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

const endless = retry(handleAll, { backoff: new ConstantBackoff(50) });
export const a = () => endless.execute(() => fetch(url));
//                     ^^^^^^^^^^^^^^^ unbounded-retry: While what it calls is down, `endless.execute` repeats it without end: no attempt is the last.   💡 Cap the attempts at 5
export const b = () => backOff(() => fetch(url), { numOfAttempts: Infinity });
//                     ^^^^^^^ unbounded-retry
export const c = () => pRetry(() => fetch(url), { retries: Infinity });
//                     ^^^^^^ unbounded-retry
export async function again() {
  let delay = 100;
  while (true) {
    try {
      return await fetch(url);
      //           ^^^^^ unbounded-retry: While `fetch` fails, it is called again without end: no attempt is the last.
    } catch (error) {
      console.warn(error);
      await sleep(delay);
      delay *= 2;
    }
  }
}
export async function forEver() {
  for (;;) {
    try {
      return await fetch(url);
      //           ^^^^^ unbounded-retry
    } catch {
      await sleep(500);
    }
  }
}
export const d = () => pRetry(() => fetch(url)); // ok: unbounded-retry
export const e = () => backOff(() => fetch(url), { numOfAttempts: 3 }); // ok: unbounded-retry
const capped = retry(handleAll, { maxAttempts: 3 });
export const f = () => capped.execute(() => fetch(url)); // ok: unbounded-retry
export async function counted() {
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url); // ok: unbounded-retry
    } catch {
      await sleep(100 * 2 ** i);
    }
  }
}
export async function thrown() {
  let n = 0;
  while (true) {
    try {
      return await fetch(url); // ok: unbounded-retry
    } catch (error) {
      if (++n > 4) throw error;
      await sleep(100 * n);
    }
  }
}
export async function byDeadline() {
  const deadline = performance.now() + 5000;
  while (true) {
    try {
      return await fetch(url); // ok: unbounded-retry
    } catch {
      if (performance.now() > deadline) return null;
      await sleep(100);
    }
  }
}
export async function bySignal(signal: AbortSignal) {
  while (true) {
    try {
      return await fetch(url, { signal }); // ok: unbounded-retry
    } catch {
      signal.throwIfAborted();
      await sleep(100);
    }
  }
}
export async function connect() {
  while (true) {
    try {
      return await fetch(url); // ok: unbounded-retry
    } catch {
      await sleep(100);
    }
  }
}
export async function polls() {
  while (true) {
    try {
      await fetch(url); // ok: unbounded-retry
    } catch (error) {
      console.error(error);
    }
    await sleep(5000);
  }
}
export async function unread(options: { retries: number }) {
  return pRetry(() => fetch(url), options); // ok: unbounded-retry
}
export async function leaves() {
  while (true) {
    try {
      return await fetch(url); // ok: unbounded-retry
    } catch (error) {
      console.error(error);
      break;
    }
  }
}
