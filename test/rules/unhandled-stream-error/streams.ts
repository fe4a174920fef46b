import fs, { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export function text(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: string[] = [];
  return new Promise(resolve => {
    stream.on('data', part => parts.push(String(part)));
    stream.on('end', () => resolve(parts.join('')));
//  ^^^^^^^^^ unhandled-stream-error: When `stream` fails, this promise never settles: it resolves on `end` and nothing rejects on `error`.
  });
}
export function chained(stream: NodeJS.ReadableStream): Promise<string> {
  let all = '';
  return new Promise<string>((resolve, reject) => {
    if (!stream.readable) reject(new Error('closed'));
    stream
//  ^^^^^^ unhandled-stream-error
      .on('data', part => (all += part))
      .on('end', () => resolve(all));
  });
}
export function written(out: NodeJS.WritableStream): Promise<void> {
  return new Promise(resolve => {
    out.on('finish', resolve);
//  ^^^^^^ unhandled-stream-error
    out.end();
  });
}
export function send(path: string, res: NodeJS.WritableStream) {
  createReadStream(path).pipe(res);
  //                     ^^^^ unhandled-stream-error: When `createReadStream` fails, its `error` event is thrown outside every call: `pipe` does not pass errors on and nothing here listens for them.
}
export function sendNamed(path: string, res: NodeJS.WritableStream) {
  const file = fs.createReadStream(path);
  file.pipe(res);
  //   ^^^^ unhandled-stream-error
}

export function rejects(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: string[] = [];
  return new Promise((resolve, reject) => {
    stream.on('data', part => parts.push(String(part)));
    stream.on('end', () => resolve(parts.join(''))); // ok: unhandled-stream-error
    stream.on('error', reject);
  });
}
export function chainedError(stream: NodeJS.ReadableStream): Promise<string> {
  let all = '';
  return new Promise((resolve, reject) => {
    stream.on('data', part => (all += part)).on('end', () => resolve(all)).on('error', reject); // ok: unhandled-stream-error
  });
}
export function listenedBefore(stream: NodeJS.ReadableStream, fail: (e: unknown) => void): Promise<string> {
  let all = '';
  stream.on('error', fail);
  return new Promise(resolve => {
    stream.on('data', part => (all += part));
    stream.on('end', () => resolve(all)); // ok: unhandled-stream-error
  });
}
export function settledByClose(stream: NodeJS.ReadableStream): Promise<string> {
  let all = '';
  return new Promise(resolve => {
    stream.on('data', part => (all += part));
    stream.on('end', () => resolve(all)); // ok: unhandled-stream-error
    stream.on('close', () => resolve(all));
  });
}
export async function withPipeline(path: string, res: NodeJS.WritableStream) {
  await pipeline(createReadStream(path), res); // ok: unhandled-stream-error
}
export async function iterated(stream: NodeJS.ReadableStream) {
  let all = '';
  for await (const part of stream) all += part; // ok: unhandled-stream-error
  return all;
}
export function heard(path: string, res: NodeJS.WritableStream) {
  const file = createReadStream(path);
  file.on('error', error => console.error(error));
  file.pipe(res); // ok: unhandled-stream-error
}
export function heardInChain(path: string, res: NodeJS.WritableStream) {
  createReadStream(path).on('error', error => console.error(error)).pipe(res); // ok: unhandled-stream-error
}
export function observable(source: { pipe(x: unknown): unknown }, map: unknown) {
  return source.pipe(map); // ok: unhandled-stream-error
}
export function notAStream(game: { on(e: string, f: () => void): void }): Promise<void> {
  return new Promise(resolve => {
    game.on('end', () => resolve()); // ok: unhandled-stream-error
  });
}
export function timer(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 5)); // ok: unhandled-stream-error
}
export const log = createWriteStream('/tmp/x.log'); // ok: unhandled-stream-error
