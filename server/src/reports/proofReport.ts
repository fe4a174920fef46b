/** What proving rows showed, as plain data. Owns the shape that text and JSON are made from, and what the whole adds up to. */

export interface ProofRun {
  readonly command: string;
  readonly exit: number;
  readonly ms: number;
}

export interface ProofRed extends ProofRun {
  readonly how: 'mechanism-removed' | 'before-change';
  /** What was taken out: `the time limit`. */
  readonly without: string;
  readonly assertion: string;
}

export interface RowResult {
  readonly row: string;
  readonly failure: string;
  readonly unit: string;
  /** Path of the table. */
  readonly table: string;
  /** The row's `test`; empty where it names none. */
  readonly test: string;
  readonly outcome: 'proven' | 'decoration' | 'not-proven' | 'could-not-run';
  /** Empty when proven. */
  readonly why: string;
  readonly runner: string | null;
  readonly red: ProofRed | null;
  readonly green: ProofRun | null;
  readonly suite: ProofRun | null;
  /** Path of the evidence that was written; null when none was. */
  readonly evidence: string | null;
}

/** A row that is shown to lack its proof weighs more than one that could not be tried. */
export function worstOf(results: readonly RowResult[]): 'proven' | 'not-proven' | 'could-not-run' {
  const has = (...outcomes: RowResult['outcome'][]): boolean =>
    results.some(({ outcome }) => outcomes.includes(outcome));
  return has('decoration', 'not-proven') ? 'not-proven' : has('could-not-run') ? 'could-not-run' : 'proven';
}
