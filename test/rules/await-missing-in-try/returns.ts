import { Pool } from 'pg';

const pool = new Pool();
async function load(id: string) {
  return pool.query('SELECT * FROM parts WHERE id = $1', [id]);
}
async function format(id: string) {
  if (id === '') throw new Error('empty');
  return id.toUpperCase();
}

export async function besideCatch(id: string) {
  try {
    return load(id);
    //     ^^^^ await-missing-in-try: When `load` rejects, the `catch` beside it does not run: the promise is returned before it settles.   💡 Await before returning
  } catch (error) {
    console.error('not loaded', id, error);
    return null;
  }
}

export async function besideFinally(id: string, lock: { free(): void }) {
  try {
    return load(id);
    //     ^^^^ await-missing-in-try: `finally` runs before `load` is done: the promise is returned before it settles.
  } finally {
    lock.free();
  }
}

export async function fromLibrary(id: string) {
  try {
    return pool.query('UPDATE parts SET seen = now() WHERE id = $1', [id]);
    //     ^^^^^^^^^^ await-missing-in-try
  } catch (error) {
    console.error(error);
    return null;
  }
}

export async function afterThen(id: string) {
  try {
    return load(id).then(result => result.rows[0]);
    //     ^^^^^^^^^^^^^ await-missing-in-try
  } catch (error) {
    console.error(error);
    return null;
  }
}

export async function inBranch(id: string) {
  try {
    if (id !== '') return load(id);
    //                    ^^^^ await-missing-in-try
    return null;
  } catch {
    return null;
  }
}

export class Store {
  async find(id: string) {
    try {
      return this.read(id);
      //     ^^^^^^^^^ await-missing-in-try
    } catch {
      return null;
    }
  }
  private async read(id: string) {
    return pool.query('SELECT * FROM parts WHERE id = $1', [id]);
  }
}

export async function awaited(id: string) {
  try {
    return await load(id); // ok: await-missing-in-try
  } catch {
    return null;
  }
}
export async function outside(id: string) {
  return load(id); // ok: await-missing-in-try
}
export async function inHandler(id: string) {
  try {
    return await load(id);
  } catch {
    return load('fallback'); // ok: await-missing-in-try
  }
}
export async function afterTry(id: string) {
  try {
    console.log(id);
  } catch {
    return null;
  }
  return load(id); // ok: await-missing-in-try
}
export async function handledItself(id: string) {
  try {
    return load(id).catch(() => null); // ok: await-missing-in-try
  } catch {
    return null;
  }
}
export async function plainValue(id: string) {
  try {
    return id.trim(); // ok: await-missing-in-try
  } catch {
    return null;
  }
}
export async function noWork(id: string) {
  try {
    return format(id); // ok: await-missing-in-try
  } catch {
    return null;
  }
}
export function notAsync(id: string) {
  try {
    return load(id); // ok: await-missing-in-try
  } catch {
    return null;
  }
}
export async function nextAttempt(id: string, left: number): Promise<unknown> {
  try {
    return await load(id);
  } catch (error) {
    if (left === 0) throw error;
    return nextAttempt(id, left - 1); // ok: await-missing-in-try
  }
}
export async function insideCallback(ids: string[]) {
  try {
    return await Promise.all(ids.map(id => load(id))); // ok: await-missing-in-try
  } catch {
    return [];
  }
}
