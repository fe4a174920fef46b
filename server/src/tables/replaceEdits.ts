/** Owns the edits that put another value behind a key that is there. Comments beside the old value stay. */
import { type Pair, type YAMLSeq, isMap, isSeq } from 'yaml';
import type { TextEdit } from '../base/textEdit.ts';
import { type Place, closing, joined, render } from './editPlace.ts';
import { sameData } from './plainData.ts';
import { SharedValueError } from './sharedValues.ts';
import {
  columnOf,
  emptyValueAt,
  endsInKeptLines,
  eolOf,
  hasColon,
  isBlockScalar,
  isFlow,
  isUnwritten,
  keyOf,
  lineEnd,
  lineStart,
  rangeOf,
  tokensOf,
  valueEnd,
} from './yamlPlaces.ts';
import { type ValueText, flowText } from './yamlText.ts';

export function replace(place: Place, pair: Pair, value: unknown): TextEdit[] {
  const { text } = place;
  const eol = eolOf(text);
  const old = pair.value;
  const key = keyOf(pair) ?? '';
  if (!place.flow && isSeq(old) && !isFlow(old) && Array.isArray(value)) {
    const appended = append(place, old, value);
    if (appended) return appended;
  }
  const next = render(place, key, value);
  const tags = tagEdits(pair);
  if (isUnwritten(old)) {
    const at = emptyValueAt(pair);
    const colon = hasColon(pair) ? '' : ':';
    const edits: TextEdit[] =
      next.head === '' && colon === ''
        ? []
        : [{ start: at, end: at, newText: `${colon}${next.head === '' ? '' : ` ${next.head}`}` }];
    if (next.body.length > 0) edits.push(below(text, at, eol, next));
    return [...tags, ...edits];
  }
  const { start, end } = rangeOf(old);
  if (isBlockScalar(old)) {
    const header = /^[|>][-+0-9]*/.exec(text.slice(start, start + 4))?.[0].length ?? 1;
    const headEnd = lineEnd(text, start);
    const bodyEnd = Math.max(lineEnd(text, valueEnd(text, old)), headEnd);
    const tail = closing(text, bodyEnd, eol, next);
    return [
      ...tags,
      { start: next.head === '' ? trimBack(text, start) : start, end: start + header, newText: next.head },
      { start: headEnd, end: bodyEnd, newText: joined(eol, next.body) + tail },
    ];
  }
  if ((isMap(old) || isSeq(old)) && !isFlow(old)) {
    const bodyStart = lineStart(text, start);
    if (text.slice(bodyStart, start).trim() !== '')
      throw new SharedValueError('the old value begins on the line of its key');
    const before = bodyStart - (text[bodyStart - 2] === '\r' ? 2 : 1);
    const last = lineEnd(text, valueEnd(text, old));
    const at = emptyValueAt(pair);
    const edits: TextEdit[] = [...tags];
    if (next.head !== '') edits.push({ start: at, end: at, newText: ` ${next.head}` });
    edits.push({
      start: before,
      end: last,
      newText: joined(eol, next.body) + closing(text, last, eol, next),
    });
    return edits;
  }
  const edits: TextEdit[] = [
    ...tags,
    { start: next.head === '' ? trimBack(text, start) : start, end, newText: next.head },
  ];
  if (next.body.length > 0) edits.push(below(text, end, eol, next));
  return edits;
}

/** Puts the lines of a value under the line of `at`, behind a comment that stands there. */
function below(text: string, at: number, eol: string, value: ValueText): TextEdit {
  const end = lineEnd(text, at);
  return { start: end, end, newText: joined(eol, value.body) + closing(text, end, eol, value) };
}

function trimBack(text: string, at: number): number {
  let start = at;
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--;
  return start;
}

/** A tag (`!!str`) speaks of the old value, so it goes with it. */
function tagEdits(pair: Pair): TextEdit[] {
  return tokensOf(pair)
    .sep.filter((token) => token.type === 'tag')
    .map((token) => {
      const end = token.offset + token.source.length;
      const space = tokensOf(pair).sep.find((other) => other.offset === end && other.type === 'space');
      return { start: token.offset, end: end + (space?.source.length ?? 0), newText: '' };
    });
}

/** When the new list only adds items, the old lines stay as they are. */
function append(place: Place, list: YAMLSeq, value: readonly unknown[]): TextEdit[] | null {
  const old: unknown = list.toJS(place.doc);
  if (!Array.isArray(old) || value.length <= old.length || !old.every((item, i) => sameData(item, value[i])))
    return null;
  const { text } = place;
  if (endsInKeptLines(text, list)) return null;
  const indent = columnOf(text, rangeOf(list).start);
  const added = value
    .slice(old.length)
    .map(
      (item) => `${' '.repeat(indent)}- ${typeof item === 'string' ? JSON.stringify(item) : flowText(item)}`,
    );
  const at = lineEnd(text, valueEnd(text, list));
  return [{ start: at, end: at, newText: joined(eolOf(text), added) }];
}
