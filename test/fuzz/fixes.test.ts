/** Every fix that is offered anywhere: the text still parses, the finding is gone, and asking again changes nothing. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { applyEdits } from '../../server/src/base/textEdit.ts';
import type { Rule } from '../../server/src/rules/_kit/rule.ts';
import { ruleModules } from '../../server/src/rules/registry.generated.ts';
import type { Analysis, Finding, FixOffer } from '../../server/src/service/contract.ts';
import { analyse, sourcesOf } from '../support/fixture.ts';
import { allProjects, type SeedProject } from '../support/seedProjects.ts';
import { fuzzRuns } from '../support/fuzzRuns.ts';

const runs = fuzzRuns(30);

interface Place {
  readonly project: SeedProject;
  readonly finding: Finding;
  readonly offer: FixOffer;
}

const projects = allProjects();

const ruleById = new Map<string, Rule>(ruleModules.map(({ rule }) => [rule.id, rule]));
/** Only the rule of the finding runs: what others say of the text is no matter here, and costs most of the time. */
function only(finding: Finding): { readonly rules: readonly Rule[] } {
  const rule = ruleById.get(finding.rule);
  assert.ok(rule);
  return { rules: [rule] };
}

function findingsOf(analysis: Analysis, files: Readonly<Record<string, string>>): readonly Finding[] {
  return analysis.check(sourcesOf(files)).findings;
}

const places = new Map<string, Place>();
for (const project of projects)
  for (const finding of findingsOf(analyse(project.files), project.files))
    for (const offer of finding.fixes)
      places.set(`${project.name} ${finding.file}:${finding.start.line} ${finding.rule} ${offer.id}`, {
        project,
        finding,
        offer,
      });

const syntaxErrors = (files: Readonly<Record<string, string>>): number =>
  analyse(files, { rules: [] })
    .check(sourcesOf(files))
    .problems.filter((p) => p.code === 'syntax-error').length;

/** Applies one fix and checks what must hold of it; gives back the fixed files, or null when the fix withdraws. */
function checkFix(
  files: Readonly<Record<string, string>>,
  finding: Finding,
  offer: FixOffer,
): Readonly<Record<string, string>> | null {
  const own = only(finding);
  const analysis = analyse(files, own);
  const fix = analysis.applyFix(finding, offer.id);
  if (!fix) return null;
  const now: Record<string, string> = { ...files };
  for (const { file, edits } of fix.edits) {
    const sorted = [...edits].sort((a, b) => a.start - b.start);
    for (const [i, e] of sorted.entries()) {
      assert.ok(e.start <= e.end && e.end <= (now[file] ?? '').length, 'an edit outside of the text');
      const next = sorted[i + 1];
      assert.ok(!next || e.end <= next.start, 'edits overlap');
    }
    now[file] = applyEdits(now[file] ?? '', edits);
    assert.notEqual(now[file], files[file], 'nothing changes');
    if ((files[file] ?? '').includes('\r\n') && !/(?<!\r)\n/.test(files[file] ?? ''))
      assert.ok(!/(?<!\r)\n/.test(now[file] ?? ''), `a bare line feed in a CRLF file:\n${now[file]}`);
  }
  assert.ok(
    syntaxErrors(now) <= syntaxErrors(files),
    `does not parse any more:\n${Object.values(now).join('\n')}`,
  );
  const before = findingsOf(analyse(files, own), files);
  const after = findingsOf(analyse(now, own), now);
  assert.ok(
    after.length < before.length,
    `still reported:\n${after.map((f) => `${f.file}:${f.start.line} ${f.anchor}`).join('\n')}\n${now[finding.file]}`,
  );
  const again = analyse(now, own).applyFix(finding, offer.id);
  if (again)
    for (const { file, edits } of again.edits) {
      // Only another finding at the same place may still offer it.
      const others = after.filter((f) => f.file === file && f.start.line === finding.start.line);
      assert.ok(others.length > 0 || edits.length === 0, 'the fix applies twice');
    }
  return now;
}

describe('fixes', function () {
  this.timeout(0);

  it('there are some', () => assert.ok(places.size > 0));

  for (const [name, { project, finding, offer }] of places)
    it(name, () => assert.ok(checkFix(project.files, finding, offer), 'offered, but gives no edits'));

  it('hold in texts that are laid out in another way', () => {
    const layouts: readonly ((text: string) => string)[] = [
      (text) => text.replace(/\r?\n/g, '\r\n'),
      (text) => text.replace(/^ +/gm, (m) => '\t'.repeat(Math.ceil(m.length / 2))),
      (text) => text.replace(/, \{/g, ',\n      {'),
      (text) => text.replace(/;$/gm, ''),
      (text) => `#!/usr/bin/env node\n${text}`,
      (text) => `'use strict';\n\n${text}`,
      (text) => text.trimEnd(),
      (text) => text.replace(/\(/g, '( ').replace(/\)/g, ' )'),
      (text) => text.replace(/await /g, 'await /* now */ '),
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...places.keys()),
        fc.uniqueArray(fc.nat({ max: layouts.length - 1 }), { minLength: 1, maxLength: 2 }),
        fc.nat(),
        (name, chosen, pick) => {
          const project = places.get(name)?.project;
          assert.ok(project);
          const files = Object.fromEntries(
            Object.entries(project.files).map(([file, text]) => [
              file,
              sourcesOf({ [file]: text }).length > 0
                ? chosen.reduce((out, i) => layouts[i]?.(out) ?? out, text)
                : text,
            ]),
          );
          if (syntaxErrors(files) > 0) return;
          const found = findingsOf(analyse(files), files).filter((f) => f.fixes.length > 0);
          const finding = found[pick % Math.max(found.length, 1)];
          const offered = finding?.fixes[pick % finding.fixes.length];
          if (finding && offered) checkFix(files, finding, offered);
        },
      ),
      { numRuns: runs },
    );
  });
});
