//- /src/lists.ts
import express from 'express';
import { randomBytes } from 'node:crypto';
import { PrismaClient } from '@prisma/client';
import knex from 'knex';
import { z } from 'zod';
import { pageSchema, smallPage } from './schemas';
import { listOrders } from './orders';
const prisma = new PrismaClient();
const db = knex({ client: 'pg' });
const app = express();

app.get('/a', async (req, res) => {
  res.json(await prisma.order.findMany({ take: Number(req.query.limit) }));
  //                                           ^^^^^^^^^^^^^^^^^^^^^^^ request-controlled-size: Whoever sends the request sets how many rows `prisma.order.findMany` reads: nothing caps it.
  const limit = parseInt(String(req.query.limit), 10) || 20;
  res.json(await prisma.order.findMany({ take: limit + 1 }));
  //                                           ^^^^^^^^^ request-controlled-size
  res.json(await db('orders').limit(Number(req.query.limit)));
  //                                ^^^^^^^^^^^^^^^^^^^^^^^ request-controlled-size
});
app.get('/b', (req, res) => {
  const n = Number(req.query.n);
  res.send(Buffer.alloc(n));
  //                    ^ request-controlled-size: Whoever sends the request sets how much memory `Buffer.alloc` sets aside: nothing caps it.
  res.send(randomBytes(n));
  //                   ^ request-controlled-size
  res.send('x'.repeat(Number(req.query.n)));
  //                  ^^^^^^^^^^^^^^^^^^^ request-controlled-size
  res.json(Array.from({ length: n }, () => 0));
  //                            ^ request-controlled-size
  for (let i = 0; i < n; i++) res.write('.');
  //                  ^ request-controlled-size: Whoever sends the request sets how often this loop runs: nothing caps it.
  setTimeout(() => res.end(), Number(req.query.wait));
  //                          ^^^^^^^^^^^^^^^^^^^^^^ request-controlled-size: Whoever sends the request sets how long this timer waits: nothing caps it.
});
app.get('/c', async (req, res) => {
  const { limit } = pageSchema.parse(req.query);
  res.json(await prisma.order.findMany({ take: limit }));
  //                                           ^^^^^ request-controlled-size
  const parsed = z.object({ size: z.coerce.number().int().min(1) }).safeParse(req.query);
  if (parsed.success) res.json(await prisma.order.findMany({ take: parsed.data.size }));
  //                                                               ^^^^^^^^^^^^^^^^ request-controlled-size
  res.json(await listOrders({ limit, shop: 'x' }));
});

app.get('/d', async (req, res) => {
  // Cut to size, compared, or bounded by its schema.
  res.json(await prisma.order.findMany({ take: Math.min(Number(req.query.limit), 100) })); // ok: request-controlled-size
  const asked = Number(req.query.limit);
  if (asked > 100) return res.sendStatus(400);
  res.json(await prisma.order.findMany({ take: asked })); // ok: request-controlled-size
  const wanted = Number(req.query.limit);
  const size = wanted <= 50 ? wanted : 50;
  res.json(await prisma.order.findMany({ take: size })); // ok: request-controlled-size
  const { limit } = smallPage.parse(req.query);
  res.json(await prisma.order.findMany({ take: limit })); // ok: request-controlled-size
  const level = z.object({ level: z.enum(['a', 'b']) }).parse(req.query);
  res.json(await prisma.order.findMany({ take: level.level.length })); // ok: request-controlled-size
  const form = z.object({ size: z.coerce.number().refine((n) => n < 5) }).parse(req.query);
  res.json(await prisma.order.findMany({ take: form.size })); // ok: request-controlled-size
  // Fixed, or of this program's own making.
  res.json(await prisma.order.findMany({ take: 50 })); // ok: request-controlled-size
  for (let i = 0; i < req.body.items.length; i++) res.write('.'); // ok: request-controlled-size
  const timer = Number(process.env.WAIT);
  setTimeout(() => res.end(), timer); // ok: request-controlled-size
  // Skipping is no size.
  res.json(await prisma.order.findMany({ take: 50, skip: Number(req.query.skip) })); // ok: request-controlled-size
});
export async function unknown(limit: number) {
  return prisma.order.findMany({ take: limit }); // ok: request-controlled-size
}
//- /src/schemas.ts
import { z } from 'zod';
const base = z.object({ limit: z.coerce.number().optional().default(20) });
export const pageSchema = base.extend({ page: z.coerce.number() });
export const smallPage = base.extend({ limit: z.coerce.number().max(100) });
//- /src/orders.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function listOrders({ limit, shop }: { limit: number; shop: string }) {
  return prisma.order.findMany({ where: { shop }, take: limit });
  //                                                    ^^^^^ request-controlled-size
}
//- /src/trpc.ts
import { initTRPC } from '@trpc/server';
import { PrismaClient } from '@prisma/client';
import { z } from 'zod';
const prisma = new PrismaClient();
const t = initTRPC.create();
export const router = t.router({
  all: t.procedure
    .input(z.object({ limit: z.number() }))
    .query(({ input }) => prisma.order.findMany({ take: input.limit })),
  //                                                    ^^^^^^^^^^^ request-controlled-size
  some: t.procedure
    .input(z.object({ limit: z.number().lte(100) }))
    .query(({ input }) => prisma.order.findMany({ take: input.limit })), // ok: request-controlled-size
});
