import { setTimeout as pause } from 'node:timers/promises';
interface Options {
  readonly page: number;
  readonly signal?: AbortSignal;
}
async function load(url: string, signal?: AbortSignal) {
  return fetch(url, { signal });
}
async function list(options: Options) {
  return load(`https://list.example.com/${options.page}`, options.signal);
}
async function named(url: string, abortSignal?) {
  return load(url, abortSignal);
}
async function plain(url: string) {
  return url;
}
export async function one(signal: AbortSignal) {
  await load('https://one.example.com', signal);
  await load('https://one.example.com', signal); // ok: deadline-not-propagated
  await plain('https://one.example.com'); // ok: deadline-not-propagated
}
export async function paged(signal: AbortSignal) {
  await list({ page: 1, signal });
  await list({ page: 1, signal }); // ok: deadline-not-propagated
}
export async function handedOn(options: Options) {
  await list(options); // ok: deadline-not-propagated
  await list({ ...options, page: 2 }); // ok: deadline-not-propagated
}
export async function byName(signal: AbortSignal) {
  return named('https://two.example.com', signal);
}
export async function noSignal() {
  await load('https://one.example.com'); // ok: deadline-not-propagated
  await pause(60_000); // ok: deadline-not-propagated
}
export async function poll(signal: AbortSignal) {
  while (!signal.aborted) {
    await pause(60_000, undefined, { signal });
    await pause(60_000, undefined, { signal }); // ok: deadline-not-propagated
    await pause(20); // ok: deadline-not-propagated
    await new Promise(resolve => setTimeout(resolve, 5000));
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, 5000);
      signal.addEventListener('abort', () => clearTimeout(timer)); // ok: deadline-not-propagated
    });
  }
}
export async function cleansUp(signal: AbortSignal) {
  try {
    signal.throwIfAborted();
  } catch {
    await load('https://undo.example.com'); // ok: deadline-not-propagated
  } finally {
    await load('https://done.example.com'); // ok: deadline-not-propagated
  }
}
export async function idle() {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 5000);
  try {
    return await fetch('https://three.example.com', { signal: controller.signal });
  } finally {
    clearTimeout(timer);
  }
}
export async function used() {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 5000);
  await plain(String(controller.signal.aborted));
  return await fetch('https://three.example.com'); // ok: deadline-not-propagated
}
export async function shutdown(signal: string) {
  await pause(5000); // ok: deadline-not-propagated
  console.log(signal);
}
async function span<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  signal?.throwIfAborted();
  return work();
}
export async function traced(signal: AbortSignal) {
  return span('load', () => load('https://one.example.com', signal)); // ok: deadline-not-propagated
}
