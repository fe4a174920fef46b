/** Random concurrent edits of one table, merged: no verdict and no comment of either side is lost. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { applyEdits } from '../../server/src/base/textEdit.ts';
import { patchTable } from '../../server/src/tables/patch.ts';
import { mergeTexts } from '../../server/src/tables/threeWay.ts';
import { parseYamlSource } from '../../server/src/tables/yamlSource.ts';
import { fuzzRuns } from '../support/fuzzRuns.ts';
import { anyText, oneLine, rowId, sampleOf, type Sample } from '../support/tableSample.ts';

type Rows = Record<string, Record<string, unknown>>;

const DECISION = [
  'verdict',
  'how',
  'test',
  'signal',
  'because',
  'reason',
  'owner',
  'expires',
  'blocker',
  'to',
];

const decision = fc.oneof(
  fc.record({ verdict: fc.constant('detect'), signal: oneLine }),
  fc.record({ verdict: fc.constant('handle'), how: oneLine, test: oneLine }),
  fc.record({
    verdict: fc.constant('accept'),
    because: fc.constantFrom('rate', 'cost'),
    reason: oneLine,
    owner: fc.constantFrom('li', 'ana'),
    expires: fc.constantFrom('2027-01-01', '2027-05-29'),
  }),
  fc.record({ verdict: fc.constant('blocked'), blocker: oneLine, to: oneLine }),
);
const date = fc.integer({ min: 10, max: 28 }).map((day) => `2026-11-${day}`);
const edit = fc.oneof(
  { weight: 4, arbitrary: fc.record({ k: fc.constant('decide' as const), row: fc.nat(4), decision }) },
  {
    weight: 2,
    arbitrary: fc.record({
      k: fc.constant('seen' as const),
      row: fc.nat(4),
      date,
      by: fc.constantFrom('li', 'ana'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ k: fc.constant('note' as const), row: fc.nat(4), text: anyText }) },
  { weight: 2, arbitrary: fc.record({ k: fc.constant('add' as const), id: rowId, decision }) },
  { weight: 1, arbitrary: fc.record({ k: fc.constant('drop' as const), row: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ k: fc.constant('contract' as const), text: anyText }) },
  { weight: 1, arbitrary: fc.record({ k: fc.constant('prune' as const), text: oneLine }) },
  { weight: 4, arbitrary: fc.record({ k: fc.constant('comment' as const), at: fc.nat(40) }) },
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** What the edits make of the text. Comments are new lines right above a field. */
function edited(sample: Sample, edits: readonly Edit[], who: string): string {
  let { text } = sample;
  const places = edits
    .flatMap((one, i) =>
      one.k === 'comment' && sample.fields.length > 0
        ? [{ field: sample.fields[one.at % sample.fields.length]!, i }]
        : [],
    )
    .sort((a, b) => b.field.start - a.field.start);
  for (const { field, i } of places) {
    const indent = /^ */.exec(text.slice(field.start))![0];
    text = `${text.slice(0, field.start)}${indent}# ${who} says ${i}${sample.eol}${text.slice(field.start)}`;
  }
  for (const one of edits) {
    const id = 'row' in one ? sample.rowIds[one.row % Math.max(1, sample.rowIds.length)] : undefined;
    const path = (...rest: string[]): string[] => ['rows', id ?? '', ...rest];
    const set = (fields: Record<string, unknown>): void => {
      const patch = patchTable(
        text,
        Object.entries(fields).map(([field, value]) => ({ path: path(field), value })),
      );
      text = applyEdits(text, patch.edits);
    };
    if ('row' in one && (id === undefined || !(id in rowsOf(text)))) continue;
    switch (one.k) {
      case 'decide':
        set({ ...Object.fromEntries(DECISION.map((field) => [field, undefined])), ...one.decision });
        break;
      case 'seen':
        set({ seen: { code: 'sabc', date: one.date, by: one.by } });
        break;
      case 'note':
        set({ note: one.text });
        break;
      case 'add':
        text = applyEdits(
          text,
          patchTable(text, [{ path: ['rows', one.id], value: { failure: 'new', ...one.decision } }]).edits,
        );
        break;
      case 'drop':
        text = applyEdits(text, patchTable(text, [{ path: path(), value: undefined }]).edits);
        break;
      case 'contract':
        text = applyEdits(text, patchTable(text, [{ path: ['contract'], value: one.text }]).edits);
        break;
      case 'prune':
        text = applyEdits(text, patchTable(text, [{ path: ['pruned'], value: [one.text] }]).edits);
        break;
      case 'comment':
        break;
    }
  }
  return text;
}

function dataOf(text: string): Record<string, unknown> {
  const { doc, data, problems } = parseYamlSource(text);
  assert.ok(doc, `${JSON.stringify(problems[0])}\n${text}`);
  return data as Record<string, unknown>;
}

function rowsOf(text: string): Rows {
  return (dataOf(text)['rows'] ?? {}) as Rows;
}

/** The text with every conflict answered by one side. */
function answered(text: string, side: 'ours' | 'theirs'): string {
  return text.replace(
    /^<{7} ours\r?\n([^]*?)^={7}\r?\n([^]*?)^>{7} theirs(?:\r?\n|$)/gm,
    (_, ours: string, theirs: string) => (side === 'ours' ? ours : theirs),
  );
}

function decided(row: Record<string, unknown> | undefined): string {
  return JSON.stringify(DECISION.map((field) => row?.[field] ?? null));
}

const comments = (text: string): string[] => text.match(/# (?:ours|theirs) says \d+/g) ?? [];

describe('tables: merge of concurrent edits', function () {
  this.timeout(0);
  const sides = fc.tuple(
    sampleOf,
    fc.array(edit, { minLength: 1, maxLength: 5 }),
    fc.array(edit, { minLength: 1, maxLength: 5 }),
  );
  let tried = 0;
  let unsure = 0;

  it('loses no verdict, no comment and no row of either side', () => {
    fc.assert(
      fc.property(sides, ([sample, mine, other]) => {
        const base = sample.text;
        const ours = edited(sample, mine, 'ours');
        const theirs = edited(sample, other, 'theirs');
        const merged = mergeTexts(base, ours, theirs);
        tried++;
        if (!merged) {
          unsure++;
          return;
        }
        const { text, conflicts } = merged;
        for (const comment of [...comments(ours), ...comments(theirs)])
          assert.ok(text.includes(comment), `${comment} is lost`);
        const [b, o, t] = [base, ours, theirs].map(rowsOf) as [Rows, Rows, Rows];
        const byOurs = rowsOf(answered(text, 'ours'));
        const byTheirs = rowsOf(answered(text, 'theirs'));
        if (conflicts === 0) assert.deepEqual(byOurs, byTheirs);
        else
          assert.equal(
            parseYamlSource(text).problems[0]?.code,
            'table-conflict',
            'an open conflict decides nothing',
          );
        for (const id of new Set([...Object.keys(o), ...Object.keys(t)])) {
          const [was, inOurs, inTheirs] = [decided(b[id]), decided(o[id]), decided(t[id])];
          const found = [decided(byOurs[id]), decided(byTheirs[id])];
          if (id in o && inOurs !== was)
            assert.ok(found.includes(inOurs), `ours for ${id} is lost:\n${inOurs}\n${found.join('\n')}`);
          if (id in t && inTheirs !== was) assert.ok(found.includes(inTheirs), `theirs for ${id} is lost`);
          // One side alone decided: nobody is asked, but for a row on one line that both changed.
          if (base.includes(`${id}: {`)) continue;
          if (id in o && id in t && (inOurs === was || inTheirs === was)) {
            const now = inOurs === was ? inTheirs : inOurs;
            assert.deepEqual(found, [now, now]);
          }
          const looks = [o[id]?.['seen'], t[id]?.['seen']].map(
            (seen) => (seen as { date?: string } | undefined)?.date ?? '',
          );
          if (
            id in o &&
            id in t &&
            looks.every(Boolean) &&
            JSON.stringify(o[id]!['seen']) !== JSON.stringify(b[id]?.['seen']) &&
            JSON.stringify(t[id]!['seen']) !== JSON.stringify(b[id]?.['seen'])
          )
            assert.equal((byOurs[id]?.['seen'] as { date: string }).date, [...looks].sort()[1]);
        }
      }),
      { numRuns: fuzzRuns(300) },
    );
    assert.ok(unsure * 10 <= tried, `${unsure} of ${tried} were left to the merge of plain text`);
  });

  it('says the same whichever side is merged into which', () => {
    fc.assert(
      fc.property(sides, ([sample, mine, other]) => {
        const ours = edited(sample, mine, 'ours');
        const theirs = edited(sample, other, 'theirs');
        const there = mergeTexts(sample.text, ours, theirs);
        const back = mergeTexts(sample.text, theirs, ours);
        if (!there || !back) return;
        assert.equal(there.conflicts, back.conflicts);
        if (there.conflicts === 0) assert.deepEqual(sorted(dataOf(there.text)), sorted(dataOf(back.text)));
      }),
      { numRuns: fuzzRuns(150) },
    );
  });

  it('takes the one side that changed, byte by byte', () => {
    fc.assert(
      fc.property(sides, ([sample, mine]) => {
        const ours = edited(sample, mine, 'ours');
        const kept = mergeTexts(sample.text, ours, sample.text);
        if (kept) assert.deepEqual(kept, { text: ended(ours, sample.eol), conflicts: 0 });
        const taken = mergeTexts(sample.text, sample.text, ours);
        if (taken) assert.deepEqual(dataOf(taken.text), dataOf(ours));
      }),
      { numRuns: fuzzRuns(100) },
    );
  });
});

function ended(text: string, eol: string): string {
  return text.endsWith('\n') ? text : text + eol;
}

/** Lists in one order: whose items come first depends on who merges. */
function sorted(data: Record<string, unknown>): unknown {
  const { pruned } = data;
  return Array.isArray(pruned) ? { ...data, pruned: [...(pruned as string[])].sort() } : data;
}
