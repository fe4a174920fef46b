import type { Request } from 'express';

export function changed(req: Request, known: { isSecret: boolean }) {
  return known.isSecret === req.body.isSecret; // ok: timing-unsafe-compare
}
export function allowed(req: Request) {
  return req.headers['x-secret'] === process.env.API_SECRET;
  //     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ timing-unsafe-compare
}
