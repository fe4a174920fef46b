import { Pool } from 'pg';
const pool = new Pool();

export async function first(email: string) {
  const { rows } = await pool.query('SELECT id FROM users WHERE email = $1', [email]);
  if (rows.length === 0) {
    await pool.query('INSERT INTO users (email) VALUES ($1) ON CONFLICT DO NOTHING', [email]);
  }
}
export async function event(id: string) {
  const seen = await pool.query('SELECT 1 FROM events WHERE id = $1', [id]);
  if (seen.rowCount > 0) return;
  await pool.query(`INSERT INTO events (id) VALUES ($1) ON CONFLICT DO NOTHING`, [id]);
}
export async function firstRow(email: string) {
  const result = await pool.query('SELECT id FROM users WHERE email = $1', [email]);
  const user = result.rows[0];
  if (user) return user;
  const made = await pool.query('INSERT INTO users (email) VALUES ($1) RETURNING id', [email]);
  return made.rows[0];
}
export async function conflict(email: string) {
  const { rows } = await pool.query('SELECT id FROM users WHERE email = $1', [email]);
  if (rows.length === 0) await pool.query('INSERT INTO users (email) VALUES ($1) ON CONFLICT DO NOTHING', [email]); // ok: check-then-write
}
export async function locked(email: string) {
  const client = await pool.connect();
  await client.query('BEGIN');
  const { rows } = await client.query('SELECT id FROM users WHERE email = $1 FOR UPDATE', [email]);
  if (rows.length === 0) await client.query('INSERT INTO users (email) VALUES ($1)', [email]); // ok: check-then-write
  await client.query('COMMIT');
  client.release();
}
export async function code(email: string) {
  const { rows } = await pool.query('SELECT id FROM users WHERE email = $1', [email]);
  if (rows.length > 0) return;
  try {
    await pool.query('INSERT INTO users (email) VALUES ($1)', [email]); // ok: check-then-write
  } catch (error) {
    if ((error as { code?: string }).code !== '23505') throw error;
  }
}
export async function audit(email: string) {
  const { rows } = await pool.query('SELECT id FROM users WHERE email = $1', [email]);
  if (rows.length === 0) await pool.query('INSERT INTO visits (email) VALUES ($1)', [email]); // ok: check-then-write
}
