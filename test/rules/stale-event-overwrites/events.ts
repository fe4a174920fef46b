import express from 'express';
import { Kafka } from 'kafkajs';
import { Pool } from 'pg';
import { PrismaClient } from '@prisma/client';
const app = express();
const pool = new Pool();
const prisma = new PrismaClient();
const consumer = new Kafka({ brokers: ['a:9092'] }).consumer({ groupId: 'g' });

void consumer.run({
  eachMessage: async ({ message }) => {
    const event = JSON.parse(String(message.value));
    await pool.query('INSERT INTO accounts (id, version) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET version = EXCLUDED.version', [event.id, event.version]);
    //    ^^^^^^^^^^ stale-event-overwrites: An event that arrives late puts the `accounts` back: `pool.query` stores its `version` without a look at the one that is there.   💡 Write only where the stored one is older
    await pool.query('UPDATE accounts SET name = $2, revision = $3 WHERE id = $1', [event.id, event.name, event.revision]);
    //    ^^^^^^^^^^ stale-event-overwrites: An event that arrives late puts the `accounts` back: `pool.query` stores its `revision` without a look at the one that is there.
    await prisma.account.upsert({
    //    ^^^^^^^^^^^^^^^^^^^^^ stale-event-overwrites: An event that arrives late puts the `account` back: `prisma.account.upsert` stores its `version` without a look at the one that is there.
      where: { id: event.id },
      create: { id: event.id, name: event.name, version: event.version },
      update: { name: event.name, version: event.version },
    });
    await prisma.account.update({ where: { id: event.id }, data: { name: event.name, sourceUpdatedAt: new Date(event.updatedAt) } });
    //    ^^^^^^^^^^^^^^^^^^^^^ stale-event-overwrites
  },
});
app.post('/webhooks/accounts', async (req, res) => {
  const event = req.body;
  await prisma.account.update({ where: { id: event.id }, data: { plan: event.plan, updatedAt: event.updated_at } });
  //    ^^^^^^^^^^^^^^^^^^^^^ stale-event-overwrites
  res.sendStatus(200);
});
export async function handleAccountChanged(event: { id: string; version: number; name: string }) {
  await prisma.account.update({ where: { id: event.id }, data: { name: event.name, version: event.version } });
  //    ^^^^^^^^^^^^^^^^^^^^^ stale-event-overwrites
}

// ---- compared, or not the event's

export async function handleCompared(event: { id: string; version: number; name: string }) {
  await prisma.account.updateMany({ where: { id: event.id, version: { lt: event.version } }, data: { name: event.name, version: event.version } }); // ok: stale-event-overwrites
}
export async function handleLooked(event: { id: string; version: number; name: string }) {
  const row = await prisma.account.findUnique({ where: { id: event.id } });
  if (row && row.version >= event.version) return;
  await prisma.account.update({ where: { id: event.id }, data: { name: event.name, version: event.version } }); // ok: stale-event-overwrites
}
export async function handleCondition(event: { id: string; version: number }) {
  await pool.query('INSERT INTO accounts (id, version) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET version = EXCLUDED.version WHERE accounts.version < EXCLUDED.version', [event.id, event.version]); // ok: stale-event-overwrites
}
export async function handleWhere(event: { id: string; version: number }) {
  await pool.query('UPDATE accounts SET version = $2 WHERE id = $1 AND version < $2', [event.id, event.version]); // ok: stale-event-overwrites
}
export async function handleGreatest(event: { id: string; version: number }) {
  await pool.query('UPDATE accounts SET version = GREATEST(version, $2) WHERE id = $1', [event.id, event.version]); // ok: stale-event-overwrites
}
export async function handleOwnClock(event: { id: string; name: string }) {
  await prisma.account.update({ where: { id: event.id }, data: { name: event.name, updatedAt: new Date() } }); // ok: stale-event-overwrites
}
export async function handleOwnCount(event: { id: string; name: string }) {
  await prisma.account.update({ where: { id: event.id }, data: { name: event.name, version: { increment: 1 } } }); // ok: stale-event-overwrites
}
export async function handleNoVersion(event: { id: string; name: string }) {
  await prisma.account.update({ where: { id: event.id }, data: { name: event.name } }); // ok: stale-event-overwrites
}
export async function handleInsert(event: { id: string; version: number }) {
  await prisma.account.create({ data: { id: event.id, version: event.version } }); // ok: stale-event-overwrites
}
export async function handleLog(event: { id: string; version: number }) {
  await prisma.auditLog.update({ where: { id: event.id }, data: { version: event.version } }); // ok: stale-event-overwrites
}
export async function handleFetched(event: { id: string }) {
  const now = await fetch(`https://a.example.com/${event.id}`, { signal: AbortSignal.timeout(1000) });
  const state = await now.json();
  await prisma.account.update({ where: { id: event.id }, data: { version: state.version } }); // ok: stale-event-overwrites
}
export async function saveSettings(input: { id: string; version: number }) {
  await prisma.account.update({ where: { id: input.id }, data: { version: input.version } }); // ok: stale-event-overwrites
}
app.put('/accounts/:id', async (req, res) => {
  await prisma.account.update({ where: { id: req.params.id }, data: { plan: req.body.plan, version: req.body.version } }); // ok: stale-event-overwrites
  res.sendStatus(200);
});
export async function handleNewer(event: { id: string; version: number }, isNewer: (e: unknown) => boolean) {
  if (!isNewer(event)) return;
  await prisma.account.update({ where: { id: event.id }, data: { version: event.version } }); // ok: stale-event-overwrites
}
const cache = new Map<string, number>();
export function handleCached(event: { id: string; version: number }) {
  cache.set(event.id, event.version); // ok: stale-event-overwrites
}
