import got from 'got';
import https from 'node:https';
import http from 'node:http';
import axios from 'axios';
import { Pool, request, fetch as undiciFetch } from 'undici';
import { S3Client, GetObjectCommand } from '@aws-sdk/client-s3';
const url = 'https://a.test';

export const headersOnly = () => got(url, { timeout: { response: 500, request: 10000 } });
export const connectOnly = () => got.post(url, { timeout: { connect: 500, request: 10000 } });
export const idleOnly = () => request(url, { bodyTimeout: 1000, signal: AbortSignal.timeout(10000) });
export function tellsOnly() {
  const req = https.get(url, { timeout: 2000 });
  req.on('error', () => undefined);
}
export function warns() {
  const req = http.request(url);
  req.setTimeout(2000, () => console.warn('slow'));
  req.end();
}
const pool = new Pool(url, { headersTimeout: 300 });
export const pooled = () => pool.request({ path: '/', method: 'GET', signal: AbortSignal.timeout(10000) });
const s3 = new S3Client({ requestHandler: { requestTimeout: 3000 } });
export const object = () => s3.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' })); // ok: weak-timeout
const idleS3 = new S3Client({ requestHandler: { socketTimeout: 3000 } });
export const other = () => idleS3.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' })); // ok: weak-timeout

export const total = () => got(url, { timeout: { response: 500, request: 900 } }); // ok: weak-timeout
export const signal = () => request(url, { bodyTimeout: 1000, signal: AbortSignal.timeout(5000) }); // ok: weak-timeout
export const none = () => got(url); // ok: weak-timeout
export const nothing = () => undiciFetch(url); // ok: weak-timeout
export const passedOn = (options: object) => got(url, options); // ok: weak-timeout
export const axiosTotal = () => axios.get(url, { timeout: 10 }); // ok: weak-timeout
export function destroys() {
  const req = https.get(url, { timeout: 2000 }); // ok: weak-timeout
  req.on('timeout', () => req.destroy());
}
export function destroysByName() {
  const req = https.get(url, { timeout: 2000 }); // ok: weak-timeout
  const stop = () => {
    req.destroy(new Error('late'));
  };
  req.once('timeout', stop);
}
export function setterDestroys() {
  const req = http.request(url); // ok: weak-timeout
  req.setTimeout(2000, () => req.destroy());
  req.end();
}
const strict = new S3Client({ requestHandler: { requestTimeout: 3000, throwOnRequestTimeout: true } }); // ok: weak-timeout
export const fine = () => strict.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' })); // ok: weak-timeout
