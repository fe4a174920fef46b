//- /src/fixture.ts
const BASE = 'https://a.example.com/v1';

export async function constant(id: string) {
  await fetch(`${BASE}/${id}`);
  //    ^^^^^ call-without-timeout: If `a.example.com` hangs, this call hangs with it: nothing bounds its total time.
}
export async function made(id: string) {
  const url = new URL('https://b.example.com/list');
  url.searchParams.set('id', id);
  await fetch(url.toString());
  //    ^^^^^ call-without-timeout: If `b.example.com` hangs, this call hangs with it: nothing bounds its total time.
}
// One of two hosts: neither is named.
export async function either(eu: boolean) {
  const url = eu ? 'https://eu.example.com/x' : 'https://us.example.com/x';
  await fetch(url);
  //    ^^^^^ call-without-timeout: If the other side hangs, this call hangs with it: nothing bounds its total time.
}
// A default that the environment may replace.
const CONFIGURED = process.env.API_URL ?? 'https://c.example.com';
export async function configured() {
  await fetch(`${CONFIGURED}/x`);
  //    ^^^^^ call-without-timeout: If the other side hangs, this call hangs with it: nothing bounds its total time.
}
// A file of the program itself.
export const font = fetch(new URL('./inter.ttf', import.meta.url)); // ok: call-without-timeout
