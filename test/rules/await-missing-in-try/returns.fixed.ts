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
    return await load(id);
  } catch (error) {
    console.error('not loaded', id, error);
    return null;
  }
}

export async function besideFinally(id: string, lock: { free(): void }) {
  try {
    return await load(id);
  } finally {
    lock.free();
  }
}

export async function fromLibrary(id: string) {
  try {
    return await pool.query('UPDATE parts SET seen = now() WHERE id = $1', [id]);
  } catch (error) {
    console.error(error);
    return null;
  }
}

export async function afterThen(id: string) {
  try {
    return await load(id).then(result => result.rows[0]);
  } catch (error) {
    console.error(error);
    return null;
  }
}

export async function inBranch(id: string) {
  try {
    if (id !== '') return await load(id);
    return null;
  } catch {
    return null;
  }
}

export class Store {
  async find(id: string) {
    try {
      return await this.read(id);
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
