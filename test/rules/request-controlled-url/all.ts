//- /src/preview.ts
import express from 'express';
import axios from 'axios';
import { z } from 'zod';
import { load } from './load';
import { Pool } from 'pg';
const app = express();
const pool = new Pool();
const BASE = 'https://api.example.com';

app.get('/a', async (req, res) => {
  res.send(await fetch(String(req.query.url)));
  //                          ^^^^^^^^^^^^^ request-controlled-url: `req.query.url` of the request decides which host `fetch` calls: it reaches what only this service can reach.
});
app.get('/b', async (req, res) => {
  const target = new URL(String(req.query.url));
  //                            ^^^^^^^^^^^^^ request-controlled-url
  res.send(await fetch(target.href));
});
app.get('/c', async (req, res) => {
  res.send(await axios.get(`https://${req.query.host}/status`));
  //                                  ^^^^^^^^^^^^^^ request-controlled-url
  res.send(await axios.get('http://' + req.body.host + '/status'));
  //                                   ^^^^^^^^^^^^^ request-controlled-url
});
app.post('/d', async (req, res) => {
  const { callback } = z.object({ callback: z.string().url() }).parse(req.body);
  await axios.post(callback, { done: true });
  //               ^^^^^^^^ request-controlled-url
  res.sendStatus(204);
});
app.post('/e', async (req, res) => {
  res.send(await load(req.body.url));
});

// Only the path or the query.
app.get('/f', async (req, res) => {
  res.send(await fetch(`https://api.example.com/items/${req.query.id}`)); // ok: request-controlled-url
  res.send(await fetch(`${BASE}/items/${req.query.id}`)); // ok: request-controlled-url
  res.send(await fetch(new URL(String(req.query.path), BASE))); // ok: request-controlled-url
  res.send(await axios.get(BASE + '/items/' + req.query.id)); // ok: request-controlled-url
});
// A list, a check, or a form that names the host.
app.get('/g', async (req, res) => {
  const url = new URL(String(req.query.url));
  if (url.hostname !== 'docs.example.com') return res.sendStatus(400);
  res.send(await fetch(url)); // ok: request-controlled-url
});
app.get('/h', async (req, res) => {
  const url = String(req.query.url);
  if (!isAllowedUrl(url)) return res.sendStatus(400);
  res.send(await fetch(url)); // ok: request-controlled-url
});
app.get('/i', async (req, res) => {
  const url = String(req.query.url);
  if (!url.startsWith('https://docs.example.com/')) return res.sendStatus(400);
  res.send(await fetch(url)); // ok: request-controlled-url
});
app.post('/j', async (req, res) => {
  const { url } = z.object({ url: z.string().url().refine((u) => u.includes('example')) }).parse(req.body);
  res.send(await fetch(url)); // ok: request-controlled-url
});
app.post('/k', async (req, res) => {
  const { region } = z.object({ region: z.enum(['eu', 'us']) }).parse(req.body);
  res.send(await fetch(`https://${region}.example.com`)); // ok: request-controlled-url
});
// What was stored before, and what the program was set up with.
app.get('/l', async (req, res) => {
  const { rows } = await pool.query('SELECT url FROM hooks WHERE id = $1', [req.query.id]);
  res.send(await fetch(rows[0].url)); // ok: request-controlled-url
  res.send(await fetch(String(process.env.PEER_URL))); // ok: request-controlled-url
});
declare function isAllowedUrl(url: string): boolean;
//- /src/load.ts
import got from 'got';
export async function load(url: string) {
  return got(url);
  //         ^^^ request-controlled-url
}
export async function other(url: string) {
  return got(url); // ok: request-controlled-url
}
