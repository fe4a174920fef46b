import { Pool } from 'pg';

const pool = new Pool();

async function copyFrom(offset: number) {
  const rows = await pool.query('SELECT id FROM notes LIMIT 50 OFFSET $1', [offset]);
  // ok: unobserved-promise
  if (rows.rows.length === 50) copyFrom(offset + 50);
}

export function startCopy() {
  copyFrom(0).catch((error: unknown) => console.error('copyFrom failed', error));
}

export async function onlyItself(offset: number) {
  await pool.query('SELECT id FROM notes LIMIT 50 OFFSET $1', [offset]);
  await onlyItself(offset + 50);
}

const bus = {
  async tell(topic: string) {
    await pool.query('SELECT pg_notify($1, $2)', [topic, 'x']);
  },
};

export function many() {
  bus.tell('a').catch((error: unknown) => console.error('bus.tell failed', error));
  // ok: unobserved-promise
  bus.tell('b').catch((error: unknown) => console.error('bus.tell failed', error));
  // ok: unobserved-promise
  bus.tell('c').catch((error: unknown) => console.error('bus.tell failed', error));
  // ok: unobserved-promise
  bus.tell('d').catch((error: unknown) => console.error('bus.tell failed', error));
}

async function audit(what: string) {
  await pool.query('INSERT INTO audit (what) VALUES ($1)', [what]);
}

export function few() {
  audit('a').catch((error: unknown) => console.error('audit failed', error));
  audit('b').catch((error: unknown) => console.error('audit failed', error));
}

// An annotation that names its own parameter ends.
export async function circular(box: { run(): Promise<void> }, other: typeof other.inner = box) {
  await other.run();
}
