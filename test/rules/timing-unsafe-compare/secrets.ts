//- /src/fixture.ts
import express from 'express';
import { createHash, createHmac } from 'node:crypto';
import { env } from './env.ts';

const app = express();
const KINDS = { token: 'token' } as const;

export function byHmac(body: string, signature: string) {
  const expected = createHmac('sha256', process.env.SIGNING_SECRET ?? '').update(body).digest('hex');
  return expected === signature;
  //     ^^^^^^^^^^^^^^^^^^^^^^ timing-unsafe-compare: How long `===` takes depends on how much of `expected` was right: a caller who can measure it learns about a keyed digest bit by bit.   💡 Compare with timingSafeEqual
}

export function withPrefix(body: string, header: string, req: express.Request) {
  const mac = createHmac('sha256', header).update(body).digest('base64');
  if (req.headers['x-signature'] !== `sha256=${mac}`) throw new Error('bad signature');
  //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ timing-unsafe-compare
}

function sign(body: string) {
  return createHmac('sha256', 'k').update(body).digest('hex');
}
export function byLocalFunction(body: string, sent: { hash: string }) {
  if (sign(body) !== sent.hash) throw new Error('bad');
  //  ^^^^^^^^^^^^^^^^^^^^^^^^ timing-unsafe-compare
}

declare function computeSignature(body: string): Promise<string>;
export class Incoming {
  constructor(private readonly signature: string) {}
  async check(body: string) {
    const mac = await computeSignature(body);
    if (mac !== this.signature) throw new Error('bad');
    //  ^^^^^^^^^^^^^^^^^^^^^^ timing-unsafe-compare
  }
}

export function cron(request: Request) {
  const sent = request.headers.get('authorization');
  return sent === `Bearer ${process.env.CRON_SECRET}`;
  //     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ timing-unsafe-compare
}

export function admin(authString: string) {
  const [scheme, token] = authString.split(' ');
  if (scheme !== 'Bearer' || !token || token !== env.ADMIN_API_KEY) return false;
  //                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^ timing-unsafe-compare
  return true;
}

app.get('/export', (req, res) => {
  const secret = process.env.EXPORT_TOKEN;
  if (req.query.token !== secret) return res.sendStatus(403);
  //  ^^^^^^^^^^^^^^^^^^^^^^^^^^ timing-unsafe-compare
  const keys = (process.env.API_KEYS_SECRET ?? '').split(',');
  if (!keys.includes(req.get('x-api-key') as string)) return res.sendStatus(403);
  //   ^^^^^^^^^^^^^ timing-unsafe-compare
  res.sendStatus(200);
});

export function plainDigest(secret: string, body: string, signature: string) {
  const hash = createHash('sha256').update(secret + body).digest('hex');
  return hash === signature;
  //     ^^^^^^^^^^^^^^^^^^ timing-unsafe-compare
}

app.get('/invite', (req, res) => {
  const invite = loadInvite();
  if (invite.token !== req.query.t) return res.sendStatus(404);
  //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ timing-unsafe-compare
  res.sendStatus(200);
});
declare function loadInvite(): { token: string };

// --- nothing to learn
export function lengths(a: Buffer, signature: Buffer) {
  return a.length === signature.length; // ok: timing-unsafe-compare
}
export function presence(signature?: string, token?: string | null) {
  return signature === undefined || token === null || signature === ''; // ok: timing-unsafe-compare
}
export function types(token: { type: string; kind: string }) {
  return token.type === KINDS.token || typeof token === 'string'; // ok: timing-unsafe-compare
}
export function checksum(body: string, stored: { checksum: string; hash: string }) {
  const hash = createHash('sha256').update(body).digest('hex');
  return hash === stored.checksum || hash === stored.hash; // ok: timing-unsafe-compare
}
export function changed(before: { secret: string }, after: { secret: string }) {
  return before.secret !== after.secret; // ok: timing-unsafe-compare
}
export function repeated(form: { password: string; repeatPassword: string }) {
  return form.password === form.repeatPassword; // ok: timing-unsafe-compare
}
export function flag() {
  return process.env.AUTH_DISABLE_PASSWORD === 'true'; // ok: timing-unsafe-compare
}
export function unset() {
  return process.env.API_TOKEN === process.env.OLD_API_TOKEN; // ok: timing-unsafe-compare
}
const PLACEHOLDER = 'change-me';
export function placeholder(secretKey: string) {
  return secretKey === PLACEHOLDER; // ok: timing-unsafe-compare
}
export function lookUp(recipients: { token: string }[], token: string) {
  return recipients.find(r => r.token === token); // ok: timing-unsafe-compare
}
export function publicKey(sent: string) {
  return sent === process.env.STRIPE_PUBLISHABLE_KEY; // ok: timing-unsafe-compare
}
export function tokenKind(tokens: { kind: string }[], wanted: string) {
  return tokens.filter(t => t.kind === wanted).includes(tokens[0]); // ok: timing-unsafe-compare
}
export function bothOurs(body: string) {
  return sign(body) === sign(body.trim()); // ok: timing-unsafe-compare
}
//- /src/env.ts
export const env = { ADMIN_API_KEY: process.env.ADMIN_API_KEY };
