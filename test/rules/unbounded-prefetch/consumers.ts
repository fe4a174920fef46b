//- /src/orders.ts
import amqp from 'amqplib';
import { Pool } from 'pg';

const pool = new Pool();

async function book(channel: amqp.Channel, message: amqp.ConsumeMessage | null) {
  if (!message) return;
  await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
  channel.ack(message);
}

export async function inline(channel: amqp.Channel) {
  await channel.consume('orders', async message => {
//      ^^^^^^^^^^^^^^^ unbounded-prefetch: The broker pushes its whole backlog to this consumer at once: no prefetch is set, so `pool.query` runs for every message side by side.   💡 Take 20 messages at a time
    if (!message) return;
    await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
    channel.ack(message);
  });
}

export async function byHelper(url: string) {
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  await channel.consume('orders', message => book(channel, message));
//      ^^^^^^^^^^^^^^^ unbounded-prefetch
}

export async function printing(channel: amqp.Channel) {
  // ok: unbounded-prefetch
  await channel.consume('orders', message => {
    if (!message) return;
    console.log(message.content.toString());
    channel.ack(message);
  });
}

export async function forgotten(channel: amqp.Channel) {
  // ok: unbounded-prefetch
  await channel.consume('orders', message => book(channel, message), { noAck: true });
}

export async function alone(channel: amqp.Channel) {
  // ok: unbounded-prefetch
  await channel.consume('orders', message => book(channel, message), { exclusive: true });
}

export async function replies(channel: amqp.Channel) {
  await channel.consume('amq.rabbitmq.reply-to', message => book(channel, message)); // ok: unbounded-prefetch
}

export async function unreadable(channel: amqp.Channel, options: amqp.Options.Consume) {
  await channel.consume('orders', message => book(channel, message), options); // ok: unbounded-prefetch
}

export async function unknownHandler(channel: amqp.Channel, handler: (m: amqp.ConsumeMessage | null) => void) {
  await channel.consume('orders', handler); // ok: unbounded-prefetch
}

export async function once(channel: amqp.Channel) {
  return channel.get('orders'); // ok: unbounded-prefetch
}

//- /src/bounded.ts
import amqp from 'amqplib';
import { Pool } from 'pg';

const pool = new Pool();

export async function start(channel: amqp.Channel) {
  await channel.prefetch(10);
  // ok: unbounded-prefetch
  await channel.consume('orders', async message => {
    if (!message) return;
    await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
    channel.ack(message);
  });
}

//- /src/channel.ts
import amqp from 'amqplib';

export async function open(url: string) {
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  await channel.prefetch(10);
  return channel;
}

//- /src/elsewhere.ts
import { Pool } from 'pg';
import { open } from './channel.ts';

const pool = new Pool();

export async function start() {
  const channel = await open('amqp://broker');
  // ok: unbounded-prefetch
  await channel.consume('orders', async message => {
    if (!message) return;
    await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
    channel.ack(message);
  });
}

//- /src/private.ts
import amqp from 'amqplib';
import { Pool } from 'pg';

const pool = new Pool();

export async function start(channel: amqp.Channel) {
  const own = await channel.assertQueue('', { exclusive: true });
  // ok: unbounded-prefetch
  await channel.consume(own.queue, async message => {
    if (!message) return;
    await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
    channel.ack(message);
  });
}

//- /src/workers.ts
import Bull from 'bull';
import { Worker } from 'bullmq';

const mails = new Bull('mails');
export const open = new Worker('mails', async job => console.log(job.id), { concurrency: Infinity });
//                                                                                       ^^^^^^^^ unbounded-prefetch: This worker takes every job there is at once: its concurrency has no limit.
export const bounded = new Worker('mails', async job => console.log(job.id), { concurrency: 20 }); // ok: unbounded-prefetch
export const byDefault = new Worker('mails', async job => console.log(job.id)); // ok: unbounded-prefetch
export function old() {
  mails.process(Infinity, async job => console.log(job.id));
//              ^^^^^^^^ unbounded-prefetch
  mails.process(8, async job => console.log(job.id)); // ok: unbounded-prefetch
  mails.process('welcome', 8, async job => console.log(job.id)); // ok: unbounded-prefetch
}
