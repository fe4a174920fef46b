import { Pool } from 'pg';

const pool = new Pool();
const noop = () => {};

export async function emptyArrow(id: string) {
  console.log('seen', id);
  await pool.query('UPDATE seats SET seen = now() WHERE id = $1', [id]).catch(() => {});
  //                                                                    ^^^^^ swallowed-error: When `pool.query` fails, nothing says so: the error is caught and dropped.   💡 Log it with `console`
}

export async function undefinedArrow(id: string) {
  await pool.query('UPDATE seats SET seen = now() WHERE id = $1', [id]).catch(() => undefined);
  //                                                                    ^^^^^ swallowed-error
}

export async function byName(id: string) {
  await pool.query('UPDATE seats SET seen = now() WHERE id = $1', [id]).catch(noop);
  //                                                                    ^^^^^ swallowed-error
}

export async function secondArgument(id: string) {
  await pool.query('UPDATE seats SET seen = now() WHERE id = $1', [id]).then(() => id, () => {});
  //                                                                    ^^^^ swallowed-error
}

export async function transactionByShape(db: any) {
  await db.transaction(async (tx: any) => { await tx.move(); }).catch(() => {
    //                                                          ^^^^^ swallowed-error
    // swallow
  });
}

export async function logs(id: string) {
  await pool.query('UPDATE seats SET seen = now() WHERE id = $1', [id]).catch(e => console.error(e)); // ok: swallowed-error
}

export async function reasonInside(id: string) {
  await pool.query('UPDATE seats SET seen = now() WHERE id = $1', [id]).catch(() => { // ok: swallowed-error
    // last-seen is a display hint, the next request writes it again
  });
}

export async function reasonBeside(id: string) {
  await pool.query('UPDATE seats SET seen = now() WHERE id = $1', [id]).catch(() => {}); // display hint, written again on the next request
}

export async function readFallback(id: string) {
  return pool.query('SELECT * FROM seats WHERE id = $1', [id]).catch(() => undefined); // ok: swallowed-error
}

export async function closes(client: { end(): Promise<void> }) {
  await client.end().catch(() => {}); // ok: swallowed-error
}

export function keptAlive(id: string) {
  const flight = pool.query('UPDATE seats SET seen = now() WHERE id = $1', [id]);
  flight.catch(() => {}); // ok: swallowed-error
  return flight;
}

export function start() {
  pool.on('error', () => {});
//^^^^^^^ swallowed-error: Errors of `pool` are dropped here: when pg loses its server, nothing says so.
}

export function startInTests() {
  if (process.env.VITEST) {
    pool.on('error', () => {}); // ok: swallowed-error
  }
}

export function startLoudly() {
  pool.on('error', error => console.error('pool lost a connection', error)); // ok: swallowed-error
}

export function vacate(id: string) {
  pool.query('UPDATE seats SET taken = false WHERE id = $1', [id], (err: unknown) => {
    //                                                              ^^^^^^^^^^^^ swallowed-error
    console.log('freed', id);
  });
}

export function vacateChecked(id: string, done: (e?: unknown) => void) {
  pool.query('UPDATE seats SET taken = false WHERE id = $1', [id], (err: unknown) => done(err)); // ok: swallowed-error
}
