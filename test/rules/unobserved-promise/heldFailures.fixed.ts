//- /src/fixture.ts
import * as E from 'fp-ts/Either';
import { Pool } from 'pg';

const pool = new Pool();

type Failure = string;

// Its failure is a value: nothing to say of a rejection, but the value is lost.
async function saveSetting(key: string, value: string): Promise<E.Either<Failure, true>> {
  if (key === '') return E.left('no key');
  await pool.query('UPDATE settings SET value = $2 WHERE key = $1', [key, value]);
  return E.right(true as const);
}

export async function dropsTheValue(key: string) {
  await saveSetting(key, 'on');
  return true;
}

export async function readsTheValue(key: string) {
  // ok: unobserved-promise
  const saved = await saveSetting(key, 'on');
  return E.isRight(saved);
}

async function remove(key: string): Promise<{ data: number | null; error: Error | null }> {
  const gone = await pool.query('DELETE FROM settings WHERE key = $1', [key]);
  return { data: gone.rowCount, error: null };
}

// What only awaits such functions lets no rejection out.
async function clearBoth() {
  await remove('a');
  await remove('b');
}

export function clears() {
  // ok: unobserved-promise
  clearBoth();
}

// Near: the value that comes back is a plain answer.
async function touch(key: string): Promise<{ changed: boolean }> {
  const done = await pool.query('UPDATE settings SET seen = now() WHERE key = $1', [key]);
  return { changed: done.rowCount === 1 };
}

export function touches(key: string) {
  touch(key).catch((error: unknown) => console.error('touch failed', error));
}

//- /src/siblings.ts
import { Pool } from 'pg';

const pool = new Pool();

class Feed {
  async tell(topic: string, id: string) {
    await pool.query('INSERT INTO outbox (topic, ref) VALUES ($1, $2)', [topic, id]);
  }
}

export class Posts {
  constructor(private readonly feed: Feed) {}

  changed(ids: string[]) {
    this.feed.tell('posts', 'all').catch((error: unknown) => console.error('this.feed.tell failed', error));
    // ok: unobserved-promise
    for (const id of ids) this.feed.tell('post', id).catch((error: unknown) => console.error('this.feed.tell failed', error));
    // ok: unobserved-promise
    ids.forEach((id) => this.feed.tell('post', id).catch((error: unknown) => console.error('this.feed.tell failed', error)));
    // ok: unobserved-promise
    ids.forEach((id) => {
      this.feed.tell('post', id).catch((error: unknown) => console.error('this.feed.tell failed', error));
    });
  }
}
