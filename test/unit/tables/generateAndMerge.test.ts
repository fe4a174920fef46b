import { strict as assert } from 'node:assert';
import { applyEdits } from '../../../server/src/base/textEdit.ts';
import { type TableSource, generateTable } from '../../../server/src/tables/generate.ts';
import { generateText, mergeTable } from '../../../server/src/tables/merge.ts';
import { setRowFields } from '../../../server/src/tables/patch.ts';
import { readTable } from '../../../server/src/tables/read.ts';
import { renderMarkdown, renderTable } from '../../../server/src/tables/render.ts';
import { bornRowId, lensOfRow } from '../../../server/src/tables/rowId.ts';
import { SAMPLE } from './sampleTable.ts';

const options = { today: '2026-11-30', file: 't.yaml' };
const birth = { file: 'src/ship.ts', symbol: 'worker.process "ship"' };

const VIEW: TableSource = {
  unit: { kind: 'consumer', name: 'ship', symbol: birth.symbol, file: birth.file },
  domain: ['queueing', 'unheard-of'],
  findings: [
    {
      rule: 'call-without-timeout',
      lens: 'clock',
      anchor: 'carrier.book',
      message: 'no timeout',
      scenario: 'The carrier hangs and every worker waits.',
    },
    {
      rule: 'call-without-timeout',
      lens: 'clock',
      anchor: 'carrier.book',
      message: 'no timeout',
      scenario: 'The same again.',
    },
  ],
  mechanisms: [
    {
      rule: 'writes-without-transaction',
      lens: 'partial-failure',
      anchor: 'db.transaction',
      failure: 'crash between the two writes',
      how: 'both writes in one transaction',
    },
  ],
  lenses: [
    { lens: 'clock', lookedAt: '1 call', unresolved: [] },
    { lens: 'boundaries', lookedAt: '2 inputs, both parsed', unresolved: [] },
    { lens: 'hostile-input', lookedAt: '1 input', unresolved: ['audit.write', 'audit.write'] },
  ],
  questions: [
    {
      id: 'burst',
      lens: 'resource-exhaustion',
      failure: 'a burst after our own outage',
      why: 'it reads a queue',
    },
    {
      id: 'poison',
      lens: 'resource-exhaustion',
      failure: 'a message that never succeeds',
      why: 'it retries',
    },
    { id: 'lag', lens: 'resource-exhaustion', failure: 'lag nobody sees', why: 'it is a consumer' },
  ],
};

const idOf = {
  finding: bornRowId('clock', { ...birth, rule: 'call-without-timeout', anchor: 'carrier.book' }),
  mechanism: bornRowId('partial-failure', {
    ...birth,
    rule: 'writes-without-transaction',
    anchor: 'db.transaction',
  }),
};

describe('tables/generate', () => {
  const table = generateTable(VIEW);

  it('makes one undecided row of a finding, however often it is reported', () => {
    assert.deepEqual(table.rows[idOf.finding], {
      failure: 'The carrier hangs and every worker waits',
      rule: 'call-without-timeout',
      at: 'carrier.book',
      verdict: 'undecided',
    });
    assert.equal(Object.keys(table.rows).length, 4);
  });

  it('proposes a handle for a mechanism, without a test', () => {
    assert.deepEqual(table.rows[idOf.mechanism], {
      failure: 'crash between the two writes',
      rule: 'writes-without-transaction',
      at: 'db.transaction',
      verdict: 'handle',
      proposed: true,
      how: 'both writes in one transaction',
    });
  });

  it('asks at most two standing questions a lens, each with its why', () => {
    const asked = Object.entries(table.rows).filter(([id]) => lensOfRow(id) === 'resource-exhaustion');
    assert.deepEqual(asked.map(([, row]) => [row.failure, row.why, row.verdict, row.rule]).sort(), [
      ['a burst after our own outage', 'it reads a queue', 'undecided', undefined],
      ['a message that never succeeds', 'it retries', 'undecided', undefined],
    ]);
  });

  it('claims no exposure only where everything was resolved', () => {
    assert.equal(table.lenses.boundaries?.exposure, 'none');
    assert.equal(table.lenses.boundaries?.['looked-at'], '2 inputs, both parsed');
    assert.deepEqual(table.lenses['hostile-input'], {
      exposure: 'open',
      'looked-at': '1 input',
      unresolved: ['audit.write'],
    });
    assert.equal(table.lenses.clock, undefined);
    assert.equal(table.lenses.concurrency, undefined, 'a lens that was not looked through says nothing');
  });

  it('leaves what only a person can say', () => {
    assert.equal(table.contract, '');
    assert.equal(table.pruned, undefined);
    assert.deepEqual(table.domain, ['queueing']);
  });
});

describe('tables/render: YAML', () => {
  it('prints the format as people write it', () => {
    const table = generateTable({ ...VIEW, questions: [], lenses: VIEW.lenses.slice(1) });
    assert.equal(
      renderTable(table),
      `sixlens: 1
unit: ship
kind: consumer
code: { file: src/ship.ts, symbol: 'worker.process "ship"' }
domain: [queueing]
contract: ""

rows:
  ${idOf.mechanism}:
    failure: crash between the two writes
    rule: writes-without-transaction
    at: db.transaction
    verdict: handle
    proposed: true
    how: both writes in one transaction

  ${idOf.finding}:
    failure: The carrier hangs and every worker waits
    rule: call-without-timeout
    at: carrier.book
    verdict: undecided

lenses:
  boundaries:
    exposure: none
    reason: no gap, no mechanism and no unresolved call in what this unit reaches
    looked-at: 2 inputs, both parsed
  hostile-input:
    exposure: open
    looked-at: 1 input
    unresolved: [audit.write]
`,
    );
  });

  it('prints what it reads', () => {
    const table = readTable(SAMPLE).table;
    assert.ok(table);
    const again = readTable(renderTable(table));
    assert.deepEqual(again.table, table);
  });
});

describe('tables/render: Markdown', () => {
  it('shows six lens groups with verdicts and states', () => {
    const text = renderMarkdown(generateTable(VIEW), {
      today: options.today,
      linkOf: (id) => `command:x?${id}`,
    });
    for (const title of [
      'Boundaries',
      'Hostile input',
      'Partial failure',
      'Concurrency',
      'Resource exhaustion',
      'Clock',
    ])
      assert.equal(text.split(`**${title}**`).length, 2, title);
    assert.match(text, /\*\*Concurrency\*\* \| _nobody looked yet_/);
    assert.match(text, /\*\*Boundaries\*\* \| no exposure: .*2 inputs/);
    assert.match(text, /could not follow `audit.write`/);
    assert.match(text, /handle, proposed: both writes in one transaction \| needs test/);
    assert.ok(text.includes(`(command:x?${idOf.finding})`));
    assert.match(text, /0 of 4 decided/);
  });

  it('lets no text break the table or become markup', () => {
    const table = generateTable(VIEW);
    const row = table.rows[idOf.finding];
    assert.ok(row);
    row.failure = 'a | b\n<img src=x> [l](command:evil) `c`';
    const line = renderMarkdown(table)
      .split('\n')
      .find((candidate) => candidate.includes('img'));
    assert.ok(line?.includes('a \\| b \\<img src=x\\> \\[l\\](command:evil) \\`c\\`'), line);
  });
});

describe('tables/merge', () => {
  const text = renderTable(generateTable(VIEW));
  const apply = (before: string, view: TableSource) => {
    const result = mergeTable(before, generateTable(view), options);
    assert.deepEqual(result.problems, []);
    return { ...result, text: applyEdits(before, result.edits) };
  };
  const person = (before: string, id: string, fields: Record<string, unknown>): string => {
    const result = setRowFields(before, id, fields);
    assert.deepEqual(result.problems, []);
    return applyEdits(before, result.edits);
  };

  it('changes nothing when nothing is new', () => {
    assert.deepEqual(mergeTable(text, generateTable(VIEW), options).edits, []);
  });

  it('adds new rows in order and leaves every line that was there', () => {
    const more = {
      ...VIEW,
      findings: [
        ...VIEW.findings,
        {
          rule: 'unguarded-parse',
          lens: 'boundaries' as const,
          anchor: 'JSON.parse',
          message: 'm',
          scenario: 'a body that is no JSON',
        },
      ],
    };
    const before = text.replace('    at: carrier.book\n', '    at: carrier.book   # the slow one\n');
    const after = apply(before, more);
    assert.equal(after.added.length, 1);
    assert.match(
      after.text,
      /\nrows:\n {2}bnd-[0-9a-z]{8}:\n {4}failure: a body that is no JSON\n[^]*\n\n {2}prt-/,
    );
    assert.ok(after.text.includes('# the slow one'));
    assert.equal(readTable(after.text).table?.lenses.boundaries, undefined, 'the lens has a row now');
    assert.deepEqual(apply(after.text, more).edits, []);
  });

  it('never changes what a person decided', () => {
    const decided = person(text, idOf.finding, {
      verdict: 'accept',
      failure: 'own words',
      because: 'rate',
      reason: 'r',
      owner: 'li',
      expires: '2027-01-01',
    });
    assert.equal(apply(decided, VIEW).text, decided);
  });

  it('finds a row again by rule and anchor when its id is another', () => {
    const renamed = text.replace(idOf.finding, 'clk-aaaaaaaa');
    assert.equal(apply(renamed, VIEW).text, renamed);
    const moved = { ...VIEW, unit: { ...VIEW.unit, symbol: 'other' } };
    assert.deepEqual(apply(text, moved).added, []);
  });

  it('marks an analysis row whose code is gone, once, and takes the mark off when it is back', () => {
    const without = { ...VIEW, findings: [] };
    const gone = apply(text, without);
    assert.deepEqual(gone.retired, [idOf.finding]);
    assert.match(
      gone.text,
      / {4}retired: \{ date: "2026-11-30", why: call-without-timeout finds nothing at carrier\.book any more \}\n/,
    );
    assert.deepEqual(mergeTable(gone.text, generateTable(without), { today: '2027-01-01' }).edits, []);
    const back = apply(gone.text, VIEW);
    assert.deepEqual(back.revived, [idOf.finding]);
    assert.equal(back.text, text);
    assert.deepEqual(
      mergeTable(text, generateTable(without), {
        ...options,
        stillThere: (rule, at) => rule === 'call-without-timeout' && at === 'carrier.book',
      }).retired,
      [],
    );
  });

  it('does not mark rows written by hand, nor a handle whose finding is gone', () => {
    const handled = person(text, idOf.finding, { verdict: 'handle', how: 'a timeout of 5 s', test: 'a > b' });
    const hand = handled.replace('\nlenses:', '\n  res-zzzzzzzz:\n    failure: mine\n\nlenses:');
    assert.deepEqual(apply(hand, { ...VIEW, findings: [] }).retired, []);
  });

  it('proposes the mechanism that a fix brought, and withdraws it when it goes', () => {
    const fixed: TableSource = {
      ...VIEW,
      findings: [],
      mechanisms: [
        ...VIEW.mechanisms,
        {
          rule: 'call-without-timeout',
          lens: 'clock',
          anchor: 'carrier.book',
          failure: 'f',
          how: 'AbortSignal.timeout(5000)',
        },
      ],
    };
    const after = apply(text, fixed);
    const row = readTable(after.text).table?.rows[idOf.finding];
    assert.deepEqual([row?.verdict, row?.proposed, row?.how], ['handle', true, 'AbortSignal.timeout(5000)']);
    const again = readTable(apply(after.text, VIEW).text).table?.rows[idOf.finding];
    assert.deepEqual([again?.verdict, again?.proposed], ['undecided', undefined]);
  });

  it('renews its own look, never a conclusion that a person signed or worded', () => {
    const looked = (lookedAt: string, unresolved: string[]): TableSource => ({
      ...VIEW,
      lenses: [{ lens: 'boundaries', lookedAt, unresolved }],
    });
    const renewed = apply(text, looked('3 inputs', ['x.y']));
    assert.deepEqual(readTable(renewed.text).table?.lenses.boundaries, {
      exposure: 'open',
      'looked-at': '3 inputs',
      unresolved: ['x.y'],
    });
    const worded = text.replace(/reason: no gap.*/, 'reason: we know better');
    assert.equal(apply(worded, looked('3 inputs', ['x.y'])).text, worded);
    const signed = text.replace(
      /( {4}looked-at: 2 inputs.*)/,
      '$1\n    seen: { date: "2026-11-30", by: ana }',
    );
    assert.equal(apply(signed, looked('3 inputs', ['x.y'])).text, signed);
  });

  it('leaves malformed and newer files alone and says where', () => {
    for (const broken of [
      SAMPLE.replace('sixlens: 1', 'sixlens: 2'),
      SAMPLE.replace('verdict: accept', 'verdict: accpt'),
      'rows: [',
      '',
    ]) {
      const result = mergeTable(broken, generateTable(VIEW), options);
      assert.deepEqual(result.edits, []);
      assert.ok(
        result.problems.length > 0 &&
          result.problems.every((problem) => problem.severity === 'error' && problem.start),
      );
      assert.equal(generateText(broken, generateTable(VIEW), options).text, broken);
    }
  });

  it('makes a new file where there is none', () => {
    const made = generateText(null, generateTable(VIEW), options);
    assert.equal(made.text, text);
    assert.equal(made.added.length, 4);
  });

  it('brings rows into a table that people keep', () => {
    const after = apply(SAMPLE, VIEW);
    assert.equal(after.added.length, 4);
    const rest = SAMPLE.split('\n').filter((line) => !after.text.split('\n').includes(line));
    assert.deepEqual(rest, []);
    assert.deepEqual(after.retired, ['clk-z3c5w9tn'], 'the confirmed handle and the row without a rule stay');
    assert.equal(apply(after.text, VIEW).text, after.text);
  });
});
