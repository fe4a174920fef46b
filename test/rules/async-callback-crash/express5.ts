//- /package.json
{ "name": "x", "dependencies": { "express": "^5.1.0" } }
//- /src/fixture.ts
import express from 'express';
import { Pool } from 'pg';

const app = express();
const pool = new Pool();

app.get('/a/:id', async (req, res) => { // ok: async-callback-crash
  await pool.query('INSERT INTO seen (id) VALUES ($1)', [req.params.id]);
  res.end();
});
