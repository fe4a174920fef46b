import fs from 'fs-extra';
import { createReadStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { storage } from './storage';

declare function exportAll(): Promise<string>;
declare const socket: NodeJS.WritableStream;
async function sendAndClose(stream: fs.ReadStream) {
  try {
    await storage.put({ body: stream });
  } finally {
    stream.destroy();
  }
}

export async function upload() {
  let path: string | undefined;
  try {
    path = await exportAll();
    return await storage.store({ body: fs.createReadStream(path), acl: 'private' });
    //                                 ^^^^^^^^^^^^^^^^^^^ unreleased-connection: When `storage.store` fails, nothing closes the stream on `path`: its descriptor stays open, and the file keeps its space though it is removed.
  } finally {
    if (path) await fs.unlink(path);
  }
}
export async function uploadToo(path: string) {
  try {
    await storage.put('key', createReadStream(path));
    //                       ^^^^^^^^^^^^^^^^ unreleased-connection
  } catch (error) {
    await unlink(path);
    throw error;
  }
}

export async function destroyed(path: string) {
  const stream = createReadStream(path); // ok: unreleased-connection
  try {
    await storage.put('key', stream);
  } finally {
    stream.destroy();
    await unlink(path);
  }
}
export async function piped(path: string) {
  try {
    await pipeline(createReadStream(path), socket); // ok: unreleased-connection
  } finally {
    await unlink(path);
  }
}
export async function takenCareOf(path: string) {
  try {
    await sendAndClose(fs.createReadStream(path)); // ok: unreleased-connection
  } finally {
    await unlink(path);
  }
}
export async function keptFile(path: string) {
  await storage.put('key', createReadStream(path)); // ok: unreleased-connection
}
export async function otherFile(path: string, other: string) {
  try {
    await storage.put('key', createReadStream(path)); // ok: unreleased-connection
  } finally {
    await unlink(other);
  }
}
