/** Owns turning offsets of problems into lines and columns, in the order of the text. */
import type { Problem } from '../base/problem.ts';
import { LineIndex } from '../base/span.ts';
import type { SourceProblem } from './yamlSource.ts';

export function placeProblems(
  found: readonly SourceProblem[],
  text: string,
  file: string | undefined,
): Problem[] {
  if (found.length === 0) return [];
  const lines = LineIndex.of(text);
  return [...found]
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map((problem) => ({
      code: problem.code,
      message: problem.message,
      ...(file === undefined ? {} : { file }),
      start: lines.positionAt(Math.min(problem.start, text.length)),
      end: lines.positionAt(Math.min(Math.max(problem.end, problem.start), text.length)),
      severity: problem.severity,
    }));
}
