/**
 * Owns composing edits: several sets of edits, each against the text that the one before left, become one set
 * against the original text. Untouched stretches of the original stay untouched in the result.
 */
import type { TextEdit } from '../base/textEdit.ts';
import { applyEdits } from '../base/textEdit.ts';

type Piece = { readonly from: number; readonly to: number } | { readonly added: string };

const lengthOf = (piece: Piece): number => ('added' in piece ? piece.added.length : piece.to - piece.from);

export class PieceText {
  private pieces: Piece[];
  private now: string;

  constructor(private readonly original: string) {
    this.now = original;
    this.pieces = [{ from: 0, to: original.length }];
  }

  /** The text with all edits so far. */
  get text(): string {
    return this.now;
  }

  /** Applies edits against the current text. Throws a RangeError when they overlap or lie outside. */
  apply(edits: readonly TextEdit[]): void {
    const next = applyEdits(this.now, edits);
    const sorted = edits
      .map((edit, order) => ({ edit, order }))
      .sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end || a.order - b.order)
      .map(({ edit }) => edit);
    const result: Piece[] = [];
    let at = 0;
    for (const edit of sorted) {
      result.push(...this.slice(at, edit.start));
      if (edit.newText !== '') result.push({ added: edit.newText });
      at = edit.end;
    }
    result.push(...this.slice(at, this.now.length));
    this.pieces = result;
    this.now = next;
  }

  /** One set of edits that takes the original text to the current one. */
  edits(): TextEdit[] {
    const edits: TextEdit[] = [];
    let at = 0;
    let added = '';
    const flush = (until: number): void => {
      if (until > at || added !== '') edits.push({ start: at, end: until, newText: added });
      added = '';
    };
    for (const piece of this.pieces) {
      if ('added' in piece) added += piece.added;
      else {
        flush(piece.from);
        at = piece.to;
      }
    }
    flush(this.original.length);
    return edits.filter((edit) => this.original.slice(edit.start, edit.end) !== edit.newText);
  }

  private slice(from: number, to: number): Piece[] {
    const result: Piece[] = [];
    let at = 0;
    for (const piece of this.pieces) {
      const [start, end] = [Math.max(from, at), Math.min(to, at + lengthOf(piece))];
      if (start < end)
        result.push(
          'added' in piece
            ? { added: piece.added.slice(start - at, end - at) }
            : { from: piece.from + start - at, to: piece.from + end - at },
        );
      at += lengthOf(piece);
    }
    return result;
  }
}
