/** Owns the order of keys and the block or flow style of each place in a table file, for every writer. */
import { LENSES } from '../base/vocabulary.ts';
import { compareRowIds } from './rowId.ts';
import { LENS_FIELDS, ROW_FIELDS, SEEN_FIELDS, TABLE_FIELDS } from './schema.ts';

/** Keys from the top of the file: `['rows', 'clk-z3c5w9tn', 'verdict']`. */
export type FieldPath = readonly string[];

/** The known order of keys of the map at `path`; null where there is none. */
function keyOrder(path: FieldPath): readonly string[] | null {
  if (path.length === 0) return TABLE_FIELDS;
  const last = path[path.length - 1];
  if (last === 'seen') return SEEN_FIELDS;
  if (last === 'retired') return ['date', 'why'];
  if (path.length === 1) return last === 'code' ? ['file', 'symbol'] : last === 'lenses' ? LENSES : null;
  if (path.length === 2) return path[0] === 'rows' ? ROW_FIELDS : path[0] === 'lenses' ? LENS_FIELDS : null;
  return null;
}

/** Compares two keys of the map at `path`; null when one of them has no place of its own. */
export function compareKeys(path: FieldPath, a: string, b: string): number | null {
  if (path.length === 1 && path[0] === 'rows') return compareRowIds(a, b);
  const order = keyOrder(path);
  if (!order) return null;
  const [at, bt] = [order.indexOf(a), order.indexOf(b)];
  return at < 0 || bt < 0 ? null : at - bt;
}

/** Entries in file order: known keys first, then the rest as given; undefined values left out. */
export function sortedEntries(path: FieldPath, map: Readonly<Record<string, unknown>>): [string, unknown][] {
  const entries = Object.entries(map).filter(([, value]) => value !== undefined);
  if (path.length === 1 && path[0] === 'rows') return entries.sort(([a], [b]) => compareRowIds(a, b));
  const order = keyOrder(path) ?? [];
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  return entries.sort(([a], [b]) => rank(a) - rank(b));
}

/** Maps that are written as a block; all others go on one line. */
export function isBlockMap(path: FieldPath): boolean {
  return path.length === 0 || (path.length <= 2 && (path[0] === 'rows' || path[0] === 'lenses'));
}

/** Lists that are written one item a line. */
export function isBlockList(path: FieldPath): boolean {
  return path.length === 1 && path[0] === 'pruned';
}

/** Keys of the map at `path` that a blank line sets apart. */
export function isSetApart(path: FieldPath, key: string): boolean {
  if (path.length === 0) return key === 'rows' || key === 'lenses' || key === 'pruned';
  return path.length === 1 && path[0] === 'rows';
}
