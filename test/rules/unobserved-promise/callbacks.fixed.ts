import { Pool } from 'pg';

const pool = new Pool();

async function save(id: string) {
  await pool.query('INSERT INTO seen (id) VALUES ($1)', [id]);
}

export async function forEachAsync(ids: string[]) {
  for (const id of ids) {
    await save(id);
  }
}

export async function forEachByName(ids: string[]) {
  ids.forEach(save);
}

export async function forEachArrow(ids: string[]) {
  ids.forEach(id => save(id).catch((error: unknown) => console.error('save failed', error)));
}

export async function mapDropped(ids: string[]) {
  await Promise.all(ids.map(async id => {
    await save(id);
  }));
}

export async function mapKeptNeverRead(ids: string[]) {
  const done = ids.map(async id => save(id));
}

export async function innerCallDropped(ids: string[]) {
  await Promise.all(
    ids.map(id => {
      save(id).catch((error: unknown) => console.error('save failed', error));
      return id;
    }),
  );
}

export async function filterAsync(ids: string[]) {
  return ids.filter(async id => (await pool.query('SELECT 1 FROM seen WHERE id = $1', [id])).rowCount);
}

export function everyMinute() {
  setInterval(async () => {
    await save('tick');
  }, 60_000);
}

export function later(id: string) {
  setTimeout(() => save(id).catch((error: unknown) => console.error('save failed', error)), 1000);
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
