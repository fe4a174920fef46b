import { PrismaClient, type Prisma } from '@prisma/client';
import { sendMail } from './mail';
const prisma = new PrismaClient();

export async function usesResult(customerId: string, skus: string[]) {
  const order = await prisma.order.create({ data: { customerId } });
  //                  ^^^^^^^^^^^^^^^^^^^ writes-without-transaction: If `prisma.line.createMany` fails after this, `prisma.order.create` stays done: the two writes are not in one transaction.   💡 Wrap in a transaction
  await prisma.line.createMany({ data: skus.map((sku) => ({ sku, orderId: order.id })) });
  return order;
}
export async function sameParent(orderId: string) {
  await prisma.order.update({ where: { id: orderId }, data: { status: 'paid' } });
  //    ^^^^^^^^^^^^^^^^^^^ writes-without-transaction
  await prisma.payment.create({ data: { orderId, amount: 5 } });
}
export async function replaceSet(postId: string, tags: string[]) {
  await prisma.postTag.deleteMany({ where: { postId } });
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^ writes-without-transaction
  await prisma.postTag.createMany({ data: tags.map((tag) => ({ postId, tag })) });
}
export async function three(id: string) {
  await prisma.comment.deleteMany({ where: { postId: id } });
  //    ^^^^^^^^^^^^^^^^^^^^^^^^^ writes-without-transaction: If one of the 2 writes after this fails, `prisma.comment.deleteMany` stays done: they are not in one transaction.
  await prisma.like.deleteMany({ where: { postId: id } });
  await prisma.post.delete({ where: { id } });
}
export async function returned(userId: string, amount: number) {
  await prisma.purchase.create({ data: { userId, amount } });
  //    ^^^^^^^^^^^^^^^^^^^^^^ writes-without-transaction
  return prisma.user.update({ where: { id: userId }, data: { credits: { decrement: amount } } });
}
export async function readByIt(linkId: string) {
  const link = await prisma.link.findUniqueOrThrow({ where: { id: linkId } });
  if (link.codeId) await removeCode(link);
  //                     ^^^^^^^^^^ writes-without-transaction: If `prisma.link.delete` fails after this, `removeCode` stays done: the two writes are not in one transaction.
  await prisma.link.delete({ where: { id: linkId } });
}
async function removeCode(link: { codeId: string }) {
  await prisma.code.delete({ where: { id: link.codeId } });
}
export async function beforeTransaction(projectId: string) {
  const folder = await prisma.folder.create({ data: { projectId } });
  //                   ^^^^^^^^^^^^^^^^^^^^ writes-without-transaction
  await prisma.$transaction(async (tx) => {
    await tx.program.create({ data: { folderId: folder.id } });
    await tx.group.create({ data: { projectId } });
  });
}
export async function inLoop(orderIds: string[]) {
  for (const orderId of orderIds) {
    await prisma.order.update({ where: { id: orderId }, data: { status: 'sent' } });
    //    ^^^^^^^^^^^^^^^^^^^ writes-without-transaction
    await prisma.parcel.create({ data: { orderId } });
  }
}

export async function inTransaction(customerId: string) {
  return prisma.$transaction(async (tx) => {
    const order = await tx.order.create({ data: { customerId } }); // ok: writes-without-transaction
    await tx.line.create({ data: { orderId: order.id } });
  });
}
export async function asBatch(orderId: string) {
  await prisma.$transaction([prisma.order.update({ where: { id: orderId }, data: {} }), prisma.payment.create({ data: { orderId } })]); // ok: writes-without-transaction
}
export async function single(customerId: string) {
  await prisma.order.create({ data: { customerId, lines: { create: [] } } }); // ok: writes-without-transaction
}
export async function logged(orderId: string) {
  await prisma.order.update({ where: { id: orderId }, data: { status: 'paid' } }); // ok: writes-without-transaction
  await prisma.auditLog.create({ data: { orderId } });
}
export async function counted(linkId: string) {
  await prisma.click.create({ data: { linkId } }); // ok: writes-without-transaction
  await prisma.link.update({ where: { id: linkId }, data: { clicks: { increment: 1 }, lastClicked: new Date() } });
}
export async function branches(orderId: string, paid: boolean) {
  if (paid) {
    await prisma.order.update({ where: { id: orderId }, data: { status: 'paid' } }); // ok: writes-without-transaction
  } else {
    await prisma.payment.deleteMany({ where: { orderId } });
  }
}
export async function early(orderId: string, paid: boolean) {
  if (paid) {
    await prisma.order.update({ where: { id: orderId }, data: { status: 'paid' } }); // ok: writes-without-transaction
    return;
  }
  await prisma.payment.deleteMany({ where: { orderId } });
}
export async function unrelated(a: string, b: string) {
  await prisma.country.update({ where: { id: a }, data: {} }); // ok: writes-without-transaction
  await prisma.currency.update({ where: { id: b }, data: {} });
}
export async function states(jobId: string) {
  await prisma.task.update({ where: { id: jobId }, data: { status: 'running' } }); // ok: writes-without-transaction
  await prisma.task.update({ where: { id: jobId }, data: { status: 'done' } });
}
export async function compensated(orderId: string) {
  try {
    await prisma.order.update({ where: { id: orderId }, data: { status: 'paid' } }); // ok: writes-without-transaction
  } catch (error) {
    await prisma.failure.create({ data: { orderId } });
    throw error;
  }
}
export async function optionalSecond(orderId: string) {
  await prisma.order.update({ where: { id: orderId }, data: { status: 'paid' } }); // ok: writes-without-transaction
  try {
    await prisma.hint.create({ data: { orderId } });
  } catch {
    console.warn('no hint');
  }
}
export async function overTheNetwork(orderId: string) {
  const attempt = await prisma.charge.create({ data: { orderId } }); // ok: writes-without-transaction
  const res = await fetch('https://pay.example.com', { method: 'POST', signal: AbortSignal.timeout(1000) });
  await prisma.order.update({ where: { id: orderId }, data: { ok: res.ok, chargeId: attempt.id } });
}
export async function handed(tx: Prisma.TransactionClient, customerId: string) {
  const order = await tx.order.create({ data: { customerId } }); // ok: writes-without-transaction
  await tx.line.create({ data: { orderId: order.id } });
}
export async function getOrCreate(name: string) {
  const tag = await prisma.tag.upsert({ where: { name }, create: { name }, update: {} }); // ok: writes-without-transaction
  await prisma.postTag.create({ data: { tagId: tag.id } });
}
export async function notSameFlow(router: { post(path: string, f: (id: string) => Promise<void>): void }) {
  router.post('/a', async (orderId) => {
    await prisma.order.update({ where: { id: orderId }, data: {} }); // ok: writes-without-transaction
  });
  router.post('/b', async (orderId) => {
    await prisma.payment.create({ data: { orderId } });
  });
}
export async function mailOnly(orderId: string) {
  await prisma.order.update({ where: { id: orderId }, data: {} }); // ok: writes-without-transaction
  await sendMail(orderId);
}
export async function inBatches(folderId: string) {
  const links = await prisma.link.findMany({ where: { folderId }, take: 100 });
  await prisma.link.updateMany({ where: { id: { in: links.map((l) => l.id) } }, data: { folderId: null } }); // ok: writes-without-transaction
  await prisma.folder.delete({ where: { id: folderId } });
}
async function ensureTag(name: string) {
  return prisma.tag.create({ data: { name } });
}
export async function ensured(name: string) {
  const tag = await ensureTag(name); // ok: writes-without-transaction
  await prisma.postTag.create({ data: { tagId: tag.id } });
}
export async function listedInHelper(linkId: string) {
  const link = await prisma.link.findUniqueOrThrow({ where: { id: linkId } });
  await removeCodes([link]);
  //    ^^^^^^^^^^^ writes-without-transaction
  await prisma.link.delete({ where: { id: linkId } });
}
async function removeCodes(links: { codeId: string }[]) {
  await prisma.code.deleteMany({ where: { id: { in: links.map((l) => l.codeId) } } });
}
declare function guarded(run: (id: string) => Promise<void>): (id: string) => Promise<void>;
export const rename = guarded(async (userId) => {
  await prisma.membership.update({ where: { id: userId }, data: { role: 'guest' } }); // ok: writes-without-transaction
});
export const leave = guarded(async (userId) => {
  await prisma.membership.delete({ where: { id: userId } }); // ok: writes-without-transaction
});
declare function waitUntil(work: Promise<unknown>): void;
export function afterwards(orderId: string) {
  waitUntil(
    (async () => {
      const parcel = await prisma.parcel.create({ data: { orderId } }); // ok: writes-without-transaction
      await prisma.label.create({ data: { parcelId: parcel.id } });
    })(),
  );
}
export async function withRemark(orderId: string) {
  await prisma.orderComment.create({ data: { orderId } }); // ok: writes-without-transaction
  await prisma.order.update({ where: { id: orderId }, data: { open: false } });
}
async function detectDoubles(hash: string) {
  await prisma.suspicion.create({ data: { hash } });
}
export async function looksAfter(orderId: string) {
  const order = await prisma.order.update({ where: { id: orderId }, data: { open: false } }); // ok: writes-without-transaction
  await detectDoubles(order.hash);
}
export async function settings(userId: string) {
  await prisma.address.create({ data: { userId } }); // ok: writes-without-transaction
  await prisma.user.update({ where: { id: userId }, data: { theme: 'dark' } });
}
async function removeLines(lines: { id: string }[]) {
  await prisma.line.deleteMany({ where: { id: { in: lines.map((l) => l.id) } } });
}
export async function partByPart(orderId: string) {
  const lines = await prisma.line.findMany({ where: { orderId }, take: 50 });
  await removeLines(lines); // ok: writes-without-transaction
  await prisma.order.delete({ where: { id: orderId } });
}
