import pRetry from 'p-retry';
import got from 'got';
import { S3Client, GetObjectCommand } from '@aws-sdk/client-s3';
import { Pool } from 'pg';

const s3 = new S3Client({});
const patient = new S3Client({ maxAttempts: 1 });
const pool = new Pool();

async function readReport(key: string) {
  return s3.send(new GetObjectCommand({ Bucket: 'reports', Key: key }));
}

export const byHelper = (key: string) =>
  pRetry(() => s3.send(new GetObjectCommand({ Bucket: 'reports', Key: key })), { retries: 3 });
//^^^^^^ retry-multiplication: While the other side is down, one call becomes 12: 4 attempts here, times 3 in the AWS SDK.

export async function byLoop(key: string) {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await readReport(key);
//                 ^^^^^^^^^^ retry-multiplication
    } catch (error) {
      await new Promise(resolve => setTimeout(resolve, 2 ** attempt * 100));
    }
  }
  throw new Error(`report ${key} not read`);
}

async function twice(key: string) {
  return pRetry(() => pool.query('SELECT body FROM reports WHERE key = $1', [key]), { retries: 2 });
}

export async function loopAroundHelper(key: string) {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await twice(key);
//                 ^^^^^ retry-multiplication: While the other side is down, one call becomes 12: 4 attempts here, times 3 in `twice`.
    } catch (error) {
      await new Promise(resolve => setTimeout(resolve, 2 ** attempt * 100));
    }
  }
  throw new Error(`report ${key} not read`);
}

// ---- silent

export const once = (key: string) => readReport(key); // ok: retry-multiplication
export const noneInside = (key: string) =>
  pRetry(() => pool.query('SELECT body FROM reports WHERE key = $1', [key]), { retries: 5 }); // ok: retry-multiplication
export const clientOff = (key: string) =>
  pRetry(() => patient.send(new GetObjectCommand({ Bucket: 'reports', Key: key })), { retries: 3 }); // ok: retry-multiplication
export const few = (key: string) =>
  pRetry(() => readReport(key), { retries: 0 }); // ok: retry-multiplication
export const switchedOff = (url: string) =>
  pRetry(() => got(url, { retry: { limit: 0 } }), { retries: 3 }); // ok: retry-multiplication
export const notForPost = (url: string) =>
  pRetry(() => got.post(url, { json: {} }), { retries: 3 }); // ok: retry-multiplication
export const unread = (key: string, options: { retries: number }) =>
  pRetry(() => readReport(key), options); // ok: retry-multiplication
