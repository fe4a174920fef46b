import { strict as assert } from 'node:assert';
import { createAnalysis } from '../../../server/src/service/analysisService.ts';
import type { UnitView } from '../../../server/src/service/contract.ts';
import { placeOfRow, seenCodeOf, sightOfRow } from '../../../server/src/service/rowSight.ts';
import { generateTable } from '../../../server/src/tables/generate.ts';
import { rowState } from '../../../server/src/tables/states.ts';
import type { Row } from '../../../server/src/tables/schema.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

const view = (body: string): UnitView => {
  const analysis = createAnalysis({
    root: ROOT,
    host: memoryHost({
      'package.json': '{"dependencies":{"express":"4","@prisma/client":"5"}}',
      'src/a.ts': `import express from 'express';
import { PrismaClient } from '@prisma/client';
const router = express.Router();
const prisma = new PrismaClient();
router.post('/a', async (req, res) => {
${body}
});
`,
    }),
  });
  return analysis.view(analysis.units(['src/a.ts'])[0]!);
};
const BOUNDED =
  "  const answer = await fetch('https://x.example/a', { signal: AbortSignal.timeout(2000) });\n  res.json(answer.status);";
const UNBOUNDED = "  const answer = await fetch('https://x.example/a');\n  res.json(answer.status);";
const OTHER = '  res.json(await prisma.order.findMany({ take: 5 }));';

const handled = (
  from: UnitView,
  rule: string,
  at: string,
  more: Partial<Row> = {},
): { id: string; row: Row } => {
  const generated = generateTable(from).rows;
  const [id, before] = Object.entries(generated).find(([, row]) => row.rule === rule && row.at === at) ?? [];
  assert.ok(id && before, JSON.stringify(generated));
  const row: Row = {
    ...before,
    verdict: 'handle',
    how: before.how ?? 'by hand',
    test: 'a.test.ts > a',
    ...more,
  };
  delete row.proposed;
  return {
    id,
    row: { ...row, seen: { code: seenCodeOf(from, id, row), date: '2026-11-30', by: 'ana' }, ...more },
  };
};
const stateOf = (now: UnitView, { id, row }: { id: string; row: Row }): string => {
  const state = rowState(id, row, {
    today: '2026-11-30',
    sight: () => sightOfRow(now, { [id]: row }, id, row),
  });
  return state.state === 'stale' ? state.because : state.state;
};

describe('what the code says about a row', () => {
  it('a handle stands while its mechanism does', () => {
    const row = handled(view(BOUNDED), 'call-without-timeout', 'fetch');
    assert.equal(stateOf(view(BOUNDED), row), 'unproven');
    assert.equal(stateOf(view(`  // bounded\n${BOUNDED.replaceAll('answer', 'reply')}`), row), 'unproven');
    assert.equal(stateOf(view(BOUNDED.replace('2000', '90000')), row), 'code changed');
    assert.equal(stateOf(view(UNBOUNDED), row), 'mechanism gone');
  });

  it('a handle that nothing ever showed is contradicted, not gone', () => {
    const row = handled(view(UNBOUNDED), 'call-without-timeout', 'fetch');
    assert.equal(stateOf(view(UNBOUNDED), row), 'row says handled, code does not');
    const unsigned = { id: row.id, row: { ...row.row, seen: undefined } };
    assert.equal(stateOf(view(UNBOUNDED), unsigned), 'row says handled, code does not');
    assert.equal(stateOf(view(OTHER), unsigned), 'unproven', 'nobody looked, so nothing was lost');
  });

  it('an accept is stale when its code changed or went', () => {
    const row = handled(view(UNBOUNDED), 'call-without-timeout', 'fetch', {
      verdict: 'accept',
      because: 'rate',
      reason: 'rare',
      owner: 'li',
      expires: '2027-05-29',
    });
    assert.equal(stateOf(view(UNBOUNDED), row), 'closed');
    assert.equal(stateOf(view(UNBOUNDED.replace('/a', '/b')), row), 'code changed');
    assert.equal(stateOf(view(OTHER), row), 'anchor lost');
  });

  it('rows of the whole unit follow what their lens looks at', () => {
    const row: Row = { failure: 'a burst', verdict: 'detect', signal: 'alert depth' };
    const before = view(BOUNDED);
    const id = 'clk-00000000';
    const seen = { ...row, seen: { code: seenCodeOf(before, id, row) } };
    assert.equal(placeOfRow(before, id, row)?.file, 'src/a.ts');
    assert.equal(stateOf(view(BOUNDED), { id, row: seen }), 'closed');
    assert.equal(stateOf(view(`${BOUNDED}\n  res.end();`), { id, row: seen }), 'closed');
    assert.equal(stateOf(view(BOUNDED.replace('2000', '9000')), { id, row: seen }), 'code changed');
  });
});
