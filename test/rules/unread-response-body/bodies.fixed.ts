import { request } from 'undici';

export async function onlyStatus(url: string) {
  const { statusCode } = await request(url);
  return statusCode === 200;
}

export async function wholeAnswer(url: string) {
  const res = await request(url);
  if (res.statusCode !== 200) {
    await res.body.dump();
    throw new Error(`answered ${res.statusCode}`);
  }
  return res.body.json();
}

export async function errors(url: string) {
  const res = await fetch(url);
  if (!res.ok) {
    await res.body?.cancel();
    throw new Error(`answered ${res.status}`);
  }
  return res.json();
}

export async function ping(url: string) {
  const res = await fetch(url);
  return res.ok;
}

export async function dropped(url: string) {
  await fetch(url, { method: 'POST' });
}

// ---- silent

export async function read(url: string) {
  const res = await fetch(url); // ok: unread-response-body
  return res.json();
}

export async function readsErrors(url: string) {
  const res = await fetch(url); // ok: unread-response-body
  if (!res.ok) throw new Error(`answered ${res.status}: ${await res.text()}`);
  return res.json();
}

export async function cancels(url: string) {
  const res = await fetch(url); // ok: unread-response-body
  await res.body?.cancel();
  return res.ok;
}

export async function dumps(url: string) {
  const { statusCode, body } = await request(url); // ok: unread-response-body
  await body.dump();
  return statusCode;
}

export async function head(url: string) {
  const res = await fetch(url, { method: 'HEAD' }); // ok: unread-response-body
  return res.ok;
}

export async function handedOn(url: string) {
  const res = await fetch(url); // ok: unread-response-body
  return check(res);
}

async function check(res: Response) {
  if (!res.ok) throw new Error(await res.text());
  return res.json();
}

export async function passedOn(url: string) {
  const res = await fetch(url); // ok: unread-response-body
  if (!res.ok) return new Response(res.body, { status: res.status });
  return res;
}

export async function noContent(url: string) {
  const res = await fetch(url); // ok: unread-response-body
  if (res.status === 304) return null;
  return res.json();
}

export async function anyMethod(url: string, method: string) {
  const res = await fetch(url, { method }); // ok: unread-response-body
  return res.ok;
}

export function promised(url: string) {
  return fetch(url); // ok: unread-response-body
}
