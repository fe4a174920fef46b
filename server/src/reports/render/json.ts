/** The check and the units as JSON for other programs. Owns which fields are public; `cli/schemas.ts` validates them. */
import type { Problem } from '../../base/problem.ts';
import type { Position } from '../../base/span.ts';
import type { Axis, FaultClass, Lens, Severity, UnitKind } from '../../base/vocabulary.ts';
import type { Finding, FindingRow, PathStep } from '../../model/finding.ts';
import type { Unit } from '../../units/unit.ts';
import { compareFindings, type CheckReport } from './report.ts';

/** Lines and columns from 1, columns in UTF-16 units, `end` exclusive; files relative to the root, with `/`. */
export interface JsonFinding {
  readonly rule: string;
  readonly lens: Lens;
  readonly axis: Axis;
  readonly faultClass: FaultClass;
  readonly severity: Severity;
  readonly blocking: boolean;
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
  readonly message: string;
  readonly trigger: string;
  readonly scenario: string;
  readonly detection: string;
  readonly fix: string;
  /** Id of the unit it is shown under; null outside every unit. */
  readonly unit: string | null;
  /** The calls from the unit to the place. */
  readonly path: readonly PathStep[];
  /** The row of a table that speaks for it: `hint` where somebody is told when it happens, `note` otherwise. */
  readonly row: FindingRow | null;
}

export interface JsonSuppressed extends JsonFinding {
  readonly reason: string;
  /** The row that accepts it; null where a comment in the code does. */
  readonly acceptedBy: string | null;
}

export interface JsonCheck {
  readonly version: string;
  readonly findings: readonly JsonFinding[];
  readonly suppressed: readonly JsonSuppressed[];
  readonly problems: readonly Problem[];
}

export interface JsonUnit {
  readonly id: string;
  readonly kind: UnitKind;
  readonly name: string;
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
  readonly route: string | null;
}

export function checkToJson(report: CheckReport): JsonCheck {
  return {
    version: report.version,
    findings: [...report.findings].sort(compareFindings).map(publicFinding),
    suppressed: [...report.suppressed].sort(compareFindings).map((finding) => ({
      ...publicFinding(finding),
      reason: finding.reason,
      acceptedBy: finding.acceptedBy ?? null,
    })),
    problems: report.problems.map((problem) => ({
      code: problem.code,
      message: problem.message,
      severity: problem.severity,
      ...(problem.file === undefined ? {} : { file: problem.file }),
      ...(problem.start ? { start: position(problem.start) } : {}),
      ...(problem.end ? { end: position(problem.end) } : {}),
    })),
  };
}

export function unitsToJson(units: readonly Unit[]): { readonly units: readonly JsonUnit[] } {
  return {
    units: units.map((unit) => ({
      id: unit.id,
      kind: unit.kind,
      name: unit.name,
      file: unit.file,
      start: position(unit.start),
      end: position(unit.end),
      route: unit.route,
    })),
  };
}

/** Picks field by field: what the engine keeps beside them stays private. */
function publicFinding(finding: Finding): JsonFinding {
  return {
    rule: finding.rule,
    lens: finding.lens,
    axis: finding.axis,
    faultClass: finding.faultClass,
    severity: finding.severity,
    blocking: finding.blocking,
    file: finding.file,
    start: position(finding.start),
    end: position(finding.end),
    message: finding.message,
    trigger: finding.trigger,
    scenario: finding.scenario,
    detection: finding.detection,
    fix: finding.fix,
    unit: finding.units[0] ?? null,
    path: finding.path.map((step) => ({
      file: step.file,
      start: position(step.start),
      end: position(step.end),
      label: step.label,
    })),
    row: finding.row ? { id: finding.row.id, effect: finding.row.effect, text: finding.row.text } : null,
  };
}

function position({ line, column }: Position): Position {
  return { line, column };
}
