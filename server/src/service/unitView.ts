/** Gathers what the table of one unit is made from. Owns attribution of findings to the unit and the slice hash. */
import { hashText } from '../base/hash.ts';
import type { Finding } from '../model/finding.ts';
import type { Model } from '../model/model.ts';
import { NormalForm } from '../model/normalForm.ts';
import { removalsAt } from '../proof/removals.ts';
import { hashOfTest } from '../proof/testCode.ts';
import { parseTestName } from '../proof/testName.ts';
import type { UnitRef } from '../units/discover.ts';
import type { UnitView } from './contract.ts';
import { domainsOf } from './domains.ts';
import { lensLooks } from './lensLooks.ts';
import { mechanismsOf } from './mechanisms.ts';
import { questionsFor } from './questions.ts';
import { spotsOf } from './rowSpots.ts';
import { slicesOf } from './unitSlices.ts';

export function viewUnit(model: Model, ref: UnitRef, findings: readonly Finding[]): UnitView {
  const reach = model.reach(ref.file, ref.fn);
  const functions = new Map<string, Set<number>>();
  const note = (path: string, fn: number): void => {
    const set = functions.get(path) ?? new Set<number>();
    set.add(fn);
    functions.set(path, set);
  };
  for (const f of model.within(ref.file, ref.fn)) note(ref.file.path, f.id);
  for (const { site } of reach)
    for (const f of model.within(site.file, model.outermost(site.file, site.fn))) note(site.file.path, f.id);
  const own = findings.filter((f) => {
    const file = model.values.project.file(f.file);
    return file !== null && functions.get(f.file)?.has(file.index.innermost(f.startOffset)) === true;
  });
  const fact = ref.file.facts.functions[ref.fn];
  const body = fact ? new NormalForm().stmts(ref.file, fact.body) : '';
  const mechanisms = mechanismsOf(model, reach);
  const slices = slicesOf(model, ref, reach, own);
  return {
    unit: ref.unit,
    domain: domainsOf(ref, reach),
    findings: own,
    mechanisms,
    lenses: lensLooks(reach),
    questions: questionsFor(ref, reach),
    slice: `s${hashText(body)}`,
    slices,
    removals(row) {
      const place = row.at === undefined ? null : slices.at(row.at, row.rule, row.seen?.code);
      const wish = { rule: row.rule ?? null, how: row.how ?? null };
      return removalsAt(spotsOf(model, ref, row, place), wish);
    },
    testHash(test) {
      const name = parseTestName(test);
      const file = name && model.values.project.file(name.file);
      return name && file ? hashOfTest(file, name.title) : null;
    },
  };
}
