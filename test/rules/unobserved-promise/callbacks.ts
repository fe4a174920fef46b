import { Pool } from 'pg';

const pool = new Pool();

async function save(id: string) {
  await pool.query('INSERT INTO seen (id) VALUES ($1)', [id]);
}

export async function forEachAsync(ids: string[]) {
  ids.forEach(async id => {
//^^^^^^^^^^^ unobserved-promise: `forEach` drops the promises of its async callback: the code after it runs before `pool.query` is done, and a rejection reaches no handler.   💡 Loop with for … of
    await save(id);
  });
}

export async function forEachByName(ids: string[]) {
  ids.forEach(save);
//^^^^^^^^^^^ unobserved-promise
}

export async function forEachArrow(ids: string[]) {
  ids.forEach(id => save(id));
  //                ^^^^ unobserved-promise
}

export async function mapDropped(ids: string[]) {
  ids.map(async id => {
//^^^^^^^ unobserved-promise
    await save(id);
  });
}

export async function mapKeptNeverRead(ids: string[]) {
  const done = ids.map(async id => save(id));
  //           ^^^^^^^ unobserved-promise
}

export async function innerCallDropped(ids: string[]) {
  await Promise.all(
    ids.map(id => {
      save(id);
//    ^^^^ unobserved-promise
      return id;
    }),
  );
}

export async function filterAsync(ids: string[]) {
  return ids.filter(async id => (await pool.query('SELECT 1 FROM seen WHERE id = $1', [id])).rowCount);
  //     ^^^^^^^^^^ unobserved-promise: `filter` reads a promise as its answer, which is always true: every element passes, and nothing handles a rejection.
}

export function everyMinute() {
  setInterval(async () => {
//^^^^^^^^^^^ unobserved-promise: `setInterval` drops the promise of its async callback: when `pool.query` rejects, no handler takes the rejection.
    await save('tick');
  }, 60_000);
}

export function later(id: string) {
  setTimeout(() => save(id), 1000);
  //               ^^^^ unobserved-promise
}

export function guardedTimer() {
  setInterval(async () => { // ok: unobserved-promise
    try {
      await save('tick');
    } catch (error) {
      console.error(error);
    }
  }, 60_000);
}

export async function mapAwaited(ids: string[]) {
  await Promise.all(ids.map(async id => save(id))); // ok: unobserved-promise
}

export async function mapStored(ids: string[]) {
  const started = ids.map(async id => save(id)); // ok: unobserved-promise
  await Promise.all(started);
}

export async function mapReturned(ids: string[]) {
  return ids.map(async id => save(id)); // ok: unobserved-promise
}

export async function forOf(ids: string[]) {
  for (const id of ids) await save(id); // ok: unobserved-promise
}

export async function cursorWaits(cursor: { forEach(f: (row: string) => Promise<void>): Promise<void> }) {
  await cursor.forEach(async row => { // ok: unobserved-promise
    await save(row);
  });
}

export function syncCallback(ids: string[]) {
  ids.forEach(id => console.log(id)); // ok: unobserved-promise
}

export async function allGuarded(ids: string[]) {
  ids.forEach(id => void save(id).catch(error => console.error(error))); // ok: unobserved-promise
}
