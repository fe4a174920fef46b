/** A half-open range of UTF-16 offsets in one file's text: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A place in a file as people read it: line and column from 1, column in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Maps offsets to lines; treats `\n`, `\r\n` and a lone `\r` as line ends. */
export class LineIndex {
  private constructor(private readonly starts: readonly number[]) {}

  static of(text: string): LineIndex {
    const starts = [0];
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === 10) starts.push(i + 1);
      else if (c === 13) {
        if (text.charCodeAt(i + 1) === 10) i++;
        starts.push(i + 1);
      }
    }
    return new LineIndex(starts);
  }

  /** Rebuilds an index from the line starts that `lineStarts` gave. */
  static fromStarts(starts: readonly number[]): LineIndex {
    return new LineIndex(starts);
  }

  get lineStarts(): readonly number[] {
    return this.starts;
  }

  get lineCount(): number {
    return this.starts.length;
  }

  positionAt(offset: number): Position {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if ((this.starts[mid] ?? 0) <= offset) low = mid;
      else high = mid - 1;
    }
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + 1 };
  }

  /** The offset of a position; out-of-range lines clamp to the nearest one. */
  offsetAt(position: Position): number {
    const line = Math.min(Math.max(position.line, 1), this.starts.length);
    return (this.starts[line - 1] ?? 0) + Math.max(position.column - 1, 0);
  }
}
