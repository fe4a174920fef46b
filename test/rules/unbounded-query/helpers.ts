//- /src/api/shops/lib/orders.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
declare function remember<T>(run: () => Promise<T>, key: string): Promise<T>;

export const getOrders = async (shopId: string) =>
  remember(async () => {
    const rows = await prisma.order.findMany({ where: { shopId }, select: { id: true, total: true } });
    //                 ^^^^^^^^^^^^^^^^^^^^^ unbounded-query
    return rows.map((row) => ({ ...row, shopId }));
  }, shopId);

export async function getLatestOrders(shopId: string) {
  return prisma.order.findMany({ where: { shopId }, orderBy: { id: 'desc' }, take: 20 }); // ok: unbounded-query
}
export async function findOrders(shopId: string, state: string) {
  return prisma.order.findMany({ where: { shopId, state } }); // ok: unbounded-query
}
export async function total(shopId: string) {
  const rows = await prisma.order.findMany({ where: { shopId } }); // ok: unbounded-query
  return rows.reduce((sum, row) => sum + row.total, 0);
}
export async function getRoles(shopId: string) {
  return prisma.role.findMany({ where: { shopId } }); // ok: unbounded-query
}
//- /src/jobs/lib/orders.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function ordersOf(shopId: string) {
  return prisma.order.findMany({ where: { shopId } }); // ok: unbounded-query
}
