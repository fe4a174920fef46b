import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
const KINDS = ['mail', 'push', 'sms'];

export async function fixedKinds() {
  const rows = await prisma.setting.findMany({ where: { kind: { in: KINDS } } });
  await Promise.all(rows.map((row) => prisma.setting.update({ where: { id: row.id }, data: { seen: true } }))); // ok: unbounded-concurrency
}
export async function literalKinds() {
  const rows = await prisma.setting.findMany({ where: { kind: { in: ['mail', 'push'] } } });
  await Promise.all(rows.map((row) => prisma.setting.update({ where: { id: row.id }, data: { seen: true } }))); // ok: unbounded-concurrency
}
export async function listOfKeys(kinds: string[]) {
  const rows = await prisma.setting.findMany({ where: { kind: { in: kinds } } });
  await Promise.all(rows.map((row) => prisma.setting.update({ where: { id: row.id }, data: { seen: true } })));
  //    ^^^^^^^^^^^ unbounded-concurrency
}
export async function wholeTenant(workspaceId: string) {
  const rows = await prisma.setting.findMany({ where: { workspaceId } });
  await Promise.all(rows.map((row) => prisma.setting.update({ where: { id: row.id }, data: { seen: true } })));
  //    ^^^^^^^^^^^ unbounded-concurrency
}
