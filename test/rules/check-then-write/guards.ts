import { PrismaClient } from '@prisma/client';
import { AfterCreate, Model } from 'sequelize-typescript';
const prisma = new PrismaClient();
enum State {
  OPEN = 'OPEN',
  PAID = 'PAID',
  CANCELLED = 'CANCELLED',
  FAILED = 'FAILED',
}
export async function pay(id: string) {
  const order = await prisma.order.findUniqueOrThrow({ where: { id } });
  if (order.status !== State.OPEN) throw new Error('not open');
  await prisma.order.update({ where: { id }, data: { status: State.PAID } });
//      ^^^^^^^^^^^^^^^^^^^ check-then-write
}
export async function payTwice(id: string) {
  const order = await prisma.order.findUniqueOrThrow({ where: { id } });
  if (order.status === 'PAID') return;
  await prisma.order.update({ where: { id }, data: { status: 'PAID' } });
//      ^^^^^^^^^^^^^^^^^^^ check-then-write
}
export async function failUnlessCancelled(id: string) {
  const order = await prisma.order.findUniqueOrThrow({ where: { id } });
  if (order.status === State.CANCELLED) return;
  await prisma.order.update({ where: { id }, data: { status: State.FAILED } }); // ok: check-then-write
}
export async function failWithin(id: string) {
  const order = await prisma.order.findUniqueOrThrow({ where: { id } });
  if (order.status !== 'CANCELLED') {
    await prisma.order.update({ where: { id }, data: { status: 'FAILED' } }); // ok: check-then-write
  }
}
export async function payWithin(id: string) {
  const order = await prisma.order.findUniqueOrThrow({ where: { id } });
  if (order.status === 'OPEN') {
    await prisma.order.update({ where: { id }, data: { status: 'PAID' } });
//        ^^^^^^^^^^^^^^^^^^^ check-then-write
  }
}
export async function fromInput(orderId: string, data: { recipients: { email: string }[] }, email: string) {
  if (data.recipients.some(r => r.email === email)) return;
  await prisma.recipient.create({ data: { orderId, email } }); // ok: check-then-write
}
export async function fromBody(orderId: string, req: { body: { recipients: { email: string }[] } }, email: string) {
  if (req.body.recipients.some(r => r.email === email)) return;
  await prisma.recipient.create({ data: { orderId, email } }); // ok: check-then-write
}
export class Room extends Model {
  @AfterCreate
  static async addOwner(room: { id: string; ownerId: string }) {
    const known = await prisma.membership.findFirst({ where: { roomId: room.id, userId: room.ownerId } });
    if (!known) await prisma.membership.create({ data: { roomId: room.id, userId: room.ownerId } }); // ok: check-then-write
  }
}
export async function settleAside(id: string, runnable: (id: string) => boolean, work: () => Promise<void>) {
  const order = await prisma.order.findUniqueOrThrow({ where: { id } });
  if (order.status === State.CANCELLED) return;
  if (!runnable(id)) {
    await prisma.order.update({ where: { id }, data: { status: State.CANCELLED } }); // ok: check-then-write
    return;
  }
  await work();
}
