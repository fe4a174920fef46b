import { LRUCache } from 'lru-cache';
declare function trim(map: unknown): void;
declare function expensive(url: string): boolean;
const hits = new Map<string, number>();
//    ^^^^ unbounded-collection: `hits` takes an entry for every `ip` and never gives one back: the memory of the process grows until it is killed.
export function count(ip: string) {
  hits.set(ip, (hits.get(ip) ?? 0) + 1);
}
const memo: Record<string, boolean> = {};
//    ^^^^ unbounded-collection
export function allowed(url: string) {
  if (memo[url] !== undefined) return memo[url];
  memo[url] = expensive(url);
  return memo[url];
}
const seen = new Set<string>();
//    ^^^^ unbounded-collection
export function once(message: { messageId: string }) {
  if (seen.has(message.messageId)) return false;
  seen.add(message.messageId);
  return true;
}
const byUser = new Map<string, string>();
//    ^^^^^^ unbounded-collection
export function remember(user: { id: string }, text: string) {
  const key = `${user.id}:note`;
  byUser.set(key, text);
}
export class RateService {
  private readonly windows = new Map<string, number>();
//                 ^^^^^^^ unbounded-collection
  private readonly tidy = new Map<string, number>();
  take(sessionId: string) {
    this.windows.set(sessionId, 1);
    this.tidy.set(sessionId, 1); // ok: unbounded-collection
  }
  end(sessionId: string) {
    this.tidy.delete(sessionId);
  }
}
export function checkerFactory(rule: (url: string) => boolean) {
  const known: Record<string, boolean> = {};
  const check = (url: string) => {
    if (url in known) return known[url];
    known[url] = rule(url);
//  ^^^^^^^^^^ unbounded-collection
    return known[url];
  };
  return check;
}
const tidied = new Map<string, number>();
export function begin(ip: string) {
  tidied.set(ip, 1); // ok: unbounded-collection
}
export function finish(ip: string) {
  tidied.delete(ip);
}
const sized = new Map<string, number>();
export function limited(ip: string) {
  if (sized.size > 1000) sized.clear();
  sized.set(ip, 1); // ok: unbounded-collection
}
const lru = new LRUCache<string, number>({ max: 100 });
export function bounded(ip: string) {
  lru.set(ip, 1); // ok: unbounded-collection
}
const weak = new WeakMap<object, number>();
export function weakly(url: URL) {
  weak.set(url, 1); // ok: unbounded-collection
}
const byLocale = new Map<string, string>();
export function translate(locale: string) {
  byLocale.set(locale, locale); // ok: unbounded-collection
}
const handlers = new Map<string, () => void>();
export function registerHandler(host: string, handler: () => void) {
  handlers.set(host, handler); // ok: unbounded-collection
}
const trimmed = new Map<string, number>();
export function trimmedOften(ip: string) {
  trim(trimmed);
  trimmed.set(ip, 1); // ok: unbounded-collection
}
export const shared = new Map<string, number>();
export function intoShared(ip: string) {
  shared.set(ip, 1); // ok: unbounded-collection
}
let replaced = new Map<string, number>();
export function intoReplaced(ip: string) {
  replaced.set(ip, 1); // ok: unbounded-collection
}
export function reset() {
  replaced = new Map();
}
export function ownMap(urls: string[]) {
  const local = new Set<string>();
  for (const url of urls) local.add(url); // ok: unbounded-collection
  return [...local];
}
const fixed = new Map<string, number>();
export function constantKey() {
  fixed.set('ip', 1); // ok: unbounded-collection
}
const queue: string[] = [];
export function enqueue(url: string) {
  queue.push(url); // ok: unbounded-collection
}
export function next() {
  return queue.shift();
}
