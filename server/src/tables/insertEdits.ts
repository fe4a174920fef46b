/** Owns the edits that add a key to a map, at its sorted place. No line that is there changes. */
import type { Pair } from 'yaml';
import type { TextEdit } from '../base/textEdit.ts';
import { type Place, fieldStep, indentOf, joined, render, skipOwnComments } from './editPlace.ts';
import { compareKeys, isSetApart } from './fieldOrder.ts';
import { SharedValueError } from './sharedValues.ts';
import {
  columnOf,
  emptyValueAt,
  endsInKeptLines,
  eolOf,
  isFlow,
  keyOf,
  lineEnd,
  lineStart,
  nextLine,
  pairEnd,
  pairStart,
  rangeOf,
} from './yamlPlaces.ts';
import { flowText, keyText, pairLines } from './yamlText.ts';

export function insert(place: Place, key: string, value: unknown): TextEdit[] {
  const { text, map } = place;
  if (map.items.length === 0) {
    if (!place.flow || !isFlow(map)) throw new SharedValueError('there is no place for the first key');
    const { start } = rangeOf(map);
    return [
      {
        start: start + 1,
        end: start + 1,
        newText: ` ${keyText(key)}: ${flowText(value, [...place.path, key])} `,
      },
    ];
  }
  const before = predecessor(place, key);
  if (place.flow) {
    const pair = `${keyText(key)}: ${flowText(value, [...place.path, key])}`;
    if (before) {
      const at = pairEnd(text, before);
      return [{ start: at, end: at, newText: `, ${pair}` }];
    }
    const at = pairStart(map.items[0] as Pair);
    return [{ start: at, end: at, newText: `${pair}, ` }];
  }
  const eol = eolOf(text);
  const indent = indentOf(place);
  const context = { path: place.path, flow: false, indent, step: fieldStep(place) };
  const lines = pairLines(key, value, context);
  const endsLine = render(place, key, value).endsLine === true;
  const apart = isSetApart(place.path, key);
  if (!before) return insertFirst(place, lines, apart, eol);
  let at = lineEnd(text, pairEnd(text, before, true));
  if (apart) {
    const own = skipOwnComments(text, nextLine(text, at), indent);
    if (own > nextLine(text, at)) at = lineEnd(text, own - 1 - (text[own - 2] === '\r' ? 1 : 0));
  }
  const kept = endsInKeptLines(text, before.value);
  const follow = nextLine(text, at);
  const crowded =
    at < text.length && follow < text.length && text.slice(follow, lineEnd(text, follow)).trim() !== '';
  const newText =
    (apart && !kept ? eol : '') +
    joined(eol, lines) +
    (apart && crowded ? eol : '') +
    (endsLine && at >= text.length ? eol : '');
  return [{ start: at, end: at, newText }];
}

/** Before all other keys: under the line of the map's own key, above any comment that leads the first pair. */
function insertFirst(place: Place, lines: readonly string[], apart: boolean, eol: string): TextEdit[] {
  const { text, map, holder } = place;
  if (holder && lineStart(text, pairStart(map.items[0] as Pair)) > emptyValueAt(holder)) {
    const at = lineEnd(text, emptyValueAt(holder));
    return [{ start: at, end: at, newText: joined(eol, lines) + (apart ? eol : '') }];
  }
  const at = pairStart(map.items[0] as Pair);
  const pad = ' '.repeat(columnOf(text, at));
  return [
    { start: at, end: at, newText: lines.join(eol).slice(pad.length) + eol + (apart ? eol : '') + pad },
  ];
}

/** The pair that a new key goes behind; null for the first place. */
function predecessor(place: Place, key: string): Pair | null {
  const { map, path } = place;
  let best: Pair | null = null;
  let bestKey = '';
  let known = false;
  for (const pair of map.items) {
    const name = keyOf(pair);
    const order = name === null ? null : compareKeys(path, name, key);
    if (name === null || order === null) continue;
    known = true;
    if (order < 0 && (best === null || (compareKeys(path, bestKey, name) ?? 0) <= 0)) {
      best = pair;
      bestKey = name;
    }
  }
  if (best) return best;
  const sorted = path.length === 1 && (path[0] === 'rows' || path[0] === 'lenses');
  return known && sorted ? null : (map.items[map.items.length - 1] ?? null);
}
