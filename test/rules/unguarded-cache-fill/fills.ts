import { Redis } from 'ioredis';
import { Pool } from 'pg';
declare const memoryCache: { get(k: string): string | undefined; set(k: string, v: unknown): void };
declare const settings: { get(k: string): string | undefined; set(k: string, v: unknown): void };
declare const PreviewCache: { getData(k: string): Promise<string | null>; setData(k: string, v: string, ttl: number): Promise<void> };
declare function keyOf(url: string): string;
declare function withLock<T>(key: string, work: () => Promise<T>): Promise<T>;
declare function hash(text: string): Promise<string>;
declare const crawler: { crawlSite(url: string): Promise<string> };
const redis = new Redis();
const pool = new Pool();
export async function early(id: string) {
  const known = await redis.get(`weather:${id}`);
  //                  ^^^^^^^^^ unguarded-cache-fill: On a miss every caller runs `fetch` until the first one reaches `redis.set`: nothing tells the second that the first is at it.
  if (known) return known;
  const text = await (await fetch(`https://weather.example/${id}`)).text();
  await redis.set(`weather:${id}`, text, 'EX', 60);
  return text;
}
export async function around(url: string) {
  let page = memoryCache.get(keyOf(url));
  //         ^^^^^^^^^^^^^^^ unguarded-cache-fill
  if (!page) {
    page = await crawler.crawlSite(url);
    memoryCache.set(keyOf(url), page);
  }
  return page;
}
export async function helpers(url: string) {
  const seen = await PreviewCache.getData(keyOf(url));
  //                 ^^^^^^^^^^^^^^^^^^^^ unguarded-cache-fill
  if (seen) {
    return seen;
  }
  const page = await fetch(url).then(r => r.text());
  await PreviewCache.setData(keyOf(url), page, 60);
  return page;
}
async function totals(team: string) {
  return pool.query('SELECT day, sum(amount) FROM orders WHERE team = $1 GROUP BY day', [team]);
}
export async function report(team: string) {
  const key = `report:${team}`;
  const hit = await redis.get(key);
  //                ^^^^^^^^^ unguarded-cache-fill
  if (hit !== null) return JSON.parse(hit);
  const rows = await totals(team);
  await redis.setex(key, 300, JSON.stringify(rows));
  return rows;
}
export async function cheap(id: string) {
  const hit = await redis.get(id); // ok: unguarded-cache-fill
  if (hit) return hit;
  const { rows } = await pool.query('SELECT name FROM teams WHERE id = $1', [id]);
  await redis.set(id, rows[0].name);
  return rows[0].name;
}
export async function hashed(id: string) {
  const hit = await redis.get(id); // ok: unguarded-cache-fill
  if (hit) return hit;
  const made = await hash(id);
  await redis.set(id, made);
  return made;
}
export async function promised(url: string) {
  const running = memoryCache.get(url); // ok: unguarded-cache-fill
  if (running) return running;
  const promise = fetch(url);
  memoryCache.set(url, promise);
  return await promise;
}
export async function locked(url: string) {
  const hit = await redis.get(url); // ok: unguarded-cache-fill
  if (hit) return hit;
  return withLock(url, async () => {
    const page = await fetch(url).then(r => r.text());
    await redis.set(url, page);
    return page;
  });
}
const inFlight = new Map<string, Promise<string>>();
export async function shared(url: string) {
  const hit = await redis.get(url); // ok: unguarded-cache-fill
  if (hit) return hit;
  const page = await (inFlight.get(url) ?? fetch(url).then(r => r.text()));
  await redis.set(url, page);
  return page;
}
export async function otherKey(url: string) {
  const hit = await redis.get(`a:${url}`); // ok: unguarded-cache-fill
  if (hit) return hit;
  const page = await fetch(url).then(r => r.text());
  await redis.set(`b:${url}`, page);
  return page;
}
export async function noCache(url: string) {
  const hit = settings.get(url); // ok: unguarded-cache-fill
  if (hit) return hit;
  const page = await fetch(url).then(r => r.text());
  settings.set(url, page);
  return page;
}
export async function always(url: string) {
  const before = await redis.get(url); // ok: unguarded-cache-fill
  const page = await fetch(url).then(r => r.text());
  await redis.set(url, page);
  return before === page;
}
export async function refreshRates(url: string) {
  const before = await redis.get(url); // ok: unguarded-cache-fill
  if (before) return;
  const page = await fetch(url).then(r => r.text());
  await redis.set(url, page);
}
export async function ownMap(urls: string[]) {
  const pageCache = new Map<string, string>();
  for (const url of urls) {
    if (pageCache.get(url)) continue; // ok: unguarded-cache-fill
    pageCache.set(url, await fetch(url).then(r => r.text()));
  }
  return pageCache;
}
