/** What a rule is. Owns the contract between rules and the engine. */
import type { FileEdit } from '../../base/textEdit.ts';
import type { Axis, Confidence, FaultClass, FixKind, Lens, Severity, Stage } from '../../base/vocabulary.ts';
import type { FunctionFact } from '../../facts/ir.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import type { UnitRef } from '../../units/discover.ts';

export interface RuleDocs {
  /** What the rule reports, in one or two sentences. */
  readonly what: string;
  /** What happens in production when it is left. */
  readonly why: string;
  readonly remedy: string;
  /** When the pattern is right as it is. */
  readonly whenNot: string;
}

export interface Rule {
  readonly id: string;
  readonly lens: Lens;
  readonly axis: Axis;
  readonly faultClass: FaultClass;
  readonly severity: Severity;
  readonly blocking: boolean;
  readonly stage: Stage;
  readonly since: string;
  readonly docs: RuleDocs;
  /** Patterns of public incidents that show it, as the incident catalogue names them. */
  readonly incidents: readonly string[];
  readonly fixKind: FixKind;
  /** Looks at one file. Pure over the model; reports, never throws for odd code. */
  detect(ctx: RuleContext): void;
}

/** A worked example: the smallest test and the rule page's text. Files are TypeScript; `fixed` is what the fix makes of `bad`. */
export interface RuleExample {
  readonly title: string;
  readonly bad: string;
  readonly good: string;
  readonly fixed?: string;
}

export interface RuleContext {
  readonly model: Model;
  readonly file: SourceFile;
  /** Functions of the file; function 0 is the module body. */
  readonly functions: readonly FunctionFact[];
  /** Every call site of the file, in source order within each function. */
  readonly sites: readonly Site[];
  /** Units that are registered in this file, or whose handler is in it as far as that is known. */
  readonly units: readonly UnitRef[];
  /** Units that reach a function of this file, as far as the run has seen: registered in the files it looks at. */
  unitsReaching(fn: number): readonly UnitRef[];
  report(report: Report): void;
}

export interface FixDraft {
  /** Stable within the rule. */
  readonly id: string;
  readonly title: string;
  readonly kind: FixKind;
  /** Null when the edit turns out not to be possible. Called only when the fix is asked for. */
  edits(): readonly FileEdit[] | null;
}

export interface Report {
  /** The span that is underlined. */
  readonly at: { readonly s: number; readonly e: number };
  /** What happens in production, one sentence, no "should", no "might". */
  readonly message: string;
  /** The state in which it shows. */
  readonly trigger: string;
  /** at X / when Y / then Z, with numbers from the code only. */
  readonly scenario: string;
  /** How long until somebody knows, and why. */
  readonly detection: string;
  /** One sentence: what to do. */
  readonly fix: string;
  /** The callee or short code at the place (`stripe.charges.create`); default: the text of the span, shortened. */
  readonly anchor?: string;
  /** Default `shown`. */
  readonly confidence?: Confidence;
  /** Default the rule's own. */
  readonly severity?: Severity;
  /** What the gap lies in, a node or a key of the rule's own: places of one cause are one finding, the first of them. */
  readonly cause?: object | string;
  /** The calls that lead from a unit to the place. */
  readonly path?: readonly Site[];
  readonly fixes?: readonly FixDraft[];
}

export function defineRule(rule: Rule): Rule {
  return rule;
}
