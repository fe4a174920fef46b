import { setTimeout as sleep } from 'node:timers/promises';
const url = 'https://a.test';
export async function bare() {
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url);
      //           ^^^^^ retry-without-backoff: While `fetch` fails, it is called again at once up to 5 times, with no pause while the fault lasts.   💡 Wait longer before each attempt, with jitter
    } catch (error) {
      console.warn(error);
    }
  }
}
export async function constant() {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      return await fetch(url);
      //           ^^^^^ retry-without-backoff: While `fetch` fails, it is called again after 1 s each time up to 3 times, and the pause does not grow.   💡 Let the delay grow, with jitter
    } catch {
      await sleep(1000);
    }
  }
}
export async function named(delayMs: number) {
  let done = false;
  let tries = 0;
  while (!done && tries < 3) {
    try {
      await fetch(url);
      //    ^^^^^ retry-without-backoff
      done = true;
    } catch {
      tries++;
      await new Promise(resolve => setTimeout(resolve, delayMs));
    }
  }
}
export async function helper<T>(work: () => Promise<T>) {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await work();
      //           ^^^^ retry-without-backoff
    } catch (error) {
      if (attempt === 2) throw error;
    }
  }
}
export async function byStatus() {
  for (let attempt = 0; attempt < 3; attempt++) {
    const res = await fetch(url);
    //                ^^^^^ retry-without-backoff
    if (res.ok) return res;
  }
}
export async function spins() {
  while (true) {
    try {
      await fetch(url);
      //    ^^^^^ retry-without-backoff
    } catch (error) {
      console.error(error);
    }
  }
}
export async function doubles() {
  let delay = 100;
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url); // ok: retry-without-backoff
    } catch {
      await sleep(delay);
      delay *= 2;
    }
  }
}
export async function power() {
  for (let i = 0; i < 5; i++) {
    try {
      return await fetch(url); // ok: retry-without-backoff
    } catch {
      const wait = Math.min(1000 * 2 ** i, 30_000);
      await sleep(wait);
    }
  }
}
export async function retryAfter() {
  for (let attempt = 0; attempt < 5; attempt++) {
    const res = await fetch(url); // ok: retry-without-backoff
    if (res.ok) return res;
    await sleep(Number(res.headers.get('retry-after')) * 1000);
  }
}
export async function table() {
  for (const delay of [100, 500, 2000]) {
    try {
      return await fetch(url); // ok: retry-without-backoff
    } catch {
      await sleep(delay);
    }
  }
}
export async function overItems(items: string[]) {
  for (let i = 0; i < items.length; i++) {
    try {
      await fetch(items[i]!); // ok: retry-without-backoff
    } catch (error) {
      console.error(error);
    }
  }
}
export async function fallback(hosts: string[]) {
  for (const host of hosts) {
    try {
      return await fetch(host); // ok: retry-without-backoff
    } catch {
      continue;
    }
  }
}
export async function gives() {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await fetch(url); // ok: retry-without-backoff
    } catch (error) {
      throw new Error('down', { cause: error });
    }
  }
}
export async function polls() {
  while (true) {
    try {
      await fetch(url); // ok: retry-without-backoff
    } catch (error) {
      console.error(error);
    }
    await sleep(5000);
  }
}
export async function pages() {
  for (let page = 0; page < 10; page++) {
    try {
      const res = await fetch(`${url}?page=${page}`); // ok: retry-without-backoff
      if (res.status === 404) break;
    } catch (error) {
      console.error(error);
    }
  }
}
export async function jittered(backoff: (n: number) => Promise<void>) {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await fetch(url); // ok: retry-without-backoff
    } catch {
      await backoff(attempt);
    }
  }
}
export async function queue(items: string[]) {
  for (;;) {
    const item = items.shift();
    if (!item) return;
    try {
      await fetch(item); // ok: retry-without-backoff
    } catch (error) {
      console.error(error);
    }
  }
}
