import pRetry from 'p-retry';
import axios from 'axios';
import Stripe from 'stripe';
import request from 'superagent';
import nodemailer from 'nodemailer';
import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
const stripe = new Stripe('key');
const mail = nodemailer.createTransport({});
const sqs = new SQSClient({});
const url = 'https://a.test/orders';
const pause = (n: number) => new Promise(resolve => setTimeout(resolve, Math.random() * 100 * 2 ** n));

export const pay = (amount: number) => pRetry(() => stripe.paymentIntents.create({ amount, currency: 'eur' }), { retries: 3 });
//                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ retry-of-unsafe-effect: When its answer is lost, `stripe.paymentIntents.create` is called again up to 3 times: what it creates exists twice, for it carries no key by which the other side can tell a repeat.
export async function order(body: unknown) {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await axios.post(url, body);
      //           ^^^^^^^^^^ retry-of-unsafe-effect: When its answer is lost, `axios.post` is called again up to 2 times with the same content: where the other side does not tell the repeat by something in it, what it creates exists twice.
    } catch {
      await pause(attempt);
    }
  }
}
async function again<T>(work: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await work();
    } catch {
      await pause(attempt);
    }
  }
}
export const send = (to: string) => again(() => mail.sendMail({ to }));
//                                              ^^^^^^^^^^^^^ retry-of-unsafe-effect
export const enqueue = (body: string) => pRetry(() => sqs.send(new SendMessageCommand({ QueueUrl: 'q', MessageBody: body })));
//                                                    ^^^^^^^^ retry-of-unsafe-effect
export const chained = (body: object) => request.post(url).send(body).retry(2);
//                                       ^^^^^^^^^^^^ retry-of-unsafe-effect
async function create(body: unknown) {
  return fetch(url, { method: 'POST', body: JSON.stringify(body) });
  //     ^^^^^ retry-of-unsafe-effect
}
export const through = (body: unknown) => pRetry(() => create(body));

export const keyed = (id: string) => pRetry(() => stripe.paymentIntents.create({ amount: 1, currency: 'eur' }, { idempotencyKey: `pay-${id}` })); // ok: retry-of-unsafe-effect
export const header = (id: string) => pRetry(() => axios.post(url, {}, { headers: { 'Idempotency-Key': id } })); // ok: retry-of-unsafe-effect
export const deduplicated = (id: string) => pRetry(() => sqs.send(new SendMessageCommand({ QueueUrl: 'q', MessageBody: 'x', MessageDeduplicationId: id }))); // ok: retry-of-unsafe-effect
export const read = () => pRetry(() => axios.get(url)); // ok: retry-of-unsafe-effect
export const put = (id: string) => pRetry(() => axios.put(`${url}/${id}`, {})); // ok: retry-of-unsafe-effect
export const remove = (id: string) => pRetry(() => axios.delete(`${url}/${id}`)); // ok: retry-of-unsafe-effect
export const search = () => pRetry(() => axios.post('https://a.test/search', {})); // ok: retry-of-unsafe-effect
export const token = () => pRetry(() => axios.post('https://a.test/oauth/token', {})); // ok: retry-of-unsafe-effect
export const once = () => axios.post(url, {}); // ok: retry-of-unsafe-effect
export const refused = () => pRetry(() => axios.post(url, {}), { shouldRetry: error => (error as { status?: number }).status === 429 }); // ok: retry-of-unsafe-effect
export async function stale() {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return await axios.post(url, {}); // ok: retry-of-unsafe-effect
    } catch (error) {
      if ((error as { status?: number }).status !== 401) throw error;
      await pause(attempt);
    }
  }
}
export async function overItems(items: string[]) {
  for (let i = 0; i < items.length; i++) {
    try {
      await axios.post(url, items[i]); // ok: retry-of-unsafe-effect
    } catch {
      continue;
    }
  }
}
export const mapped = (items: string[]) => items.map(item => axios.post(url, item)); // ok: retry-of-unsafe-effect
