import express from 'express';
import jwt from 'jsonwebtoken';
import { Pool } from 'pg';

const pool = new Pool();
const secret = process.env.SECRET ?? '';

export async function isAllowed(userId: string) {
  try {
    const found = await pool.query('SELECT 1 FROM grants WHERE user_id = $1', [userId]);
    return found.rowCount === 1;
  } catch {
//  ^^^^^ fail-open-catch: When the check itself fails, `isAllowed` answers `true`: whoever makes it fail is let in.
    return true;
  }
}

export async function verifyToken(token: string) {
  try {
    jwt.verify(token, secret);
    const found = await pool.query('SELECT 1 FROM sessions WHERE token = $1', [token]);
    if (found.rowCount === 0) return false;
    return true;
  } catch (error) {
//  ^^^^^ fail-open-catch
    console.error('token check failed', error);
    return true;
  }
}

export async function isBanned(userId: string) {
  try {
    const found = await pool.query('SELECT 1 FROM bans WHERE user_id = $1', [userId]);
    return found.rowCount === 1;
  } catch {
//  ^^^^^ fail-open-catch
    return false;
  }
}

export async function checkRateLimit(userId: string) {
  try {
    const found = await pool.query('SELECT n FROM hits WHERE user_id = $1', [userId]);
    return { allowed: found.rows[0].n < 100 };
  } catch (error) {
//  ^^^^^ fail-open-catch: While the limit cannot be checked, `checkRateLimit` answers `allowed: true`: nobody is limited.
    console.error('limit not read', error);
    return { allowed: true };
  }
}

export const guard: express.RequestHandler = async (req, res, next) => {
  try {
    const found = await pool.query('SELECT 1 FROM sessions WHERE token = $1', [req.get('authorization')]);
    if (found.rowCount === 0) {
      res.status(401).json({ message: 'unknown session' });
      return;
    }
  } catch (error) {
//  ^^^^^ fail-open-catch: When the check itself fails, the request goes on to `next()`: whoever makes it fail is let in.
    console.error('session not read', error);
  }
  next();
};

export const guardInside: express.RequestHandler = async (req, res, next) => {
  try {
    const found = await pool.query('SELECT 1 FROM sessions WHERE token = $1', [req.get('authorization')]);
    if (found.rowCount === 0) return res.status(403).end();
    next();
  } catch (error) {
//  ^^^^^ fail-open-catch: When the check itself fails, `next()` lets the request through: whoever makes it fail is let in.
    console.error('session not read', error);
    next();
  }
};

// ---- silent

export async function isPermitted(userId: string) {
  try {
    const found = await pool.query('SELECT 1 FROM grants WHERE user_id = $1', [userId]);
    return found.rowCount === 1;
  } catch { // ok: fail-open-catch
    return false;
  }
}

export async function isRevoked(tokenId: string) {
  try {
    const found = await pool.query('SELECT 1 FROM revoked WHERE id = $1', [tokenId]);
    return found.rowCount === 1;
  } catch { // ok: fail-open-catch
    return true;
  }
}

export async function hasAccess(userId: string) {
  try {
    const found = await pool.query('SELECT 1 FROM grants WHERE user_id = $1', [userId]);
    return found.rowCount === 1;
  } catch (error) { // ok: fail-open-catch
    console.error(error);
    throw error;
  }
}

export async function withinRateLimit(userId: string) {
  try {
    const found = await pool.query('SELECT n FROM hits WHERE user_id = $1', [userId]);
    return found.rows[0].n < 100;
  } catch { // ok: fail-open-catch
    // The counters live in another region; an outage there is not worth turning customers away.
    return true;
  }
}

export async function allowRequest(userId: string) {
  try {
    const found = await pool.query('SELECT n FROM hits WHERE user_id = $1', [userId]);
    return found.rows[0].n < 100;
  } catch (error) { // ok: fail-open-catch
    console.warn('limit not read, allowing the request', error);
    return true;
  }
}

export async function checkAccess(userId: string) {
  try {
    const found = await pool.query('SELECT 1 FROM grants WHERE user_id = $1', [userId]);
    return found.rowCount === 1;
  } catch (error) { // ok: fail-open-catch
    if ((error as { code?: string }).code === '42P01') return true;
    throw error;
  }
}

export async function ensureSession(userId: string) {
  try {
    await pool.query('UPDATE sessions SET seen_at = now() WHERE user_id = $1', [userId]);
    return true;
  } catch { // ok: fail-open-catch
    return true;
  }
}

export async function isLeapYear(year: string) {
  try {
    const found = await pool.query('SELECT 1 FROM years WHERE id = $1', [year]);
    return found.rowCount === 1;
  } catch { // ok: fail-open-catch
    return true;
  }
}

export const optionalUser: express.RequestHandler = async (req, res, next) => {
  try {
    const found = await pool.query('SELECT 1 FROM sessions WHERE token = $1', [req.get('authorization')]);
    if (found.rowCount === 0) return res.status(401).end();
    next();
  } catch { // ok: fail-open-catch
    next();
  }
};

export const denies: express.RequestHandler = async (req, res, next) => {
  try {
    const found = await pool.query('SELECT 1 FROM sessions WHERE token = $1', [req.get('authorization')]);
    if (found.rowCount === 0) return res.status(401).end();
    next();
  } catch { // ok: fail-open-catch
    res.status(503).end();
  }
};

export const passesError: express.RequestHandler = async (req, res, next) => {
  try {
    const found = await pool.query('SELECT 1 FROM sessions WHERE token = $1', [req.get('authorization')]);
    if (found.rowCount === 0) return res.status(401).end();
    next();
  } catch (error) { // ok: fail-open-catch
    next(error);
  }
};

export const nobody: express.RequestHandler = async (req, res, next) => {
  const asking = req as express.Request & { user?: unknown };
  try {
    const found = await pool.query('SELECT 1 FROM sessions WHERE token = $1', [req.get('authorization')]);
    if (found.rowCount === 0) return res.status(401).end();
    next();
  } catch { // ok: fail-open-catch
    asking.user = null;
    next();
  }
};

export const unguarded: express.RequestHandler = async (req, res, next) => {
  try {
    await pool.query('INSERT INTO visits (path) VALUES ($1)', [req.path]);
  } catch (error) { // ok: fail-open-catch
    console.error(error);
  }
  next();
};
