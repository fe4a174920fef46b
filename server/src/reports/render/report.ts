/** What every renderer of a check is given. Owns the shape only. */
import type { Problem } from '../../base/problem.ts';
import type { Finding } from '../../model/finding.ts';

export interface CheckReport {
  /** Version of the tool. */
  readonly version: string;
  readonly findings: readonly Finding[];
  /** With the reason, and the row that gives it where no comment in the code does. */
  readonly suppressed: readonly (Finding & { readonly reason: string; readonly acceptedBy?: string })[];
  readonly problems: readonly Problem[];
}

/** By file, then place, then rule: the same for every output, so that two runs can be compared as text. */
export function compareFindings(
  a: Pick<Finding, 'file' | 'start' | 'rule'>,
  b: Pick<Finding, 'file' | 'start' | 'rule'>,
): number {
  return (
    compareText(a.file, b.file) ||
    a.start.line - b.start.line ||
    a.start.column - b.start.column ||
    compareText(a.rule, b.rule)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
