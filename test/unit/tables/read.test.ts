import { strict as assert } from 'node:assert';
import type { Problem } from '../../../server/src/base/problem.ts';
import { readTable } from '../../../server/src/tables/read.ts';
import { SAMPLE } from './sampleTable.ts';

const errors = (text: string): readonly Problem[] =>
  readTable(text, 't.yaml').problems.filter((p) => p.severity === 'error');

/** The first error as `code line:column`; the table must be refused. */
function firstError(text: string): string {
  const reading = readTable(text, 't.yaml');
  assert.equal(reading.table, null);
  const found = reading.problems.find((problem) => problem.severity === 'error');
  assert.ok(found?.start, 'no error was found');
  assert.equal(found.file, 't.yaml');
  return `${found.code} ${found.start.line}:${found.start.column}`;
}

/** The sample with one line replaced. */
const withLine = (line: string, by: string): string => {
  assert.ok(SAMPLE.includes(`${line}\n`), line);
  return SAMPLE.replace(`${line}\n`, `${by}\n`);
};

const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;

describe('tables/read: a good table', () => {
  const { table, problems } = readTable(SAMPLE);

  it('is read whole', () => {
    assert.equal(table?.unit, 'POST /hooks/orders');
    assert.equal(
      table?.contract,
      'However often one order event arrives, one parcel leaves, and the sender always gets a 200.',
    );
    assert.deepEqual(Object.keys(table?.rows ?? {}), ['bnd-q4t87m2x', 'cnc-d9r3k0va', 'clk-z3c5w9tn']);
    assert.equal(table?.rows['bnd-q4t87m2x']?.expires, '2027-05-29');
    assert.deepEqual(table?.pruned, ['null check after findUniqueOrThrow']);
  });

  it('keeps unknown keys and notes them at their place', () => {
    assert.equal(table?.rows['cnc-d9r3k0va']?.['team-note'], 'keep me');
    assert.deepEqual(
      problems.map((p) => [p.code, p.severity, p.start?.line, p.start?.column]),
      [['table-unknown-key', 'note', lineOf(SAMPLE, 'team-note'), 5]],
    );
  });

  it('guesses what a misspelt key meant', () => {
    const { problems: found } = readTable(withLine('    verdict: undecided', '    verdit: undecided'));
    assert.ok(found.some((p) => p.code === 'table-unknown-key' && /did you mean "verdict"/.test(p.message)));
    const lens = readTable(withLine('  hostile-input:', '  hostile_input:'));
    assert.ok(lens.problems.some((p) => /did you mean "hostile-input"/.test(p.message)));
  });

  it('fills in what may be left out', () => {
    const small = readTable(
      'sixlens: 1\nunit: a\nkind: job\ncode: { file: a.ts, symbol: a }\nrows:\n  clk-aaaaaaaa: { failure: x }\nlenses:\n',
    ).table;
    assert.equal(small?.contract, '');
    assert.equal(small?.rows['clk-aaaaaaaa']?.verdict, 'undecided');
    assert.deepEqual(small?.lenses, {});
    assert.equal(small?.pruned, undefined);
  });

  it('reads a BOM, CRLF and aliases', () => {
    const text = `\ufeff${SAMPLE.replace(/\n/g, '\r\n')}`;
    assert.deepEqual(readTable(text).table, table);
    const shared = readTable('sixlens: 1\nunit: &u a\nkind: job\ncode: { file: a.ts, symbol: *u }\n');
    assert.equal(shared.table?.code.symbol, 'a');
  });

  it('warns where a verdict lacks something', () => {
    const { table: read, problems: found } = readTable(
      withLine('    owner: li', '    # owner: li').replace('    expires: "2027-05-29"\n', ''),
    );
    assert.ok(read);
    const warning = found.find((p) => p.code === 'table-row-incomplete');
    assert.equal(warning?.message, 'accept still needs owner, expires');
    assert.equal(warning?.start?.line, lineOf(SAMPLE, 'verdict: accept'));
    assert.equal(warning?.start?.column, 14);
  });
});

describe('tables/read: malformed tables', () => {
  it('names syntax errors at their place', () => {
    assert.equal(
      firstError(withLine('    verdict: undecided', '    verdict: [undecided')).split(' ')[0],
      'table-syntax',
    );
    assert.equal(firstError('sixlens: 1\nunit: "open\n').split(' ')[0], 'table-syntax');
    assert.equal(firstError('sixlens: 1\n\tunit: a\n'), 'table-syntax 2:1');
    assert.match(firstError('sixlens: 1\n---\nsixlens: 1\n'), /^table-many-documents 2:/);
  });

  it('names duplicate keys at the second one', () => {
    assert.equal(firstError(SAMPLE + 'unit: again\n'), `table-duplicate-key ${SAMPLE.split('\n').length}:1`);
    const twice = withLine('  clk-z3c5w9tn:', '  cnc-d9r3k0va:');
    assert.equal(firstError(twice), `table-duplicate-key ${lineOf(SAMPLE, 'clk-z3c5w9tn')}:3`);
  });

  it('names an unknown verdict, and lists the known ones', () => {
    const text = withLine('    verdict: undecided', '    verdict: handeld');
    assert.equal(firstError(text), `table-unknown-verdict ${lineOf(text, 'handeld')}:14`);
    assert.match(
      errors(text)[0]?.message ?? '',
      /"handeld" is none of undecided, detect, handle, accept, blocked/,
    );
  });

  it('refuses a newer format and says what to do', () => {
    const text = withLine('sixlens: 1', 'sixlens: 2');
    assert.equal(firstError(text), 'table-newer 2:10');
    assert.match(errors(text)[0]?.message ?? '', /newer Sixlens .*format 2.*Update Sixlens/);
    assert.equal(errors(text).length, 1);
  });

  it('refuses other formats, or none', () => {
    assert.equal(firstError(withLine('sixlens: 1', 'sixlens: "1"')), 'table-format 2:10');
    assert.equal(firstError(withLine('sixlens: 1', 'sixlens: 0')), 'table-format 2:10');
    assert.match(firstError(withLine('sixlens: 1', '# no format')), /^table-missing-field/);
  });

  for (const [title, line, by, place] of [
    ['a number for a text', '    owner: li', '    owner: 5', 'table-wrong-type :12'],
    [
      'a test that is a list',
      '    test: test/hooks/orders.test.ts > second delivery ships nothing',
      '    test: [a]',
      'table-wrong-type :11',
    ],
    [
      'a how that is a map',
      '    how: unique(event_id) in the transaction   # see ADR 7',
      '    how: { a: b }',
      'table-wrong-type :10',
    ],
    [
      'an unknown reason to accept',
      '    because: upstream-guarantee',
      '    because: laziness',
      'table-wrong-value :14',
    ],
    [
      'a day that does not exist',
      '    expires: "2027-05-29"',
      '    expires: "2027-02-30"',
      'table-wrong-value :14',
    ],
    ['a date in words', '    expires: "2027-05-29"', '    expires: next year', 'table-wrong-value :14'],
    ['nothing behind a key', '    at: parcels.create', '    at:', 'table-wrong-type :5'],
    ['an unknown kind', 'kind: webhook', 'kind: webhok', 'table-wrong-value :7'],
    [
      'a seen that is a text',
      '    seen: { code: s0b6e2f, date: "2026-11-30", by: li }',
      '    seen: li',
      'table-wrong-type :11',
    ],
    ['an exposure of no kind', '    exposure: none', '    exposure: maybe', 'table-wrong-value :15'],
    [
      'a path that leaves the root',
      'code: { file: src/hooks/orders.ts, symbol: \'router.post "/hooks/orders"\' }',
      'code: { file: ../x.ts, symbol: a }',
      'table-wrong-value :15',
    ],
    [
      'a pruned item that is no text',
      '  - "null check after findUniqueOrThrow"      # or: nothing to prune',
      '  - 5',
      'table-wrong-type :5',
    ],
    ['a key that is no row id', '  clk-z3c5w9tn:', '  timeout-row:', 'table-row-id :3'],
    ['a row key of the prototype', '  clk-z3c5w9tn:', '  __proto__:', 'table-row-id :3'],
    ['a row that is a text', '    team-note: keep me', '  inp-aaaaaaaa: text', 'table-wrong-type :17'],
  ] as const)
    it(`names ${title}`, () => {
      const text = withLine(line, by);
      const [code, column] = place.split(' ');
      assert.equal(firstError(text), `${code} ${lineOf(SAMPLE, line)}${column}`);
    });

  it('names a missing field at what lacks it', () => {
    const text = withLine('    failure: parcel call has no bound', '    # nothing');
    assert.equal(firstError(text), `table-missing-field ${lineOf(SAMPLE, 'clk-z3c5w9tn')}:3`);
    assert.match(errors(withLine('kind: webhook', '# nothing'))[0]?.message ?? '', /"kind" is missing/);
  });

  it('says something about texts that are no table at all', () => {
    assert.equal(firstError(''), 'table-shape 1:1');
    assert.equal(firstError('# only a comment\n'), 'table-shape 1:1');
    assert.equal(firstError('- a\n'), 'table-shape 1:1');
    assert.equal(firstError('just text'), 'table-shape 1:1');
    assert.ok(errors('\0\0\0').length > 0);
  });
});

describe('tables/read: hostile input', function () {
  this.timeout(60_000);

  it('stops an alias bomb at the alias or by a limit', () => {
    let text = 'sixlens: 1\na0: &a0 [x, x, x, x, x, x, x, x, x]\n';
    for (let i = 1; i < 12; i++)
      text += `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(', ')}]\n`;
    assert.ok(errors(text).length > 0);
  });

  it('names aliases that lead nowhere or in a circle', () => {
    assert.equal(firstError('sixlens: 1\nunit: *nowhere\n'), 'table-alias 2:7');
    assert.equal(firstError('sixlens: 1\nx: &x\n  y: *x\n'), 'table-alias 3:6');
  });

  it('refuses ten megabytes, deep nesting and many keys quickly', () => {
    const started = process.cpuUsage().user;
    assert.equal(firstError('a: b\n'.repeat(2_100_000)), 'table-too-large 1:1');
    assert.equal(firstError(`sixlens: 1\nx: ${'['.repeat(100_000)}`).split(' ')[0], 'table-too-deep');
    assert.equal(firstError(`sixlens: 1\nx:\n  ${'- '.repeat(100_000)}a`).split(' ')[0], 'table-too-deep');
    assert.equal(
      firstError(Array.from({ length: 900 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')).split(' ')[0],
      'table-too-deep',
    );
    assert.ok(errors(Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n')).length > 0);
    assert.ok(process.cpuUsage().user - started < 10_000_000, 'took more than 10 s of CPU');
  });

  it('does not let a key reach the prototype', () => {
    const text = `${SAMPLE}__proto__: { polluted: yes }\nconstructor: { prototype: { polluted: yes } }\n`;
    const { table } = readTable(text);
    assert.ok(table);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    assert.equal((table as Record<string, unknown>)['polluted'], undefined);
  });
});
