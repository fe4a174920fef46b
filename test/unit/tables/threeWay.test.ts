import { strict as assert } from 'node:assert';
import { mergeVersions } from '../../../server/src/service/mergeDriver.ts';
import { migrateTable } from '../../../server/src/tables/migrate.ts';
import { readTable } from '../../../server/src/tables/read.ts';
import { mergeTexts } from '../../../server/src/tables/threeWay.ts';

const BASE = `# orders
sixlens: 1
unit: POST /orders
kind: http
code: { file: src/orders.ts, symbol: 'router.post "/orders"' }
contract: an answer in time

rows:
  prt-00000001:
    failure: half an order
    verdict: undecided

  clk-00000001:
    failure: the ledger hangs  # seen twice
    rule: call-without-timeout
    verdict: handle
    how: a bound
    test: a.test.ts > ends
    seen: { code: s1, date: "2026-11-01", by: li }

lenses:
  boundaries: { exposure: none, reason: looked }

pruned:
  - a null check
`;
const change = (...pairs: readonly (readonly [string, string])[]): string =>
  pairs.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), from);
    return text.replace(from, to);
  }, BASE);
const merge = (ours: string, theirs: string, base = BASE): { text: string; conflicts: number } => {
  const merged = mergeTexts(base, ours, theirs);
  assert.ok(merged);
  return merged;
};
const UNDECIDED = 'half an order\n    verdict: undecided\n';
const DETECT = 'half an order\n    verdict: detect\n    signal: alert a\n';
const BLOCKED = 'half an order\n    verdict: blocked\n    blocker: no seam\n    to: ana\n';

describe('merge of two versions of a table', () => {
  it('unites rows at their sorted place, each with its comments', () => {
    const ours = change([
      'lenses:',
      '  clk-00000002:\n    # ours\n    failure: b\n    verdict: undecided\n\nlenses:',
    ]);
    const theirs = change(
      [
        '  clk-00000001:',
        '  # theirs\n  cnc-00000001:\n    failure: c\n    verdict: undecided\n\n  clk-00000001:',
      ],
      ['  - a null check\n', '  - a null check\n  - a second parse\n'],
    );
    const { text, conflicts } = merge(ours, theirs);
    assert.equal(conflicts, 0);
    assert.deepEqual(Object.keys(readTable(text).table!.rows), [
      'prt-00000001',
      'cnc-00000001',
      'clk-00000001',
      'clk-00000002',
    ]);
    assert.match(text, / {2}# theirs\n {2}cnc-00000001:/);
    assert.match(text, / {4}# ours\n {4}failure: b/);
    assert.deepEqual(readTable(text).table!.pruned, ['a null check', 'a second parse']);
  });

  it('takes the later look and both edits of different fields of a row', () => {
    const { text, conflicts } = merge(
      change(
        ['date: "2026-11-01", by: li', 'date: "2026-11-20", by: ana'],
        ['how: a bound', 'how: a bound of 2 s'],
      ),
      change(['s1, date: "2026-11-01"', 's2, date: "2026-11-10"'], ['> ends', '> ends in time']),
    );
    assert.equal(conflicts, 0);
    assert.match(
      text,
      /how: a bound of 2 s\n {4}test: a\.test\.ts > ends in time\n {4}seen: \{ code: s1, date: "2026-11-20", by: ana \}/,
    );
  });

  it('leaves two verdicts on one row to people, around just those lines', () => {
    const ours = change([UNDECIDED, DETECT], ['an answer in time', 'an answer in two seconds']);
    const { text, conflicts } = merge(
      ours,
      change([UNDECIDED, BLOCKED], ['  - a null check', '  - a null check  # gone']),
    );
    assert.equal(conflicts, 1);
    assert.match(
      text,
      /half an order\n<{7} ours\n {4}verdict: detect\n {4}signal: alert a\n={7}\n {4}verdict: blocked\n {4}blocker: no seam\n {4}to: ana\n>{7} theirs\n\n {2}clk/,
    );
    assert.match(text, /contract: an answer in two seconds/);
    assert.match(text, /# gone/);
    const { table, problems } = readTable(text);
    assert.equal(table, null);
    assert.deepEqual([problems[0]!.code, problems[0]!.start!.line], ['table-conflict', 11]);
    const narrow = mergeTexts(BASE, ours, change([UNDECIDED, BLOCKED]), 12)!;
    assert.match(narrow.text, /^<{12} ours$/m);
  });

  it('asks nobody when one side alone decided, or both the same', () => {
    for (const [ours, theirs] of [
      [change([UNDECIDED, DETECT]), change(['seen twice', 'seen thrice'])],
      [change([UNDECIDED, DETECT]), change([UNDECIDED, DETECT])],
      [change(['a bound', 'another']), change([UNDECIDED, DETECT])],
    ] as const) {
      const { text, conflicts } = merge(ours, theirs);
      assert.equal(conflicts, 0);
      assert.equal(readTable(text).table!.rows['prt-00000001']!.verdict, 'detect');
    }
  });

  it('lets a decision win over a generated row of the same id', () => {
    const row = (rest: string): string =>
      change(['lenses:', `  clk-00000002:\n    failure: b\n    ${rest}\n\nlenses:`]);
    const proposed = row('verdict: handle\n    proposed: true\n    how: found');
    const decided = row('verdict: detect\n    signal: alert b');
    for (const [ours, theirs] of [
      [proposed, decided],
      [decided, proposed],
    ] as const) {
      const { text, conflicts } = merge(ours, theirs);
      assert.equal(conflicts, 0);
      const got = readTable(text).table!.rows['clk-00000002']!;
      assert.deepEqual([got.verdict, got.signal, got.how], ['detect', 'alert b', undefined]);
    }
  });

  it('honours a row that was taken out, unless the other side decided it meanwhile', () => {
    const gone = change([`  prt-00000001:\n    failure: ${UNDECIDED}\n`, '']);
    assert.equal(
      Object.keys(readTable(merge(gone, change(['a bound', 'another'])).text).table!.rows).length,
      1,
    );
    assert.equal(merge(gone, change([UNDECIDED, DETECT])).conflicts, 1);
  });

  it('keeps line ends and copes with other indentation', () => {
    const wide = BASE.replace(/^( +)/gm, '$1$1');
    const { text } = merge(wide, change([UNDECIDED, DETECT]).replaceAll('\n', '\r\n'));
    assert.equal(readTable(text).table!.rows['prt-00000001']!.verdict, 'detect');
    assert.match(text, /^ {8}signal: alert a$/m);
    assert.ok(/\r\n/.test(merge(BASE.replaceAll('\n', '\r\n'), change([UNDECIDED, DETECT])).text));
  });

  it('is not sure of what it cannot read, and takes any proof that can be', () => {
    assert.equal(mergeTexts(BASE, `${BASE}x: [\n`, change([UNDECIDED, DETECT])), null);
    assert.equal(mergeTexts(BASE, '- a list\n', change([UNDECIDED, DETECT])), null);
    const path = '.sixlens/evidence/src/orders/http-post-orders/clk-00000001.json';
    assert.deepEqual(mergeVersions(path, '{}', '{"broken', '{"row":1}', 7), {
      text: '{"row":1}',
      conflicts: 0,
    });
    const [one, two] = ['{"row":"a"}', '{"row":"b"}'];
    assert.deepEqual(mergeVersions(path, '{}', one, two, 7), mergeVersions(path, '{}', two, one, 7));
  });
});

describe('migration of older formats', () => {
  it('writes the number that is missing or in quotes and nothing else', () => {
    for (const old of [
      BASE.replace('sixlens: 1\n', ''),
      BASE.replace('sixlens: 1', 'sixlens: 0'),
      BASE.replace('sixlens: 1', 'sixlens: "1"  # v1'),
    ]) {
      const result = migrateTable(old, 't.yaml');
      assert.ok(result.status === 'migrated', JSON.stringify(result));
      assert.equal(result.text.replace('  # v1', ''), BASE);
    }
    assert.deepEqual(migrateTable(BASE, 't.yaml'), { status: 'current' });
  });

  it('leaves what is newer, malformed, no table, or not readable afterwards', () => {
    for (const [text, why] of [
      [BASE.replace('sixlens: 1', 'sixlens: 2'), /newer Sixlens/],
      [`${BASE}x: [\n`, /not valid YAML/],
      ['a: 1\n', /./],
      [BASE.replace('sixlens: 1\n', '').replace('kind: http', 'kind: nothing'), /kind/],
    ] as const) {
      const result = migrateTable(text, 't.yaml');
      assert.ok(result.status === 'left');
      assert.match(result.problems.map(({ message }) => message).join(' '), why);
    }
  });
});
