import { strict as assert } from 'node:assert';
import type { UnitSlices } from '../../../server/src/service/contract.ts';
import { createAnalysis } from '../../../server/src/service/analysisService.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

const FILE = 'src/pay.ts';
const MANIFEST = JSON.stringify({
  dependencies: { express: '4', '@prisma/client': '5', stripe: '14', axios: '1.6.0' },
});

const SOURCE = `import express from 'express';
import axios from 'axios';
import { PrismaClient } from '@prisma/client';
const router = express.Router();
const prisma = new PrismaClient();
const LIMIT = 4000;
router.post('/pay', async (req, res) => {
  const order = await prisma.order.findUnique({ where: { id: req.body.id } });
  const key = \`order-\${order.id}\`;
  for (const line of req.body.lines) {
    try {
      await axios.post('https://ledger.example/lines', { line, key }, { timeout: LIMIT });
    } catch (error) {
      console.error('ledger failed', error);
      throw error;
    }
  }
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id: order.id }, data: { state: 'paid' } });
    await tx.event.create({ data: { id: req.body.id } });
  });
  switch (order.state) {
    case 'paid':
      break;
    default:
      res.status(409).end();
  }
  res.json({ ok: true });
});
`;

function slicesOf(source: string, others: Readonly<Record<string, string>> = {}): UnitSlices {
  const analysis = createAnalysis({
    root: ROOT,
    host: memoryHost({ 'package.json': MANIFEST, [FILE]: source, ...others }),
  });
  const unit = analysis.units([FILE])[0];
  assert.ok(unit, 'there is a unit');
  const { slices } = analysis.view(unit);
  assert.ok(slices);
  return slices;
}

const ANCHORS = [
  'axios.post',
  'tx.order.update',
  'tx.event.create',
  'prisma.$transaction',
  'switch order.state',
];
const LENSES = ['boundaries', 'partial-failure', 'concurrency', 'resource-exhaustion', 'clock'] as const;
const hashes = (slices: UnitSlices, before?: readonly (string | undefined)[]): (string | undefined)[] =>
  ANCHORS.map((at, i) => slices.at(at, undefined, before?.[i])?.slice);

const edit = (from: string | RegExp, to: string): string => {
  const after = SOURCE.replace(from, to);
  assert.notEqual(after, SOURCE, String(from));
  return after;
};

describe('slices of rows', () => {
  const base = slicesOf(SOURCE);
  const before = hashes(base);

  it('finds calls and short code, with their places', () => {
    assert.ok(
      before.every((hash) => /^s[0-9a-v]{11}$/.test(hash ?? '')),
      JSON.stringify(before),
    );
    assert.equal(new Set(before).size, ANCHORS.length);
    assert.equal(base.at('axios.post')?.start.line, 12);
    assert.equal(base.at('switch order.state')?.start.line, 22);
    assert.equal(base.at('axios.get'), null);
    assert.equal(base.at('axios.post#2'), null);
  });

  /** Edits that say nothing new. Each is applied alone and together with the ones before it. */
  const QUIET: readonly [string, (text: string) => string][] = [
    [
      'a comment',
      (text) =>
        text.replace('  switch', '  // what now?\n  switch').replace('{ where', '{ /* by id */ where'),
    ],
    [
      'indentation and line breaks',
      (text) => text.replace(/\n {2}/g, '\n      ').replace(/, \{ timeout/, ',\n { timeout'),
    ],
    ['Windows line ends', (text) => text.replace(/\r?\n/g, '\r\n')],
    ['quotes', (text) => text.replace(/'paid'/g, '"paid"')],
    ['a trailing comma', (text) => text.replace('timeout: LIMIT }', 'timeout: LIMIT, }')],
    [
      'a renamed constant of the function',
      (text) => text.replace(/\border\b(?=[. =])(?!\.(?:findUnique|update))/g, 'found'),
    ],
    [
      'a renamed loop variable',
      (text) => text.replace(/const line of/, 'const entry of').replace('{ line,', '{ line: entry,'),
    ],
    ['a renamed transaction handle', (text) => text.replace(/\btx\b/g, 'trx')],
    ['renamed parameters', (text) => text.replace(/\breq\b/g, 'request').replace(/\bres\b/g, 'reply')],
    [
      'a cast',
      (text) =>
        text
          .replace('{ line, key }', '{ line, key } as Body')
          .replace('{ line: entry, key }', '{ line: entry, key } as Body'),
    ],
    ['the wording of a log line', (text) => text.replace('ledger failed', 'the ledger did not answer')],
    ['a constant written in its place', (text) => text.replace('timeout: LIMIT', 'timeout: 4000')],
    ['braces', (text) => text.replace('default:', 'default: {').replace(').end();', ').end(); }')],
    ['a statement elsewhere', (text) => text.replace('  res.json', "  res.set('x-paid', '1');\n  res.json")],
  ];

  it('stays the same under layout, comments, casts and renamed locals, alone and all together', () => {
    let together = SOURCE;
    for (const [what, change] of QUIET) {
      const alone = change(SOURCE);
      assert.notEqual(alone, SOURCE, what);
      for (const text of [alone, (together = change(together))]) {
        const after = slicesOf(text);
        assert.deepEqual(hashes(after, before), before, what);
        for (const lens of LENSES) assert.equal(after.lens(lens), base.lens(lens), `${what}: ${lens}`);
      }
    }
  });

  it('stays the same under random mixtures of such edits', function () {
    this.timeout(20_000);
    let seed = 7;
    const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
    for (let round = 0; round < 25; round++) {
      const chosen = QUIET.filter(() => random() < 0.5);
      const text = chosen.reduce((at, [, change]) => change(at), SOURCE);
      assert.deepEqual(hashes(slicesOf(text), before), before, chosen.map(([what]) => what).join(', '));
    }
  });

  const LOUD: readonly [string, string, string | RegExp, string][] = [
    ['axios.post', 'another timeout', 'const LIMIT = 4000', 'const LIMIT = 40000'],
    ['axios.post', 'no timeout', ', { timeout: LIMIT }', ''],
    ['axios.post', 'another argument', '{ line, key }', '{ line }'],
    ['axios.post', 'another value of an argument', '`order-', '`orders-'],
    ['axios.post', 'an error that is swallowed', '      throw error;\n', ''],
    ['axios.post', 'no loop', 'for (const line of req.body.lines) {', 'const line = req.body.lines; {'],
    ['axios.post', 'nobody waits', 'await axios', 'void axios'],
    ['tx.order.update', 'no transaction', 'prisma.$transaction(async (tx) => {', 'await (async (tx) => {'],
    [
      'tx.order.update',
      'another transaction setting',
      '  });\n  switch',
      "  }, { isolationLevel: 'Serializable' });\n  switch",
    ],
    [
      'tx.order.update',
      'another condition',
      'where: { id: order.id }, data',
      "where: { id: order.id, state: 'new' }, data",
    ],
    ['prisma.$transaction', 'a call fewer inside', /\n +await tx\.event[^\n]+/, ''],
    ['switch order.state', 'another branch', "case 'paid':", "case 'paid':\n    case 'late':"],
  ];
  for (const [at, what, from, to] of LOUD)
    it(`changes at ${at} with ${what}`, () => {
      const after = slicesOf(edit(from, to)).at(at)?.slice;
      assert.notEqual(after, base.at(at)?.slice);
    });

  it('leaves other rows of the unit alone', () => {
    const after = slicesOf(edit('const LIMIT = 4000', 'const LIMIT = 40000'));
    for (const at of ['tx.order.update', 'tx.event.create', 'switch order.state'])
      assert.equal(after.at(at)?.slice, base.at(at)?.slice, at);
    assert.notEqual(after.lens('clock'), base.lens('clock'));
    assert.equal(after.lens('partial-failure'), base.lens('partial-failure'));
  });

  it('tells two clients apart, and finds a call again under another name by what it is', () => {
    const two = (used: string): string => `import express from 'express';
import { Pool } from 'pg';
export function routes(primary: Pool, replica: Pool) {
  const router = express.Router();
  router.get('/one', async (req, res) => { res.json(await ${used}.query('select 1')); });
  return router;
}
`;
    const first = slicesOf(two('primary')).at('primary.query');
    assert.ok(first);
    const other = slicesOf(two('replica')).at('primary.query', undefined, first.slice);
    assert.notEqual(other?.slice, first.slice);
  });

  it('sees the transaction of the caller around a call in a helper', () => {
    const helper =
      'export async function mark(tx: any, id: string) { await tx.order.update({ where: { id } }); }\n';
    const caller = (inside: string): string =>
      `import express from 'express';\nimport { PrismaClient } from '@prisma/client';\nimport { mark } from './mark.ts';
const router = express.Router();\nconst prisma = new PrismaClient();\nrouter.post('/x', async (req) => {\n  ${inside}\n});\n`;
    const within = slicesOf(
      caller('await prisma.$transaction(async (tx) => { await mark(tx, req.body.id); });'),
      { 'src/mark.ts': helper },
    );
    const without = slicesOf(caller('await mark(prisma, req.body.id);'), { 'src/mark.ts': helper });
    const [a, b] = [within, without].map((slices) => slices.at('tx.order.update'));
    assert.ok(a && b);
    assert.equal(a.file, 'src/mark.ts');
    assert.notEqual(a.slice, b.slice);
  });
});
