//- /src/fixture.ts
import { Pool } from 'pg';

const pool = new Pool();

async function copyFrom(offset: number) {
  const rows = await pool.query('SELECT id FROM notes LIMIT 50 OFFSET $1', [offset]);
  // ok: unobserved-promise
  if (rows.rows.length === 50) copyFrom(offset + 50);
}

export function startCopy() {
  copyFrom(0);
//^^^^^^^^ unobserved-promise
}

export async function onlyItself(offset: number) {
  await pool.query('SELECT id FROM notes LIMIT 50 OFFSET $1', [offset]);
  onlyItself(offset + 50);
//^^^^^^^^^^ unobserved-promise
}

const bus = {
  async tell(topic: string) {
    await pool.query('SELECT pg_notify($1, $2)', [topic, 'x']);
  },
};

export function many() {
  bus.tell('a');
//^^^^^^^^ unobserved-promise: Nothing waits for `bus.tell`, here and at 3 more places of this file: the caller goes on before it is done, and a rejection of it reaches no handler here.
  // ok: unobserved-promise
  bus.tell('b');
  // ok: unobserved-promise
  bus.tell('c');
  // ok: unobserved-promise
  bus.tell('d');
}

async function audit(what: string) {
  await pool.query('INSERT INTO audit (what) VALUES ($1)', [what]);
}

export function few() {
  audit('a');
//^^^^^ unobserved-promise
  audit('b');
//^^^^^ unobserved-promise
}

// An annotation that names its own parameter ends.
export async function circular(box: { run(): Promise<void> }, other: typeof other.inner = box) {
  await other.run();
}
