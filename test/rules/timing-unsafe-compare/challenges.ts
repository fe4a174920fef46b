//- /src/fixture.ts
import express from 'express';

declare const config: { acme: { challenge: { token: string; answer: string } }; adminToken: string };
const app = express();

app.get('/.well-known/acme-challenge/:token', (req, res) => {
  // ok: timing-unsafe-compare
  if (config.acme.challenge.token === req.params.token) res.send(config.acme.challenge.answer);
  else res.sendStatus(404);
});

app.get('/admin/:token', (req, res) => {
  if (config.adminToken === req.params.token) res.send('welcome');
  //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ timing-unsafe-compare
  else res.sendStatus(403);
});
