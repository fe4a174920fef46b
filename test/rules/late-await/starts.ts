import { Pool } from 'pg';

const pool = new Pool();
async function stock(id: string) {
  await pool.query('UPDATE stock SET held = held + 1 WHERE id = $1', [id]);
}
async function bill(id: string) {
  await pool.query('INSERT INTO bills (id) VALUES ($1)', [id]);
}
async function quiet(id: string) {
  try {
    await bill(id);
  } catch (error) {
    console.error(error);
  }
}

export async function inTurn(id: string) {
  const a = stock(id);
  const b = bill(id);
  //        ^^^^ late-await: While `stock` is awaited nothing watches `bill`: if both fail, or this one fails first, the rejection is unhandled.
  await a;
  await b;
}

export async function withResults(id: string) {
  const rows = pool.query('SELECT 1 FROM stock WHERE id = $1', [id]);
  const names = pool.query('SELECT name FROM parts WHERE id = $1', [id]);
  //            ^^^^^^^^^^ late-await
  const first = (await rows).rows;
  return [first, (await names).rows];
}

export async function otherOrder(id: string) {
  const a = stock(id);
  //        ^^^^^ late-await
  const b = bill(id);
  await b;
  await a;
}

export async function three(id: string) {
  const a = stock(id);
  const b = bill(id);
  //        ^^^^ late-await
  const c = bill(id);
  //        ^^^^ late-await
  await a;
  await b;
  await c;
}

export async function together(id: string) {
  const a = stock(id);
  const b = bill(id); // ok: late-await
  await Promise.all([a, b]);
}
export async function settled(id: string) {
  const a = stock(id);
  const b = bill(id); // ok: late-await
  await Promise.allSettled([a, b]);
  await a;
  await b;
}
export async function sequential(id: string) {
  const a = await stock(id);
  const b = await bill(id); // ok: late-await
  return [a, b];
}
export async function secondHandled(id: string) {
  const a = stock(id);
  const b = bill(id).catch(error => console.error(error)); // ok: late-await
  await a;
  await b;
}
export async function secondHandledLater(id: string) {
  const a = stock(id);
  const b = bill(id); // ok: late-await
  b.catch(() => undefined);
  await a;
  await b;
}
export async function cannotReject(id: string) {
  const a = quiet(id);
  const b = quiet(id); // ok: late-await
  await a;
  await b;
}
export async function startedAfter(id: string) {
  const a = stock(id);
  await a;
  const b = bill(id); // ok: late-await
  await b;
}
export async function one(id: string) {
  const a = stock(id); // ok: late-await
  await a;
}
export async function values(id: string) {
  const a = id.trim();
  const b = id.toUpperCase(); // ok: late-await
  return [await a, await b];
}
export async function handedOn(id: string, track: (p: Promise<void>) => void) {
  const a = stock(id);
  const b = bill(id); // ok: late-await
  track(b);
  await a;
  await b;
}
export function notAsync(id: string) {
  const a = stock(id);
  const b = bill(id); // ok: late-await
  return Promise.all([a, b]);
}
