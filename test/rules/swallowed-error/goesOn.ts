import { Pool } from 'pg';
import pino from 'pino';

const pool = new Pool();
const logger = pino();
interface Photo {
  id: string;
  url?: string;
}

export async function answersWithTheOutcomeLeftOut(photo: Photo, adapter: { store(p: Photo): Promise<{ url: string }> }) {
  if (photo.id !== '') {
    const stored = await adapter.store(photo);
    try {
      await pool.query('UPDATE photos SET url = $1 WHERE id = $2', [stored.url, photo.id]);
      return { ...photo, ...stored };
    } catch (error) {
//    ^^^^^ swallowed-error: When `pool.query` fails, this answers the caller as if it had succeeded.
      logger.warn({ error }, 'url not kept');
    }
  }
  return photo;
}

export async function outOfAnOuterTry(photo: Photo, ctx: { api: { update(p: object): Promise<void> } }) {
  try {
    if (photo.id) {
      try {
        await ctx.api.update({ id: photo.id, seen: true });
        return { ...photo, seen: true };
      } catch (error) {
//      ^^^^^ swallowed-error
        logger.warn(error);
      }
    }
  } catch (error) {
    logger.error(error);
    throw error;
  }
  return photo;
}

export async function sameAnswerBehind(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
  } catch (error) {
//  ^^^^^ swallowed-error
    logger.error({ error, id }, 'no hold');
  }
  return { success: true };
}

export async function sameAnswerInBoth(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
    return true;
  } catch (error) {
//  ^^^^^ swallowed-error
    logger.error({ error, id }, 'no hold');
  }
  return true;
}

export async function anotherAnswer(id: string) {
  try {
    await pool.query('INSERT INTO holds (seat_id) VALUES ($1)', [id]);
    return { success: true };
  } catch (error) { // ok: swallowed-error
    logger.error({ error, id }, 'no hold');
  }
  return { success: false };
}

export async function successOfSomethingElse(id: string) {
  await pool.query('INSERT INTO orders (id) VALUES ($1)', [id]);
  try {
    await pool.query('INSERT INTO mails (order_id) VALUES ($1)', [id]);
  } catch (error) { // ok: swallowed-error
    logger.error({ error, id }, 'no mail queued');
  }
  return { success: true };
}

export async function plainReadThatDegrades(photo: Photo) {
  try {
    const { rows } = await pool.query('SELECT note FROM notes WHERE photo_id = $1', [photo.id]);
    return { ...photo, ...rows[0] };
  } catch (error) { // ok: swallowed-error
    logger.warn({ error }, 'no note');
  }
  return photo;
}

export async function failureIsMarked(photo: Photo) {
  let failed = false;
  try {
    await pool.query('UPDATE photos SET url = $1 WHERE id = $2', [photo.url, photo.id]);
    return { ...photo, kept: true };
  } catch (error) { // ok: swallowed-error
    failed = true;
    logger.warn({ error, failed }, 'url not kept');
  }
  return photo;
}

export async function anotherObject(photo: Photo, before: Photo) {
  try {
    await pool.query('UPDATE photos SET url = $1 WHERE id = $2', [photo.url, photo.id]);
    return { ...photo, kept: true };
  } catch (error) { // ok: swallowed-error
    logger.warn({ error }, 'url not kept');
  }
  return before;
}

export async function moreWorkBehind(photo: Photo) {
  try {
    await pool.query('UPDATE photos SET url = $1 WHERE id = $2', [photo.url, photo.id]);
    return { ...photo, kept: true };
  } catch (error) { // ok: swallowed-error
    logger.warn({ error }, 'url not kept');
  }
  await pool.query('INSERT INTO repairs (photo_id) VALUES ($1)', [photo.id]);
  return photo;
}
