/** Runs rules over one file. Owns isolation (a rule that throws is named once and left out) and the shaping of findings. */
import type { Problem } from '../base/problem.ts';
import type { Finding } from '../model/finding.ts';
import type { Model } from '../model/model.ts';
import { isUnreached } from '../model/liveness.ts';
import { isLooseScript, isToolPackage, placeOfPath } from '../model/place.ts';
import { SEVERITIES, type Severity } from '../base/vocabulary.ts';
import type { SourceFile } from '../model/project.ts';
import { dirOf } from '../resolve/paths.ts';
import type { FixDraft, Report, Rule, RuleContext } from '../rules/_kit/rule.ts';
import { calleeName, short } from '../rules/_kit/text.ts';
import { joinCauses } from './joinCauses.ts';
import type { UnitRef } from '../units/discover.ts';
import type { CancelToken } from './contract.ts';

/** A finding with what is needed to compute its fixes. */
export interface LiveFinding {
  readonly finding: Finding;
  readonly drafts: readonly FixDraft[];
}

export interface RunInput {
  readonly model: Model;
  readonly file: SourceFile;
  readonly rules: readonly Rule[];
  /** Asked for by the rules that need units; finding them costs more than most rules. */
  units(): readonly UnitRef[];
  unitsReaching(fn: number): readonly UnitRef[];
  readonly cancel?: CancelToken;
  /** Rules that failed on this version of the file, by id: not run again. */
  readonly quarantined: Set<string>;
  problem(problem: Problem): void;
}

export function runRules(input: RunInput): LiveFinding[] {
  const { model, file } = input;
  const sites = model.sites.all(file);
  const out: LiveFinding[] = [];
  let byHand: boolean | null = null;
  for (const rule of input.rules) {
    if (input.cancel?.cancelled) return out;
    if (input.quarantined.has(rule.id)) continue;
    const found: LiveFinding[] = [];
    const causes = new Map<LiveFinding, object | string>();
    const ctx: RuleContext = {
      model,
      file,
      functions: file.facts.functions,
      sites,
      get units() {
        return input.units();
      },
      unitsReaching: input.unitsReaching,
      report: (report) => {
        if (inComponent(model, file, report.at.s)) return;
        const live = shape(input, rule, report, (byHand ??= isRunByHand(model, file)));
        if (report.cause !== undefined) causes.set(live, report.cause);
        found.push(live);
      },
    };
    try {
      rule.detect(ctx);
      out.push(...joinCauses(found, causes));
    } catch (error) {
      input.quarantined.add(rule.id);
      input.problem({
        code: 'rule-failed',
        message: `${rule.id} failed on this file and was left out: ${error instanceof Error ? error.message : String(error)}`,
        file: file.path,
        start: { line: 1, column: 1 },
        severity: 'error',
      });
    }
  }
  return out;
}

/**
 * Components and hooks run in browsers also where they share a file with server code (route modules). An async component
 * is a server component.
 */
function inComponent(model: Model, file: SourceFile, offset: number): boolean {
  if (!file.facts.jsx) return false;
  const fn = file.facts.functions[model.outermost(file, file.index.innermost(offset))];
  return fn !== undefined && !fn.async && /^(?:[A-Z]|use[A-Z])/.test(fn.name ?? '');
}

/**
 * What only a script or tool runs weighs two steps less: somebody is watching, and it is started again by hand. What
 * nothing leads to weighs least.
 */
function weigh(severity: Severity, file: SourceFile, fn: number, byHand: boolean): Severity {
  if (isUnreached(file, fn)) return 'low';
  return byHand ? (SEVERITIES[SEVERITIES.indexOf(severity) + 2] ?? 'low') : severity;
}

function isRunByHand(model: Model, file: SourceFile): boolean {
  if (placeOfPath(file.path) === 'script') return true;
  const manifest = model.project.modules.manifestOf(dirOf(file.path))?.json;
  return manifest !== undefined && (isLooseScript(file, manifest) || isToolPackage(manifest));
}

/**
 * The units that lead to a place, the nearest first. Handlers that are written side by side in one function lead only to
 * what is written in them.
 */
function unitsOf({ file, model, unitsReaching }: RunInput, fn: number): readonly UnitRef[] {
  const outer = model.outermost(file, fn);
  const all = unitsReaching(outer);
  const holds = (u: UnitRef, inner: number): boolean => {
    for (let at = inner; at > 0; at = file.facts.functions[at]?.parent ?? 0) if (u.fn === at) return true;
    return false;
  };
  const own = all.filter((u) => u.file === file && u.fn !== outer && holds(u, fn));
  if (own.length === 0) return all;
  const depth = (u: UnitRef): number => file.facts.functions[u.fn]?.s ?? 0;
  const beside = (u: UnitRef): boolean =>
    u.file === file && u.fn !== outer && model.outermost(file, u.fn) === outer;
  return [...own.sort((a, b) => depth(b) - depth(a)), ...all.filter((u) => !own.includes(u) && !beside(u))];
}

function shape(input: RunInput, rule: Rule, report: Report, byHand: boolean): LiveFinding {
  const { file } = input;
  const start = file.lines.positionAt(report.at.s);
  const end = file.lines.positionAt(report.at.e);
  const fn = file.index.innermost(report.at.s);
  const units = unitsOf(input, fn);
  const finding: Finding = {
    rule: rule.id,
    lens: rule.lens,
    axis: rule.axis,
    faultClass: rule.faultClass,
    severity: weigh(report.severity ?? rule.severity, file, fn, byHand),
    blocking: rule.blocking,
    confidence: report.confidence ?? 'shown',
    file: file.path,
    start,
    end,
    startOffset: report.at.s,
    endOffset: report.at.e,
    message: report.message,
    trigger: report.trigger,
    scenario: report.scenario,
    detection: report.detection,
    fix: report.fix,
    units: units.map((u) => u.unit.id),
    path: (report.path ?? []).map((site) => ({
      file: site.file.path,
      start: site.file.lines.positionAt(site.node.s),
      end: site.file.lines.positionAt(site.node.e),
      label: calleeName(site),
    })),
    fixes: (report.fixes ?? []).map(({ id, title, kind }) => ({ id, title, kind })),
    anchor: report.anchor ?? short(file.text.slice(report.at.s, report.at.e)),
  };
  return { finding, drafts: report.fixes ?? [] };
}
