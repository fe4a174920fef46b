import express from 'express';
import { Pool } from 'pg';

const pool = new Pool();
const app = express();
let started = false;

app.get('/readyz', (req, res) => res.sendStatus(200));
//      ^^^^^^^^^ hollow-health-check: `/readyz` always says that this instance is ready: it asks nothing that could be down.
app.get('/health/ready', (req, res) => {
//      ^^^^^^^^^^^^^^^ hollow-health-check
  res.status(200).json({ status: 'ok', at: new Date().toISOString() });
});
app.get('/readiness', async (req, res) => {
//      ^^^^^^^^^^^^ hollow-health-check
  res.send('ok');
});
app.get('/livez', async (req, res) => {
//      ^^^^^^^^ hollow-health-check: While `pool.query` fails, every instance is restarted: `/livez` says that the process is dead when something else is.
  await pool.query('SELECT 1');
  res.sendStatus(200);
});
app.get('/liveness', async (req, res) => {
//      ^^^^^^^^^^^ hollow-health-check
  await ask();
  res.sendStatus(200);
});

async function ask() {
  await pool.query('SELECT 1');
}

// ---- silent
app.get('/ready', (req, res) => res.sendStatus(started ? 200 : 503)); // ok: hollow-health-check
app.get('/api/ready', async (req, res) => { // ok: hollow-health-check
  await pool.query('SELECT 1');
  res.sendStatus(200);
});
app.get('/v1/readyz', (req, res) => { // ok: hollow-health-check
  if (!started) return res.sendStatus(503);
  res.sendStatus(200);
});
app.get('/v2/readyz', (req, res) => { // ok: hollow-health-check
  assertStarted();
  res.sendStatus(200);
});
app.get('/live', (req, res) => res.sendStatus(200)); // ok: hollow-health-check
app.get('/alive', (req, res) => { // ok: hollow-health-check
  res.json({ uptime: process.uptime() });
});
app.get('/health', (req, res) => res.sendStatus(200)); // ok: hollow-health-check
app.get('/healthz', async (req, res) => { // ok: hollow-health-check
  await pool.query('SELECT 1');
  res.sendStatus(200);
});
app.get('/already', (req, res) => res.sendStatus(200)); // ok: hollow-health-check
app.get('/olive', async (req, res) => { // ok: hollow-health-check
  await pool.query('SELECT 1');
  res.sendStatus(200);
});
app.get('/readyz/details', (req, res) => res.sendStatus(200)); // ok: hollow-health-check

function assertStarted() {
  if (!started) throw new Error('not started');
  started = true;
}
