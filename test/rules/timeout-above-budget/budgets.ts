//- /app/api/rates/route.ts
import OpenAI from 'openai';
import axios from 'axios';

const openai = new OpenAI();
export const maxDuration = 10;

export async function GET() {
  const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(30_000) });
//                  ^^^^^ timeout-above-budget: When `fetch` hangs, the host ends this function at 10 s and its own timeout (30 s) never fires: nothing after it runs.
  return Response.json(await res.json());
}

export async function POST() {
  const { data } = await axios.get('https://rates.example.com', { timeout: 8_000 }); // ok: timeout-above-budget
  await openai.chat.completions.create({ model: 'm', messages: [] });
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ timeout-above-budget: When `openai.chat.completions.create` hangs, the host ends this function at 10 s and its own timeout (10 min) never fires: nothing after it runs.
  await load();
  return Response.json(data);
}

async function load() {
  await axios.get('https://rates.example.com', { timeout: 15_000 });
//      ^^^^^^^^^ timeout-above-budget
}

export async function PUT() {
  const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(9_000) }); // ok: timeout-above-budget
  const open = await fetch('https://rates.example.com'); // ok: timeout-above-budget
  return Response.json([await res.json(), await open.json()]);
}

export async function PATCH(ms: number) {
  const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(ms) }); // ok: timeout-above-budget
  return Response.json(await res.json());
}

export async function unused() {
  await axios.get('https://rates.example.com', { timeout: 20_000 }); // ok: timeout-above-budget
}

//- /app/api/long/route.ts
export const maxDuration = 60;

export async function GET() {
  const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(30_000) }); // ok: timeout-above-budget
  return Response.json(await res.json());
}

//- /app/api/unset/route.ts
export async function GET() {
  const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(300_000) }); // ok: timeout-above-budget
  return Response.json(await res.json());
}

//- /app/api/local/route.ts
const maxDuration = 10;
export async function GET() {
  const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(30_000 + maxDuration) }); // ok: timeout-above-budget
  return Response.json(await res.json());
}

//- /app/api/environment/route.ts
export const maxDuration = Number(process.env.MAX);
export async function GET() {
  const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(30_000) }); // ok: timeout-above-budget
  return Response.json(await res.json());
}

//- /pages/api/old.ts
export const config = { maxDuration: 5 };
export default async function handler(req: unknown, res: { json(body: unknown): void }) {
  const got = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(30_000) });
//                  ^^^^^ timeout-above-budget
  res.json(await got.json());
}

//- /pages/api/fits.ts
export const config = { maxDuration: 45 };
export default async function handler(req: unknown, res: { json(body: unknown): void }) {
  const got = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(30_000) }); // ok: timeout-above-budget
  res.json(await got.json());
}

//- /src/library.ts
export const maxDuration = 10;
export async function fetchAll() {
  await fetch('https://rates.example.com', { signal: AbortSignal.timeout(30_000) }); // ok: timeout-above-budget
}
