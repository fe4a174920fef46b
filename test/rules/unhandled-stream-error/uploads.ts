//- /src/fixture.ts
import { pipeline } from 'node:stream/promises';
import { createWriteStream, createReadStream as open } from 'node:fs';

type Upload = Promise<{ createReadStream(): NodeJS.ReadableStream; filename: string }>;

async function keep(stream: NodeJS.ReadableStream, name: string) {
  stream.pipe(createWriteStream(name));
}
async function keepSafely(stream: NodeJS.ReadableStream, name: string) {
  await pipeline(stream, createWriteStream(name));
}

export async function handedOn(file: Upload) {
  const { createReadStream, filename } = await file;
  const stream = createReadStream();
  //             ^^^^^^^^^^^^^^^^ unhandled-stream-error: When the upload breaks off or grows too large, `stream` emits `error` and nothing on its way listens: it is thrown outside every call.
  await keep(stream, filename);
}

export async function byMember(file: Upload) {
  const upload = await file;
  const stream = upload.createReadStream();
  //             ^^^^^^^^^^^^^^^^^^^^^^^ unhandled-stream-error
  await keep(stream, upload.filename);
}

export async function listens(file: Upload) {
  const { createReadStream, filename } = await file;
  const stream = createReadStream(); // ok: unhandled-stream-error
  stream.on('error', error => console.error(error));
  await keep(stream, filename);
}

export async function piped(file: Upload) {
  const { createReadStream, filename } = await file;
  const stream = createReadStream(); // ok: unhandled-stream-error
  await keepSafely(stream, filename);
}

export async function unknownTaker(file: Upload, take: (s: NodeJS.ReadableStream) => Promise<void>) {
  const { createReadStream } = await file;
  const stream = createReadStream(); // ok: unhandled-stream-error
  await take(stream);
}

export async function ofDisk(name: string) {
  const stream = open(name); // ok: unhandled-stream-error
  await keep(stream, name);
}
