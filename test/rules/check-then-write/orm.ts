import { PrismaClient, Prisma } from '@prisma/client';
import { Mutex } from 'async-mutex';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Model } from 'sequelize';
import { users } from './tables';
const prisma = new PrismaClient();
const db = drizzle(process.env.DB!);
const mutex = new Mutex();

export async function branch(email: string, name: string) {
  const found = await prisma.user.findUnique({ where: { email } });
  if (!found) {
    await prisma.user.create({ data: { email, name } });
    //    ^^^^^^^^^^^^^^^^^^ check-then-write: Of two callers at the same time the second gets a unique violation from `prisma.user.create`, and nothing here handles it.   💡 Make it one upsert
  }
}
export async function assign(email: string) {
  let user = await prisma.user.findUnique({ where: { email } });
  if (!user) user = await prisma.user.create({ data: { email } });
  //                      ^^^^^^^^^^^^^^^^^^ check-then-write   💡 Make it one upsert
  return user;
}
export async function early(email: string) {
  const found = await prisma.user.findFirst({ where: { email } });
  if (found) throw new Error('taken');
  return prisma.user.create({ data: { email } });
  //     ^^^^^^^^^^^^^^^^^^ check-then-write
}
export async function coalesce(email: string) {
  const found = await prisma.user.findFirst({ where: { email } });
  return found ?? (await prisma.user.create({ data: { email } }));
  //                     ^^^^^^^^^^^^^^^^^^ check-then-write
}
export async function limit(teamId: string) {
  const n = await prisma.member.count({ where: { teamId } });
  if (n >= 5) throw new Error('full');
  await prisma.member.create({ data: { teamId } });
  //    ^^^^^^^^^^^^^^^^^^^^ check-then-write
}
export async function inline(email: string) {
  if (await prisma.user.findFirst({ where: { email } })) return null;
  return prisma.user.create({ data: { email } });
  //     ^^^^^^^^^^^^^^^^^^ check-then-write
}
async function findUser(email: string) {
  return prisma.user.findFirst({ where: { email } });
}
async function createUser(email: string) {
  return prisma.user.create({ data: { email } });
}
export async function helpers(email: string) {
  const found = await findUser(email);
  if (found) return found;
  return createUser(email);
  //     ^^^^^^^^^^ check-then-write
}
export async function inTransaction(email: string) {
  return prisma.$transaction(async tx => {
    const found = await tx.user.findFirst({ where: { email } });
    if (found) return found;
    return tx.user.create({ data: { email } });
    //     ^^^^^^^^^^^^^^ check-then-write
  });
}
export async function chained(email: string) {
  const [found] = await db.select().from(users).where(eq(users.email, email));
  if (!found) {
    await db.insert(users).values({ email });
    //    ^^^^^^^^^ check-then-write   💡 Do nothing when the row is there
  }
}
export async function redeem(id: string) {
  const coupon = await prisma.coupon.findUniqueOrThrow({ where: { id } });
  if (coupon.status !== 'open') throw new Error('used');
  await prisma.coupon.update({ where: { id }, data: { status: 'used' } });
  //    ^^^^^^^^^^^^^^^^^^^^ check-then-write: Two callers at the same time both see the old `status` and both go on: `prisma.coupon.update` does not ask for it again.
  await prisma.coupon.update({ where: { id }, data: { status: 'sent' } }); // ok: check-then-write
}
export async function lastAdmin(id: string, teamId: string) {
  const admins = await prisma.member.count({ where: { teamId, role: 'admin' } });
  //                   ^^^^^^^^^^^^^^^^^^^ check-then-write: Two callers at the same time both count before either has written, and both go on to `prisma.member.delete`: together they pass the limit that each one keeps.
  if (admins < 2) throw new Error('last admin');
  await prisma.member.delete({ where: { id } });
}
async function createSpace(kind: string) {
  return prisma.workSpace.create({ data: { kind } });
}
export async function fromList(team: { spaces: { kind: string }[] }, kind: string) {
  const there = team.spaces.find(s => s.kind === kind);
  if (!there) {
    await createSpace(kind);
    //    ^^^^^^^^^^^ check-then-write
  }
}
class Provider extends Model {
  async disable() {
    const others = await (this.constructor as typeof Provider).count({ where: { enabled: true } });
    //                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ check-then-write
    if (others > 1) await this.update({ enabled: false });
    else throw new Error('one must stay');
  }
}

// --- the database decides
export async function lastAdminLocked(id: string, teamId: string) {
  await prisma.$transaction(async tx => {
    await tx.$queryRaw`SELECT 1 FROM teams WHERE id = ${teamId} FOR UPDATE`;
    const admins = await tx.member.count({ where: { teamId, role: 'admin' } }); // ok: check-then-write
    if (admins > 1) await tx.member.delete({ where: { id } });
  });
}
export async function handled(email: string) {
  const found = await prisma.user.findUnique({ where: { email } });
  if (found) return found;
  try {
    return await prisma.user.create({ data: { email } }); // ok: check-then-write
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return findUser(email);
    throw error;
  }
}
export async function caught(email: string) {
  const found = await prisma.user.findUnique({ where: { email } });
  if (found) return;
  await prisma.user.create({ data: { email } }).catch(ignoreDuplicate); // ok: check-then-write
}
export async function skipped(email: string) {
  const found = await prisma.user.findFirst({ where: { email } });
  if (!found) await prisma.user.createMany({ data: [{ email }], skipDuplicates: true }); // ok: check-then-write
}
export async function upserted(email: string) {
  const found = await prisma.user.findFirst({ where: { email } });
  if (!found) await prisma.user.upsert({ where: { email }, update: {}, create: { email } }); // ok: check-then-write
}
export async function serial(email: string) {
  return prisma.$transaction(
    async tx => {
      const found = await tx.user.findFirst({ where: { email } });
      if (!found) await tx.user.create({ data: { email } }); // ok: check-then-write
    },
    { isolationLevel: 'Serializable' },
  );
}
export async function rowLock(teamId: string) {
  return prisma.$transaction(async tx => {
    await tx.$queryRaw`SELECT 1 FROM teams WHERE id = ${teamId} FOR UPDATE`;
    const n = await tx.member.count({ where: { teamId } });
    if (n < 5) await tx.member.create({ data: { teamId } }); // ok: check-then-write
  });
}
export async function exclusive(email: string) {
  return mutex.runExclusive(async () => {
    const found = await prisma.user.findFirst({ where: { email } });
    if (!found) await prisma.user.create({ data: { email } }); // ok: check-then-write
  });
}
export async function conflict(email: string) {
  const [found] = await db.select().from(users).where(eq(users.email, email));
  if (!found) await db.insert(users).values({ email }).onConflictDoNothing(); // ok: check-then-write
}
export async function conditional(id: string) {
  const coupon = await prisma.coupon.findUniqueOrThrow({ where: { id } });
  if (coupon.status !== 'open') throw new Error('used');
  const done = await prisma.coupon.updateMany({ where: { id, status: 'open' }, data: { status: 'used' } }); // ok: check-then-write
  return done.count === 1;
}
// --- no check of the same thing
export async function parent(parentId: string, text: string) {
  const above = await prisma.comment.findUnique({ where: { id: parentId } });
  if (!above) throw new Error('no parent');
  return prisma.comment.create({ data: { parentId, text } }); // ok: check-then-write
}
export async function otherTable(userId: string) {
  const user = await prisma.user.findUnique({ where: { id: userId } });
  if (!user) return null;
  return prisma.order.create({ data: { userId } }); // ok: check-then-write
}
export async function otherColumns(name: string, email: string) {
  const template = await prisma.page.findFirst({ where: { slug: name } });
  if (template) return template;
  return prisma.page.create({ data: { owner: email } }); // ok: check-then-write
}
export async function unrelated(email: string) {
  const users = await prisma.user.findMany({ where: { email } });
  console.log(users.length);
  return prisma.user.create({ data: { email } }); // ok: check-then-write
}
export async function settings(id: string, name: string) {
  const user = await prisma.user.findUnique({ where: { id } });
  if (!user) throw new Error('no user');
  await prisma.user.update({ where: { id }, data: { name } }); // ok: check-then-write
}
const cache = new Map<string, object>();
export function inMemory(key: string) {
  if (!cache.has(key)) cache.set(key, {}); // ok: check-then-write
  return cache.get(key);
}
function ignoreDuplicate(error: unknown) {
  return error;
}
