import axios from 'axios';
import got from 'got';
import ky from 'ky';
import https from 'node:https';
import Stripe from 'stripe';
import { WebClient } from '@slack/web-api';
import { S3Client, PutObjectCommand } from '@aws-sdk/client-s3';
import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import Redis from 'ioredis';
import type { AxiosInstance } from 'axios';

export const shared = () => axios.get('https://a.test');
//                          ^^^^^^^^^ call-without-timeout: If `a.test` hangs, this call hangs with it: nothing bounds its total time.   💡 Add an AbortSignal timeout
const api = axios.create({ baseURL: 'https://b.test' });
//          ^^^^^^^^^^^^ call-without-timeout: If the other side hangs, every call of this axios client hangs with it: nothing bounds their total time.   💡 Add a timeout to the client
export const one = () => api.get('/1'); // ok: call-without-timeout
export const two = () => api.post('/2', {}); // ok: call-without-timeout
export const exported = new S3Client({ region: 'eu' });
//                          ^^^^^^^^ call-without-timeout: If the other side hangs, every call of this AWS client hangs with it: nothing bounds their total time.   💡 Add a timeout to the client
export const put = () => exported.send(new PutObjectCommand({ Bucket: 'b', Key: 'k' })); // ok: call-without-timeout
const slack = new WebClient('token');
//                ^^^^^^^^^ call-without-timeout
export const say = () => slack.chat.postMessage({ channel: 'c', text: 't' }); // ok: call-without-timeout
export const plain = () => got('https://c.test');
//                         ^^^ call-without-timeout
export function raw() {
  const req = https.get('https://d.test', res => res.resume());
  //          ^^^^^^^^^ call-without-timeout
  req.on('error', () => undefined);
}

export function build(endpoint?: string) {
  const options = { region: 'eu', endpoint };
  //    ^^^^^^^ call-without-timeout: If the other side hangs, every call of this AWS client hangs with it: nothing bounds their total time.
  return new S3Client(options);
}

const bounded = axios.create({ timeout: 5000 }); // ok: call-without-timeout
export const three = () => bounded.get('/3'); // ok: call-without-timeout
const sqs = new SQSClient({}); // ok: call-without-timeout
export const send = () => sqs.send(new SendMessageCommand({}), { abortSignal: AbortSignal.timeout(900) }); // ok: call-without-timeout
export const byDefault = () => ky.get('https://e.test'); // ok: call-without-timeout
export const stripe = new Stripe('key'); // ok: call-without-timeout
export const charge = () => stripe.charges.create({}); // ok: call-without-timeout
export const given = (client: AxiosInstance) => client.get('/4'); // ok: call-without-timeout
export const spread = (options: object) => axios.create({ ...options }); // ok: call-without-timeout
export const blocking = new Redis({ maxRetriesPerRequest: null }); // ok: call-without-timeout
