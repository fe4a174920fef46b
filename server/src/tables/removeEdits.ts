/** Owns the edits that take a key and its value out of a map, with their line or their part of it. */
import type { Pair, YAMLMap } from 'yaml';
import type { TextEdit } from '../base/textEdit.ts';
import { type Place, skipOwnComments } from './editPlace.ts';
import { isSetApart } from './fieldOrder.ts';
import { replace } from './replaceEdits.ts';
import { SharedValueError } from './sharedValues.ts';
import {
  columnOf,
  endsInKeptLines,
  keyOf,
  lineEnd,
  lineStart,
  nextLine,
  pairEnd,
  pairStart,
  tokensOf,
} from './yamlPlaces.ts';

export function remove(place: Place, pair: Pair): TextEdit[] {
  const { text, map, holder } = place;
  if (map.items.length === 1 && holder)
    return replace({ ...place, map, path: place.path.slice(0, -1), flow: place.flow }, holder, {});
  if (place.flow) return removeFromFlow(text, map, pair);
  const start = pairStart(pair);
  const from = lineStart(text, start);
  const bom = from === 0 && text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (text.slice(from + bom, start).trim() !== '')
    throw new SharedValueError('the key does not stand on a line of its own');
  let to = nextLine(text, pairEnd(text, pair));
  const apart = isSetApart(place.path, keyOf(pair) ?? '');
  if (apart) to = skipOwnComments(text, to, columnOf(text, start));
  // The blank lines below a row go with it; and they must not become part of a text above that keeps them.
  const above = map.items[map.items.indexOf(pair) - 1];
  if (apart || endsInKeptLines(text, above?.value))
    while (to < text.length && text.slice(to, lineEnd(text, to)).trim() === '') to = nextLine(text, to);
  return [{ start: from + bom, end: to, newText: '' }];
}

function removeFromFlow(text: string, map: YAMLMap, pair: Pair): TextEdit[] {
  const index = map.items.indexOf(pair);
  const next = map.items[index + 1];
  const start = pairStart(pair);
  const end = pairEnd(text, pair);
  const comment = (of: Pair): boolean => tokensOf(of).start.some((token) => token.type === 'comment');
  if (next && !comment(next)) return [{ start, end: pairStart(next), newText: '' }];
  const previous = map.items[index - 1];
  if (!next && previous && !comment(pair)) return [{ start: pairEnd(text, previous), end, newText: '' }];
  const comma = tokensOf(next ?? pair).start.find((token) => token.type === 'comma');
  const edits: TextEdit[] = [{ start, end, newText: '' }];
  if (comma) edits.push({ start: comma.offset, end: comma.offset + 1, newText: '' });
  return edits;
}
