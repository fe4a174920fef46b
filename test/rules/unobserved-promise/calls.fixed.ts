import { Pool } from 'pg';
import test from 'node:test';

const pool = new Pool();

async function save(id: string) {
  await pool.query('INSERT INTO seen (id) VALUES ($1)', [id]);
}
async function saveGuarded(id: string) {
  try {
    await save(id);
  } catch (error) {
    console.error('not saved', error);
  }
}
async function countLocally(xs: number[]) {
  return xs.length;
}
function saveLater(id: string): Promise<void> {
  return save(id);
}

export async function library(id: string) {
  await pool.query('DELETE FROM seen WHERE id = $1', [id]);
}

export async function localAsync(id: string) {
  await save(id);
}

export async function promiseByReturn(id: string) {
  await saveLater(id);
}

export async function detached(id: string) {
  await save(id);
}

export const inArrow = (id: string) => void save(id).catch((error: unknown) => console.error('save failed', error));

export async function keptNeverRead(id: string) {
  const pending = save(id);
}

export async function onlyFinally(id: string) {
  await save(id).finally(() => console.log('done'));
}

export async function thenWithoutCatch(id: string) {
  await save(id).then(() => console.log('done'));
}

export async function conditional(id: string, wanted: boolean) {
  wanted && await save(id);
}

export async function inlineFunction(id: string) {
  await (async () => {
    await save(id);
  })();
}

export function secondBranch(work: Promise<void>, done: () => void, fail: (e: unknown) => void) {
  work.then(done, fail);
  work.finally(() => done());
}

export interface Mailer {
  send(to: string): Promise<void>;
  count(): number;
}
export async function bySignature(mailer: Mailer) {
  await mailer.send('a@example.com');
  mailer.count(); // ok: unobserved-promise
}

export async function sqlByShape(R: any, id: string) {
  await R.exec('DELETE FROM watchers WHERE monitor_id = ?', [id]);
  await R.store({ id });
}

export async function sqlOfSyncDriver(sqlite: any, id: string) {
  sqlite.exec('DELETE FROM watchers'); // ok: unobserved-promise
  return sqlite.get('SELECT 1');
}

export async function awaited(id: string) {
  await save(id); // ok: unobserved-promise
}
export function returned(id: string) {
  return save(id); // ok: unobserved-promise
}
export async function caught(id: string) {
  save(id).catch(error => console.error(error)); // ok: unobserved-promise
}
export async function caughtThenFinally(id: string) {
  save(id).catch(error => console.error(error)).finally(() => console.log('done')); // ok: unobserved-promise
}
export async function twoHandlers(id: string) {
  save(id).then(() => console.log('done'), error => console.error(error)); // ok: unobserved-promise
}
export async function guardedInside(id: string) {
  void saveGuarded(id); // ok: unobserved-promise
}
export async function voidWithHandler(id: string) {
  void save(id).catch(error => console.error(error)); // ok: unobserved-promise
}
export async function storedAndRead(id: string) {
  const pending = save(id); // ok: unobserved-promise
  await pending;
}
export async function collected(ids: string[]) {
  const all: Promise<void>[] = [];
  for (const id of ids) all.push(save(id)); // ok: unobserved-promise
  await Promise.all(all);
}
export async function handedOn(waitUntil: (p: Promise<void>) => void, id: string) {
  waitUntil(save(id)); // ok: unobserved-promise
}
export async function effectFree(xs: number[]) {
  countLocally(xs); // ok: unobserved-promise
}
export function callbackForm(id: string) {
  pool.query('DELETE FROM seen WHERE id = $1', [id], (error: unknown) => console.error(error)); // ok: unobserved-promise
}
test('node:test gives a promise that is safe to leave', async () => { // ok: unobserved-promise
  await save('x');
});
save('start-up'); // ok: unobserved-promise
export async function shutdown() {
  pool.end(); // ok: unobserved-promise
}

export async function forgottenAmongAwaited(host: any, id: string) {
  const pr = await host.getPull(id);
  await host.updatePull(id, pr);
  await host.addReviewers(id, []);
  await host.ensureComment(id, 'built');
}
export async function syncAmongAwaited(host2: any, id: string) {
  await host2.updatePull(id);
  await host2.addReviewers(id, []);
  await host2.getPull(id);
  host2.setTitle('x'); // ok: unobserved-promise
  host2.setBody('y'); // ok: unobserved-promise
}
