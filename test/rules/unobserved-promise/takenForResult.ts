import { Pool } from 'pg';
import browser from 'some-browser';

const pool = new Pool();
interface User {
  active: boolean;
  name: string;
}

async function findUser(id: string): Promise<User> {
  const { rows } = await pool.query('SELECT * FROM users WHERE id = $1', [id]);
  return rows[0];
}
function mayPost(id: string): Promise<boolean> {
  return findUser(id).then((user) => user.active);
}
const lookUp = async (id: string) => findUser(id);
function cached(id: string): Promise<User> | User {
  return id === '' ? { active: false, name: '' } : findUser(id);
}
declare function unknownOne(id: string): any;

export async function propertyOfThePromise(id: string) {
  const user: any = findUser(id);
  //                ^^^^^^^^ unobserved-promise: Nothing waits for `findUser`: `active` is read off its promise and is always undefined.   💡 Await it
  if (user.active) return user.name;
  return null;
}
export async function alwaysTrue(id: string) {
  const allowed = mayPost(id);
  //              ^^^^^^^ unobserved-promise: Nothing waits for `mayPost`: its promise is taken for its answer, and a promise is always true.   💡 Await it
  if (!allowed) throw new Error('refused');
  await pool.query('INSERT INTO posts (author) VALUES ($1)', [id]);
}
export async function straightAway(id: string) {
  if (mayPost(id)) await pool.query('INSERT INTO posts (author) VALUES ($1)', [id]);
  //  ^^^^^^^ unobserved-promise
}
export function throughArrow(id: string) {
  return (lookUp(id) as any).name;
  //      ^^^^^^ unobserved-promise
}

export async function awaited(id: string) {
  const user = await findUser(id); // ok: unobserved-promise
  return user.active;
}
export async function awaitedLater(id: string) {
  const pending = findUser(id); // ok: unobserved-promise
  if (!pending) return null;
  return (await pending).name;
}
export async function chained(id: string) {
  const pending = findUser(id); // ok: unobserved-promise
  return pending.then((user) => user.name);
}
export async function handedOn(id: string, keep: (p: unknown) => void) {
  const pending: any = findUser(id); // ok: unobserved-promise
  keep(pending);
  return pending.name;
}
export async function eitherOr(id: string) {
  const user: any = cached(id); // ok: unobserved-promise
  return user.name;
}
export async function notKnown(id: string) {
  const user = unknownOne(id); // ok: unobserved-promise
  return user.name;
}
export async function perhapsNone(id: string, find?: typeof findUser) {
  const pending = find?.(id); // ok: unobserved-promise
  if (!pending) return null;
  return pending;
}
export async function testsForAPromise(id: string) {
  const user: any = findUser(id); // ok: unobserved-promise
  return typeof user.then === 'function' ? await user : user;
}

export async function thenWithoutCatch(id: string) {
  const page = await browser.open(id);
  page.picture().then((bytes: Buffer) => pool.query('INSERT INTO pictures (id, bytes) VALUES ($1, $2)', [id, bytes]));
//^^^^^^^^^^^^ unobserved-promise
}
export async function thenWithCatch(id: string) {
  const page = await browser.open(id);
  page.picture().then((bytes: Buffer) => pool.query('INSERT INTO pictures (id, bytes) VALUES ($1, $2)', [id, bytes])).catch(console.error); // ok: unobserved-promise
}
export async function thenAwaited(id: string) {
  const page = await browser.open(id);
  await page.picture().then((bytes: Buffer) => pool.query('INSERT INTO pictures (id, bytes) VALUES ($1, $2)', [id, bytes])); // ok: unobserved-promise
}
export async function thenWithoutWork(id: string) {
  const page = await browser.open(id);
  page.picture().then((bytes: Buffer) => bytes.length); // ok: unobserved-promise
}
