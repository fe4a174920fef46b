import { PrismaClient } from '@prisma/client';
import { Queue, Worker } from 'bullmq';
import { Pool } from 'pg';
import { Kafka } from 'kafkajs';
import PgBoss from 'pg-boss';
import Redis from 'ioredis';
const prisma = new PrismaClient();
const builds = new Queue('builds');
const metrics = new Queue('metrics');
const pool = new Pool();
const producer = new Kafka({ brokers: ['a:9092'] }).producer();
const boss = new PgBoss('postgres://db');
const redis = new Redis();

// ---- before the commit

export async function insideCallback(owner: string) {
  await prisma.$transaction(async (tx) => {
    const row = await tx.build.create({ data: { owner } });
    await builds.add('start', { id: row.id });
    //    ^^^^^^^^^^ commit-then-publish: `builds.add` hands the message over before the transaction commits: a quick worker finds nothing of `build` yet, and a rollback leaves a message about rows that do not exist.
  });
}
export async function insideByHand(owner: string) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('INSERT INTO builds (owner) VALUES ($1)', [owner]);
    await producer.send({ topic: 'builds', messages: [{ value: owner }] });
    //    ^^^^^^^^^^^^^ commit-then-publish: `producer.send` hands the message over before the transaction commits: a quick worker finds nothing of `builds` yet, and a rollback leaves a message about rows that do not exist.
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
async function enqueueBuild(id: string) {
  await builds.add('start', { id });
}
export async function insideThroughHelper(owner: string) {
  await prisma.$transaction(async (tx) => {
    const row = await tx.build.create({ data: { owner } });
    await enqueueBuild(row.id);
    //    ^^^^^^^^^^^^ commit-then-publish: `enqueueBuild` hands the message over before the transaction commits: a quick worker finds nothing of `build` yet, and a rollback leaves a message about rows that do not exist.
  });
}
export async function insideNotAwaited(owner: string) {
  await prisma.$transaction(async (tx) => {
    const row = await tx.build.create({ data: { owner } });
    void builds.add('start', { id: row.id }).catch(console.error);
    //   ^^^^^^^^^^ commit-then-publish
  });
}
export async function insideReadOnly(owner: string) {
  await prisma.$transaction(async (tx) => {
    const row = await tx.build.findFirst({ where: { owner } });
    await builds.add('start', { id: row?.id }); // ok: commit-then-publish
  });
}
export async function insideSideTable(owner: string) {
  await prisma.$transaction(async (tx) => {
    await tx.auditLog.create({ data: { owner } });
    await builds.add('start', { owner }); // ok: commit-then-publish
  });
}
export async function insideSameDatabase(owner: string) {
  await prisma.$transaction(async (tx) => {
    const row = await tx.build.create({ data: { owner } });
    await boss.send('builds', { id: row.id }, { db: { executeSql: (text: string) => tx.$queryRawUnsafe(text) } }); // ok: commit-then-publish
  });
}
async function publishLater(tx: unknown, id: string) {
  void tx;
  await builds.add('start', { id });
}
export async function insideHandedOn(owner: string) {
  await prisma.$transaction(async (tx) => {
    const row = await tx.build.create({ data: { owner } });
    await publishLater(tx, row.id); // ok: commit-then-publish
  });
}
export async function insideDelayed(owner: string) {
  await prisma.$transaction(async (tx) => {
    const row = await tx.build.create({ data: { owner } });
    await builds.add('start', { id: row.id }, { delay: 5000 }); // ok: commit-then-publish
  });
}
export async function insideBroadcast(owner: string) {
  await prisma.$transaction(async (tx) => {
    const row = await tx.build.create({ data: { owner } });
    await redis.publish('builds', row.id); // ok: commit-then-publish
  });
}
export async function insideFailureReport(owner: string) {
  await prisma.$transaction(async (tx) => {
    try {
      await tx.build.create({ data: { owner } });
    } catch (error) {
      await builds.add('failed', { owner }); // ok: commit-then-publish
      throw error;
    }
  });
}

// ---- after the commit

export async function afterInsert(owner: string) {
  const row = await prisma.build.create({ data: { owner, status: 'waiting' } });
  await builds.add('start', { id: row.id });
  //    ^^^^^^^^^^ commit-then-publish
  return row;
}
export async function afterTransaction(owner: string) {
  const row = await prisma.$transaction(async (tx) => {
    const made = await tx.build.create({ data: { owner } });
    await tx.step.create({ data: { buildId: made.id } });
    return made;
  });
  await builds.add('start', { id: row.id });
  //    ^^^^^^^^^^ commit-then-publish
}
export async function afterUpdate(id: string) {
  await prisma.build.update({ where: { id }, data: { cancelled: true } });
  await builds.add('cancel', { id });
  //    ^^^^^^^^^^ commit-then-publish
}
export async function afterStored(owner: string, text: string) {
  const { rows } = await pool.query('INSERT INTO texts (owner, body) VALUES ($1, $2) RETURNING id', [owner, text]);
  await producer.send({ topic: 'texts', messages: [{ value: rows[0].id }] });
  //    ^^^^^^^^^^^^^ commit-then-publish
}
export async function afterThroughHelper(owner: string) {
  const row = await prisma.build.create({ data: { owner } });
  await enqueueBuild(row.id);
  //    ^^^^^^^^^^^^ commit-then-publish
}
export async function loggedOnly(owner: string) {
  const row = await prisma.build.create({ data: { owner } });
  try {
    await builds.add('start', { id: row.id });
    //    ^^^^^^^^^^ commit-then-publish
  } catch (error) {
    console.error('not queued', error);
  }
}
export async function takenBack(owner: string) {
  const row = await prisma.build.create({ data: { owner } });
  try {
    await builds.add('start', { id: row.id }); // ok: commit-then-publish
  } catch (error) {
    await prisma.build.delete({ where: { id: row.id } });
    throw error;
  }
}
export async function markedFailed(owner: string) {
  const row = await prisma.build.create({ data: { owner } });
  await builds.add('start', { id: row.id }).catch(() => prisma.build.update({ where: { id: row.id }, data: { status: 'failed' } })); // ok: commit-then-publish
}
export async function unrelated(owner: string, other: string) {
  await prisma.build.create({ data: { owner } });
  await builds.add('sweep', { other }); // ok: commit-then-publish
}
export async function counted(owner: string) {
  const row = await prisma.build.create({ data: { owner } });
  await metrics.add('made', { id: row.id }); // ok: commit-then-publish
}
export async function mailed(owner: string) {
  const row = await prisma.build.create({ data: { owner } });
  await builds.add('send-email', { id: row.id }); // ok: commit-then-publish
}
export async function recorded(owner: string) {
  const row = await prisma.auditLog.create({ data: { owner } });
  await builds.add('start', { id: row.id }); // ok: commit-then-publish
}
export async function outbox(owner: string) {
  const row = await prisma.outbox.create({ data: { owner } });
  await builds.add('start', { id: row.id }); // ok: commit-then-publish
}
export async function swept(owner: string) {
  const row = await prisma.pendingExport.create({ data: { owner } });
  await builds.add('start', { id: row.id }); // ok: commit-then-publish
}
export async function before(owner: string) {
  await builds.add('start', { owner }); // ok: commit-then-publish
  await prisma.build.create({ data: { owner } });
}
export async function otherBranch(owner: string, quick: boolean) {
  if (quick) {
    const row = await prisma.build.create({ data: { owner } });
    return row;
  }
  await builds.add('start', { owner }); // ok: commit-then-publish
  return null;
}
// A job runs again until both are done.
export const worker = new Worker('plans', async (job) => {
  const row = await prisma.build.update({ where: { id: job.data.id }, data: { planned: true } });
  await builds.add('start', { id: row.id }); // ok: commit-then-publish
});
export async function poll() {
  while (true) {
    const row = await prisma.build.create({ data: { owner: 'poll' } });
    await builds.add('start', { id: row.id }); // ok: commit-then-publish
  }
}
class List {
  readonly items: string[] = [];
  add(name: string, data: unknown): void {
    this.items.push(name, String(data));
  }
}
const list = new List();
export async function noQueue(owner: string) {
  const row = await prisma.build.create({ data: { owner } });
  list.add('start', { id: row.id }); // ok: commit-then-publish
}
