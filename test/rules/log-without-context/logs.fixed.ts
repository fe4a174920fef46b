//- /src/orders.ts
import { Pool } from 'pg';
import pino from 'pino';

const pool = new Pool();
const logger = pino();
declare const Logger: { error(...args: unknown[]): void };

export async function fixedText(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    console.error('booking failed', error, { orderId });
  }
}

export async function bareError(order: { id: string }) {
  const { id } = order;
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [id]);
  } catch (error) {
    console.error(error, { id });
  }
}

export async function template(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    Logger.error(`booking failed: ${(error as Error).message}`);
  }
}

export async function fields(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    logger.error({ err: error }, 'booking failed');
  }
}

// ---- silent

export async function withId(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    console.error('booking failed', orderId, error); // ok: log-without-context
  }
}

export async function inTemplate(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    console.error(`booking of ${orderId} failed`, error); // ok: log-without-context
  }
}

export async function goesOn(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    console.error('booking failed', error); // ok: log-without-context
    throw error;
  }
}

export async function noId(text: string) {
  try {
    await pool.query('INSERT INTO notes (body) VALUES ($1)', [text]);
  } catch (error) {
    console.error('note not stored', error); // ok: log-without-context
  }
}

export async function otherId(orderId: string, text: string) {
  console.info(orderId);
  try {
    await pool.query('INSERT INTO notes (body) VALUES ($1)', [text]);
  } catch (error) {
    console.error('note not stored', error); // ok: log-without-context
  }
}

export async function read(orderId: string) {
  try {
    return (await pool.query('SELECT 1 FROM bookings WHERE order_id = $1', [orderId])).rows;
  } catch (error) {
    console.error('bookings not read', error); // ok: log-without-context
    return null;
  }
}

export async function requestLogger(request: { log: typeof console }, orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    request.log.error('booking failed', error); // ok: log-without-context
  }
}

export async function localLogger(log: typeof console, orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    log.error('booking failed', error); // ok: log-without-context
  }
}

export async function infoOnly(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    console.info('booking failed', error); // ok: log-without-context
  }
}

export async function used(orderId: string, keep: (error: unknown) => void) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    console.error('booking failed', error); // ok: log-without-context
    keep(error);
  }
}

//- /src/contextual.ts
import { AsyncLocalStorage } from 'node:async_hooks';
import { Pool } from 'pg';

const pool = new Pool();
export const context = new AsyncLocalStorage<{ orderId: string }>();

export async function carried(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    console.error('booking failed', error); // ok: log-without-context
  }
}
