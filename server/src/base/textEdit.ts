import type { Span } from './span.ts';

/** Replaces the text of `span` by `newText`. Edits of one set refer to the same original text and do not overlap. */
export interface TextEdit extends Span {
  readonly newText: string;
}

/** Edits to one file; `file` is relative to the analysed root, with `/`. */
export interface FileEdit {
  readonly file: string;
  readonly edits: readonly TextEdit[];
}

/** Applies non-overlapping edits. Throws a RangeError when two overlap or one lies outside the text. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const sorted = edits
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end || a.order - b.order);
  let result = '';
  let at = 0;
  for (const { edit } of sorted) {
    if (edit.start < at || edit.end < edit.start || edit.end > text.length)
      throw new RangeError(`edit ${edit.start}-${edit.end} overlaps another or lies outside the text`);
    result += text.slice(at, edit.start) + edit.newText;
    at = edit.end;
  }
  return result + text.slice(at);
}
