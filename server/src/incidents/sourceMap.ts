/** Reads source maps (version 3, plain or indexed) as far as a stack frame needs them. Owns the decoding; pure. */
import * as z from 'zod';

const plainMap = z.looseObject({
  version: z.literal(3),
  sources: z.array(z.nullable(z.string())),
  sourceRoot: z.nullish(z.string()),
  mappings: z.string(),
});
const indexMap = z.looseObject({
  version: z.literal(3),
  sections: z.array(
    z.looseObject({
      offset: z.looseObject({ line: z.number(), column: z.number() }),
      map: plainMap,
    }),
  ),
});

export interface Original {
  /** As the map names it, with its `sourceRoot` before it. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Where a place of generated code was written; null when the map is damaged or does not say. Line and column from 1. */
export function originalPlace(text: string, line: number, column: number): Original | null {
  let data: unknown;
  try {
    // Servers put this line before JSON that must not run as a script.
    data = JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, ''));
  } catch {
    return null;
  }
  const index = indexMap.safeParse(data);
  if (index.success) {
    const before = index.data.sections.findLast(
      ({ offset }) => offset.line < line - 1 || (offset.line === line - 1 && offset.column < column),
    );
    if (!before) return null;
    const { offset, map } = before;
    return inMap(map, line - offset.line, offset.line === line - 1 ? column - offset.column : column);
  }
  const plain = plainMap.safeParse(data);
  return plain.success ? inMap(plain.data, line, column) : null;
}

function inMap(map: z.infer<typeof plainMap>, line: number, column: number): Original | null {
  let source = 0;
  let originalLine = 0;
  let originalColumn = 0;
  let at: { source: number; line: number; column: number } | null = null;
  for (const [i, group] of map.mappings.split(';').entries()) {
    if (i > line - 1) break;
    let generated = 0;
    for (const segment of group === '' ? [] : group.split(',')) {
      const fields = decode(segment);
      if (!fields) return null;
      generated += fields[0] ?? 0;
      if (fields.length >= 4) {
        source += fields[1]!;
        originalLine += fields[2]!;
        originalColumn += fields[3]!;
      }
      if (i === line - 1 && generated <= column - 1)
        at = fields.length >= 4 ? { source, line: originalLine, column: originalColumn } : null;
    }
  }
  const name = at ? map.sources[at.source] : null;
  if (!at || name == null) return null;
  const root = map.sourceRoot ?? '';
  const joined = root === '' || /^(?:[a-z-]+:|\/)/i.test(name) ? name : `${root.replace(/\/$/, '')}/${name}`;
  return { source: joined, line: at.line + 1, column: at.column + 1 };
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function decode(segment: string): number[] | null {
  const out: number[] = [];
  let value = 0;
  let shift = 0;
  for (const letter of segment) {
    const digit = DIGITS.indexOf(letter);
    if (digit < 0 || shift > 30) return null;
    value += (digit & 31) * 2 ** shift;
    if (digit & 32) {
      shift += 5;
      continue;
    }
    const size = Math.floor(value / 2);
    out.push(value % 2 === 1 ? -size : size);
    value = 0;
    shift = 0;
  }
  return shift === 0 ? out : null;
}
