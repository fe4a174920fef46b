//- /src/notes.ts
import { PrismaClient } from '@prisma/client';
import Stripe from 'stripe';
import { z } from 'zod';
const prisma = new PrismaClient();
const stripe = new Stripe(process.env.KEY ?? '');

export async function notifyAll(notes: { id: string }[]) {
  // ok: unbounded-concurrency
  await Promise.all(notes.map((n) => fetch(`https://hook.example.com/${n.id}`, { method: 'POST' })));
}
export async function notifyOpen(notes: { id: string }[]) {
  await Promise.all(notes.map((n) => fetch(`https://hook.example.com/${n.id}`, { method: 'POST' })));
  //    ^^^^^^^^^^^ unbounded-concurrency(high)
}
async function describe(id: string, options: { full?: boolean }) {
  if (options.full) return prisma.attachment.findMany({ where: { noteId: id } });
  return id;
}
export async function describeAll(ids: string[], options: { full?: boolean }) {
  return Promise.all(ids.map((id) => describe(id, options))); // ok: unbounded-concurrency
}
async function detail(id: string) {
  return prisma.attachment.findMany({ where: { noteId: id } });
}
export async function detailAll(ids: string[]) {
  return Promise.all(ids.map((id) => detail(id)));
  //     ^^^^^^^^^^^ unbounded-concurrency(medium)
}

// As many rows as keys that were asked for.
export async function picked(input: { ids: string[] }) {
  const notes = await prisma.note.findMany({ where: { id: { in: input.ids } } });
  await Promise.all(notes.map((n) => fetch(`https://hook.example.com/${n.id}`, { method: 'POST' })));
  //    ^^^^^^^^^^^ unbounded-concurrency(low)
}

export async function invoices(customer: string) {
  const list = await stripe.invoices.list({ customer });
  // ok: unbounded-concurrency
  await Promise.all(list.data.map((i) => fetch(`https://hook.example.com/${i.id}`, { method: 'POST' })));
}

const Body = z.object({ urls: z.array(z.string().url()).max(20), more: z.array(z.string()) });
export async function checked(body: z.infer<typeof Body>) {
  await Promise.all(body.urls.map((u) => fetch(u))); // ok: unbounded-concurrency
}

//- /src/callers.ts
import { PrismaClient } from '@prisma/client';
import { notifyAll, notifyOpen } from './notes';
const prisma = new PrismaClient();
export async function latest() {
  await notifyAll(await prisma.note.findMany({ take: 20 }));
  await notifyOpen(await prisma.note.findMany({ take: 20 }));
}
export async function all() {
  await notifyOpen(await prisma.note.findMany());
}

//- /src/bridge.ts
async function discover(url: string): Promise<{ items: string[] }> {
  const res = await fetch(url);
  return (await res.json()) as { items: string[] };
}
export async function sync(url: string) {
  const found = await discover(url);
  await Promise.all(found.items.map((i) => fetch(`https://hook.example.com/${i}`, { method: 'POST' })));
  //    ^^^^^^^^^^^ unbounded-concurrency(low): All `fetch` calls start at once, and their number is set by what `discover` gives back: nothing here bounds it.
}
