/** What the outer layers (lsp, cli, mcp) ask of the analysis. Owns the shapes only. */
import type { Problem } from '../base/problem.ts';
import type { Position } from '../base/span.ts';
import type { Confidence, Lens } from '../base/vocabulary.ts';
import type { Finding, Fix, FixOffer } from '../model/finding.ts';
import type { ConstantLookup } from '../tables/holdsWhile.ts';
import type { Removal } from '../proof/removals.ts';
import type { Row } from '../tables/schema.ts';
import type { Unit } from '../units/unit.ts';
import type { NeedlessCode } from './needlessGuards.ts';

/** Set by the caller; the analysis looks at it between files, functions and rules. */
export interface CancelToken {
  readonly cancelled: boolean;
}

export interface SuppressedFinding extends Finding {
  readonly reason: string;
  /** The row that accepts it; absent where a comment in the code does. */
  readonly acceptedBy?: string;
}

export interface CheckResult {
  readonly findings: readonly Finding[];
  /** Findings that a valid `sixlens-accept` comment or an accept row silences. */
  readonly suppressed: readonly SuppressedFinding[];
  readonly problems: readonly Problem[];
}

/** A mechanism that is present: it proposes a `handle` row. */
export interface Mechanism {
  readonly rule: string;
  readonly lens: Lens;
  readonly anchor: string;
  readonly failure: string;
  readonly how: string;
  readonly file: string;
  readonly start: Position;
}

/** What one lens saw in a unit when it has neither finding nor mechanism. */
export interface LensLook {
  readonly lens: Lens;
  /** What was looked at, for example `3 calls, none leaves the process`. */
  readonly lookedAt: string;
  /** Names of calls that could not be resolved; non-empty means the lens stays open. */
  readonly unresolved: readonly string[];
}

/** An undecided row that code cannot answer. */
export interface StandingQuestion {
  readonly id: string;
  readonly lens: Lens;
  readonly failure: string;
  readonly why: string;
}

/** Where a row's `at` is now, and the hash of its slice. */
export interface RowPlace {
  /** Starts with a letter. Stays the same under layout, comments and renamed locals. */
  readonly slice: string;
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
}

/** Asked row by row; nothing is computed before. */
export interface UnitSlices {
  /** Hash of the effects and inputs that the lens looks at; for rows of the whole unit and for conclusions of a lens. */
  lens(lens: Lens): string;
  /**
   * The place that `at` names; null when it names none. `seen` is the hash that was recorded: a call that has it under
   * another name is taken for the same call.
   */
  at(at: string, rule?: string, seen?: string): RowPlace | null;
}

/** Lines of a function that a unit runs, from 1, both inclusive. */
export interface CodeRange {
  readonly file: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** Everything the table of one unit is generated from. */
export interface UnitView {
  readonly unit: Unit;
  readonly domain: readonly string[];
  readonly findings: readonly Finding[];
  readonly mechanisms: readonly Mechanism[];
  readonly lenses: readonly LensLook[];
  readonly questions: readonly StandingQuestion[];
  /** Hash of the unit's normalised body and reach; starts with a letter. */
  readonly slice: string;
  /** Absent where the analysis knows no slices. */
  readonly slices?: UnitSlices;
  /** Constants in code, for the checks that accepts rest on; absent where the analysis knows none. */
  readonly constants?: ConstantLookup;
  /** Ways to take out what the row's `how` relies on, in the order to try them; empty when none is known. */
  removals?(row: Pick<Row, 'at' | 'rule' | 'how' | 'seen'>): readonly Removal[];
  /** Hash of the test that `path > title` names, the path relative to the root; null when there is no such file. */
  testHash?(test: string): string | null;
}

/** How long a call can take and what bounds it; `null` parts are unbounded, absent parts do not apply. */
export interface CallInfo {
  readonly label: string;
  readonly library: string;
  readonly version: string;
  readonly effect: string;
  readonly bounds: {
    readonly connect?: number | null;
    readonly acquire?: number | null;
    readonly headers?: number | null;
    readonly idle?: number | null;
    readonly total?: number | null;
  };
  readonly boundedBy: string | null;
  readonly retries: string | null;
  readonly transaction: string | null;
  readonly idempotencyKey: string | null;
  readonly confidence: Confidence;
  readonly start: Position;
  readonly end: Position;
}

/** Why a file or place shows nothing: one plain sentence each, most decisive first. */
export interface SilenceReason {
  readonly code: string;
  readonly text: string;
}

export interface CheckOptions {
  /** `file`: somebody asked for just these files; `folder`: for a folder that holds them. Absent: nobody did. */
  readonly named?: 'file' | 'folder';
  readonly progress?: (done: number, total: number) => void;
}

/** One analysed root folder. Paths are relative to the root with `/`. Safe to call in any order; never throws on bad source. */
export interface Analysis {
  readonly root: string;
  /** Replaces the text of an open document; `null` goes back to the disk's text. */
  setOverlay(file: string, text: string | null): void;
  /** Files changed, appeared or went away on disk (sources, manifests, tsconfig, config). */
  invalidate(files: readonly string[]): void;
  /**
   * Findings of these files (and only those); reads what they reach. Tests, browser code and the like give nothing
   * unless `named` says that somebody asked for them.
   */
  check(files: readonly string[], cancel?: CancelToken, options?: CheckOptions): CheckResult;
  /** Findings of every source file under the root. */
  checkAll(cancel?: CancelToken, progress?: (done: number, total: number) => void): CheckResult;
  units(files: readonly string[]): readonly Unit[];
  /** An exported async function at the offset that is no registered unit becomes one of kind `function`. */
  unitAt(file: string, offset: number): Unit | null;
  /** The unit that a table's `code` names: a registered one, else a function or `Class.method` of the file. */
  unitOf(file: string, symbol: string): Unit | null;
  view(unit: Unit): UnitView;
  /** Every unit of the project whose code passes through the place; looks through all modules that lead there. */
  reachedBy(file: string, offset: number): readonly Unit[];
  /** The files and all modules that lead to them by imports; reads texts and parses nothing. */
  leadingTo(files: readonly string[]): ReadonlySet<string>;
  /** The registration and every function that the unit runs; costs less than a view. */
  reachOf(unit: Unit): readonly CodeRange[];
  /** What a name stands for in a file, without running anything; `LIMITS.days` names a member. */
  constant(file: string, name: string): ReturnType<ConstantLookup>;
  /**
   * Code of a file that guards against what cannot be, and can be deleted. Loads a type checker where a guarantee is told by
   * a name alone, unless `shown` asks for what the code itself shows.
   */
  prunable(file: string, which?: 'shown'): readonly NeedlessCode[];
  fixesFor(finding: Finding): readonly FixOffer[];
  /** Edits of one fix, computed against the current text; null when it no longer applies. */
  applyFix(finding: Finding, fixId: string): Fix | null;
  callAt(file: string, offset: number): CallInfo | null;
  whySilent(file: string, offset?: number): readonly SilenceReason[];
  /** All source files under the root that would be analysed. */
  sourceFiles(): readonly string[];
  textOf(file: string): string | null;
}

/** What `rules --format json` and rule pages show of a rule. */
export interface RuleInfo {
  readonly id: string;
  readonly lens: Lens;
  readonly axis: string;
  readonly faultClass: string;
  readonly severity: string;
  readonly blocking: boolean;
  readonly stage: string;
  readonly since: string;
  readonly fixKind: string;
  readonly docs: {
    readonly what: string;
    readonly why: string;
    readonly remedy: string;
    readonly whenNot: string;
  };
  readonly examples: readonly {
    readonly title: string;
    readonly bad: string;
    readonly good: string;
    readonly fixed?: string;
  }[];
}

export type { Finding, Fix, FixOffer, Unit };
