import type { EventEmitter } from 'node:events';
declare function call(signal: AbortSignal): Promise<string>;
const LIMIT = 30_000;

export function ready(bus: EventEmitter) {
  return new Promise<void>((resolve, reject) => {
    setTimeout(() => reject(new Error('not ready')), LIMIT);
//  ^^^^^^^^^^ abandoned-work: When something else settles the promise first, this timer of 30 s stays behind until it fires: nothing clears it.
    bus.once('ready', resolve);
  });
}
export function readyByCallback(bus: EventEmitter) {
  return new Promise<string>((resolve, reject) => {
    bus.once('ready', value => resolve(value));
    setTimeout(reject, LIMIT);
//  ^^^^^^^^^^ abandoned-work
  });
}
export function cleared(bus: EventEmitter) {
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('late')), LIMIT); // ok: abandoned-work
    bus.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
export function wait(ms: number) {
  return new Promise<void>(resolve => setTimeout(resolve, ms)); // ok: abandoned-work
}
export function waitUnless(done: boolean) {
  return new Promise<void>(resolve => {
    if (done) return resolve();
    setTimeout(resolve, LIMIT); // ok: abandoned-work
  });
}
export function loose(bus: EventEmitter) {
  return new Promise<void>((resolve, reject) => {
    setTimeout(() => reject(new Error('late')), LIMIT).unref(); // ok: abandoned-work
    bus.once('ready', resolve);
  });
}
export function brief(bus: EventEmitter) {
  return new Promise<void>((resolve, reject) => {
    setTimeout(reject, 100); // ok: abandoned-work
    bus.once('ready', resolve);
  });
}
export async function never() {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), LIMIT);
//^^^^^^^^^^ abandoned-work: When the work is done in time, this timer of 30 s stays behind until it fires: nothing clears it.
  return await call(controller.signal);
}
export async function onSuccess() {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIMIT);
  //            ^^^^^^^^^^ abandoned-work: When the work fails, this timer of 30 s stays behind: it is cleared only after success.
  const answer = await call(controller.signal);
  clearTimeout(timer);
  return answer;
}
export async function always() {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIMIT); // ok: abandoned-work
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
export async function both() {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIMIT); // ok: abandoned-work
  try {
    const answer = await call(controller.signal);
    clearTimeout(timer);
    return answer;
  } catch (error) {
    clearTimeout(timer);
    throw error;
  }
}
export async function byFinally() {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIMIT); // ok: abandoned-work
  return await call(controller.signal).finally(() => clearTimeout(timer));
}
export async function kept(timers: Set<unknown>) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIMIT); // ok: abandoned-work
  timers.add(timer);
  return await call(controller.signal);
}
export class Poller {
  private timer?: NodeJS.Timeout;
  start() {
    this.timer = setInterval(() => this.poll(), LIMIT);
    //           ^^^^^^^^^^^ abandoned-work: After `close` this interval runs on: nothing clears it.
  }
  poll() {}
  async close() {
    this.poll();
  }
}
export class Dropping {
  constructor() {
    setInterval(() => this.poll(), LIMIT);
//  ^^^^^^^^^^^ abandoned-work
  }
  poll() {}
  stop() {
    this.poll();
  }
}
export class Tidy {
  private beat?: NodeJS.Timeout;
  start() {
    this.beat = setInterval(() => this.poll(), LIMIT); // ok: abandoned-work
  }
  poll() {}
  stop() {
    clearInterval(this.beat);
  }
}
export class Unref {
  private pulse?: NodeJS.Timeout;
  start() {
    this.pulse = setInterval(() => this.poll(), LIMIT).unref(); // ok: abandoned-work
    setInterval(() => this.poll(), LIMIT).unref(); // ok: abandoned-work
  }
  poll() {}
  stop() {}
}
export class ForEver {
  start() {
    setInterval(() => this.poll(), LIMIT); // ok: abandoned-work
  }
  poll() {}
}
export async function watchdog(link: { take(): Promise<string>; reset(): void }) {
  const timer = setTimeout(() => link.reset(), LIMIT);
  //            ^^^^^^^^^^ abandoned-work: When the work fails, this timer of 30 s stays behind: it is cleared only after success.
  const answer = await link.take();
  clearTimeout(timer);
  return answer;
}
export async function later(link: { take(): Promise<string>; reset(): void }) {
  setTimeout(() => link.reset(), LIMIT); // ok: abandoned-work
  return await link.take();
}
export async function caught(link: { take(): Promise<string>; reset(): void }) {
  const timer = setTimeout(() => link.reset(), LIMIT); // ok: abandoned-work
  const answer = await link.take().catch(() => null);
  clearTimeout(timer);
  return answer;
}
export async function swallowed() {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIMIT); // ok: abandoned-work
  let answer: string | null = null;
  try {
    answer = await call(controller.signal);
  } catch {
    answer = null;
  }
  clearTimeout(timer);
  return answer;
}
export async function rethrown() {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIMIT);
  //            ^^^^^^^^^^ abandoned-work
  let answer: string;
  try {
    answer = await call(controller.signal);
  } catch (error) {
    throw new Error('no answer', { cause: error });
  }
  clearTimeout(timer);
  return answer;
}
