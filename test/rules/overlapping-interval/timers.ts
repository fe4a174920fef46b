//- /src/fixture.ts
import cron from 'node-cron';
import { Pool } from 'pg';

const pool = new Pool();

async function sweep() {
  const due = await pool.query('SELECT id FROM jobs WHERE done_at IS NULL LIMIT 10');
  for (const row of due.rows) await pool.query('UPDATE jobs SET done_at = now() WHERE id = $1', [row.id]);
}

export function inline() {
  setInterval(async () => {
//^^^^^^^^^^^ overlapping-interval: When a round takes longer than the period of 5 s, the next one starts beside it and `pool.query` runs twice over the same data.
    const due = await pool.query('SELECT id FROM jobs WHERE done_at IS NULL LIMIT 10');
    for (const row of due.rows) await pool.query('UPDATE jobs SET done_at = now() WHERE id = $1', [row.id]);
  }, 5_000);
}

export function byName(ms: number) {
  setInterval(sweep, ms);
//^^^^^^^^^^^ overlapping-interval: When a round takes longer than the period, the next one starts beside it and `pool.query` runs twice over the same data.
}

export function detached() {
  setInterval(() => void sweep(), 1000);
//^^^^^^^^^^^ overlapping-interval
}

export function caught() {
  setInterval(() => {
//^^^^^^^^^^^ overlapping-interval
    sweep().catch(error => console.error(error));
  }, 1000);
}

export function scheduled() {
  cron.schedule('* * * * *', sweep);
//^^^^^^^^^^^^^ overlapping-interval
  cron.schedule('* * * * *', sweep, { noOverlap: true }); // ok: overlapping-interval
}

let running = false;
export function guarded() {
  // ok: overlapping-interval
  setInterval(async () => {
    if (running) return;
    running = true;
    try {
      await sweep();
    } finally {
      running = false;
    }
  }, 1000);
}

export function paused() {
  // ok: overlapping-interval
  const timer = setInterval(async () => {
    clearInterval(timer);
    await sweep();
  }, 1000);
}

export function againAtTheEnd() {
  const round = async () => {
    await sweep();
    setTimeout(round, 1000); // ok: overlapping-interval
  };
  setTimeout(round, 1000); // ok: overlapping-interval
}

export function oneStatement() {
  // ok: overlapping-interval
  setInterval(async () => {
    await pool.query('DELETE FROM sessions WHERE expires_at < now()');
  }, 60_000);
}

export function readsOnly() {
  // ok: overlapping-interval
  setInterval(async () => {
    await pool.query('SELECT 1');
    await pool.query('SELECT 2');
  }, 60_000);
}

async function heartbeat() {
  await pool.query('SELECT 1');
  await pool.query('UPDATE workers SET seen_at = now()');
}
export function alive() {
  setInterval(heartbeat, 1000); // ok: overlapping-interval
}

export function withLock(mutex: { run(f: () => Promise<void>): Promise<void> }) {
  // ok: overlapping-interval
  setInterval(async () => {
    await mutex.run(sweep);
  }, 1000);
}

export function synchronous(xs: number[]) {
  setInterval(() => xs.pop(), 1000); // ok: overlapping-interval
}
