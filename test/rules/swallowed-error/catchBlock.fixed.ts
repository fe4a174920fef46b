import { Pool } from 'pg';
import pino from 'pino';

const pool = new Pool();
const logger = pino();

export async function emptyBlock(id: string) {
  try {
    await pool.query('UPDATE seats SET taken = true WHERE id = $1', [id]);
  } catch (error) {
    logger.error({ err: error }, 'pool.query failed');
  }
}

export async function emptyWithName(id: string) {
  try {
    await pool.query('UPDATE seats SET taken = true WHERE id = $1', [id]);
  } catch (e) {
    logger.error({ err: e }, 'pool.query failed');
    // ignore errors
  }
}

export async function todoOnly(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch (e) {
    logger.error({ err: e }, 'pool.query failed');
    // TODO: report this somewhere
  }
}

export async function bareReturn(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch (e) {
    logger.error({ err: e }, 'pool.query failed');
    return;
  }
}

export async function goesOnWithTheLoop(ids: string[]) {
  for (const id of ids) {
    try {
      await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
    } catch (error) {
      logger.error({ err: error }, 'pool.query failed');
      continue;
    }
  }
}

export async function throughLocalFunction(id: string) {
  try {
    await hold(id);
  } catch (error) {
    logger.error({ err: error }, 'hold failed');
  }
}
async function hold(id: string) {
  await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
}

export async function successEitherWay(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
    return { success: true };
  } catch (e) {
    logger.error({ err: e }, 'hold failed');
    return { success: true };
  }
}

export async function unknownWriter(outbox: any, row: unknown) {
  try {
    await outbox.enqueue(row);
  } catch (error) {
    logger.error({ err: error }, 'outbox.enqueue failed');
  }
}

export async function rethrown(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch (e) { // ok: swallowed-error
    throw new Error('hold failed', { cause: e });
  }
}

export async function logged(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch (e) { // ok: swallowed-error
    logger.warn({ err: e, id }, 'hold failed');
  }
}

let lost = 0;
export async function counted(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch { // ok: swallowed-error
    lost++;
  }
}

export async function answered(id: string, res: any) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch { // ok: swallowed-error
    res.status(503).end();
  }
}

export async function failureIsTheAnswer(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
    return true;
  } catch { // ok: swallowed-error
    return false;
  }
}

export async function errorIsKept(id: string, errors: unknown[]) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch (e) { // ok: swallowed-error
    errors.push(e);
  }
}

export async function filteredByCode(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch (e: any) { // ok: swallowed-error
    if (e.code !== '23505') throw e;
  }
}

export async function reasonInComment(id: string) {
  try {
    await pool.query('INSERT INTO recently_seen (seat_id) VALUES ($1)', [id]);
  } catch { // ok: swallowed-error
    // The nightly job rebuilds this table from the bookings.
  }
}

export async function reasonAbove(id: string) {
  // Best effort: the seat map is refreshed every minute anyway.
  try {
    await pool.query('INSERT INTO recently_seen (seat_id) VALUES ($1)', [id]);
  } catch {} // ok: swallowed-error
}

export async function tidyingUp(client: { end(): Promise<void> }) {
  try {
    await client.end();
  } catch {} // ok: swallowed-error
}

export async function alreadyFailing(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch (first) { // ok: swallowed-error
    try {
      await pool.query('UPDATE seats SET broken = true WHERE id = $1', [id]);
    } catch {} // ok: swallowed-error
    throw first;
  }
}

export function featureDetection() {
  try {
    return require('fast-json');
  } catch {} // ok: swallowed-error
}

export function parseOnly(text: string) {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {} // ok: swallowed-error
  return value;
}

export async function readWithFallback(id: string) {
  let row: unknown;
  try {
    row = (await pool.query('SELECT * FROM seats WHERE id = $1', [id])).rows[0];
  } catch {} // ok: swallowed-error
  return row ?? null;
}

export async function calleeLogs(id: string) {
  try {
    await holdAndLog(id);
  } catch {} // ok: swallowed-error
}
async function holdAndLog(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch (e) {
    logger.error({ err: e, id }, 'hold failed');
    throw e;
  }
}

class Ticket {
  constructor(readonly row: unknown) {}
}
export async function sameObjectEitherWay(strategy: any, row: unknown) {
  try {
    const added = await strategy.add(row);
    return new Ticket(added);
  } catch (e) {
    logger.error({ err: e }, 'not added');
    return new Ticket(row);
  }
}
