import { AsyncLocalStorage } from 'node:async_hooks';
import express from 'express';
const app = express();
const store = new AsyncLocalStorage<{ user: unknown }>();
let currentUser: unknown;
let tenant: unknown;
let lastRequest: unknown;
let locale: unknown;
let token: unknown;
let hits = 0;
let unreadUser: unknown;
let startedUser: unknown = null;
let flags: unknown;
let lastPath: unknown;
function who() {
  return [currentUser, tenant, lastRequest, locale, token, hits, startedUser, flags, lastPath];
}
app.get('/a', async (req, res) => {
  currentUser = req.user;
//^^^^^^^^^^^ request-state-in-module: `currentUser` holds what came with one request, and every request writes it: while this one waits, another overwrites it, and this one goes on with the other's.
  res.json(who());
});
app.get('/b', async (req, res) => {
  tenant = req.headers['x-tenant'];
//^^^^^^ request-state-in-module: `tenant` holds what came with one request, and every request writes it: while this one waits, another overwrites it, and this one goes on with the other's.
  res.json(who());
});
app.get('/c', async (req, res) => {
  lastRequest = req;
//^^^^^^^^^^^ request-state-in-module: `lastRequest` holds what came with one request, and every request writes it: while this one waits, another overwrites it, and this one goes on with the other's.
  res.json(who());
});
app.get('/d', async (req, res) => {
  locale = req.query.locale ?? 'en';
//^^^^^^ request-state-in-module
  res.json(who());
});
app.get('/e', async (req, res) => {
  token = req.get('authorization');
//^^^^^ request-state-in-module
  res.json(who());
});
app.get('/f', async (req, res) => {
  const user = req.user; // ok: request-state-in-module
  res.json(user);
});
app.get('/g', async (req, res) => {
  store.run({ user: req.user }, () => res.json(who())); // ok: request-state-in-module
});
app.get('/h', async (_req, res) => {
  hits = hits + 1; // ok: request-state-in-module
  res.json(hits);
});
app.get('/i', async (req, res) => {
  unreadUser = req.user; // ok: request-state-in-module
  res.json(null);
});
app.get('/j', async (_req, res) => {
  flags = await fetch('https://flags.example.com', { signal: AbortSignal.timeout(1000) }); // ok: request-state-in-module
  res.json(who());
});
app.get('/k', async (req, res) => {
  lastPath = req.path; // ok: request-state-in-module
  res.json(who());
});
app.get('/l', async (req, res) => {
  let currentUser: unknown;
  currentUser = req.user; // ok: request-state-in-module
  res.json(currentUser);
});
app.get('/m', async (req, res) => {
  Object.assign(res.locals, { user: req.user }); // ok: request-state-in-module
  res.json(res.locals);
});
export function boot(user: unknown) {
  startedUser = user; // ok: request-state-in-module
}
