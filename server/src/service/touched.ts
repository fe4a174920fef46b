/** Which units a change touches. Owns the crossing of changed lines with what a unit runs. */
import type { GitChange } from '../host/git.ts';
import type { Analysis, CodeRange, Unit } from './contract.ts';

export class ChangedLines {
  private readonly byFile = new Map<string, GitChange>();

  constructor(changes: readonly GitChange[]) {
    for (const change of changes) if (!change.gone) this.byFile.set(change.file, change);
  }

  /** Whether any of the lines was changed or added. */
  has({ file, startLine, endLine }: CodeRange): boolean {
    const change = this.byFile.get(file);
    if (!change) return false;
    return (
      change.lines === null || change.lines.some(({ start, end }) => start <= endLine && startLine <= end)
    );
  }

  hasFile(file: string): boolean {
    return this.byFile.has(file);
  }

  /** Changed source files that are there now, sorted. */
  sources(): readonly string[] {
    return [...this.byFile.keys()]
      .filter((file) => /\.[cm]?[jt]sx?$/i.test(file) && !file.endsWith('.d.ts'))
      .sort();
  }
}

export function isTouched(analysis: Analysis, unit: Unit, changed: ChangedLines): boolean {
  return analysis.reachOf(unit).some((range) => changed.has(range));
}
