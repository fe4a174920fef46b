import { PrismaClient } from '@prisma/client';
import Redis from 'ioredis';
const redis = new Redis();
const prisma = new PrismaClient();

export async function labels(team: string, names: string[]) {
  const done = await redis.get(`labels:${team}`);
  if (!done) {
    await prisma.label.createMany({ data: names.map((name) => ({ name, team })), skipDuplicates: true });
    await redis.set(`labels:${team}`, 'true'); // ok: non-atomic-redis
  }
  return prisma.label.findMany({ where: { team } });
}
export async function greet(user: string) {
  if (await redis.get(`greeted:${user}`)) return;
  await fetch('https://mail.example.com/hello', { method: 'POST', body: user });
  await redis.set(`greeted:${user}`, '1');
}
async function bill(user: string) {
  await prisma.invoice.create({ data: { user } });
}
export async function billed(user: string) {
  if (await redis.exists(`billed:${user}`)) return;
  await bill(user);
  await redis.set(`billed:${user}`, '1', 'EX', 3600);
}
export async function refreshed(user: string) {
  if (await redis.exists(`fresh:${user}`)) return;
  await prisma.profile.update({ where: { user }, data: { seen: true } });
  await redis.set(`fresh:${user}`, '1'); // ok: non-atomic-redis
}
export async function taken(user: string) {
  if (await redis.exists(`taken:${user}`)) return false;
  await redis.set(`taken:${user}`, '1', 'NX');
  await bill(user);
  return true;
}
