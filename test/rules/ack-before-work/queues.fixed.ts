import amqp from 'amqplib';
import { Worker } from 'bullmq';
import { Kafka } from 'kafkajs';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { SQSClient, DeleteMessageCommand } from '@aws-sdk/client-sqs';
const pool = new Pool();
const sqs = new SQSClient({});
const redis = createClient();
const kafka = new Kafka({ brokers: [] });
const consumer = kafka.consumer({ groupId: 'g' });

async function store(body: string) {
  await pool.query('INSERT INTO orders (body) VALUES ($1)', [body]);
}
export async function listen(channel: amqp.Channel) {
  await channel.consume('a', async message => {
    if (!message) return;
    await store('x');
    channel.ack(message);
  });
  await channel.consume('b', async message => {
    await store('x');
    channel.ack(message); // ok: ack-before-work
    console.log('done');
  });
  await channel.consume('c', async message => {
    await store('x');
    channel.ack(message);
  });
  await channel.consume('d', async message => store('x'), { noAck: true });
  await channel.consume('e', message => console.log(message), { noAck: true }); // ok: ack-before-work
  await channel.consume('f', async message => {
    try {
      await store('x');
      channel.ack(message); // ok: ack-before-work
    } catch (error) {
      channel.nack(message, false, false);
      await pool.query('INSERT INTO dead (body) VALUES ($1)', ['x']);
    }
  });
  await channel.consume('g', async message => {
    if (message.content.length === 0) {
      channel.ack(message); // ok: ack-before-work
      return;
    }
    await store('x');
    channel.ack(message); // ok: ack-before-work
  });
  await channel.consume('h', async message => {
    await pool.query('INSERT INTO inbox (id) VALUES ($1)', ['x']);
    channel.ack(message); // ok: ack-before-work
    await store('x');
  });
}
export async function poll(receipts: string[]) {
  for (const receipt of receipts) {
    await store(receipt);
    await sqs.send(new DeleteMessageCommand({ QueueUrl: 'q', ReceiptHandle: receipt }));
  }
  for (const receipt of receipts) {
    await store(receipt);
    await sqs.send(new DeleteMessageCommand({ QueueUrl: 'q', ReceiptHandle: receipt })); // ok: ack-before-work
  }
}
export async function stream(id: string) {
  await store(id);
  await redis.xAck('s', 'g', id);
}
export async function commit(offset: string) {
  await store(offset);
  await consumer.commitOffsets([{ topic: 't', partition: 0, offset }]);
}
await consumer.run({
  eachMessage: async ({ message }) => {
    await store(String(message));
  },
});
new Worker('mail', async job => {
  store(job.data).catch(console.error);
});
new Worker('fine', async job => {
  await store(job.data); // ok: ack-before-work
  void refresh(); // ok: ack-before-work
});
async function refresh() {
  return redis.get('a');
}
