//- /src/app/api/orders/route.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function GET(req: Request) {
  const shopId = new URL(req.url).searchParams.get('shop')!;
  const orders = await prisma.order.findMany({ where: { shopId } });
  //                   ^^^^^^^^^^^^^^^^^^^^^ unbounded-query: `prisma.order.findMany` reads every row that matches and the handler sends them all: the answer grows with the customer.
  return Response.json(orders.map((order) => ({ ...order })));
}
export async function POST(req: Request) {
  const orders = await prisma.order.findMany({ where: { shopId: '1' } }); // ok: unbounded-query
  return Response.json(orders);
}
//- /src/express.ts
import express from 'express';
import { PrismaClient } from '@prisma/client';
import { drizzle } from 'drizzle-orm/node-postgres';
import { eq } from 'drizzle-orm';
import { orders } from './schema';
const prisma = new PrismaClient();
const db = drizzle('x');
const app = express();
app.get('/all', async (_req, res) => {
  const found = await prisma.order.findMany();
  //                  ^^^^^^^^^^^^^^^^^^^^^ unbounded-query
  res.json(found);
});
app.get('/drizzle', async (req, res) => {
  const found = await db.select().from(orders).where(eq(orders.shopId, req.query.shop));
  //                  ^^^^^^^^^^^^^^^^ unbounded-query
  res.json({ found });
});
app.get('/limited', async (req, res) => {
  res.json(await prisma.order.findMany({ where: { shopId: '1' }, take: 50 })); // ok: unbounded-query
});
app.get('/chain', async (req, res) => {
  const found = await db.select().from(orders).limit(20); // ok: unbounded-query
  res.json(found);
});
app.get('/keys', async (req, res) => {
  const found = await prisma.order.findMany({ where: { id: { in: ['1', '2'] } } }); // ok: unbounded-query
  res.json(found);
});
app.get('/options', async (req, res) => {
  const found = await prisma.order.findMany(pageOf(req)); // ok: unbounded-query
  res.json(found);
});
app.get('/small', async (req, res) => {
  const found = await prisma.role.findMany({ where: { shopId: '1' } }); // ok: unbounded-query
  res.json(found);
});
app.get('/counted', async (req, res) => {
  const found = await prisma.order.count({ where: { shopId: '1' } }); // ok: unbounded-query
  res.json(found);
});
app.get('/one', async (req, res) => {
  const found = await prisma.order.findFirst({ where: { shopId: '1' } }); // ok: unbounded-query
  res.json(found);
});
app.get('/length', async (req, res) => {
  const found = await prisma.order.findMany({ where: { shopId: '1' } }); // ok: unbounded-query
  console.log(found.length);
  res.json({ ok: true });
});
app.get('/filtered', async (req, res) => {
  const found = await prisma.order.findMany({ where: { number: '1' } }); // ok: unbounded-query
  res.json(found);
});
app.post('/write', async (req, res) => {
  const found = await prisma.order.findMany({ where: { shopId: '1' } }); // ok: unbounded-query
  res.json(found);
});
declare function pageOf(req: unknown): object;
