import axios from 'axios';
import { Pool } from 'pg';

const pool = new Pool();
const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

async function jobState(id: string) {
  const found = await pool.query('SELECT state FROM jobs WHERE id = $1', [id]);
  return found.rows[0]?.state as string | undefined;
}

export async function endless(id: string) {
  while (true) {
    const { data } = await axios.get(`https://exports.example.com/${id}`);
//                         ^^^^^^^^^ unbounded-polling: If the state that this waits for never comes, `axios.get` is asked for ever: nothing caps the rounds or the time.
    if (data.status === 'done') return data.url;
    await sleep(1000);
  }
}

export async function untilState(id: string) {
  let state = await jobState(id);
  while (state !== 'done') {
    await sleep(500);
    state = await jobState(id);
//                ^^^^^^^^ unbounded-polling
  }
}

export async function doWhile(id: string) {
  let done = false;
  do {
    await new Promise(resolve => setTimeout(resolve, 250));
    const found = await pool.query('SELECT state FROM jobs WHERE id = $1', [id]);
//                      ^^^^^^^^^^ unbounded-polling
    done = found.rows[0].state === 'done';
  } while (!done);
}

export async function inTest(id: string) {
  while ((await jobState(id)) !== 'done') {
//              ^^^^^^^^ unbounded-polling
    await sleep(500);
  }
}

export async function withBody(id: string) {
  for (;;) {
    const res = await fetch(`https://exports.example.com/${id}`);
//                    ^^^^^ unbounded-polling
    const body = await res.json();
    if (body.ready) break;
    await sleep(1000);
  }
}

interface Client {
  getStatus(id: string): Promise<string>;
}
export async function byName(client: Client, id: string) {
  while (true) {
    const status = await client.getStatus(id);
//                       ^^^^^^^^^^^^^^^^ unbounded-polling
    if (status === 'ready') return;
    await sleep(1000);
  }
}

// ---- silent

export async function counted(id: string) {
  for (let i = 0; i < 30; i++) {
    if ((await jobState(id)) === 'done') return; // ok: unbounded-polling
    await sleep(500);
  }
  throw new Error(`job ${id} not done`);
}

export async function countedDown(id: string) {
  let left = 30;
  while (left-- > 0) {
    if ((await jobState(id)) === 'done') return; // ok: unbounded-polling
    await sleep(500);
  }
}

export async function timed(id: string) {
  const began = performance.now();
  while (performance.now() - began < 60_000) {
    if ((await jobState(id)) === 'done') return; // ok: unbounded-polling
    await sleep(500);
  }
}

export async function stopped(id: string, signal: AbortSignal) {
  while (true) {
    if ((await jobState(id)) === 'done') return; // ok: unbounded-polling
    await sleep(500);
    signal.throwIfAborted();
  }
}

export async function flagged(id: string, state: { running: boolean }) {
  while (state.running) {
    if ((await jobState(id)) === 'done') return; // ok: unbounded-polling
    await sleep(500);
  }
}

export async function pages() {
  let cursor = '';
  while (true) {
    const { data } = await axios.get(`https://exports.example.com/list?after=${cursor}`); // ok: unbounded-polling
    if (!data.next) return;
    cursor = data.next;
    await sleep(100);
  }
}

export async function drains() {
  while (true) {
    const rows = await pool.query('SELECT id FROM jobs WHERE done_at IS NULL LIMIT 100'); // ok: unbounded-polling
    if (rows.rows.length === 0) return;
    await pool.query('UPDATE jobs SET done_at = now() WHERE id = ANY($1)', [rows.rows.map(r => r.id)]);
    await sleep(100);
  }
}

export async function worker() {
  for (;;) {
    const state = await jobState('sweep'); // ok: unbounded-polling
    if (state === 'paused') break;
    await sleep(1000);
  }
}

export async function goesOn(id: string) {
  for (;;) {
    console.log(await jobState(id)); // ok: unbounded-polling
    await sleep(1000);
  }
}

export async function raced(id: string) {
  const timer = new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 60_000));
  const poll = async () => {
    while (true) {
      const state = await jobState(id); // ok: unbounded-polling
      if (state === 'done') return;
      await sleep(1000);
    }
  };
  return Promise.race([poll(), timer]);
}

export async function noPause(id: string) {
  while ((await jobState(id)) !== 'done') { // ok: unbounded-polling
    console.log('still at work');
  }
}

export async function local(queue: string[]) {
  while (queue.length > 0) {
    await sleep(10); // ok: unbounded-polling
  }
}
