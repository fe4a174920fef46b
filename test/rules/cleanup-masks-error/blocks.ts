import { Pool, type PoolClient } from 'pg';

const pool = new Pool();
declare const log: { error(...args: unknown[]): void };

export async function returned(ids: string[]) {
  let n = 0;
  try {
    for (const id of ids) {
      await pool.query('DELETE FROM drafts WHERE id = $1', [id]);
      n++;
    }
  } finally {
    return n;
//  ^^^^^^ cleanup-masks-error: When the work fails, nobody hears of it: leaving `finally` by this drops the error and the caller goes on as after a success.
  }
}

export async function thrown(id: string) {
  try {
    await pool.query('DELETE FROM drafts WHERE id = $1', [id]);
  } finally {
    if (id === '') throw new Error('no id');
//                 ^^^^^ cleanup-masks-error: When the work fails, its error is lost: this throw in `finally` takes its place.
  }
}

export async function continued(ids: string[]) {
  for (const id of ids) {
    try {
      await pool.query('DELETE FROM drafts WHERE id = $1', [id]);
    } finally {
      continue;
//    ^^^^^^^^ cleanup-masks-error
    }
  }
}

export async function undone(client: PoolClient) {
  await client.query('BEGIN');
  try {
    await client.query('DELETE FROM drafts');
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
//        ^^^^^^^^^^^^ cleanup-masks-error: When `client.query` fails too, the first error is lost: its own goes out instead.   💡 Log it when `client.query` fails, and rethrow the first error
    throw error;
  }
}

export async function undoneByName(tx: { run(): Promise<void>; rollback(): Promise<void> }) {
  try {
    await tx.run();
  } catch (error) {
    await tx.rollback();
//        ^^^^^^^^^^^ cleanup-masks-error
    throw error;
  }
}

// ---- silent

export async function returnsAfter(ids: string[]) {
  let n = 0;
  try {
    for (const id of ids) {
      await pool.query('DELETE FROM drafts WHERE id = $1', [id]);
      n++;
    }
  } finally {
    log.error('done', n); // ok: cleanup-masks-error
  }
  return n;
}

export async function everythingCaught(id: string) {
  let ok = false;
  try {
    await pool.query('DELETE FROM drafts WHERE id = $1', [id]);
    ok = true;
  } catch {
    ok = false;
  } finally {
    return ok; // ok: cleanup-masks-error
  }
}

export function harmless(n: number) {
  let out = 0;
  try {
    out = n + 1;
  } finally {
    return out; // ok: cleanup-masks-error
  }
}

export async function ownLoop(ids: string[]) {
  try {
    await pool.query('DELETE FROM drafts');
  } finally {
    for (const id of ids) {
      if (id === '') continue; // ok: cleanup-masks-error
      log.error(id);
    }
  }
}

export async function ownFunction(ids: string[]) {
  try {
    await pool.query('DELETE FROM drafts');
  } finally {
    ids.forEach(id => {
      if (id === '') return; // ok: cleanup-masks-error
      log.error(id);
    });
  }
}

export async function withCause(id: string, failed: Error | null) {
  try {
    await pool.query('DELETE FROM drafts WHERE id = $1', [id]);
  } finally {
    if (failed) throw new Error('drafts left behind', { cause: failed }); // ok: cleanup-masks-error
  }
}

export async function guarded(client: PoolClient) {
  try {
    await client.query('DELETE FROM drafts');
  } catch (error) {
    await client.query('ROLLBACK').catch(failed => log.error('rollback', failed)); // ok: cleanup-masks-error
    throw error;
  }
}

export async function guardedByTry(client: PoolClient) {
  try {
    await client.query('DELETE FROM drafts');
  } catch (error) {
    try {
      await client.query('ROLLBACK'); // ok: cleanup-masks-error
    } catch (failed) {
      log.error('rollback', failed);
    }
    throw error;
  }
}

export async function loggedFirst(client: PoolClient) {
  try {
    await client.query('DELETE FROM drafts');
  } catch (error) {
    log.error('drafts not deleted', error);
    await client.query('ROLLBACK'); // ok: cleanup-masks-error
    throw error;
  }
}

export async function endsThere(client: PoolClient) {
  try {
    await client.query('DELETE FROM drafts');
  } catch {
    await client.query('ROLLBACK'); // ok: cleanup-masks-error
  }
}

export async function otherWork(client: PoolClient) {
  try {
    await client.query('DELETE FROM drafts');
  } catch (error) {
    await client.query('INSERT INTO failures (at) VALUES (now())'); // ok: cleanup-masks-error
    throw error;
  }
}
