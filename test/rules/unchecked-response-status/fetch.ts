import { request } from 'undici';
import axios from 'axios';
import ky from 'ky';
import { z } from 'zod';
import { logger } from './logger';
const schema = z.object({ id: z.string() });
declare function store(data: unknown): void;
declare function elsewhere(res: Response): Promise<unknown>;

export async function plain(id: string) {
  const res = await fetch(`https://a.test/${id}`);
  return res.json();
  //     ^^^^^^^^ unchecked-response-status: When `a.test` answers 4xx or 5xx, its error body is read as if it were the answer: nothing looks at the status.   💡 Throw when the status is an error
}
export async function direct(url: string) {
  return (await fetch(url)).text();
  //     ^^^^^^^^^^^^^^^^^^^^^^^ unchecked-response-status: When the other side answers 4xx or 5xx, its error body is read as if it were the answer: nothing looks at the status.
}
export function chained(url: string) {
  return fetch(url).then(r => r.json());
  //                          ^^^^^^ unchecked-response-status
}
export async function body(url: string) {
  const { body } = await request(url);
  //      ^^^^ unchecked-response-status
  return body.json();
}
export async function undiciWhole(url: string) {
  const answer = await request(url);
  return answer.body.json();
  //     ^^^^^^^^^^^ unchecked-response-status
}
export async function pair(url: string) {
  const [a, b] = await Promise.all([fetch(url), fetch(`${url}/b`)]);
  if (!b.ok) throw new Error('b');
  return [await a.json(), await b.json()];
  //            ^^^^^^ unchecked-response-status
}
export async function loggedOnly(url: string) {
  const res = await fetch(url);
  logger.debug(res.status);
  store(await res.json());
  //          ^^^^^^^^ unchecked-response-status
}
async function readJson(res: Response) {
  return res.json();
}
export async function throughHelper(url: string) {
  const res = await fetch(url);
  return readJson(res);
  //     ^^^^^^^^ unchecked-response-status
}
export async function checked(url: string) {
  const res = await fetch(url);
  if (!res.ok) throw new Error(String(res.status));
  return res.json(); // ok: unchecked-response-status
}
export async function byStatus(url: string) {
  const res = await fetch(url);
  const text = await res.text(); // ok: unchecked-response-status
  if (res.status >= 300) throw new Error(text);
  return text;
}
export async function destructured(url: string) {
  const { statusCode, body } = await request(url);
  if (statusCode !== 200) throw new Error('down');
  return body.json(); // ok: unchecked-response-status
}
export async function wrapper(url: string) {
  const res = await fetch(url); // ok: unchecked-response-status
  return res;
}
export const bareWrapper = (url: string) => fetch(url); // ok: unchecked-response-status
async function ensureOk(res: Response) {
  if (!res.ok) throw new Error('bad');
  return res;
}
export async function helperChecks(url: string) {
  const res = await fetch(url);
  await ensureOk(res);
  return res.json(); // ok: unchecked-response-status
}
export async function unknownHelper(url: string) {
  const res = await fetch(url);
  await elsewhere(res);
  return res.json(); // ok: unchecked-response-status
}
export function chainChecks(url: string) {
  return fetch(url)
    .then(ensureOk)
    .then(r => r.json()); // ok: unchecked-response-status
}
export async function schemaChecks(url: string) {
  const res = await fetch(url);
  return schema.parse(await res.json()); // ok: unchecked-response-status
}
export async function bodySaysSo(url: string) {
  const res = await fetch(url);
  const data = await res.json(); // ok: unchecked-response-status
  if (data.error) throw new Error(data.error);
  return data.items;
}
export async function bodySaysSoToo(url: string) {
  const res = await fetch(url);
  const { success, items } = await res.json(); // ok: unchecked-response-status
  return success ? items : [];
}
export async function proxies(url: string) {
  const res = await fetch(url);
  return new Response(res.body, { status: res.status }); // ok: unchecked-response-status
}
export async function axiosThrows(url: string) {
  const res = await axios.get(url); // ok: unchecked-response-status
  return res.data;
}
export async function kyThrows(url: string) {
  return ky(url).json(); // ok: unchecked-response-status
}
export async function unread(url: string) {
  await fetch(url, { method: 'POST' }); // ok: unchecked-response-status
}
export async function drained(url: string) {
  const res = await fetch(url);
  await res.body?.cancel(); // ok: unchecked-response-status
}
export async function ternary(url: string) {
  const res = await fetch(url);
  return res.ok ? res.json() : null; // ok: unchecked-response-status
}
export async function own(fetch: (u: string) => Promise<{ json(): unknown }>) {
  return (await fetch('x')).json(); // ok: unchecked-response-status
}
