/** Answers "Why is nothing shown here?" in plain sentences, most decisive first. */
import type { Problem } from '../base/problem.ts';
import type { Preset } from '../base/vocabulary.ts';
import type { Model } from '../model/model.ts';
import type { Place } from '../model/place.ts';
import type { SourceFile } from '../model/project.ts';
import type { UnitRef } from '../units/discover.ts';
import type { CheckResult, SilenceReason } from './contract.ts';

export interface SilenceInput {
  readonly file: string;
  readonly source: SourceFile | null;
  readonly offset: number | null;
  readonly problems: readonly Problem[];
  readonly included: boolean;
  readonly place: Place | null;
  readonly preset: Preset;
  readonly model: Model;
  readonly findings: CheckResult | null;
  /** Findings before preset and suppression. */
  readonly hidden: number;
  readonly units: readonly UnitRef[];
}

const PLACES: Readonly<Record<Place, string>> = {
  server: '',
  browser: 'It looks like browser code, which is not judged.',
  test: 'It is a test or belongs to one; tests are not judged unless they are named.',
  example: 'It is an example or documentation; those are not judged unless they are named.',
  migration: 'It is a migration or seed; those are not judged unless they are named.',
  script: '',
  generated: 'It is generated code, which is not judged.',
  vendored: 'It is vendored or static content, which is not judged.',
  types: 'It holds declarations only.',
};

export function whySilent(input: SilenceInput): readonly SilenceReason[] {
  const out: SilenceReason[] = [];
  for (const p of input.problems) out.push({ code: p.code, text: p.message });
  if (!input.source) {
    if (out.length === 0)
      out.push({
        code: 'not-a-source',
        text: 'This is no TypeScript or JavaScript file that Sixlens can read.',
      });
    return out;
  }
  if (!input.included)
    out.push({
      code: 'excluded',
      text: 'The include, exclude or generated globs of .sixlens/config.yaml leave this file out.',
    });
  if (input.place && PLACES[input.place])
    out.push({ code: `place-${input.place}`, text: PLACES[input.place] });
  const errors = input.source.facts.syntaxErrors.length;
  if (errors > 0)
    out.push({
      code: 'syntax-errors',
      text: `The file has ${errors} syntax ${errors === 1 ? 'error' : 'errors'}; calls near them may not be seen.`,
    });
  const found = input.findings;
  if (found && found.suppressed.length > 0)
    out.push({
      code: 'accepted',
      text: `${found.suppressed.length} findings here are accepted with a reason.`,
    });
  if (found && input.hidden > found.findings.length + found.suppressed.length)
    out.push({
      code: 'preset',
      text: `${input.hidden - found.findings.length - found.suppressed.length} findings are below the preset "${input.preset}"; "strict" shows them.`,
    });
  const sites = input.model.sites.all(input.source);
  const effects = sites.filter((s) => s.effect);
  const unresolved = sites.filter((s) => s.target.k === 'unresolved');
  if (effects.length === 0)
    out.push({ code: 'no-effects', text: 'No call in this file leaves the process, as far as can be seen.' });
  else
    out.push({
      code: 'looked-at',
      text: `${effects.length} calls with effects were looked at; ${found && found.findings.length > 0 ? `${found.findings.length} findings are shown` : 'each has what it needs or cannot be judged'}.`,
    });
  if (unresolved.length > 0)
    out.push({
      code: 'unresolved',
      text: `${unresolved.length} calls could not be followed to a known library; about those Sixlens stays silent.`,
    });
  if (input.units.length === 0)
    out.push({ code: 'no-unit', text: 'No handler, job or consumer is registered in this file.' });
  return out;
}
