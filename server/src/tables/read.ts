/**
 * Owns reading a table file: text in, table and problems out, each problem at its line and column.
 * Never throws and never changes the text. A file with an error gives no table: it decides nothing.
 */
import { type Document, type Node, type Pair, isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { z } from 'zod';
import type { Problem } from '../base/problem.ts';
import { LineIndex } from '../base/span.ts';
import { LENSES } from '../base/vocabulary.ts';
import { ROW_ID } from './rowId.ts';
import {
  LENS_FIELDS,
  ROW_FIELDS,
  SEEN_FIELDS,
  TABLE_FIELDS,
  TABLE_FORMAT,
  type Table,
  tableSchema,
} from './schema.ts';
import { missingFields } from './states.ts';
import { MAX_PROBLEMS, type SourceProblem, parseYamlSource } from './yamlSource.ts';

export interface TableReading {
  /** Null when a problem of severity error was found. */
  readonly table: Table | null;
  /** The YAML document with positions; null when the text is no YAML. */
  readonly doc: Document | null;
  readonly problems: readonly Problem[];
}

type Path = readonly (string | number)[];

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
  return { table: broken ? null : table, doc: source.doc, problems: place(found, text, file) };
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
    const spot = find(doc, ['rows', id, 'verdict']) ?? find(doc, ['rows', id]);
    found.push({
      code: 'table-row-incomplete',
      message: `${row.verdict} still needs ${missing.join(', ')}`,
      ...spanOf(spot?.pair, spot?.path.length === 3),
      severity: 'warning',
    });
  }
  return result.data;
}

type Issue = z.core.$ZodIssue;

function reportIssue(doc: Document, data: unknown, issue: Issue, base: Path, found: SourceProblem[]): void {
  const path: Path = [...base, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
  if (path.length === 1 && path[0] === 'sixlens' && found.some((problem) => problem.code === 'table-format'))
    return;
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branch = issue.errors.find((issues) => issues.some((inner) => inner.path.length > 0));
    if (branch && Array.isArray(valueAt(data, path))) {
      for (const inner of branch) reportIssue(doc, data, inner, path, found);
      return;
    }
  }
  const value = valueAt(data, path);
  const name = path.length === 0 ? 'the table' : String(path[path.length - 1]);
  const spot = find(doc, path);
  const exact = spot !== null && spot.path.length === path.length;
  if (issue.code === 'invalid_key' || (path.length === 2 && path[0] === 'rows' && !ROW_ID.test(name))) {
    // The key check below names these, once and at the key.
    return;
  }
  const missing = value === undefined && !exact;
  const message = missing ? `"${name}" is missing` : `"${name}": ${wrong(issue, value)}`;
  const span = spot?.node && !spot.pair ? nodeSpan(spot.node) : spanOf(spot?.pair, exact);
  found.push({
    code: missing ? 'table-missing-field' : codeOf(issue, name),
    message,
    ...span,
    severity: 'error',
  });
}

function codeOf(issue: Issue, name: string): string {
  if (name === 'verdict' && issue.code === 'invalid_value') return 'table-unknown-verdict';
  return issue.code === 'invalid_type' ? 'table-wrong-type' : 'table-wrong-value';
}

function wrong(issue: Issue, value: unknown): string {
  if (value === null) return 'nothing is written here; give a value or take the key out';
  switch (issue.code) {
    case 'invalid_type': {
      const expected = TYPE_NAMES[issue.expected] ?? issue.expected;
      const hint = issue.expected === 'string' && typeof value !== 'object' ? `; write it in quotes` : '';
      return `expected ${expected}, found ${show(value)}${hint}`;
    }
    case 'invalid_value':
      return `${show(value)} is none of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return 'discriminator' in issue && issue.discriminator
        ? `needs "${String(issue.discriminator)}: none" or "open"`
        : `expected a list of texts, or the text "nothing to prune", found ${show(value)}`;
    case 'too_small':
      return 'must not be empty';
    default:
      return issue.message;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return value instanceof Date ? 'a date' : 'a map';
  if (typeof value !== 'string')
    return `the ${typeof value === 'boolean' ? 'truth value' : 'number'} ${String(value)}`;
  return `"${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`;
}

/** Notes for keys that this version does not know, errors for keys of `rows` that are no row id. */
function unknownKeys(doc: Document, root: Node, found: SourceProblem[]): void {
  const note = (map: unknown, known: readonly string[], where: string): void => {
    const node = isAlias(map) ? map.resolve(doc) : map;
    if (!isMap(node)) return;
    for (const pair of node.items) {
      const key = keyOf(pair);
      if (key === null || known.includes(key) || found.length >= MAX_PROBLEMS) continue;
      const meant = nearest(key, known);
      found.push({
        code: 'table-unknown-key',
        message: `"${key}" is no key of ${where}${meant ? `; did you mean "${meant}"? It` : ', and'} is kept as it is`,
        ...keySpan(pair),
        severity: 'note',
      });
    }
  };
  note(root, TABLE_FIELDS, 'a table');
  const child = (map: unknown, key: string): unknown => {
    const node = isAlias(map) ? map.resolve(doc) : map;
    return isMap(node) ? (pairOf(node, key)?.value ?? null) : null;
  };
  note(child(root, 'code'), ['file', 'symbol'], 'code');
  const rows = child(root, 'rows');
  let badIds = 0;
  if (isMap(rows))
    for (const pair of rows.items) {
      const key = keyOf(pair) ?? '';
      if (!ROW_ID.test(key) && badIds++ < MAX_PROBLEMS)
        found.push({
          code: 'table-row-id',
          message: `"${key}" is no row id: a lens prefix (bnd, inp, prt, cnc, res or clk), a dash and 8 letters or digits`,
          ...keySpan(pair),
          severity: 'error',
        });
      note(pair.value, ROW_FIELDS, 'a row');
      note(child(pair.value, 'seen'), SEEN_FIELDS, 'seen');
      note(child(pair.value, 'retired'), ['date', 'why'], 'retired');
    }
  const lenses = child(root, 'lenses');
  note(lenses, LENSES, 'lenses');
  for (const lens of LENSES) {
    note(child(lenses, lens), LENS_FIELDS, 'a lens');
    note(child(child(lenses, lens), 'seen'), SEEN_FIELDS, 'seen');
  }
}

function nearest(key: string, known: readonly string[]): string | null {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const exact = known.find((name) => plain(name) === plain(key));
  if (exact) return exact;
  return (
    known.find(
      (name) => name.length > 3 && Math.abs(name.length - key.length) <= 1 && oneEditApart(name, key),
    ) ?? null
  );
}

function oneEditApart(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const [restA, restB] = [a.length - start - end, b.length - start - end];
  return (
    (restA <= 1 && restB <= 1) ||
    (restA === 2 && restB === 2 && a[start] === b[start + 1] && a[start + 1] === b[start])
  );
}

interface Spot {
  /** How far the path could be followed. */
  readonly path: Path;
  /** The innermost pair on the way; absent in a list or at the top. */
  readonly pair: Pair | undefined;
  readonly node: Node | null;
}

/** The deepest place on the path that is in the document. */
function find(doc: Document, path: Path): Spot | null {
  let node: unknown = doc.contents;
  let pair: Pair | undefined;
  let depth = 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(doc);
    if (isMap(node)) {
      const next = pairOf(node, String(step));
      if (!next) break;
      pair = next;
      node = next.value;
    } else if (isSeq(node) && typeof step === 'number' && node.items[step] !== undefined) {
      node = node.items[step];
      pair = undefined;
    } else break;
    depth++;
  }
  return { path: path.slice(0, depth), pair, node: (node as Node | null) ?? null };
}

function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

function keyOf(pair: Pair): string | null {
  return isScalar(pair.key) ? String(pair.key.value) : null;
}

function pairOf(map: { items: Pair[] }, key: string): Pair | undefined {
  return map.items.find((pair) => keyOf(pair) === key);
}

function nodeSpan(node: unknown): { start: number; end: number } {
  const range = (node as Node | null)?.range;
  return { start: range?.[0] ?? 0, end: range?.[1] ?? 0 };
}

function keySpan(pair: Pair): { start: number; end: number } {
  return nodeSpan(pair.key);
}

/** The value of a pair when asked for and written; else its key; else the start of the file. */
function spanOf(pair: Pair | undefined, value: boolean): { start: number; end: number } {
  if (!pair) return { start: 0, end: 0 };
  if (value) {
    const span = nodeSpan(pair.value);
    if (span.end > span.start) return span;
  }
  return keySpan(pair);
}

function place(found: readonly SourceProblem[], text: string, file: string | undefined): Problem[] {
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
