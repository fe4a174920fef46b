import Redis from 'ioredis';
import Redlock from 'redlock';
import OpenAI from 'openai';
import { SQSClient, ReceiveMessageCommand, DeleteMessageCommand } from '@aws-sdk/client-sqs';

const redis = new Redis();
const redlock = new Redlock([redis]);
const sqs = new SQSClient({});
const openai = new OpenAI();

export async function plain(id: string) {
  if (!(await redis.set(`lock:${id}`, '1', 'PX', 10_000, 'NX'))) return;
  await fetch('https://bank.example.com', { method: 'POST', signal: AbortSignal.timeout(30_000) });
//      ^^^^^ handler-outlives-lease: The lock is held for 10 s and `fetch` may take 30 s: the lock ends while the work goes on, and somebody else takes it.
}

export async function inSeconds(id: string) {
  if (!(await redis.set(`lock:${id}`, '1', 'EX', 10, 'NX'))) return;
  await pay();
//      ^^^ handler-outlives-lease
}

async function pay() {
  await fetch('https://bank.example.com', { method: 'POST', signal: AbortSignal.timeout(30_000) });
}

export async function byLibrary(id: string) {
  const lock = await redlock.acquire([`lock:${id}`], 5_000);
  await openai.chat.completions.create({ model: 'm', messages: [] });
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ handler-outlives-lease: The lock is held for 5 s and `openai.chat.completions.create` may take 10 min: the lock ends while the work goes on, and somebody else takes it.
  await lock.release();
}

export async function message(url: string) {
  const got = await sqs.send(new ReceiveMessageCommand({ QueueUrl: url, VisibilityTimeout: 20 }));
  await pay();
//      ^^^ handler-outlives-lease: The message is held for 20 s and `fetch` may take 30 s: the message comes back while it is worked on, and is handled twice.
  await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: got.Messages?.[0]?.ReceiptHandle }));
}

// ---- silent

export async function shorter(id: string) {
  if (!(await redis.set(`lock:${id}`, '1', 'PX', 60_000, 'NX'))) return;
  await fetch('https://bank.example.com', { method: 'POST', signal: AbortSignal.timeout(30_000) }); // ok: handler-outlives-lease
}

export async function extended(id: string) {
  if (!(await redis.set(`lock:${id}`, '1', 'PX', 10_000, 'NX'))) return;
  const timer = setInterval(() => void redis.pexpire(`lock:${id}`, 10_000), 3_000);
  await fetch('https://bank.example.com', { method: 'POST', signal: AbortSignal.timeout(30_000) }); // ok: handler-outlives-lease
  clearInterval(timer);
}

export async function renewed(id: string) {
  const lock = await redlock.acquire([`lock:${id}`], 5_000);
  await lock.extend(60_000);
  await pay(); // ok: handler-outlives-lease
}

export async function unbounded(id: string) {
  if (!(await redis.set(`lock:${id}`, '1', 'PX', 10_000, 'NX'))) return;
  await fetch('https://bank.example.com', { method: 'POST' }); // ok: handler-outlives-lease
}

export async function unreadable(id: string, ttl: number) {
  if (!(await redis.set(`lock:${id}`, '1', 'PX', ttl, 'NX'))) return;
  await pay(); // ok: handler-outlives-lease
}

export async function before(id: string) {
  await pay(); // ok: handler-outlives-lease
  await redis.set(`lock:${id}`, '1', 'PX', 10_000, 'NX');
}

export async function mark(id: string) {
  await redis.set(`seen:${id}`, '1', 'PX', 10_000, 'NX');
  await pay(); // ok: handler-outlives-lease
}

export async function cacheEntry(id: string) {
  await redis.set(`page:${id}`, '1', 'PX', 10_000);
  await pay(); // ok: handler-outlives-lease
}

export async function longMessage(url: string) {
  await sqs.send(new ReceiveMessageCommand({ QueueUrl: url, VisibilityTimeout: 120 }));
  await pay(); // ok: handler-outlives-lease
}

export async function defaultMessage(url: string) {
  await sqs.send(new ReceiveMessageCommand({ QueueUrl: url }));
  await pay(); // ok: handler-outlives-lease
}

export async function otherBranch(id: string, hold: boolean) {
  if (hold) {
    await redis.set(`lock:${id}`, '1', 'PX', 10_000, 'NX');
  } else {
    await pay(); // ok: handler-outlives-lease
  }
}
