import express from 'express';
import { Queue } from 'bullmq';
import { Pool } from 'pg';

const pool = new Pool();
const mails = new Queue('mails');
const app = express();

async function store(email: string) {
  await pool.query('INSERT INTO accounts (email) VALUES ($1)', [email]);
}

async function storeQuietly(email: string) {
  try {
    await pool.query('INSERT INTO accounts (email) VALUES ($1)', [email]);
  } catch (error) {
    console.error('account not stored', error);
  }
}

app.post('/a', async (req, res) => {
  res.status(201).json({ created: true });
//^^^^^^^^^^^^^^^^^^^^ respond-before-work: The caller is told that it worked before `pool.query` has run: when that fails or the process ends, nobody hears of it.
  await pool.query('INSERT INTO accounts (email) VALUES ($1)', [req.body.email]);
});

app.post('/b', async (req, res) => {
  res.sendStatus(202);
//^^^^^^^^^^^^^^ respond-before-work
  await store(req.body.email);
});

app.post('/c', async (req, res) => {
  res.json({ ok: true });
//^^^^^^^^ respond-before-work
  await fetch('https://crm.example.com/contacts', { method: 'POST', body: JSON.stringify(req.body) });
});

app.post('/d', async (req, res) => {
  if (!req.body.email) {
    res.status(400).json({ error: 'email missing' });
    return;
  }
  await store(req.body.email);
  res.status(201).end(); // ok: respond-before-work
});

app.post('/e', async (req, res) => {
  res.status(202).end(); // ok: respond-before-work
  await mails.add('welcome', { email: req.body.email });
});

app.post('/f', async (req, res) => {
  res.status(202).end(); // ok: respond-before-work
  try {
    await store(req.body.email);
  } catch (error) {
    console.error('account not stored', error);
  }
});

app.post('/g', async (req, res) => {
  res.status(202).end(); // ok: respond-before-work
  store(req.body.email).catch(error => console.error('account not stored', error));
});

app.post('/h', async (req, res) => {
  res.status(202).end(); // ok: respond-before-work
  await storeQuietly(req.body.email);
});

app.post('/i', async (req, res) => {
  if (!req.body.email) {
    return res.json({ skipped: true }); // ok: respond-before-work
  }
  await store(req.body.email);
  return res.json({ created: true });
});

app.post('/j', async (req, res) => {
  if (req.body.dryRun) {
    res.json({ skipped: true }); // ok: respond-before-work
  } else {
    await store(req.body.email);
    res.json({ created: true });
  }
});

app.post('/k', async (req, res) => {
  res.status(500).json({ message: 'closed' }); // ok: respond-before-work
  await pool.query('UPDATE visits SET n = n + 1');
});

app.get('/l', async (req, res) => {
  const found = await pool.query('SELECT id FROM accounts LIMIT 10');
  res.json(found.rows); // ok: respond-before-work
  await touchLastSeen(req.params.id ?? '');
});

async function touchLastSeen(id: string) {
  await pool.query('UPDATE accounts SET seen_at = now() WHERE id = $1', [id]);
}

app.get('/m', async (req, res) => {
  res.json({ ok: true }); // ok: respond-before-work
  await pool.query('SELECT 1');
});

app.post('/n', async (req, res) => {
  try {
    await store(req.body.email);
    res.json({ ok: true }); // ok: respond-before-work
  } catch (error) {
    await pool.query('INSERT INTO failures (at) VALUES (now())');
    throw error;
  }
});
