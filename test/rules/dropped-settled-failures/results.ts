import { Pool } from 'pg';

const pool = new Pool();
async function free(id: string) {
  await pool.query('UPDATE seats SET taken = false WHERE id = $1', [id]);
}
async function freeAndLog(id: string) {
  try {
    await free(id);
  } catch (error) {
    console.error('not freed', id, error);
  }
}

export async function dropped(a: string, b: string) {
  await Promise.allSettled([free(a), free(b)]);
  //    ^^^^^^^^^^^^^^^^^^ dropped-settled-failures: When `free` fails here, nothing shows it: the results are never read.
}
export async function mapped(ids: string[]) {
  await Promise.allSettled(ids.map(id => free(id)));
  //    ^^^^^^^^^^^^^^^^^^ dropped-settled-failures
}
export async function mappedBlock(ids: string[]) {
  await Promise.allSettled(
    //  ^^^^^^^^^^^^^^^^^^ dropped-settled-failures
    ids.map(async id => {
      await pool.query('DELETE FROM holds WHERE seat_id = $1', [id]);
      await free(id);
    }),
  );
}
export async function neverRead(ids: string[]) {
  const results = await Promise.allSettled(ids.map(id => free(id)));
  //                    ^^^^^^^^^^^^^^^^^^ dropped-settled-failures
}
export async function fulfilledOnly(ids: string[]) {
  const results = await Promise.allSettled(ids.map(id => free(id)));
  //                    ^^^^^^^^^^^^^^^^^^ dropped-settled-failures: When `free` fails here, nothing shows it: only the fulfilled results are read.
  return results.filter(r => r.status === 'fulfilled').length;
}
export async function library(id: string) {
  await Promise.allSettled([pool.query('UPDATE seats SET taken = false WHERE id = $1', [id])]);
  //    ^^^^^^^^^^^^^^^^^^ dropped-settled-failures
}

export async function rejectedRead(ids: string[]) {
  const results = await Promise.allSettled(ids.map(id => free(id))); // ok: dropped-settled-failures
  for (const r of results) if (r.status === 'rejected') console.error(r.reason);
}
export async function partition(ids: string[]) {
  const results = await Promise.allSettled(ids.map(id => free(id))); // ok: dropped-settled-failures
  for (const r of results) {
    if (r.status === 'fulfilled') console.log('ok');
    else console.error('failed');
  }
}
export async function returned(ids: string[]) {
  return Promise.allSettled(ids.map(id => free(id))); // ok: dropped-settled-failures
}
export async function handedOn(ids: string[], report: (r: unknown[]) => void) {
  const results = await Promise.allSettled(ids.map(id => free(id))); // ok: dropped-settled-failures
  report(results);
}
export async function eachLogs(ids: string[]) {
  await Promise.allSettled(ids.map(id => freeAndLog(id))); // ok: dropped-settled-failures
}
export async function eachCatches(ids: string[]) {
  await Promise.allSettled(ids.map(id => free(id).catch(error => console.error(error)))); // ok: dropped-settled-failures
}
export async function caughtInside(ids: string[]) {
  await Promise.allSettled( // ok: dropped-settled-failures
    ids.map(async id => {
      try {
        await free(id);
      } catch (error) {
        console.error(error);
      }
    }),
  );
}
export async function tidying(clients: { close(): Promise<void> }[]) {
  await Promise.allSettled(clients.map(c => c.close())); // ok: dropped-settled-failures
}
export async function reads(ids: string[]) {
  await Promise.allSettled(ids.map(id => pool.query('SELECT 1 FROM seats WHERE id = $1', [id]))); // ok: dropped-settled-failures
}
export async function shutdown(ids: string[]) {
  await Promise.allSettled(ids.map(id => free(id))); // ok: dropped-settled-failures
}
export async function all(ids: string[]) {
  await Promise.all(ids.map(id => free(id))); // ok: dropped-settled-failures
}
