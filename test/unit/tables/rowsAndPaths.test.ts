import { strict as assert } from 'node:assert';
import { LENSES } from '../../../server/src/base/vocabulary.ts';
import { evidencePath, sourceFolder, tablePath, unitSlug } from '../../../server/src/tables/path.ts';
import {
  ROW_ID,
  bornRowId,
  compareRowIds,
  lensOfRow,
  randomRowId,
} from '../../../server/src/tables/rowId.ts';
import {
  evidenceJsonSchema,
  evidenceSchema,
  isDay,
  isInnerPath,
  tableJsonSchema,
} from '../../../server/src/tables/schema.ts';

const birth = { file: 'src/a.ts', symbol: 'run', rule: 'call-without-timeout', anchor: 'api.get' };

describe('tables/rowId', () => {
  it('gives equal births equal ids and others other ids', () => {
    for (const lens of LENSES) {
      const id = bornRowId(lens, birth);
      assert.match(id, ROW_ID);
      assert.equal(lensOfRow(id), lens);
      assert.equal(bornRowId(lens, { ...birth }), id);
    }
    const ids = new Set(
      [
        birth,
        { ...birth, file: 'b' },
        { ...birth, symbol: 'b' },
        { ...birth, rule: 'b' },
        { ...birth, anchor: 'b' },
      ].map((b) => bornRowId('clock', b)),
    );
    assert.equal(ids.size, 5);
    assert.notEqual(bornRowId('clock', birth, 1), bornRowId('clock', birth));
  });

  it('is pinned: ids on disk stay what they are', () => {
    assert.equal(bornRowId('clock', birth), 'clk-gb7fcpnd');
  });

  it('makes fresh ids from the random source alone', () => {
    assert.equal(
      randomRowId('boundaries', () => 0),
      'bnd-00000000',
    );
    assert.equal(
      randomRowId('concurrency', () => 0.999999),
      'cnc-zzzzzzzz',
    );
  });

  it('orders by lens, then id', () => {
    const ids = ['clk-00000000', 'bnd-zzzzzzzz', 'prt-aaaaaaaa', 'bnd-00000000', 'other', 'inp-aaaaaaaa'];
    assert.deepEqual(ids.sort(compareRowIds), [
      'bnd-00000000',
      'bnd-zzzzzzzz',
      'inp-aaaaaaaa',
      'prt-aaaaaaaa',
      'clk-00000000',
      'other',
    ]);
    assert.equal(lensOfRow('bnd-1'), null);
    assert.equal(lensOfRow('__proto__'), null);
  });
});

describe('tables/path', () => {
  const unit = {
    kind: 'webhook',
    name: 'POST /webhooks/payments',
    file: 'src/hooks/payments.ts',
    symbol: 'router.post "/x"',
  };

  it('mirrors the source path and slugs kind and name', () => {
    assert.equal(unitSlug(unit), 'webhook-post-webhooks-payments');
    assert.equal(tablePath(unit), '.sixlens/tables/src/hooks/payments/webhook-post-webhooks-payments.yaml');
    assert.equal(
      evidencePath(tablePath(unit), 'clk-aaaaaaaa'),
      '.sixlens/evidence/src/hooks/payments/webhook-post-webhooks-payments/clk-aaaaaaaa.json',
    );
  });

  it('gives both of two units with one slug a hash, whatever their order', () => {
    const other = { ...unit, name: 'POST /webhooks/:payments', symbol: 'router.post "/y"' };
    const [a, b] = [tablePath(unit, [unit, other]), tablePath(other, [other, unit])];
    assert.notEqual(a, b);
    assert.match(a, /payments-[0-9a-v]{5}\.yaml$/);
    assert.equal(tablePath(unit, [other]), a);
    assert.equal(tablePath(unit, [unit]), tablePath(unit));
    const twin = { ...unit, file: 'src/hooks/payments.js' };
    assert.notEqual(tablePath(unit, [twin]), tablePath(twin, [unit]));
  });

  it('never leaves the folder and never has an empty name', () => {
    assert.equal(sourceFolder('../../etc/passwd'), 'etc/passwd');
    assert.equal(sourceFolder('a\\b.test.ts'), 'a/b.test');
    assert.equal(sourceFolder('src/.hidden'), 'src/.hidden');
    assert.equal(unitSlug({ kind: 'job', name: '…' }), 'job');
    assert.ok(unitSlug({ kind: 'http', name: 'x'.repeat(500) }).length <= 80);
  });
});

describe('tables/schema', () => {
  it('gives JSON schemas that name the fields', () => {
    const schema = tableJsonSchema() as { properties: Record<string, unknown>; required: string[] };
    for (const key of ['sixlens', 'unit', 'kind', 'code', 'rows', 'lenses', 'pruned'])
      assert.ok(schema.properties[key], key);
    assert.deepEqual([...schema.required].sort(), ['code', 'kind', 'sixlens', 'unit']);
    assert.match(JSON.stringify(schema), /"undecided","detect","handle","accept","blocked"/);
    assert.ok(JSON.stringify(evidenceJsonSchema()).includes('mechanism-removed'));
  });

  it('checks evidence', () => {
    const run = { at: 'wabc', command: 'npx vitest run a', exit: 1 };
    const good = {
      sixlens: 1,
      row: 'clk-aaaaaaaa',
      red: { ...run, how: 'mechanism-removed', assertion: 'expected 1' },
      green: { ...run, exit: 0 },
      runner: 'vitest 3',
      node: '20.1.0',
      slice: 's1',
      test: 't1',
    };
    assert.equal(evidenceSchema.safeParse(good).success, true);
    assert.equal(evidenceSchema.safeParse({ ...good, row: '../x' }).success, false);
    assert.equal(evidenceSchema.safeParse({ ...good, red: { ...good.red, how: 'magic' } }).success, false);
  });

  it('knows days and inner paths', () => {
    assert.deepEqual(['2024-02-29', '2023-02-29', '2026-13-01', '2026-1-1', '2026-04-31'].map(isDay), [
      true,
      false,
      false,
      false,
      false,
    ]);
    assert.deepEqual(['a/b.ts', '/a', 'a/../b', 'C:/x', 'a\\b', ''].map(isInnerPath), [
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
