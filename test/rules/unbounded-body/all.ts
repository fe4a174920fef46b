//- /src/raw.ts
import http, { type IncomingMessage } from 'node:http';
import express from 'express';
import { gunzipSync, inflateSync } from 'node:zlib';
import multer from 'multer';
import { graphqlUploadExpress } from 'graphql-upload';
import fileUpload from 'express-fileupload';
const app = express();

http.createServer((req, res) => {
  let body = '';
  req.on('data', (chunk) => {
//^^^^^^ unbounded-body: Every chunk of `req` is kept until the end, with no limit: a body of any size is held in memory.
    body += chunk;
  });
  req.on('end', () => res.end(body));
});
export async function read(req: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  //                        ^^^ unbounded-body
  return Buffer.concat(chunks);
}
app.post('/a', (req, res) => {
  const parts: Buffer[] = [];
  req.on('data', (part) => parts.push(part));
//^^^^^^ unbounded-body
  req.on('end', () => res.json(parts.reduce((n, p) => n + p.toString(), '')));
});
app.use(express.json({ limit: '2gb' }));
  //                          ^^^^^ unbounded-body: `express.json` reads bodies of up to 2gb whole into memory.
app.use(express.raw({ limit: Infinity }));
  //                         ^^^^^^^^ unbounded-body: `express.raw` reads bodies of up to any size whole into memory.
app.use(graphqlUploadExpress());
  //    ^^^^^^^^^^^^^^^^^^^^ unbounded-body: `graphqlUploadExpress` is given no size limit: it takes an upload of any size.
app.use(graphqlUploadExpress({ maxFiles: 3 }));
  //    ^^^^^^^^^^^^^^^^^^^^ unbounded-body
export const upload = multer();
  //                  ^^^^^^ unbounded-body
export const kept = multer({ storage: multer.memoryStorage() });
  //                ^^^^^^ unbounded-body
app.use(fileUpload());
  //    ^^^^^^^^^^ unbounded-body
app.post('/b', async (req, res) => {
  const answer = await fetch(String(req.query.url));
  res.send(await answer.text());
  //             ^^^^^^^^^^^ unbounded-body: `answer.text` holds the whole answer of an address that the request gave, however long it is.
});
app.post('/c', express.raw({ type: '*/*' }), (req, res) => {
  res.send(gunzipSync(req.body));
  //       ^^^^^^^^^^ unbounded-body: `gunzipSync` unpacks what was sent in one piece, with no limit on what comes out: a few kilobytes become gigabytes.
});

// Counted, refused, or bounded by an option.
http.createServer((req, res) => {
  let body = '';
  req.on('data', (chunk) => { // ok: unbounded-body
    body += chunk;
    if (body.length > 10_000) req.destroy();
  });
  req.on('end', () => res.end(body));
});
http.createServer((req, res) => {
  if (Number(req.headers['content-length']) > 10_000) return res.end();
  const chunks: Buffer[] = [];
  req.on('data', (chunk) => chunks.push(chunk)); // ok: unbounded-body
  req.on('end', () => res.end(Buffer.concat(chunks)));
});
app.use(express.json()); // ok: unbounded-body
app.use(express.json({ limit: '10mb' })); // ok: unbounded-body
app.use(graphqlUploadExpress({ maxFileSize: 1_000_000 })); // ok: unbounded-body
export const small = multer({ limits: { fileSize: 1_000_000 } }); // ok: unbounded-body
export const disk = multer({ dest: '/tmp/uploads' }); // ok: unbounded-body
app.use(fileUpload({ useTempFiles: true })); // ok: unbounded-body
app.post('/d', express.raw({ type: '*/*' }), (req, res) => {
  res.send(gunzipSync(req.body, { maxOutputLength: 1_000_000 })); // ok: unbounded-body
  const own = Buffer.from('x');
  res.send(inflateSync(own)); // ok: unbounded-body
});
// Chunks that are not kept, and streams that nobody sends from outside.
app.post('/e', (req, res) => {
  let n = 0;
  req.on('data', () => n++); // ok: unbounded-body
  req.on('end', () => res.json(n));
});
export function pass(source: NodeJS.ReadableStream) {
  const chunks: Buffer[] = [];
  source.on('data', (chunk) => chunks.push(chunk)); // ok: unbounded-body
}
app.post('/f', async (req, res) => {
  const answer = await fetch(`https://api.example.com/items/${req.query.id}`);
  res.send(await answer.text()); // ok: unbounded-body
});
app.post('/g', async (req, res) => {
  const answer = await fetch(String(req.query.url));
  if (Number(answer.headers.get('content-length')) > 1_000_000) return res.sendStatus(413);
  res.send(await answer.text()); // ok: unbounded-body
});
