import amqp from 'amqplib';
import Redis from 'ioredis';
import OpenAI from 'openai';
import { WebSocketServer } from 'ws';
const redis = new Redis();
const ai = new OpenAI();

new WebSocketServer({ port: 1 }).on('connection', ws => {
  ws.on('message', data => {
    const event = JSON.parse(data.toString());
    //            ^^^^^^^^^^ unguarded-parse: A message that is not valid JSON makes `JSON.parse` throw, and nothing here catches it: an uncaught exception, which ends a process that has no handler for those.
    ws.send(event.type);
  });
});
export async function consume(channel: amqp.Channel) {
  await channel.consume('orders', message => {
    const order = JSON.parse(message!.content.toString());
    //            ^^^^^^^^^^ unguarded-parse
    console.log(order.id);
    channel.ack(message!);
  });
  await channel.consume('refunds', message => {
    try {
      console.log(JSON.parse(message!.content.toString())); // ok: unguarded-parse
    } catch {
      channel.nack(message!, false, false);
    }
  });
}
export async function answer(url: string) {
  const res = await fetch(url);
  if (!res.ok) throw new Error('down');
  const text = await res.text();
  return JSON.parse(text);
  //     ^^^^^^^^^^ unguarded-parse
}
export async function link(url: string) {
  const res = await fetch(url);
  if (!res.ok) throw new Error('down');
  const { next } = (await res.json()) as { next: string };
  return new URL(next); // ok: unguarded-parse
}
export async function generated() {
  const done = await ai.chat.completions.create({ model: 'm', messages: [] });
  return JSON.parse(done.choices[0]!.message.content!);
  //     ^^^^^^^^^^ unguarded-parse: A model answer that is not valid JSON makes `JSON.parse` throw, and nothing here catches it.
}
export async function cached(id: string) {
  const text = await redis.get(id);
  return text ? JSON.parse(text) : null; // ok: unguarded-parse
}
export function anyText(text: string) {
  return JSON.parse(text); // ok: unguarded-parse
}
