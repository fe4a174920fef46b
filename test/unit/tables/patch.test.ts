import { strict as assert } from 'node:assert';
import { applyEdits } from '../../../server/src/base/textEdit.ts';
import {
  type PatchResult,
  addRow,
  patchTable,
  removeRow,
  removeRowField,
  setLens,
  setLensField,
  setPruned,
  setRowField,
  setRowFields,
  setTableField,
} from '../../../server/src/tables/patch.ts';
import { readTable } from '../../../server/src/tables/read.ts';
import { SAMPLE } from './sampleTable.ts';

function apply(text: string, result: PatchResult): string {
  assert.deepEqual(result.problems, []);
  return applyEdits(text, result.edits);
}

/** What a change took out and put in, line by line, as `-line` and `+line`. */
function diff(before: string, after: string): string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  return [
    ...a.slice(start, a.length - end).map((line) => `-${line}`),
    ...b.slice(start, b.length - end).map((line) => `+${line}`),
  ];
}

const changed = (result: PatchResult, text = SAMPLE): string[] => diff(text, apply(text, result));

describe('tables/patch: fields of a row', () => {
  it('replaces a plain value', () => {
    assert.deepEqual(changed(setRowField(SAMPLE, 'clk-z3c5w9tn', 'verdict', 'detect')), [
      '-    verdict: undecided',
      '+    verdict: detect',
    ]);
  });

  it('keeps the comment behind a replaced value', () => {
    assert.deepEqual(changed(setRowField(SAMPLE, 'cnc-d9r3k0va', 'how', 'a unique key: event_id')), [
      '-    how: unique(event_id) in the transaction   # see ADR 7',
      '+    how: "a unique key: event_id"   # see ADR 7',
    ]);
  });

  it('folds long text and keeps the comment on the first line', () => {
    const long = 'one '.repeat(40).trim();
    const after = apply(SAMPLE, setRowField(SAMPLE, 'cnc-d9r3k0va', 'how', long));
    assert.match(after, /\n {4}how: >-   # see ADR 7\n {6}one one [one ]+\n {6}one/);
    assert.equal(readTable(after).table?.rows['cnc-d9r3k0va']?.how, long);
  });

  it('adds a field at its usual place', () => {
    assert.deepEqual(changed(setRowField(SAMPLE, 'clk-z3c5w9tn', 'signal', 'alert parcels_slow')), [
      '+    signal: alert parcels_slow',
    ]);
    assert.deepEqual(changed(setRowField(SAMPLE, 'bnd-q4t87m2x', 'rule', 'unguarded-parse')), [
      '+    rule: unguarded-parse',
    ]);
  });

  it('gives a verdict with all its fields, dates quoted', () => {
    const result = setRowFields(SAMPLE, 'clk-z3c5w9tn', {
      verdict: 'accept',
      because: 'rate',
      reason: 'once a year',
      owner: 'li',
      expires: '2027-01-02',
      seen: { by: 'li', code: 'sabc123', date: '2026-11-30' },
    });
    assert.deepEqual(changed(result), [
      '-    verdict: undecided',
      '+    verdict: accept',
      '+    because: rate',
      '+    reason: once a year',
      '+    owner: li',
      '+    expires: "2027-01-02"',
      '+    seen: { code: sabc123, date: "2026-11-30", by: li }',
    ]);
  });

  it('changes one key of a flow map in place', () => {
    assert.deepEqual(
      changed(patchTable(SAMPLE, [{ path: ['rows', 'bnd-q4t87m2x', 'seen', 'by'], value: 'ana' }])),
      [
        '-    seen: { code: s0b6e2f, date: "2026-11-30", by: li }',
        '+    seen: { code: s0b6e2f, date: "2026-11-30", by: ana }',
      ],
    );
  });

  it('removes a field with its line and no other', () => {
    assert.deepEqual(changed(removeRowField(SAMPLE, 'bnd-q4t87m2x', 'reason')), [
      '-    reason: logged and answered 200',
    ]);
    assert.deepEqual(changed(removeRowField(SAMPLE, 'bnd-q4t87m2x', 'nothing-here')), []);
  });

  it('quotes what YAML would take for something else', () => {
    for (const value of [
      'yes',
      'No',
      '~',
      '12',
      '1e3',
      '0x1f',
      '2026-11-30',
      '- item',
      'a: b',
      'a #b',
      '',
      ' x',
      '*star',
      '12:30',
      '@at',
      '!tag',
      "it's",
      'say "hi"',
      'null',
      '{a}',
      '\u2028',
      'tab\there',
      '=',
    ]) {
      const after = apply(SAMPLE, setRowField(SAMPLE, 'cnc-d9r3k0va', 'how', value));
      assert.equal(readTable(after).table?.rows['cnc-d9r3k0va']?.how, value, after);
    }
  });

  it('keeps several lines as several lines', () => {
    const after = apply(SAMPLE, setRowField(SAMPLE, 'clk-z3c5w9tn', 'note', 'first\n\nsecond: #2'));
    assert.match(after, / {4}note: \|-\n {6}first\n\n {6}second: #2\n/);
    assert.equal(readTable(after).table?.rows['clk-z3c5w9tn']?.note, 'first\n\nsecond: #2');
  });

  it('writes CRLF where the file does', () => {
    const text = SAMPLE.replace(/\n/g, '\r\n');
    const after = apply(text, setRowField(text, 'clk-z3c5w9tn', 'signal', 'one '.repeat(40).trim()));
    assert.equal(after.replace(/\r\n/g, '').includes('\n'), false);
    assert.equal(readTable(after).problems.length, readTable(text).problems.length);
  });
});

describe('tables/patch: table and lenses', () => {
  it('replaces a folded contract only', () => {
    const after = apply(SAMPLE, setTableField(SAMPLE, 'contract', 'Always a 200.'));
    assert.deepEqual(diff(SAMPLE, after), [
      '-contract: >-',
      '-  However often one order event arrives, one parcel leaves, and the sender',
      '-  always gets a 200.',
      '+contract: Always a 200.',
    ]);
  });

  it('keeps a comment in the header of a folded text', () => {
    const text = 'sixlens: 1\ncontract: >- # draft\n  one\n  two\n\nrows:\n';
    assert.equal(
      apply(text, setTableField(text, 'contract', 'three')),
      'sixlens: 1\ncontract: three # draft\n\nrows:\n',
    );
  });

  it('sets the owner and keeps the comment behind', () => {
    assert.deepEqual(changed(setTableField(SAMPLE, 'owner', '@shop/web')), [
      '-owner: "@shop/orders"    # team handle',
      '+owner: "@shop/web"    # team handle',
    ]);
  });

  it('adds a lens, and opens one that was closed', () => {
    assert.deepEqual(
      changed(setLens(SAMPLE, 'clock', { exposure: 'none', reason: 'no call leaves the process' })),
      ['+  clock:', '+    exposure: none', '+    reason: no call leaves the process'],
    );
    assert.deepEqual(
      changed(setLens(SAMPLE, 'boundaries', { exposure: 'open', unresolved: ['audit.log'] })),
      ['+  boundaries:', '+    exposure: open', '+    unresolved: [audit.log]'],
    );
    const after = apply(SAMPLE, setLens(SAMPLE, 'hostile-input', { exposure: 'open', unresolved: ['a'] }));
    assert.deepEqual(readTable(after).table?.lenses['hostile-input'], {
      exposure: 'open',
      unresolved: ['a'],
    });
    assert.deepEqual(changed(setLensField(SAMPLE, 'hostile-input', 'note', 'ask again')), [
      '+    note: ask again',
    ]);
  });

  it('makes what is missing: lenses, rows, pruned', () => {
    const text = 'sixlens: 1\nunit: a\nkind: job\ncode: { file: a.ts, symbol: a }\ncontract: x\n';
    let after = apply(text, addRow(text, 'clk-aaaaaaaa', { failure: 'slow', verdict: 'undecided' }));
    after = apply(after, setLens(after, 'clock', { exposure: 'none', reason: 'r' }));
    after = apply(after, setPruned(after, 'nothing to prune'));
    assert.equal(
      after,
      `${text}\nrows:\n  clk-aaaaaaaa:\n    failure: slow\n    verdict: undecided\n\nlenses:\n  clock:\n    exposure: none\n    reason: r\n\npruned: nothing to prune\n`,
    );
  });

  it('adds to a list without touching its other items, and replaces it by a text', () => {
    assert.deepEqual(changed(setPruned(SAMPLE, ['null check after findUniqueOrThrow', 'second'])), [
      '+  - "second"',
    ]);
    assert.match(apply(SAMPLE, setPruned(SAMPLE, 'nothing to prune')), /\npruned: nothing to prune\n$/);
  });
});

describe('tables/patch: rows', () => {
  const row = { failure: 'body too large', verdict: 'undecided' as const };

  it('adds rows at their sorted place with a blank line between', () => {
    const first = apply(SAMPLE, addRow(SAMPLE, 'bnd-00000000', row));
    assert.match(
      first,
      /\nrows:\n {2}bnd-00000000:\n {4}failure: body too large\n {4}verdict: undecided\n\n {2}bnd-q4t87m2x:\n/,
    );
    const middle = apply(SAMPLE, addRow(SAMPLE, 'prt-00000000', row));
    assert.match(
      middle,
      /by: li \}\n\n {2}prt-00000000:\n {4}failure: body too large\n {4}verdict: undecided\n\n {2}cnc-d9r3k0va:\n/,
    );
    const last = apply(SAMPLE, addRow(SAMPLE, 'clk-zzzzzzzz', row));
    assert.match(
      last,
      /verdict: undecided\n\n {2}clk-zzzzzzzz:\n {4}failure: body too large\n {4}verdict: undecided\n\nlenses:\n/,
    );
    for (const text of [first, middle, last])
      assert.equal(readTable(text).problems.filter((p) => p.severity === 'error').length, 0);
  });

  it('adds the first row to an empty map', () => {
    for (const rows of ['rows:', 'rows: {}', 'rows: {}  # none yet', 'rows:   # none yet']) {
      const text = `sixlens: 1\n${rows}\nlenses:\n`;
      const after = apply(text, addRow(text, 'clk-aaaaaaaa', row));
      assert.deepEqual(parse(after)['rows'], { 'clk-aaaaaaaa': row }, after);
      assert.equal(after.includes('# none yet'), rows.includes('# none yet'));
    }
  });

  it('adds a row to a table written on one line', () => {
    const text = '{"sixlens": 1, "rows": {"clk-zzzzzzzz": {"failure": "x"}}}';
    const after = apply(text, addRow(text, 'bnd-aaaaaaaa', row));
    assert.deepEqual(Object.keys(parse(after)['rows'] as object), ['bnd-aaaaaaaa', 'clk-zzzzzzzz']);
  });

  it('removes a row and leaves the others as they are', () => {
    const after = apply(SAMPLE, removeRow(SAMPLE, 'cnc-d9r3k0va'));
    const [from, to] = [SAMPLE.indexOf('  cnc-'), SAMPLE.indexOf('  clk-')];
    assert.equal(after, SAMPLE.slice(0, from) + SAMPLE.slice(to));
  });
});

describe('tables/patch: shared values', () => {
  const text =
    'sixlens: 1\nrows:\n  clk-aaaaaaaa:\n    failure: &f slow\n    seen: &s { by: li }\n  clk-bbbbbbbb:\n    failure: *f\n    seen: *s\n';

  it('does not change the other places of an anchor', () => {
    const after = apply(text, setRowField(text, 'clk-aaaaaaaa', 'failure', 'late'));
    const rows = parse(after)['rows'] as Record<string, { failure: string }>;
    assert.equal(rows['clk-aaaaaaaa']?.failure, 'late');
    assert.equal(rows['clk-bbbbbbbb']?.failure, 'slow');
  });

  it('writes an alias out before changing what it stands for', () => {
    const after = apply(
      text,
      patchTable(text, [{ path: ['rows', 'clk-bbbbbbbb', 'seen', 'by'], value: 'ana' }]),
    );
    const rows = parse(after)['rows'] as Record<string, { seen: { by: string } }>;
    assert.equal(rows['clk-aaaaaaaa']?.seen.by, 'li');
    assert.equal(rows['clk-bbbbbbbb']?.seen.by, 'ana');
  });

  it('keeps the anchor when a key inside the shared map changes', () => {
    const after = apply(
      text,
      patchTable(text, [{ path: ['rows', 'clk-aaaaaaaa', 'seen', 'by'], value: 'ana' }]),
    );
    const rows = parse(after)['rows'] as Record<string, { seen: { by: string } }>;
    assert.equal(rows['clk-aaaaaaaa']?.seen.by, 'ana');
    assert.equal(rows['clk-bbbbbbbb']?.seen.by, 'li');
  });
});

describe('tables/patch: refusals', () => {
  it('leaves malformed and newer files alone and says where', () => {
    const broken = setTableField('sixlens: 1\nunit: [a\n', 'owner', 'x');
    assert.deepEqual(broken.edits, []);
    assert.equal(broken.problems[0]?.code, 'table-syntax');
    const newer = setTableField('sixlens: 2\nunit: a\n', 'owner', 'x');
    assert.deepEqual(newer.edits, []);
    assert.deepEqual(newer.problems[0]?.start, { line: 1, column: 10 });
    assert.equal(newer.problems[0]?.code, 'table-newer');
    assert.equal(setTableField('- a\n', 'owner', 'x').problems[0]?.code, 'table-shape');
    assert.equal(setTableField('', 'owner', 'x').problems.length, 1);
  });

  it('refuses a path through something that is no map', () => {
    const result = patchTable(SAMPLE, [{ path: ['unit', 'inner'], value: 'x' }]);
    assert.equal(result.problems[0]?.code, 'table-patch-refused');
    assert.deepEqual(result.edits, []);
  });
});

function parse(text: string): Record<string, unknown> {
  const { doc } = readTable(text);
  assert.ok(doc, text);
  return doc.toJS() as Record<string, unknown>;
}
