import axios from 'axios';
import got from 'got';
import { S3Client, GetObjectCommand } from '@aws-sdk/client-s3';
const s3 = new S3Client({});
const url = 'https://a.test';

export async function plain(signal: AbortSignal) {
  return fetch(url, { signal });
}
export async function optional(options: { signal?: AbortSignal; term: string }) {
  return fetch(url, { method: 'GET', signal: options.signal });
}
export async function destructured({ signal }: { signal?: AbortSignal }) {
  return axios.get(url, { signal });
}
export async function inner(abortSignal: AbortSignal) {
  return Promise.all([1, 2].map(async n => got(`${url}/${n}`, { signal: abortSignal })));
}
export async function command(signal: AbortSignal) {
  return s3.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' }), { abortSignal: signal });
}
export async function passed(signal: AbortSignal) {
  return fetch(url, { signal }); // ok: deadline-not-propagated
}
export async function joined(signal: AbortSignal) {
  return fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(500)]) }); // ok: deadline-not-propagated
}
export async function own(signal: AbortSignal) {
  return fetch(url, { signal: AbortSignal.timeout(500) }); // ok: deadline-not-propagated
}
export async function spread(signal: AbortSignal, init: RequestInit) {
  return fetch(url, { ...init, method: 'POST' }); // ok: deadline-not-propagated
}
export async function handed(signal: AbortSignal, init: RequestInit) {
  return fetch(url, init); // ok: deadline-not-propagated
}
export async function none() {
  return fetch(url); // ok: deadline-not-propagated
}
export async function cleanup(signal: AbortSignal) {
  try {
    return await fetch(url, { signal }); // ok: deadline-not-propagated
  } finally {
    await fetch(`${url}/release`, { method: 'POST' }); // ok: deadline-not-propagated
  }
}
export async function other(signal: string, axiosLike: { get(u: string): Promise<void> }) {
  return axiosLike.get(url); // ok: deadline-not-propagated
}
export async function built(signal: AbortSignal) {
  const init: RequestInit = { method: 'POST' };
  init.signal = signal;
  return fetch(url, init); // ok: deadline-not-propagated
}
export async function withObject(signal: AbortSignal) {
  return s3.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' }), { abortSignal: signal }); // ok: deadline-not-propagated
}
