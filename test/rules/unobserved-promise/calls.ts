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
  pool.query('DELETE FROM seen WHERE id = $1', [id]);
//^^^^^^^^^^ unobserved-promise: Nothing waits for `pool.query`: the caller goes on before it is done, and a rejection of it reaches no handler here.   💡 Await it
}

export async function localAsync(id: string) {
  save(id);
//^^^^ unobserved-promise   💡 Log its rejection
}

export async function promiseByReturn(id: string) {
  saveLater(id);
//^^^^^^^^^ unobserved-promise
}

export async function detached(id: string) {
  void save(id);
  //   ^^^^ unobserved-promise
}

export const inArrow = (id: string) => void save(id);
//                                          ^^^^ unobserved-promise

export async function keptNeverRead(id: string) {
  const pending = save(id);
  //              ^^^^ unobserved-promise: The promise of `save` is kept and never read: a rejection of it reaches no handler here.
}

export async function onlyFinally(id: string) {
  save(id).finally(() => console.log('done'));
//^^^^ unobserved-promise
}

export async function thenWithoutCatch(id: string) {
  save(id).then(() => console.log('done'));
//^^^^ unobserved-promise
}

export async function conditional(id: string, wanted: boolean) {
  wanted && save(id);
  //        ^^^^ unobserved-promise
}

export async function inlineFunction(id: string) {
  (async () => {
// ^^^^^^^^^^^ unobserved-promise
    await save(id);
  })();
}

export function secondBranch(work: Promise<void>, done: () => void, fail: (e: unknown) => void) {
  work.then(done, fail);
  work.finally(() => done());
//^^^^^^^^^^^^ unobserved-promise: `finally` makes a second promise that rejects with `work`, and nothing handles that one.
}

export interface Mailer {
  send(to: string): Promise<void>;
  count(): number;
}
export async function bySignature(mailer: Mailer) {
  mailer.send('a@example.com');
//^^^^^^^^^^^ unobserved-promise
  mailer.count(); // ok: unobserved-promise
}

export async function sqlByShape(R: any, id: string) {
  R.exec('DELETE FROM watchers WHERE monitor_id = ?', [id]);
//^^^^^^ unobserved-promise
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
  host.ensureComment(id, 'built');
//^^^^^^^^^^^^^^^^^^ unobserved-promise
}
export async function syncAmongAwaited(host2: any, id: string) {
  await host2.updatePull(id);
  await host2.addReviewers(id, []);
  await host2.getPull(id);
  host2.setTitle('x'); // ok: unobserved-promise
  host2.setBody('y'); // ok: unobserved-promise
}
