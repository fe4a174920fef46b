import express from 'express';
import { timingSafeEqual } from 'node:crypto';

declare const config: { acme: { challenge: { token: string; answer: string } }; adminToken: string };
const app = express();

app.get('/.well-known/acme-challenge/:token', (req, res) => {
  // ok: timing-unsafe-compare
  if (config.acme.challenge.token === req.params.token) res.send(config.acme.challenge.answer);
  else res.sendStatus(404);
});

app.get('/admin/:token', (req, res) => {
  if (typeof config.adminToken === 'string' && typeof req.params.token === 'string' && Buffer.byteLength(config.adminToken) === Buffer.byteLength(req.params.token) && timingSafeEqual(Buffer.from(config.adminToken), Buffer.from(req.params.token))) res.send('welcome');
  else res.sendStatus(403);
});
