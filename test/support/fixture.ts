/**
 * The fixture language. A file may hold several: `//- /src/pay.ts` begins the next one. Expectations are comments:
 *
 *     await fetch(url);
 *     //    ^^^^^ call-without-timeout: exact message   💡 Title of a fix
 *     await fetch(url, { signal });   // ok: call-without-timeout
 *
 * Carets stand under the reported span of the last line before them; message and fix title may be left out, and the
 * severity may stand in parentheses after the rule. `// ok: rule`
 * says that the line has no finding of the rule. `// todo-miss: rule` marks a line that ought to be reported and is not;
 * `// todo-false: rule` one that is and ought not to be: both are asserted as they are.
 */
import { strict as assert } from 'node:assert';
import { applyEdits } from '../../server/src/base/textEdit.ts';
import type { Preset } from '../../server/src/base/vocabulary.ts';
import type { Rule } from '../../server/src/rules/_kit/rule.ts';
import { createAnalysis } from '../../server/src/service/analysisService.ts';
import type { Analysis, Finding } from '../../server/src/service/contract.ts';
import { memoryHost, ROOT } from './memoryHost.ts';

export interface Expectation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  readonly rule: string;
  readonly severity: string | null;
  readonly message: string | null;
  readonly fixTitle: string | null;
}
export interface LineMark {
  readonly kind: 'ok' | 'todo-miss' | 'todo-false';
  readonly file: string;
  readonly line: number;
  readonly rules: readonly string[];
}
export interface Fixture {
  /** Without expectation lines. */
  readonly files: Readonly<Record<string, string>>;
  readonly expected: readonly Expectation[];
  readonly marks: readonly LineMark[];
}

const CARETS =
  /^\s*\/\/\s*(\^+)\s+([a-z][a-z-]*)(?:\((low|medium|high|critical)\))?(?::\s*(.*?))?(?:\s*💡\s*(.*))?\s*$/u;
const MARK = /\/\/\s*(ok|todo-miss|todo-false):\s*([a-z, -]+?)\s*$/;

export function parseFixture(text: string, defaultFile = 'src/fixture.ts'): Fixture {
  const files: Record<string, string[]> = {};
  const expected: Expectation[] = [];
  const marks: LineMark[] = [];
  let file = defaultFile;
  for (const line of text.split('\n')) {
    const head = /^\/\/- \/?(\S+)\s*$/.exec(line);
    if (head?.[1]) {
      file = head[1];
      files[file] = [];
      continue;
    }
    const lines = (files[file] ??= []);
    const carets = CARETS.exec(line);
    if (carets) {
      const column = line.indexOf('^') + 1;
      expected.push({
        file,
        line: lines.length,
        column,
        endColumn: column + (carets[1]?.length ?? 0),
        rule: carets[2] ?? '',
        severity: carets[3] ?? null,
        message: carets[4]?.trim() || null,
        fixTitle: carets[5]?.trim() || null,
      });
      continue;
    }
    lines.push(line);
    const mark = MARK.exec(line);
    if (mark)
      marks.push({
        kind: mark[1] as LineMark['kind'],
        file,
        line: lines.length,
        rules: (mark[2] ?? '').split(',').map((r) => r.trim()),
      });
  }
  const out: Record<string, string> = {};
  for (const [name, lines] of Object.entries(files))
    if (lines.some((l) => l.trim() !== '')) out[name] = lines.join('\n');
  return { files: out, expected, marks };
}

export const SOURCE = /\.[cm]?[jt]sx?$/;

export function analyse(
  files: Readonly<Record<string, string>>,
  options: { readonly rules?: readonly Rule[]; readonly preset?: Preset } = {},
): Analysis {
  return createAnalysis({
    root: ROOT,
    host: memoryHost(files),
    preset: options.preset ?? 'strict',
    ...(options.rules ? { rules: options.rules } : {}),
  });
}

export function sourcesOf(files: Readonly<Record<string, string>>): string[] {
  return Object.keys(files).filter((f) => SOURCE.test(f) && !f.startsWith('node_modules/'));
}

function describeFinding(f: Finding): string {
  return `${f.file}:${f.start.line}:${f.start.column}-${f.end.line === f.start.line ? f.end.column : `${f.end.line}:${f.end.column}`} ${f.rule}: ${f.message}`;
}

/** Asserts that the findings of `rules` are exactly those the fixture expects. */
export function assertFixture(fixture: Fixture, rules: readonly Rule[]): void {
  const analysis = analyse(fixture.files, { rules });
  const result = analysis.check(sourcesOf(fixture.files));
  const failed = result.problems.filter((p) => p.code === 'rule-failed');
  assert.deepEqual(failed, [], 'no rule fails');
  const left = [...result.findings];
  const missing: string[] = [];
  for (const e of fixture.expected) {
    const at = left.findIndex(
      (f) =>
        f.file === e.file &&
        f.rule === e.rule &&
        f.start.line === e.line &&
        f.start.column === e.column &&
        (f.end.line > e.line || f.end.column === e.endColumn),
    );
    const found = left[at];
    if (!found) {
      missing.push(`${e.file}:${e.line}:${e.column}-${e.endColumn} ${e.rule}`);
      continue;
    }
    left.splice(at, 1);
    if (e.severity) assert.equal(found.severity, e.severity, describeFinding(found));
    if (e.message) assert.equal(found.message, e.message);
    if (e.fixTitle)
      assert.ok(
        found.fixes.some((x) => x.title === e.fixTitle),
        `${describeFinding(found)} offers ${JSON.stringify(found.fixes.map((x) => x.title))}, not ${e.fixTitle}`,
      );
  }
  for (const m of fixture.marks) {
    if (m.kind !== 'todo-false') continue;
    for (const rule of m.rules) {
      const at = left.findIndex((f) => f.file === m.file && f.rule === rule && f.start.line === m.line);
      if (at < 0) missing.push(`${m.file}:${m.line} ${rule} (todo-false: mended? then drop the mark)`);
      else left.splice(at, 1);
    }
  }
  for (const m of fixture.marks)
    if (m.kind !== 'todo-false')
      for (const rule of m.rules) {
        const wrong = result.findings.find(
          (f) => f.file === m.file && f.rule === rule && f.start.line === m.line,
        );
        assert.equal(wrong && describeFinding(wrong), undefined, `${m.kind} at ${m.file}:${m.line}`);
      }
  assert.deepEqual({ missing, unexpected: left.map(describeFinding) }, { missing: [], unexpected: [] });
}

export interface FixRun {
  readonly files: Record<string, string>;
  readonly applied: number;
}

/** Applies the first offered fix of every finding of the rules, one after the other, until none is offered. */
export function applyAllFixes(files: Readonly<Record<string, string>>, rules: readonly Rule[]): FixRun {
  const now = { ...files };
  let applied = 0;
  for (let round = 0; round < 60; round++) {
    const analysis = analyse(now, { rules });
    const finding = analysis.check(sourcesOf(now)).findings.find((f) => f.fixes.length > 0);
    const offer = finding?.fixes[0];
    if (!finding || !offer) return { files: now, applied };
    const fix = analysis.applyFix(finding, offer.id);
    assert.ok(fix, `${describeFinding(finding)} offers ${offer.id} but gives no edits`);
    for (const edit of fix.edits) {
      const before = now[edit.file] ?? '';
      const after = applyEdits(before, edit.edits);
      assert.notEqual(after, before, `${offer.id} changes nothing in ${edit.file}`);
      now[edit.file] = after;
      const errors = analyse({ [edit.file]: after }, { rules: [] })
        .check([edit.file])
        .problems.filter((p) => p.code === 'syntax-error');
      assert.deepEqual(errors, [], `${offer.id} leaves a file that does not parse:\n${after}`);
    }
    applied++;
  }
  throw new Error('fixes do not come to an end');
}
