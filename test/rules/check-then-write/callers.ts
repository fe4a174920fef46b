//- /prisma/schema.prisma
model Account {
  id    String @id
  name  String @unique
  email String
}
model Seat {
  id     String @id @default(cuid())
  planId String
}
model Note {
  id     String @id @default(cuid())
  postId String
}
//- /src/accounts.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

// The filter is made by whoever calls.
async function findAccount(criteria: { where: object }) {
  return prisma.account.findFirst({ ...criteria, where: { ...criteria.where } });
}
export const findByName = (name: string) => findAccount({ where: { name } });
export async function createAccount(data: { id: string; name: string; email: string }) {
  return prisma.account.create({ data });
}
export async function createNote(data: { postId: string }) {
  return prisma.note.create({ data });
}
async function findNote(criteria: { where: { postId: string } }) {
  return prisma.note.findFirst({ where: { postId: criteria.where.postId } });
}

export async function signUp(name: string, email: string) {
  if (await findByName(name)) throw new Error('taken');
  return createAccount({ id: crypto.randomUUID(), name, email });
  //     ^^^^^^^^^^^^^ check-then-write(low): Of two callers at the same time the second gets a unique violation from `createAccount`, and nothing here handles it.
}

// A fresh id is no key that the second caller meets; what is looked for is out of sight.
export async function signUpByMail(email: string) {
  if (await findByName(email)) throw new Error('taken');
  return createAccount({ id: crypto.randomUUID(), email } as never); // ok: check-then-write
}

// Near: no key but the id, which each caller makes anew.
export async function noteOnce(postId: string) {
  if (await findNote({ where: { postId } })) return;
  await createNote({ postId });
  //    ^^^^^^^^^^ check-then-write(high): Two callers at the same time both look with `findNote` before either has written, and both go on to create a `note`: no unique key of the schema stops the second.
}

export async function takeSeat(planId: string) {
  const taken = await prisma.seat.count({ where: { planId } });
  if (taken >= 5) throw new Error('full');
  await prisma.seat.create({ data: { planId } });
  //    ^^^^^^^^^^^^^^^^^^ check-then-write(low): Two callers at the same time both count with `prisma.seat.count` before either has written, and both create a `seat`: together they pass the limit that each one keeps.
}

//- /src/locked.ts
import { Mutex } from 'async-mutex';
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
const mutex = new Mutex();

async function addOnce(postId: string) {
  const note = await prisma.note.findFirst({ where: { postId } });
  if (note) return note;
  return prisma.note.create({ data: { postId } }); // ok: check-then-write
}
export async function onlyWay(postId: string) {
  return mutex.runExclusive(() => addOnce(postId));
}

async function addOpenly(postId: string) {
  const note = await prisma.note.findFirst({ where: { postId } });
  if (note) return note;
  return prisma.note.create({ data: { postId } });
  //     ^^^^^^^^^^^^^^^^^^ check-then-write
}
export async function oneWay(postId: string) {
  return mutex.runExclusive(() => addOpenly(postId));
}
export async function otherWay(postId: string) {
  return addOpenly(postId);
}

//- /src/claimed.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

async function write(jobId: string) {
  const note = await prisma.note.findFirst({ where: { postId: jobId } });
  if (!note) await prisma.note.create({ data: { postId: jobId } }); // ok: check-then-write
}
export async function run(jobId: string) {
  const claimed = await prisma.job.updateMany({ where: { id: jobId, status: 'PENDING' }, data: { status: 'RUNNING' } });
  if (claimed.count === 0) return;
  await write(jobId);
}
