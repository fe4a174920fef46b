import https from 'node:https';
import { get } from 'node:http';
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';

export function profile(url: string) {
  return new Promise((resolve, reject) => {
    https
      .get(url, (res) => {
        let text = '';
        res.on('data', (piece) => {
          text += piece;
        });
        res.on('end', () => resolve(JSON.parse(text)));
        //                          ^^^^^^^^^^ unguarded-parse: An answer that is not valid JSON makes `JSON.parse` throw, and nothing here catches it: an uncaught exception, which ends a process that has no handler for those.
      })
      .on('error', reject);
  });
}
export function inPieces(url: string, done: (value: unknown) => void) {
  get(url, (answer) => {
    const pieces: Buffer[] = [];
    answer.on('data', (piece: Buffer) => pieces.push(piece));
    answer.on('end', () => {
      done(JSON.parse(Buffer.concat(pieces).toString('utf8')));
      //   ^^^^^^^^^^ unguarded-parse
    });
  });
}
export function byListener(url: string, done: (value: unknown) => void) {
  const req = https.request(url);
  req.on('response', (answer) => {
    let text = '';
    answer.on('data', (piece: string) => (text += piece));
    answer.on('end', () => done(JSON.parse(text)));
    //                          ^^^^^^^^^^ unguarded-parse
  });
  req.end();
}
export const server = createServer((req, res) => {
  let text = '';
  req.on('data', (piece) => (text += piece));
  req.on('end', () => {
    const order = JSON.parse(text);
    //            ^^^^^^^^^^ unguarded-parse
    res.end(String(order.id));
  });
});

export function caught(url: string, done: (error: unknown, value?: unknown) => void) {
  get(url, (answer) => {
    let text = '';
    answer.on('data', (piece: string) => (text += piece));
    answer.on('end', () => {
      try {
        done(null, JSON.parse(text)); // ok: unguarded-parse
      } catch (error) {
        done(error);
      }
    });
  });
}
export function ownList(names: string[]) {
  const pieces: string[] = [];
  for (const name of names) pieces.push(name);
  return JSON.parse(pieces.join('')); // ok: unguarded-parse
}
export function ofAChild(done: (value: unknown) => void) {
  const child = spawn('node', ['--version']);
  let text = '';
  child.stdout.on('data', (piece) => (text += piece));
  child.on('close', () => done(JSON.parse(text))); // ok: unguarded-parse
}

declare function call(url: string): Promise<string>;
export async function refusal(url: string) {
  try {
    return await call(url);
  } catch (error: any) {
    return { status: 502, detail: JSON.parse(error.response.body) };
    //                            ^^^^^^^^^^ unguarded-parse
  }
}
export async function refusalCaught(url: string) {
  try {
    return await call(url);
  } catch (error: any) {
    try {
      return JSON.parse(error?.response?.body); // ok: unguarded-parse
    } catch {
      return { status: 502 };
    }
  }
}
export async function ownField(url: string) {
  try {
    return await call(url);
  } catch (error: any) {
    return JSON.parse(error.detail); // ok: unguarded-parse
  }
}
