/** The handled rows of a table as its text shows them. Owns a reading that is good enough to offer them; the command line reads properly. */

export interface HandledRow {
  readonly id: string;
  readonly failure: string;
  /** Lines of the row in the text, from 0; `end` is the line after it. */
  readonly start: number;
  readonly end: number;
}

export function handledRows(text: string): readonly HandledRow[] {
  const lines = text.split(/\r\n|\r|\n/);
  const starts = lines.flatMap((line, at) =>
    /^\s+["']?(?:bnd|inp|prt|cnc|res|clk)-[0-9a-z]{8}["']?\s*:/.test(line) ? [at] : [],
  );
  return starts.flatMap((start, i) => {
    const indent = indentOf(lines[start]!);
    const next = lines.findIndex((line, at) => at > start && line.trim() !== '' && indentOf(line) <= indent);
    const end = Math.min(next < 0 ? lines.length : next, starts[i + 1] ?? lines.length);
    const own = lines.slice(start, end).join('\n');
    if (!/\bverdict\s*:\s*["']?handle\b/.test(own)) return [];
    const id = /(?:bnd|inp|prt|cnc|res|clk)-[0-9a-z]{8}/.exec(lines[start]!)![0];
    const failure = /\bfailure\s*:\s*(?:[>|][-+]?\s*)?["']?([^\n]+?)["']?\s*$/m.exec(own)?.[1] ?? '';
    return [{ id, failure, start, end }];
  });
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
