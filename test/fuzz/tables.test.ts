/** Properties of table files over random tables: an edit touches its field alone, merging settles, reading never throws. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { applyEdits } from '../../server/src/base/textEdit.ts';
import { LENSES, type Lens } from '../../server/src/base/vocabulary.ts';
import { type TableSource, generateTable } from '../../server/src/tables/generate.ts';
import { generateText, mergeTable } from '../../server/src/tables/merge.ts';
import { patchTable } from '../../server/src/tables/patch.ts';
import { readTable } from '../../server/src/tables/read.ts';
import { renderMarkdown, renderTable } from '../../server/src/tables/render.ts';
import { tableSchema } from '../../server/src/tables/schema.ts';
import { parseYamlSource } from '../../server/src/tables/yamlSource.ts';
import { fuzzRuns } from '../support/fuzzRuns.ts';
import { anyText, oneLine, rowId, sampleOf } from '../support/tableSample.ts';

const runs = fuzzRuns(200);

function dataOf(text: string): Record<string, unknown> {
  const source = parseYamlSource(text);
  assert.deepEqual(
    source.problems.filter((p) => p.severity === 'error'),
    [],
    text,
  );
  return source.data as Record<string, unknown>;
}

function setIn(
  data: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const [key, ...rest] = path;
  if (key === undefined) return data;
  const copy = { ...data };
  if (rest.length > 0) copy[key] = setIn((copy[key] ?? {}) as Record<string, unknown>, rest, value);
  else if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}

const commentsOf = (text: string): string[] =>
  text.match(/# (?:above|beside|row|end of row|looked|the|a table|unknown|none)[^\r\n]*/g) ?? [];

describe('tables: random edits', function () {
  this.timeout(0);

  it('changes the bytes of one field only', () => {
    fc.assert(
      fc.property(sampleOf, fc.nat(), anyText, (sample, pick, value) => {
        const field = sample.fields[pick % sample.fields.length];
        if (!field) return;
        const before = dataOf(sample.text);
        const result = patchTable(sample.text, [{ path: field.path, value }]);
        assert.deepEqual(result.problems, []);
        const after = applyEdits(sample.text, result.edits);
        assert.deepEqual(dataOf(after), setIn(before, field.path, value));
        if (field.shared) {
          assert.deepEqual(
            commentsOf(after).filter((c) => c !== field.comment),
            commentsOf(sample.text).filter((c) => c !== field.comment),
          );
          return;
        }
        for (const edit of result.edits) {
          assert.ok(
            edit.start >= field.start && edit.end <= field.end,
            `edit ${JSON.stringify(edit)} leaves ${JSON.stringify(field)}`,
          );
        }
        assert.equal(after.slice(0, field.start), sample.text.slice(0, field.start));
        const tail = sample.text.slice(field.end);
        assert.ok(after.endsWith(tail) || (tail === '' && after.length > 0));
        assert.ok(after.includes(field.comment), 'the comment beside the value is lost');
        if (sample.eol === '\r\n')
          assert.ok(!/(?<!\r)\n/.test(after.slice(field.start)), 'a bare line feed in a CRLF file');
      }),
      { numRuns: runs },
    );
  });

  it('removes one field and nothing else', () => {
    fc.assert(
      fc.property(sampleOf, fc.nat(), (sample, pick) => {
        const field = sample.fields[pick % sample.fields.length];
        if (!field) return;
        const result = patchTable(sample.text, [{ path: field.path, value: undefined }]);
        assert.deepEqual(result.problems, []);
        const after = applyEdits(sample.text, result.edits);
        const wanted = setIn(dataOf(sample.text), field.path, undefined);
        const found = dataOf(after);
        const only =
          field.path.length === 3 &&
          Object.keys((wanted['rows'] as Record<string, object>)[field.path[1] ?? ''] ?? {}).length === 0;
        if (only) return;
        assert.deepEqual(found, wanted);
        // Blank lines go with the field where the text above would swallow them.
        const above = sample.fields[sample.fields.indexOf(field) - 1];
        const swallows = above && /^\s*\|\+/.test(sample.text.slice(above.valueStart, above.end));
        if (!field.shared && !swallows) {
          const rest = sample.text.slice(field.end).replace(/^\r?\n/, '');
          assert.equal(after, sample.text.slice(0, field.start) + rest);
        }
      }),
      { numRuns: runs },
    );
  });

  it('adds a field, a row or a lens and changes no line that was there', () => {
    fc.assert(
      fc.property(
        sampleOf,
        fc.nat(),
        fc.constantFrom('how', 'note', 'seen', 'zz-new'),
        anyText,
        rowId,
        (sample, pick, name, value, id) => {
          const before = dataOf(sample.text);
          const rows = (before['rows'] ?? {}) as Record<string, Record<string, unknown>>;
          const target = sample.rowIds[pick % Math.max(sample.rowIds.length, 1)];
          const added = name === 'seen' ? { code: 'sabc', date: '2026-11-30', by: value } : value;
          const changes = [
            ...(target && !(name in (rows[target] ?? {}))
              ? [{ path: ['rows', target, name], value: added }]
              : []),
            ...(id in rows
              ? []
              : [{ path: ['rows', id], value: { failure: value || 'x', verdict: 'undecided', note: 'n' } }]),
            {
              path: ['lenses', LENSES[pick % 5] ?? 'boundaries'],
              value: { exposure: 'none', reason: value || 'x' },
            },
            ...('owner' in before ? [] : [{ path: ['owner'], value }]),
          ];
          for (const change of changes) {
            const result = patchTable(sample.text, [change]);
            assert.deepEqual(result.problems, [], JSON.stringify(change));
            const after = applyEdits(sample.text, result.edits);
            assert.deepEqual(dataOf(after), setIn(before, change.path, change.value));
            const inFlow = change.path.length === 3 && sample.text.includes(`${target}: {`);
            const fresh = change.path[0] === 'rows' && sample.rowIds.length === 0;
            if (inFlow || fresh) continue;
            for (const edit of result.edits)
              assert.equal(edit.start, edit.end, `${JSON.stringify(edit)} replaces something`);
            assertSubsequence(sample.text.split(/\r?\n/), after.split(/\r?\n/));
          }
          const all = patchTable(sample.text, changes);
          assert.deepEqual(all.problems, []);
          const end = applyEdits(sample.text, all.edits);
          assert.deepEqual(
            dataOf(end),
            changes.reduce((data, change) => setIn(data, change.path, change.value), before),
          );
          assert.deepEqual(commentsOf(end), commentsOf(sample.text));
        },
      ),
      { numRuns: runs },
    );
  });
});

function assertSubsequence(lines: readonly string[], within: readonly string[]): void {
  let at = 0;
  for (const line of lines) {
    while (at < within.length && within[at] !== line) at++;
    assert.ok(at < within.length, `the line ${JSON.stringify(line)} is gone`);
    at++;
  }
}

const lens = fc.constantFrom<Lens>(...LENSES);
const rule = fc.constantFrom(
  'call-without-timeout',
  'swallowed-error',
  'unguarded-parse',
  'check-then-write',
);
const anchor = fc.constantFrom('', 'a.b', 'a.b#2', 'switch x', 'JSON.parse', 'tx: 1');
const viewOf: fc.Arbitrary<TableSource> = fc.record({
  unit: fc.constantFrom({
    kind: 'webhook' as const,
    name: 'POST /orders',
    symbol: 'router.post "/orders"',
    file: 'src/orders.ts',
  }),
  domain: fc.subarray(['payments', 'api', 'no-such-domain']),
  findings: fc.array(fc.record({ rule, lens, anchor, message: anyText, scenario: anyText }), {
    maxLength: 6,
  }),
  mechanisms: fc.array(fc.record({ rule, lens, anchor, failure: anyText, how: anyText }), { maxLength: 4 }),
  lenses: fc.array(fc.record({ lens, lookedAt: anyText, unresolved: fc.array(oneLine, { maxLength: 3 }) }), {
    maxLength: 6,
  }),
  questions: fc.array(
    fc.record({ id: fc.constantFrom('burst', 'poison', 'lag'), lens, failure: anyText, why: anyText }),
    { maxLength: 5 },
  ),
});
const options = { today: '2026-11-30' };

describe('tables: random generations', function () {
  this.timeout(0);

  it('a new file reads back as the table it was made from', () => {
    fc.assert(
      fc.property(viewOf, (view) => {
        const table = generateTable(view);
        const text = renderTable(table);
        const reading = readTable(text);
        assert.deepEqual(
          reading.problems.filter((p) => p.severity === 'error'),
          [],
          text,
        );
        assert.deepEqual(reading.table, tableSchema.parse(table));
        assert.deepEqual(mergeTable(text, table, options).edits, []);
        renderMarkdown(table);
      }),
      { numRuns: runs },
    );
  });

  it('merging twice is merging once, and keeps every line a person wrote', () => {
    fc.assert(
      fc.property(viewOf, viewOf, anyText, fc.boolean(), (first, second, reason, crlf) => {
        let text = renderTable(generateTable(first)).replace(/\n/g, crlf ? '\r\n' : '\n');
        const id = Object.keys(generateTable(first).rows)[0];
        if (id) {
          const patch = patchTable(text, [
            { path: ['rows', id, 'reason'], value: reason },
            { path: ['rows', id, 'seen'], value: { by: 'li' } },
          ]);
          assert.deepEqual(patch.problems, []);
          text = applyEdits(text, patch.edits);
        }
        const once = generateText(text, generateTable(second), options);
        assert.deepEqual(once.problems, []);
        const twice = generateText(once.text, generateTable(second), options);
        assert.equal(twice.text, once.text);
        assert.deepEqual(twice.edits, []);
        const rows = readTable(once.text).table?.rows ?? {};
        for (const old of Object.keys(generateTable(first).rows)) assert.ok(rows[old], 'a row is gone');
        if (id) assert.equal(rows[id]?.reason, reason);
      }),
      { numRuns: runs },
    );
  });
});

describe('tables: broken bytes', function () {
  this.timeout(0);

  it('never throws, and never edits what it cannot read', () => {
    const cut = fc.array(
      fc.record({
        at: fc.nat(),
        drop: fc.nat(8),
        put: fc.oneof(
          fc.string({ maxLength: 4 }),
          fc.constantFrom(
            '\t',
            '&a ',
            '*a',
            '{',
            '[',
            '|',
            '>',
            ': ',
            '- ',
            '? ',
            '%YAML 1.1\n---\n',
            '---\n',
            '!!binary ',
            '<<: ',
            '__proto__: ',
            '"',
            "'",
            '\0',
            '\r',
          ),
        ),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(sampleOf, cut, viewOf, (sample, cuts, view) => {
        let text = sample.text;
        for (const { at, drop, put } of cuts) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + put + text.slice(start + drop);
        }
        const reading = readTable(text, 'x.yaml');
        const lines = text.split(/\r\n|\r|\n/).length;
        for (const problem of reading.problems) {
          assert.ok(
            problem.start &&
              problem.start.line >= 1 &&
              problem.start.line <= lines &&
              problem.start.column >= 1,
          );
        }
        assert.equal(
          reading.table === null,
          reading.problems.some((p) => p.severity === 'error'),
        );
        const patch = patchTable(text, [{ path: ['contract'], value: 'new' }]);
        if (patch.problems.length > 0) assert.deepEqual(patch.edits, []);
        const merged = mergeTable(text, generateTable(view), options);
        if (reading.table === null) assert.deepEqual(merged.edits, []);
        else applyEdits(text, merged.edits);
      }),
      { numRuns: runs },
    );
  });
});
