import express from 'express';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import { createInterface } from 'node:readline';

const app = express();

app.get('/export', (req, res) => {
  const rows = createReadStream('/data/export.csv');
  rows.on('data', chunk => {
    res.write(chunk);
//  ^^^^^^^^^ stream-without-backpressure: What the client does not take in time is kept in memory: `res.write` is called for every piece of `rows` and its answer is ignored.
  });
  rows.on('end', () => res.end());
});

export async function copied() {
  const out = createWriteStream('/data/copy.csv');
  for await (const chunk of createReadStream('/data/export.csv')) {
    out.write(chunk);
//  ^^^^^^^^^ stream-without-backpressure: What the disk does not take in time is kept in memory: `out.write` is called for every piece of a stream and its answer is ignored.
  }
  out.end();
}

export async function paged(next: () => Promise<string[] | null>) {
  const out = createWriteStream('/data/pages.csv');
  let rows = await next();
  while (rows) {
    out.write(rows.join('\n'));
//  ^^^^^^^^^ stream-without-backpressure: What the disk does not take in time is kept in memory: `out.write` is called for every round of a loop that reads on and its answer is ignored.
    rows = await next();
  }
}

export async function zipped(rows: AsyncIterable<string>) {
  const zip = createGzip();
  for await (const row of rows) {
    zip.write(row);
//  ^^^^^^^^^ stream-without-backpressure: What the compressor does not take in time is kept in memory: `zip.write` is called for every piece of a stream and its answer is ignored.
  }
}

export function answered(rows: NodeJS.ReadableStream, res: ServerResponse) {
  rows.on('data', chunk => {
    res.write(chunk);
//  ^^^^^^^^^ stream-without-backpressure
  });
}

// ---- silent

export async function drained() {
  const out = createWriteStream('/data/copy.csv');
  for await (const chunk of createReadStream('/data/export.csv')) {
    if (!out.write(chunk)) await once(out, 'drain'); // ok: stream-without-backpressure
  }
}

export function paused(rows: NodeJS.ReadableStream, res: ServerResponse) {
  rows.on('data', chunk => {
    const more = res.write(chunk); // ok: stream-without-backpressure
    if (!more) rows.pause();
  });
}

export function inMemory(rows: string[]) {
  const out = createWriteStream('/data/copy.csv');
  for (const row of rows) out.write(row); // ok: stream-without-backpressure
}

export function once1(res: ServerResponse) {
  res.write('head'); // ok: stream-without-backpressure
  res.end();
}

export async function printed(rows: AsyncIterable<string>) {
  for await (const row of rows) process.stdout.write(row); // ok: stream-without-backpressure
}

export async function counted(rows: NodeJS.ReadableStream, res: ServerResponse) {
  let n = 0;
  rows.on('data', () => {
    n++;
    res.write('.'); // ok: stream-without-backpressure
  });
}

export async function lines() {
  const out = createWriteStream('/data/copy.csv');
  for await (const line of createInterface({ input: process.stdin })) out.write(line); // ok: stream-without-backpressure
}

export async function feed(res: ServerResponse, next: () => Promise<string>) {
  while (!res.closed) {
    res.write(await next()); // ok: stream-without-backpressure
    await new Promise(resolve => setTimeout(resolve, 1000));
  }
}

export async function unknownSink(rows: AsyncIterable<string>, sink: { write(row: string): void }) {
  for await (const row of rows) sink.write(row); // ok: stream-without-backpressure
}

export function child(run: { stdout: NodeJS.ReadableStream }, res: ServerResponse) {
  run.stdout.on('data', chunk => {
    res.write(chunk); // ok: stream-without-backpressure
  });
}
