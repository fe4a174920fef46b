//- /src/orders.ts
import amqp from 'amqplib';
import { Pool } from 'pg';

const pool = new Pool();

export async function back(channel: amqp.Channel) {
  await channel.consume('orders', async message => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch (error) {
      console.error(error);
      channel.nack(message, false, false);
    }
  });
}

export async function backByFlag(channel: amqp.Channel) {
  await channel.consume('orders', async message => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch {
      channel.nack(message, false, false);
    }
  });
}

export async function rejected(channel: amqp.Channel) {
  await channel.consume('orders', async message => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch {
      channel.reject(message, false);
    }
  });
}

export async function chained(channel: amqp.Channel) {
  await channel.consume('orders', message => {
    if (!message) return;
    pool
      .query('INSERT INTO bookings (body) VALUES ($1)', [message.content])
      .then(() => channel.ack(message))
      .catch(() => channel.nack(message, false, false));
  });
}

// ---- silent

export async function aside(channel: amqp.Channel) {
  await channel.consume('orders', async message => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch {
      channel.nack(message, false, false); // ok: poison-message
    }
  });
}

export async function decided(channel: amqp.Channel, transient: (error: unknown) => boolean) {
  await channel.consume('orders', async message => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch (error) {
      if (transient(error)) channel.nack(message); // ok: poison-message
      else channel.nack(message, false, false);
    }
  });
}

export async function computed(channel: amqp.Channel, again: boolean) {
  await channel.consume('orders', async message => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch {
      channel.nack(message, false, again); // ok: poison-message
    }
  });
}

export async function notReady(channel: amqp.Channel, ready: () => boolean) {
  await channel.consume('orders', async message => {
    if (!message) return;
    if (!ready()) {
      channel.nack(message); // ok: poison-message
      return;
    }
    await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
    channel.ack(message);
  });
}

//- /src/counted.ts
import amqp from 'amqplib';
import { Pool } from 'pg';

const pool = new Pool();

export async function counted(channel: amqp.Channel) {
  await channel.assertQueue('orders', { arguments: { 'x-queue-type': 'quorum' } });
  await channel.consume('orders', async message => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch {
      channel.nack(message); // ok: poison-message
    }
  });
}

//- /src/redelivered.ts
import amqp from 'amqplib';
import { Pool } from 'pg';

const pool = new Pool();

export async function once(channel: amqp.Channel) {
  await channel.consume('orders', async message => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch {
      if (message.fields.redelivered) channel.nack(message, false, false);
      else channel.nack(message); // ok: poison-message
    }
  });
}

//- /src/jobs.ts
import { Queue } from 'bullmq';
import Bull from 'bull';

const FOREVER = Infinity;
export const mails = new Queue('mails', { defaultJobOptions: { attempts: Number.MAX_SAFE_INTEGER } });
export const bills = new Queue('bills', { defaultJobOptions: { attempts: 5 } }); // ok: poison-message
const old = new Bull('old');

export async function enqueue(id: string) {
  await mails.add('mail', { id }, { attempts: Infinity });
  await mails.add('mail', { id }, { attempts: FOREVER });
  await old.add({ id }, { attempts: 10_000_000 });
  await bills.add('bill', { id }, { attempts: 3 }); // ok: poison-message
  await bills.add('bill', { id }); // ok: poison-message
}

//- /src/stream.ts
import { Kafka } from 'kafkajs';
import { Pool } from 'pg';

const pool = new Pool();
const kafka = new Kafka({ brokers: ['kafka:9092'] });
const consumer = kafka.consumer({ groupId: 'orders' });

export async function start() {
  await consumer.run({
    eachMessage: async ({ message }) => {
      const order = JSON.parse(message.value!.toString());
      await pool.query('INSERT INTO bookings (id) VALUES ($1)', [order.id]);
    },
  });
}

export async function startGuarded() {
  await consumer.run({
    eachMessage: async ({ message }) => {
      try {
        const order = JSON.parse(message.value!.toString()); // ok: poison-message
        await pool.query('INSERT INTO bookings (id) VALUES ($1)', [order.id]);
      } catch (error) {
        console.error('order not booked', error);
      }
    },
  });
}

//- /src/plain.ts
import amqp from 'amqplib';
import { Pool } from 'pg';

const pool = new Pool();

export async function start(channel: amqp.Channel) {
  await channel.consume('orders', async message => {
    if (!message) return;
    const order = JSON.parse(message.content.toString());
    const defaults = JSON.parse('{}'); // ok: poison-message
    await pool.query('INSERT INTO bookings (id, region) VALUES ($1, $2)', [order.id, defaults.region]);
    channel.ack(message);
  });
}
