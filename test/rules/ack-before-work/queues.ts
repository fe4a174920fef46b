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
    channel.ack(message);
  //^^^^^^^^^^^ ack-before-work: `channel.ack` settles the message before `store`: when that fails or the process ends, the message is gone.   💡 Acknowledge after the work
    await store('x');
  });
  await channel.consume('b', async message => {
    await store('x');
    channel.ack(message); // ok: ack-before-work
    console.log('done');
  });
  await channel.consume('c', async message => {
    store('x');
    channel.ack(message);
  //^^^^^^^^^^^ ack-before-work: `channel.ack` settles the message while `store` still runs, unawaited: when that fails, the message is gone.   💡 Await `store`
  });
  await channel.consume('d', async message => store('x'), { noAck: true });
  //                                                        ^^^^^^^^^^^ ack-before-work: The broker forgets each message as it sends it: when `pool.query` fails or the process ends, the message is gone.
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
    await sqs.send(new DeleteMessageCommand({ QueueUrl: 'q', ReceiptHandle: receipt }));
    //    ^^^^^^^^ ack-before-work: `sqs.send` settles the message before `store`: when that fails or the process ends, the message is gone.   💡 Acknowledge after the work
    await store(receipt);
  }
  for (const receipt of receipts) {
    await store(receipt);
    await sqs.send(new DeleteMessageCommand({ QueueUrl: 'q', ReceiptHandle: receipt })); // ok: ack-before-work
  }
}
export async function stream(id: string) {
  await redis.xAck('s', 'g', id);
  //    ^^^^^^^^^^ ack-before-work
  await store(id);
}
export async function commit(offset: string) {
  await consumer.commitOffsets([{ topic: 't', partition: 0, offset }]);
  //    ^^^^^^^^^^^^^^^^^^^^^^ ack-before-work
  await store(offset);
}
await consumer.run({
  eachMessage: async ({ message }) => {
    store(String(message));
  //^^^^^ ack-before-work: The message is settled while `store` still runs: when it fails or the process ends, nobody runs it again.   💡 Await `store`
  },
});
new Worker('mail', async job => {
  store(job.data).catch(console.error);
//^^^^^ ack-before-work: The job is settled while `store` still runs: when it fails or the process ends, nobody runs it again.
});
new Worker('fine', async job => {
  await store(job.data); // ok: ack-before-work
  void refresh(); // ok: ack-before-work
});
async function refresh() {
  return redis.get('a');
}
