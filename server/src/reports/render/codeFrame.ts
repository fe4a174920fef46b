/** One line of source with the found span marked below it. Pure. */
import type { Position } from '../../base/span.ts';
import { safeText, type Paint } from './terminal.ts';

const TAB = '  ';

export interface CodeFrameOptions {
  readonly paint: Paint;
  /** Columns for the code itself; longer lines are cut around the span. */
  readonly width: number;
  /** Columns for the line number, right aligned. */
  readonly gutter: number;
}

/** Two lines, or none when the text has no such line (it changed since the finding was made). */
export function codeFrame(
  lineText: string | undefined,
  start: Position,
  end: Position,
  { paint, width, gutter }: CodeFrameOptions,
): string[] {
  if (lineText === undefined) return [];
  const from = Math.min(start.column - 1, lineText.length);
  const to = Math.max(
    end.line > start.line ? lineText.trimEnd().length : Math.min(end.column - 1, lineText.length),
    from + 1,
  );
  const indent = /^\s*/.exec(lineText)![0].length;

  // Leading space goes first; only then is code cut.
  let left = Math.min(indent, from);
  let right = lineText.length;
  if (right - left > width) {
    if (to - left > width) left = Math.max(left, from - Math.floor(width / 4));
    right = Math.min(right, left + width);
  }
  const show = (text: string): string => safeText(text).replaceAll('\t', TAB);
  const before = (left > indent ? '…' : '') + show(lineText.slice(left, from));
  const marked = show(lineText.slice(from, Math.min(to, right)));
  const after =
    show(lineText.slice(Math.min(to, right), right)) + (right < lineText.trimEnd().length ? '…' : '');
  const number = String(start.line).padStart(gutter);
  return [
    `${paint(`${number} │`, 'dim')} ${before}${paint(marked, 'bold')}${after}`.trimEnd(),
    `${paint(`${' '.repeat(gutter)} │`, 'dim')} ${' '.repeat(before.length)}${paint('~'.repeat(Math.max(marked.length, 1)), 'red')}`,
  ];
}
