//- /src/search.ts
import express from 'express';
import RE2 from 're2';
import { z } from 'zod';
import escapeRegExp from 'lodash/escapeRegExp';
import { matcher } from './match';
const app = express();
const names = ['Ada', 'Grace'];
const WORDS = /^(\w+)+$/;

app.get('/a', (req, res) => {
  res.json(names.filter((n) => new RegExp(String(req.query.q), 'i').test(n)));
  //                                             ^^^^^^^^^^^ request-controlled-regex: `req.query.q` comes with the request and becomes a pattern: one that backtracks keeps the process busy and nobody else is answered.
});
app.get('/b', (req, res) => {
  const pattern = RegExp(`^${req.query.q}`);
  //                         ^^^^^^^^^^^ request-controlled-regex
  res.json(names.filter((n) => pattern.test(n)));
});
app.get('/c', (req, res) => {
  const { q } = z.object({ q: z.string().max(100) }).parse(req.query);
  res.json(names.filter((n) => new RegExp('^' + q).test(n)));
  //                                            ^ request-controlled-regex
});
app.get('/d', (req, res) => {
  res.json(names.filter(matcher(String(req.query.q))));
});
app.get('/e', (req, res) => {
  res.json(/^(a+)+$/.test(String(req.query.q)));
  //       ^^^^^^^^^ request-controlled-regex: `(a+)+` repeats what is repeated already: on a text of the request that does not match it tries exponentially many ways.
  res.json(String(req.query.q).match(/([a-z]*)*x/));
  //                                 ^^^^^^^^^^^^ request-controlled-regex
  res.json(WORDS.test(String(req.query.q)));
  //       ^^^^^ request-controlled-regex
});

// Escaped, made of plain characters, or run by an engine without backtracking.
app.get('/f', (req, res) => {
  const q = escapeRegExp(String(req.query.q));
  res.json(names.filter((n) => new RegExp(q).test(n))); // ok: request-controlled-regex
  const own = String(req.query.q).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  res.json(names.filter((n) => new RegExp(own).test(n))); // ok: request-controlled-regex
});
app.get('/g', (req, res) => {
  const { id, kind } = z.object({ id: z.string().uuid(), kind: z.enum(['a', 'b']) }).parse(req.query);
  res.json(names.filter((n) => new RegExp(`${id}-${kind}`).test(n))); // ok: request-controlled-regex
});
app.get('/h', (req, res) => {
  res.json(names.filter((n) => new RE2(String(req.query.q)).test(n))); // ok: request-controlled-regex
});
app.get('/i', (req, res) => {
  const n = Number(req.query.n);
  res.json(names.filter((x) => new RegExp(`.{${n}}`).test(x))); // ok: request-controlled-regex
});
// No repetition within a repetition, or on text that nobody sent.
app.get('/j', (req, res) => {
  res.json(/^[a-z]+(-[a-z]+)*$/.test(String(req.query.q))); // ok: request-controlled-regex
  res.json(/(a+)+/.test(String(req.query.q))); // ok: request-controlled-regex
  res.json(names.filter((n) => /^(a+)+$/.test(n))); // ok: request-controlled-regex
  res.json(/^(?:ab)+$/.test(String(req.query.q))); // ok: request-controlled-regex
});
export function own(pattern: string) {
  return new RegExp(pattern); // ok: request-controlled-regex
}
//- /src/match.ts
export function matcher(text: string) {
  const pattern = new RegExp(text);
  //                         ^^^^ request-controlled-regex
  return (name: string) => pattern.test(name);
}
