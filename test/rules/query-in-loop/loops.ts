import { PrismaClient } from '@prisma/client';
import { drizzle } from 'drizzle-orm/node-postgres';
import { eq } from 'drizzle-orm';
import { statuses } from './schema';
const prisma = new PrismaClient();
const db = drizzle('postgres://x');

export async function forOf(users: { id: string }[]) {
  const out = [];
  for (const user of users) {
    const posts = await prisma.post.findMany({ where: { authorId: user.id } });
    //                  ^^^^^^^^^^^^^^^^^^^^ query-in-loop: `prisma.post.findMany` runs once for each element of `users`: the number of queries grows with the list.
    out.push({ user, posts });
  }
  return out;
}
export async function uniqueInSequence(ids: string[]) {
  const out = [];
  for (const id of ids) out.push(await prisma.user.findUnique({ where: { id } }));
  //                                   ^^^^^^^^^^^^^^^^^^^^^^ query-in-loop
  return out;
}
export async function mapped(orders: { customerId: string }[]) {
  return Promise.all(orders.map(async (order) => prisma.customer.findFirst({ where: { id: order.customerId } })));
  //                                             ^^^^^^^^^^^^^^^^^^^^^^^^^ query-in-loop
}
export async function chained(rows: { id: number }[]) {
  for (const row of rows) {
    const result = await db.select().from(statuses).where(eq(statuses.monitorId, row.id));
    //                   ^^^^^^^^^^^^^^^^ query-in-loop
    console.log(result);
  }
}
export async function derived(rows: { owner: { id: string } }[]) {
  for (const row of rows) {
    const ownerId = row.owner.id;
    console.log(await prisma.team.count({ where: { ownerId } }));
    //                ^^^^^^^^^^^^^^^^^ query-in-loop
  }
}
export async function byIndex(rows: { id: string }[]) {
  for (let i = 0; i < rows.length; i++) console.log(await prisma.team.findFirst({ where: { id: rows[i]!.id } }));
  //                                                      ^^^^^^^^^^^^^^^^^^^^^ query-in-loop
}

export async function batchedByLibrary(ids: string[]) {
  return Promise.all(ids.map((id) => prisma.user.findUnique({ where: { id } }))); // ok: query-in-loop
}
export async function oneQuery(ids: string[]) {
  return prisma.user.findMany({ where: { id: { in: ids } } }); // ok: query-in-loop
}
export async function retried(id: string) {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await prisma.user.findFirst({ where: { id } }); // ok: query-in-loop
    } catch (error) {
      console.warn(error);
    }
  }
  return null;
}
export async function polled(id: string) {
  while (true) {
    const job = await prisma.task.findFirst({ where: { id } }); // ok: query-in-loop
    if (job?.done) return job;
    await new Promise((r) => setTimeout(r, 100));
  }
}
export async function pages() {
  let cursor: string | undefined;
  do {
    const page = await prisma.user.findMany({ take: 100, where: { after: cursor } }); // ok: query-in-loop
    cursor = page.at(-1)?.id;
  } while (cursor);
}
export async function firstMatch(names: string[]) {
  for (const name of names) {
    const found = await prisma.user.findFirst({ where: { name } }); // ok: query-in-loop
    if (found) return found;
  }
  return null;
}
export async function untilBreak(names: string[]) {
  for (const name of names) {
    const found = await prisma.user.findFirst({ where: { name } }); // ok: query-in-loop
    if (found) break;
  }
}
export async function newestOfEach(users: { id: string }[]) {
  return Promise.all(users.map((user) => prisma.post.findMany({ where: { authorId: user.id }, take: 3 }))); // ok: query-in-loop
}
export async function twoInOne(users: { id: string }[]) {
  for (const user of users) {
    const posts = await prisma.post.count({ where: { authorId: user.id } });
    //                  ^^^^^^^^^^^^^^^^^ query-in-loop
    const likes = await prisma.like.count({ where: { authorId: user.id } }); // ok: query-in-loop
    console.log(posts, likes);
  }
}
export async function inChunks(ids: string[]) {
  for (const part of chunk(ids, 100)) await prisma.user.findMany({ where: { id: { in: part } } }); // ok: query-in-loop
}
export async function fixedList() {
  for (const kind of ['a', 'b']) console.log(await prisma.user.count({ where: { kind } })); // ok: query-in-loop
}
export async function dependsOnLast(ids: string[]) {
  let parent = 'root';
  for (const id of ids) {
    const node = await prisma.node.findFirst({ where: { id, parent } }); // ok: query-in-loop
    parent = node?.id ?? parent;
  }
}
export async function workedOn(jobs: { id: string }[]) {
  for (const job of jobs) {
    const row = await prisma.item.findFirst({ where: { jobId: job.id } }); // ok: query-in-loop
    await prisma.item.update({ where: { id: row!.id }, data: { done: true } });
  }
}
export async function calls(hooks: { id: string }[]) {
  for (const hook of hooks) {
    const row = await prisma.hook.findFirst({ where: { id: hook.id } }); // ok: query-in-loop
    await fetch(row!.url);
  }
}
export async function ordered(ids: string[]) {
  await prisma.$transaction(async (tx) => {
    for (const id of ids) await tx.stock.findFirst({ where: { id } }); // ok: query-in-loop
  });
}
export async function notOfElement(ids: string[]) {
  for (const id of ids) console.log(id, await prisma.user.count()); // ok: query-in-loop
}
declare function chunk<T>(list: T[], n: number): T[][];
