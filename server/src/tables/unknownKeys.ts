/** Owns notes on keys that this version does not know, and errors for keys of `rows` that are no row id. */
import { type Document, type Node, isAlias, isMap } from 'yaml';
import { LENSES } from '../base/vocabulary.ts';
import { pairOf } from './nodeLookup.ts';
import { ROW_ID } from './rowId.ts';
import { LENS_FIELDS, ROW_FIELDS, SEEN_FIELDS, TABLE_FIELDS } from './schema.ts';
import { keyOf, rangeOf } from './yamlPlaces.ts';
import { MAX_PROBLEMS, type SourceProblem } from './yamlSource.ts';

/** Notes for keys that this version does not know, errors for keys of `rows` that are no row id. */
export function unknownKeys(doc: Document, root: Node, found: SourceProblem[]): void {
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
        ...rangeOf(pair.key),
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
          ...rangeOf(pair.key),
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
