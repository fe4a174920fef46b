import type { Request } from 'express';
import { timingSafeEqual } from 'node:crypto';

export function changed(req: Request, known: { isSecret: boolean }) {
  return known.isSecret === req.body.isSecret; // ok: timing-unsafe-compare
}
export function allowed(req: Request) {
  return typeof req.headers['x-secret'] === 'string' && typeof process.env.API_SECRET === 'string' && Buffer.byteLength(req.headers['x-secret']) === Buffer.byteLength(process.env.API_SECRET) && timingSafeEqual(Buffer.from(req.headers['x-secret']), Buffer.from(process.env.API_SECRET));
}
