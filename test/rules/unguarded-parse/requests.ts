import express from 'express';
import { z } from 'zod';
const app = express();
const schema = z.object({ filter: z.string() });
declare function verifySignature(body: string): void;
declare function validate(s: unknown): express.RequestHandler;

app.get('/a', (req, res) => {
  const filter = JSON.parse(String(req.query.filter));
  //             ^^^^^^^^^^ unguarded-parse: Input that is not valid JSON makes `JSON.parse` throw, and nothing here catches it: the request fails like a fault of the server.   💡 Answer 400 when it does not parse
  res.json(filter);
});
app.get('/b/:id', (req, res) => {
  const id = BigInt(req.params.id);
  //         ^^^^^^ unguarded-parse
  res.json({ id: String(id) });
});
app.post('/c', async (req, res) => {
  const { callback } = req.body;
  const target = new URL(callback);
  //                 ^^^ unguarded-parse
  res.json({ host: target.host });
});
app.get('/d', (req, res) => {
  res.json(decodeURIComponent(req.headers['x-name'] as string));
  //       ^^^^^^^^^^^^^^^^^^ unguarded-parse
});
function parseFilter(text: string) {
  return JSON.parse(text);
  //     ^^^^^^^^^^ unguarded-parse
}
app.get('/e', (req, res) => {
  res.json(parseFilter(req.query.filter as string));
});
app.get('/f', (req, res) => {
  try {
    res.json(JSON.parse(String(req.query.filter))); // ok: unguarded-parse
  } catch {
    res.status(400).end();
  }
});
function parseSafely(text: string) {
  return JSON.parse(text); // ok: unguarded-parse
}
app.get('/g', (req, res) => {
  try {
    res.json(parseSafely(req.query.filter as string));
  } catch {
    res.status(400).end();
  }
});
app.get('/h', (req, res) => {
  if (!/^\d+$/.test(req.query.id as string)) return void res.status(400).end();
  res.json(String(BigInt(req.query.id as string))); // ok: unguarded-parse
});
app.get('/i', (req, res) => {
  const { filter } = schema.parse(req.query);
  res.json(JSON.parse(filter)); // ok: unguarded-parse
});
app.post('/j', validate(schema), (req, res) => {
  res.json(JSON.parse(req.body.filter)); // ok: unguarded-parse
});
app.post('/hooks/k', (req, res) => {
  verifySignature(req.body);
  res.json(JSON.parse(req.body.toString())); // ok: unguarded-parse
});
app.get('/l', (req, res) => {
  res.json(JSON.parse(process.env.DEFAULTS ?? '{}')); // ok: unguarded-parse
});
app.get('/m', (req, res) => {
  const copy = JSON.parse(JSON.stringify(req.body)); // ok: unguarded-parse
  res.json(copy);
});
app.get('/n', (req, res) => {
  const target = new URL(req.url, 'http://localhost'); // ok: unguarded-parse
  res.json(target.pathname);
});
app.get('/o', (req, res) => {
  if (!URL.canParse(req.query.to as string)) return void res.status(400).end();
  res.redirect(new URL(req.query.to as string).href); // ok: unguarded-parse
});
app.get('/p', (req, res) => {
  Promise.resolve(req.query.filter as string)
    .then(text => JSON.parse(text)) // ok: unguarded-parse
    .then(x => res.json(x))
    .catch(() => res.status(400).end());
});
