/**
 * Owns reading a table file: text in, table and problems out, each problem at its line and column.
 * Never throws and never changes the text. A file with an error gives no table: it decides nothing.
 */
import { type Document, isMap } from 'yaml';
import type { Problem } from '../base/problem.ts';
import { findSpot, pairOf, spanOf } from './nodeLookup.ts';
import { placeProblems } from './placeProblems.ts';
import { TABLE_FORMAT, type Table, tableSchema } from './schema.ts';
import { reportIssue, show } from './schemaProblem.ts';
import { missingFields } from './states.ts';
import { unknownKeys } from './unknownKeys.ts';
import { MAX_PROBLEMS, type SourceProblem, parseYamlSource } from './yamlSource.ts';

export interface TableReading {
  /** Null when a problem of severity error was found. */
  readonly table: Table | null;
  /** The YAML document with positions; null when the text is no YAML. */
  readonly doc: Document | null;
  readonly problems: readonly Problem[];
}

/** Reads the text of a table file. `file` is only named in the problems. */
export function readTable(text: string, file?: string): TableReading {
  const source = parseYamlSource(text);
  const found: SourceProblem[] = [...source.problems];
  let table: Table | null = null;
  if (source.doc) {
    try {
      table = check(source.doc, source.data, found, text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      found.push({
        code: 'table-unreadable',
        message: `the table cannot be read: ${reason}`,
        start: 0,
        end: 0,
        severity: 'error',
      });
    }
  }
  const broken = found.some((problem) => problem.severity === 'error');
  return { table: broken ? null : table, doc: source.doc, problems: placeProblems(found, text, file) };
}

/** The format problem of a document that another version wrote, or null. Position: the value of `sixlens`. */
export function formatProblem(doc: Document, data: unknown): SourceProblem | null {
  if (!isMap(doc.contents)) return null;
  const pair = pairOf(doc.contents, 'sixlens');
  if (!pair) return null;
  const value = (data as Record<string, unknown>)['sixlens'];
  if (value === TABLE_FORMAT) return null;
  const span = spanOf(pair, true);
  if (typeof value === 'number' && value > TABLE_FORMAT)
    return {
      code: 'table-newer',
      message: `a newer Sixlens wrote this table (format ${value}); this one knows format ${TABLE_FORMAT}. Update Sixlens to read it`,
      ...span,
      severity: 'error',
    };
  return {
    code: 'table-format',
    message: `sixlens: ${TABLE_FORMAT} is the only format there is, found ${show(value)}`,
    ...span,
    severity: 'error',
  };
}

function check(doc: Document, data: unknown, found: SourceProblem[], text: string): Table | null {
  const root = doc.contents;
  if (!isMap(root)) {
    const empty = data === null || data === undefined;
    const message = empty
      ? 'the file is empty; a table starts with "sixlens: 1"'
      : 'a table is a map that starts with "sixlens: 1"';
    const range = empty ? undefined : root?.range;
    found.push({
      code: 'table-shape',
      message,
      start: range?.[0] ?? 0,
      end: range?.[1] ?? text.length,
      severity: 'error',
    });
    return null;
  }
  const format = formatProblem(doc, data);
  if (format) {
    found.push(format);
    if (format.code === 'table-newer') return null;
  }
  unknownKeys(doc, root, found);
  const result = tableSchema.safeParse(data);
  if (!result.success) {
    for (const issue of result.error.issues.slice(0, MAX_PROBLEMS)) reportIssue(doc, data, issue, [], found);
    return null;
  }
  for (const [id, row] of Object.entries(result.data.rows)) {
    const missing = row.retired ? [] : missingFields(row);
    if (missing.length === 0) continue;
    const spot = findSpot(doc, ['rows', id, 'verdict']) ?? findSpot(doc, ['rows', id]);
    found.push({
      code: 'table-row-incomplete',
      message: `${row.verdict} still needs ${missing.join(', ')}`,
      ...spanOf(spot?.pair, spot?.path.length === 3),
      severity: 'warning',
    });
  }
  return result.data;
}
