import { Body, Controller, Get, Query } from '@nestjs/common';
import * as platform from './hosting';
declare const api: { request(url: string): Promise<{ body: string; text(): Promise<string> }> };
declare const store: { getFile(name: string): Promise<string> };

export async function settings() {
  const file = await platform.getFile('settings.json');
  return JSON.parse(file);
  //     ^^^^^^^^^^ unguarded-parse: A file of a foreign repository that is not valid JSON makes `JSON.parse` throw, and nothing here catches it.
}
async function manifest() {
  return platform.getFile('package.json');
}
export async function byHelper() {
  return JSON.parse(await manifest());
  //     ^^^^^^^^^^ unguarded-parse
}
export async function rewritten() {
  let text: string;
  text = await platform.getFile('a.json');
  return JSON.parse(text.trim());
  //     ^^^^^^^^^^ unguarded-parse
}
export function versions(packageFileContent: string) {
  return JSON.parse(packageFileContent).versions;
  //     ^^^^^^^^^^ unguarded-parse
}
function inner(packageFileContent: string) {
  return JSON.parse(packageFileContent).versions; // ok: unguarded-parse
}
export async function guarded() {
  try {
    return JSON.parse(await platform.getFile('a.json')); // ok: unguarded-parse
  } catch {
    return inner('{}');
  }
}
export async function ownStore() {
  return JSON.parse(await store.getFile('state')); // ok: unguarded-parse
}
export async function asked() {
  const response = await api.request('/prices');
  return JSON.parse(response.body);
  //     ^^^^^^^^^^ unguarded-parse: An answer that is not valid JSON makes `JSON.parse` throw, and nothing here catches it.
}
export async function askedText() {
  const res = await api.request('/prices');
  const raw = await res.text();
  return JSON.parse(raw);
  //     ^^^^^^^^^^ unguarded-parse
}
export async function otherBody() {
  const draft = await api.request('/prices');
  return JSON.parse(draft.body); // ok: unguarded-parse
}
export class Login {
  validate(req, token: string) {
    return [token, JSON.parse(req.query.state).id];
    //             ^^^^^^^^^^ unguarded-parse: Input that is not valid JSON makes `JSON.parse` throw, and nothing here catches it: the request fails like a fault of the server.
  }
  url(req) {
    return new URL(req.url); // ok: unguarded-parse
  }
  plan(req: { query: { state: string } }) {
    return JSON.parse(req.query.state); // ok: unguarded-parse
  }
}
export async function save(form: FormData) {
  return JSON.parse(form.get('items') as string);
  //     ^^^^^^^^^^ unguarded-parse
}
@Controller('orders')
export class Orders {
  @Get()
  list(@Query('filter') filter: string, @Query('page', { transform: Number }) page: string) {
    return [JSON.parse(filter), JSON.parse(page)];
    //      ^^^^^^^^^^ unguarded-parse
  }
}
void Body;
