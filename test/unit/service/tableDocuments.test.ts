import { strict as assert } from 'node:assert';
import { applyEdits } from '../../../server/src/base/textEdit.ts';
import type { UnitView } from '../../../server/src/service/contract.ts';
import type { TableChange, TableContent } from '../../../server/src/service/tableContract.ts';
import { createTableDocuments } from '../../../server/src/service/tableDocuments.ts';
import { fakeUnit } from '../../cli/fakeContext.ts';
import { sampleFinding } from '../render/sampleReport.ts';

const TODAY = '2026-11-30';
const tables = createTableDocuments({ random: () => 0.5, today: () => TODAY });

const unit = fakeUnit('src/pay.ts');
const view: UnitView = {
  unit,
  domain: ['payments'],
  findings: [sampleFinding({ units: [unit.id] })],
  mechanisms: [
    {
      rule: 'unverified-webhook',
      lens: 'hostile-input',
      anchor: 'verify',
      failure: 'a forged event is believed',
      how: 'signature checked',
      file: 'src/pay.ts',
      start: { line: 2, column: 1 },
    },
  ],
  lenses: [
    { lens: 'boundaries', lookedAt: '3 calls', unresolved: [] },
    { lens: 'concurrency', lookedAt: '', unresolved: ['helper'] },
  ],
  questions: [],
  slice: 's1',
};

const generate = (existing: string | null = null, from = view): string => {
  const made = tables.generate(from, existing, TODAY);
  assert.ok('text' in made, JSON.stringify(made));
  return made.text;
};
const read = (text: string, from: UnitView | null = null): TableContent => {
  const { content, problems } = tables.read(text, 't.yaml', from, TODAY);
  assert.ok(content, JSON.stringify(problems));
  return content;
};
const apply = (text: string, change: TableChange): string => {
  assert.ok(change.ok, JSON.stringify(change));
  return applyEdits(text, change.edits);
};
const rowOf = (content: TableContent, rule: string) => {
  const row = content.lenses.flatMap(({ rows }) => rows).find((candidate) => candidate.rule === rule);
  assert.ok(row, rule);
  return row;
};
const SEEN = { code: 's1', date: TODAY, by: 'ana' };

describe('table documents', () => {
  it('generates a table that it reads back with all six lenses', () => {
    const content = read(generate(), view);
    assert.deepEqual(content.code, { file: 'src/pay.ts', symbol: 'router.post "/pay"' });
    assert.deepEqual(
      content.lenses.map(({ lens, exposure }) => `${lens} ${exposure}`),
      [
        'boundaries none',
        'hostile-input rows',
        'partial-failure unlooked',
        'concurrency open',
        'resource-exhaustion unlooked',
        'clock rows',
      ],
    );
    assert.deepEqual(content.lenses[3]?.unresolved, ['helper']);
    assert.deepEqual(content.summary, { rows: 2, decided: 0, closed: 0, stale: 0, unlooked: 3 });
    assert.equal(rowOf(content, 'call-without-timeout').place?.start.line, 3);
    assert.equal(rowOf(content, 'unverified-webhook').place?.start.line, 2);
    assert.equal(rowOf(content, 'unverified-webhook').proposed, true);
  });

  it('tells where a row stands in the text', () => {
    const text = generate();
    const { id, keySpan, span } = rowOf(read(text), 'call-without-timeout');
    assert.ok(keySpan && span);
    assert.equal(text.slice(keySpan.start, keySpan.end), id);
    assert.match(text.slice(span.start, span.end), /^clk-[^]*verdict: undecided$/);
  });

  it('records a verdict with its fields, and what was seen', () => {
    const text = generate() + '# by hand\n';
    const { id } = rowOf(read(text), 'unverified-webhook');
    const after = apply(
      text,
      tables.setRow(text, id, { verdict: 'handle', fields: { test: 'a.test.ts > forged' } }, SEEN),
    );
    const row = rowOf(read(after), 'unverified-webhook');
    assert.deepEqual(
      [row.verdict, row.proposed, row.fields['test']],
      ['handle', false, 'a.test.ts > forged'],
    );
    assert.match(after, /seen: \{ code: s1, date: "2026-11-30", by: ana \}/);
    assert.ok(after.endsWith('# by hand\n'));
    const cleared = apply(after, tables.setRow(after, id, { fields: { test: null } }, null));
    assert.equal(rowOf(read(cleared), 'unverified-webhook').state, 'incomplete');
  });

  it('says when a row says handled and the code does not', () => {
    const text = generate();
    const { id } = rowOf(read(text), 'call-without-timeout');
    const after = apply(
      text,
      tables.setRow(text, id, { verdict: 'handle', fields: { how: 'h', test: 't' } }, SEEN),
    );
    const row = rowOf(read(after, view), 'call-without-timeout');
    assert.deepEqual([row.state, row.stateText], ['stale', 'row says handled, code does not']);
    assert.equal(rowOf(read(after, { ...view, findings: [] }), 'call-without-timeout').state, 'unproven');
  });

  it('refuses what would not be read again, with a reason', () => {
    const text = generate();
    const { id } = rowOf(read(text), 'call-without-timeout');
    const attempts: TableChange[] = [
      tables.setRow(text, id, { verdict: 'accept', fields: { expires: 'soon' } }, SEEN),
      tables.setRow(text, id, { fields: { rule: 'other' } }, null),
      tables.setRow(text, 'clk-00000000', { verdict: 'accept' }, SEEN),
      tables.setRow('rows: [', id, { verdict: 'accept' }, SEEN),
      tables.addRow(text, 'clock', '  '),
      tables.addRow('sixlens: 99\n', 'clock', 'x'),
    ];
    for (const attempt of attempts)
      assert.ok(!attempt.ok && attempt.message.length > 10, JSON.stringify(attempt));
  });

  it('adds rows by hand under a free id, and sets the contract', () => {
    const text = generate();
    const first = tables.addRow(text, 'clock', ' the clock runs backwards ');
    const once = apply(text, first);
    assert.ok(
      first.ok && first.row && once.includes(`${first.row}:\n    failure: the clock runs backwards`),
      once,
    );
    const taken = tables.addRow(once, 'clock', 'again');
    assert.deepEqual([taken.ok, !taken.ok && /No free row id/.test(taken.message)], [false, true]);
    assert.equal(read(apply(text, tables.setContract(text, 'Once: exactly.'))).contract, 'Once: exactly.');
  });

  it('merges without touching what people wrote, and leaves a broken file alone', () => {
    const text = apply(generate(), tables.setContract(generate(), 'Exactly once.'));
    assert.equal(generate(text), text);
    const made = tables.generate(view, 'sixlens: [\n', TODAY);
    assert.ok('message' in made && /left alone: line \d/.test(made.message), JSON.stringify(made));
  });

  it('renders Markdown with links and expiry as of today', () => {
    const text = generate();
    const { id } = rowOf(read(text), 'call-without-timeout');
    const fields = { because: 'rate', reason: 'rare', owner: 'li', expires: '2026-11-01' };
    const after = apply(text, tables.setRow(text, id, { verdict: 'accept', fields }, SEEN));
    const markdown = tables.markdown(read(after), (row) => (row.id === id ? 'command:open' : null));
    assert.match(
      markdown,
      /\(command:open\)[^\n]*accept: rare, li until 2026-11-01 \| stale: accept expired \|/,
    );
    assert.match(markdown, /\*\*Concurrency\*\* \| _open: could not follow `helper`_/);
    assert.match(markdown, /\*\*Resource exhaustion\*\* \| _nobody looked yet_/);
  });

  it('names new files after the unit, apart from those that are there', () => {
    assert.equal(tables.folderOf('src/pay.ts'), '.sixlens/tables/src/pay');
    const first = tables.nameOf(unit, []);
    const second = tables.nameOf(unit, [first]);
    const third = tables.nameOf(unit, [first, second]);
    assert.equal(first, 'http-post-pay.yaml');
    assert.equal(new Set([first, second, third]).size, 3);
  });
});
