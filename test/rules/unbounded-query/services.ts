import { PrismaClient } from '@prisma/client';

const prisma = new PrismaClient();

export const getResponsesBySurveyId = async (surveyId: string) => {
  return prisma.response.findMany({ where: { surveyId } });
  //     ^^^^^^^^^^^^^^^^^^^^^^^^ unbounded-query: `prisma.response.findMany` reads every row that matches and all are given back: what the caller holds grows with the customer.
};
export class HistoryService {
  constructor(private readonly prisma: PrismaClient) {}
  async fetchUserHistory(uid: string, type: string) {
    const history = await this.prisma.userHistory.findMany({ where: { userUid: uid, requestType: type } });
    //                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unbounded-query
    const shaped = history.map((row) => ({ ...row, body: JSON.stringify(row.body) }));
    return { list: shaped };
  }
  async getOrders(shopId: string, limit: number) {
    return this.prisma.order.findMany({ where: { shopId } }); // ok: unbounded-query
  }
}

export const getRoles = async (teamId: string) => {
  return prisma.role.findMany({ where: { teamId } }); // ok: unbounded-query
};
export const getOrdersOfShop = async (shopId: string) => {
  return prisma.order.findMany({ where: { shopId }, take: 50 }); // ok: unbounded-query
};
export const getOrderTotals = async (shopId: string) => {
  const orders = await prisma.order.findMany({ where: { shopId } }); // ok: unbounded-query
  return orders.reduce((sum, order) => sum + order.cents, 0);
};
export const getOrdersByIds = async (ids: string[]) => {
  return prisma.order.findMany({ where: { id: { in: ids } } }); // ok: unbounded-query
};
export const removeOldEvents = async (teamId: string) => {
  return prisma.event.findMany({ where: { teamId } }); // ok: unbounded-query
};
export const listEvents = async (filter: { teamId: string; limit?: number }) => {
  return prisma.event.findMany({ where: { teamId: filter.teamId } }); // ok: unbounded-query
};
export const getEventsSince = async (teamId: string, since: Date) => {
  return prisma.event.findMany({ where: { teamId, createdAt: { gte: since } } }); // ok: unbounded-query
};
async function getEventsInside(teamId: string) {
  return prisma.event.findMany({ where: { teamId } }); // ok: unbounded-query
}
export const inside = getEventsInside;
