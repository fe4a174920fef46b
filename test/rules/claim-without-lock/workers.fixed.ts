import { PrismaClient } from '@prisma/client';
import { Pool } from 'pg';
import knexFactory from 'knex';
import nodemailer from 'nodemailer';
import cron from 'node-cron';
const prisma = new PrismaClient();
const pool = new Pool();
const knex = knexFactory({ client: 'pg' });
const mail = nodemailer.createTransport({ host: 'smtp' });

export async function claimNextBatch() {
  const due = await prisma.letter.findMany({ where: { status: 'waiting' }, take: 20 });
  for (const letter of due) {
    await prisma.letter.update({ where: { id: letter.id }, data: { status: 'processing' } });
  }
  return due;
}
export async function pollAndSend() {
  const { rows } = await pool.query("SELECT id, address FROM letters WHERE sent_at IS NULL LIMIT 50");
  for (const row of rows) {
    await mail.sendMail({ to: row.address });
    await pool.query('UPDATE letters SET sent_at = now() WHERE id = $1', [row.id]);
  }
}
export async function takeNextJob() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query("SELECT * FROM jobs WHERE status = 'queued' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED");
    await client.query("UPDATE jobs SET status = 'running' WHERE id = $1", [rows[0].id]);
    await client.query('COMMIT');
    return rows[0];
  } finally {
    client.release();
  }
}
export async function takeNextJobLockLost() {
  const { rows } = await pool.query("SELECT * FROM jobs WHERE status = 'queued' LIMIT 1 FOR UPDATE SKIP LOCKED");
  await pool.query("UPDATE jobs SET status = 'running' WHERE id = $1", [rows[0].id]);
  return rows[0];
}
export async function processTasks() {
  const tasks = await knex('tasks').where({ state: 'new' }).select();
  await Promise.all(
    tasks.map(async (task: { id: string }) => {
      await knex('tasks').where({ id: task.id }).update({ state: 'working' });
    }),
  );
}
export async function claimAll() {
  const due = await prisma.letter.findMany({ where: { status: 'waiting' } });
  await prisma.letter.updateMany({ where: { id: { in: due.map((d) => d.id) } }, data: { status: 'sending' } });
  return due;
}
cron.schedule('* * * * *', async () => {
  const due = await prisma.reminder.findMany({ where: { notified: false } });
  for (const r of due) {
    await mail.sendMail({ to: r.address });
    await prisma.reminder.update({ where: { id: r.id }, data: { notified: true } });
  }
});

// ---- somebody keeps the second worker off

export async function claimConditionally() {
  const due = await prisma.letter.findMany({ where: { status: 'waiting' } });
  for (const letter of due) {
    const { count } = await prisma.letter.updateMany({ where: { id: letter.id, status: 'waiting' }, data: { status: 'processing' } }); // ok: claim-without-lock
    if (count === 0) continue;
    await mail.sendMail({ to: letter.address });
  }
}
export async function takeWithSkipLocked() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query("SELECT * FROM jobs WHERE status = 'queued' LIMIT 1 FOR UPDATE SKIP LOCKED");
    await client.query("UPDATE jobs SET status = 'running' WHERE id = $1", [rows[0].id]); // ok: claim-without-lock
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
export async function takeInOneStatement() {
  const { rows } = await pool.query("UPDATE jobs SET status = 'running' WHERE id = (SELECT id FROM jobs WHERE status = 'queued' LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *"); // ok: claim-without-lock
  return rows[0];
}
export async function takeWithKnexLock() {
  await knex.transaction(async (trx) => {
    const tasks = await trx('tasks').where({ state: 'new' }).forUpdate().skipLocked().select();
    for (const task of tasks) await trx('tasks').where({ id: task.id }).update({ state: 'working' }); // ok: claim-without-lock
  });
}
export async function takeUnderAdvisoryLock() {
  await prisma.$queryRaw`SELECT pg_advisory_lock(7)`;
  const due = await prisma.letter.findMany({ where: { status: 'waiting' } });
  for (const letter of due) await prisma.letter.update({ where: { id: letter.id }, data: { status: 'processing' } }); // ok: claim-without-lock
}
export async function takeAndCount() {
  const { rows } = await pool.query("SELECT id FROM jobs WHERE status = 'queued' LIMIT 1");
  const done = await pool.query("UPDATE jobs SET status = 'running' WHERE id = $1 AND locked_by IS NULL", [rows[0].id]); // ok: claim-without-lock
  return done.rowCount === 1 ? rows[0] : null;
}
let running = false;
export async function pollGuarded() {
  if (running) return;
  running = true;
  const due = await prisma.letter.findMany({ where: { status: 'waiting' } });
  for (const letter of due) await prisma.letter.update({ where: { id: letter.id }, data: { status: 'processing' } }); // ok: claim-without-lock
  running = false;
}

// ---- nothing is done twice, or nobody picks

export async function expirePending() {
  const old = await prisma.letter.findMany({ where: { status: 'waiting' } });
  for (const letter of old) await prisma.letter.update({ where: { id: letter.id }, data: { status: 'expired' } }); // ok: claim-without-lock
}
export async function acceptPending(token: string) {
  const invite = await prisma.invite.findFirst({ where: { token, status: 'open' } });
  await prisma.invite.update({ where: { id: invite?.id }, data: { status: 'processing' } }); // ok: claim-without-lock
}
export async function processOne(id: string) {
  const letter = await prisma.letter.findFirst({ where: { id, status: 'waiting' } });
  await prisma.letter.update({ where: { id: letter?.id }, data: { status: 'processing' } }); // ok: claim-without-lock
}
export async function processOtherTable() {
  const due = await prisma.letter.findMany({ where: { status: 'waiting' } });
  for (const letter of due) await prisma.stamp.update({ where: { id: letter.id }, data: { status: 'processing' } }); // ok: claim-without-lock
}
export async function processSameState() {
  const due = await prisma.letter.findMany({ where: { status: 'processing' } });
  for (const letter of due) await prisma.letter.update({ where: { id: letter.id }, data: { status: 'processing' } }); // ok: claim-without-lock
}
export async function processByKind(kind: string) {
  const due = await prisma.letter.findMany({ where: { kind } });
  for (const letter of due) await prisma.letter.update({ where: { id: letter.id }, data: { status: 'processing' } }); // ok: claim-without-lock
}
// Not a worker: a person looks at a list and acts on it.
export async function archive() {
  const open = await prisma.letter.findMany({ where: { status: 'waiting' } });
  for (const letter of open) await prisma.letter.update({ where: { id: letter.id }, data: { status: 'active' } }); // ok: claim-without-lock
}
export async function countPending() {
  const { rows } = await pool.query("SELECT count(*) FROM jobs WHERE status = 'queued'");
  await pool.query("UPDATE jobs SET status = 'running' WHERE id = $1", [rows[0].count]); // ok: claim-without-lock
}
export async function pollWithKey() {
  const due = await prisma.letter.findMany({ where: { status: 'waiting' } });
  for (const letter of due) {
    await mail.sendMail({ to: letter.address, messageId: letter.idempotencyKey });
    await prisma.letter.update({ where: { id: letter.id }, data: { status: 'done' } }); // ok: claim-without-lock
  }
}
