/**
 * Owns changing a table file by small text edits: only the bytes of the touched field change. Works on text and
 * positions, never by printing the document anew. Every result is read back and compared with what was meant;
 * where that fails, it gives a problem and no edit, so a file is never damaged.
 */
import { type Document, type Pair, type YAMLMap, type YAMLSeq, isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Problem } from '../base/problem.ts';
import { LineIndex } from '../base/span.ts';
import type { TextEdit } from '../base/textEdit.ts';
import type { Lens } from '../base/vocabulary.ts';
import { type FieldPath, compareKeys, isSetApart } from './fieldOrder.ts';
import { PieceText } from './pieces.ts';
import { formatProblem } from './read.ts';
import { LENS_FIELDS, type LensEntry, type Row } from './schema.ts';
import { SharedValueError, unshare, writeOut } from './sharedValues.ts';
import {
  columnOf,
  emptyValueAt,
  endsInKeptLines,
  eolOf,
  findPair,
  hasColon,
  isBlockScalar,
  isFlow,
  isUnwritten,
  keyOf,
  lineEnd,
  lineStart,
  nextLine,
  pairEnd,
  pairStart,
  rangeOf,
  stepOf,
  tokensOf,
  valueEnd,
} from './yamlPlaces.ts';
import { type SourceProblem, type YamlSource, parseYamlSource } from './yamlSource.ts';
import { type ValueText, flowText, keyText, pairLines, valueText } from './yamlText.ts';

/** Sets the value at a path (maps on the way are made), or takes it out when `value` is undefined. */
export interface FieldChange {
  readonly path: FieldPath;
  readonly value: unknown;
}

export interface PatchResult {
  /** Against the text that was given; empty when nothing changes or when there is a problem. */
  readonly edits: readonly TextEdit[];
  readonly problems: readonly Problem[];
}

type Data = Record<string, unknown>;

/** Applies changes in order. All or nothing: with a problem, `edits` is empty. */
export function patchTable(text: string, changes: readonly FieldChange[], file?: string): PatchResult {
  const first = parseYamlSource(text);
  const broken = first.problems.filter((problem) => problem.severity === 'error');
  const format = first.doc ? formatProblem(first.doc, first.data) : null;
  if (format) broken.push(format);
  if (broken.length === 0 && !(first.doc && isMap(first.doc.contents)))
    broken.push({
      code: 'table-shape',
      message: 'a table is a map that starts with "sixlens: 1"',
      start: 0,
      end: 0,
      severity: 'error',
    });
  if (broken.length > 0) return { edits: [], problems: broken.map((problem) => placed(problem, text, file)) };

  const wanted = structuredClone(first.data) as Data;
  const pieces = new PieceText(text);
  let current: YamlSource = first;
  try {
    for (const change of changes) {
      if (isDone(wanted, change)) continue;
      if (!setIn(wanted, change.path, change.value))
        throw new SharedValueError(`${change.path.join('.')} lies in something that is no map`);
      current = applyChange(pieces, current, change);
    }
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error), text, file);
  }
  const errors = current.problems.filter((problem) => problem.severity === 'error');
  if (errors[0]) return refused(`the result would not be readable (${errors[0].message})`, text, file);
  if (!sameData(current.data, wanted)) return refused('the result would say something else', text, file);
  return { edits: pieces.edits(), problems: [] };
}

/** Sets one field of a row; undefined takes it out. */
export function setRowField(text: string, rowId: string, field: string, value: unknown): PatchResult {
  return patchTable(text, [{ path: ['rows', rowId, field], value }]);
}

/** Sets several fields of a row at once; undefined takes one out. */
export function setRowFields(
  text: string,
  rowId: string,
  fields: Readonly<Record<string, unknown>>,
): PatchResult {
  return patchTable(
    text,
    Object.entries(fields).map(([field, value]) => ({ path: ['rows', rowId, field], value })),
  );
}

export function removeRowField(text: string, rowId: string, field: string): PatchResult {
  return patchTable(text, [{ path: ['rows', rowId, field], value: undefined }]);
}

/** Adds a row at its sorted place; a row with that id is changed field by field. */
export function addRow(text: string, rowId: string, row: Readonly<Partial<Row>>): PatchResult {
  return patchTable(text, [{ path: ['rows', rowId], value: row }]);
}

export function removeRow(text: string, rowId: string): PatchResult {
  return patchTable(text, [{ path: ['rows', rowId], value: undefined }]);
}

/**
 * Sets what a lens concludes; undefined takes the entry out. Fields of the old conclusion go, while notes, tickets
 * and unknown keys stay.
 */
export function setLens(
  text: string,
  lens: Lens,
  entry: Readonly<Partial<LensEntry>> | undefined,
): PatchResult {
  const old = own(own(parseYamlSource(text).data, 'lenses'), lens);
  if (entry === undefined || !isPlainMap(old))
    return patchTable(text, [{ path: ['lenses', lens], value: entry }]);
  const fields = LENS_FIELDS.filter(
    (field) => !['note', 'ticket'].includes(field) || own(entry, field) !== undefined,
  );
  return patchTable(
    text,
    fields.map((field) => ({ path: ['lenses', lens, field], value: own(entry, field) })),
  );
}

export function setLensField(text: string, lens: Lens, field: string, value: unknown): PatchResult {
  return patchTable(text, [{ path: ['lenses', lens, field], value }]);
}

/** Sets a field of the table itself: contract, owner, unit … */
export function setTableField(text: string, field: string, value: unknown): PatchResult {
  return patchTable(text, [{ path: [field], value }]);
}

/** Sets what was pruned: a list, or the text `nothing to prune`. */
export function setPruned(text: string, pruned: string | readonly string[]): PatchResult {
  return patchTable(text, [{ path: ['pruned'], value: pruned }]);
}

/** A map over an existing map becomes one change a key, so that untouched keys keep their bytes. */
function expand(doc: Document, data: unknown, change: FieldChange): FieldChange[] {
  let node: unknown = doc.contents;
  let old: unknown = data;
  for (const key of change.path) {
    node = isMap(node) ? findPair(doc, node, key)?.value : undefined;
    old = own(old, key);
  }
  const split = (path: FieldPath, value: unknown, at: unknown, before: unknown): FieldChange[] => {
    if (value !== undefined && sameData(before, value)) return [];
    if (!isPlainMap(value) || !isMap(at) || at.items.length === 0 || !isPlainMap(before))
      return [{ path, value }];
    const keys = new Set([...Object.keys(before), ...Object.keys(value)]);
    return [...keys].flatMap((key) =>
      split([...path, key], own(value, key), findPair(doc, at, key)?.value, own(before, key)),
    );
  };
  return split(change.path, change.value, node, old);
}

/** Applies one change and gives the document that the text then is. */
function applyChange(pieces: PieceText, source: YamlSource, change: FieldChange): YamlSource {
  let current = source;
  for (const part of source.doc ? expand(source.doc, source.data, change) : []) {
    if (!current.doc)
      throw new SharedValueError(current.problems[0]?.message ?? 'a step on the way is not readable');
    const edits = editsFor(pieces.text, current.doc, part);
    if (edits.length === 0) continue;
    pieces.apply(edits);
    current = parseYamlSource(pieces.text);
  }
  return current;
}

/** True when the data says already what the change asks for. */
function isDone(data: Data, change: FieldChange): boolean {
  let value: unknown = data;
  for (const key of change.path) {
    if (!isPlainMap(value)) return false;
    if (!Object.hasOwn(value, key)) return change.value === undefined;
    value = value[key];
  }
  return (
    change.value !== undefined &&
    value !== undefined &&
    JSON.stringify(value) === JSON.stringify(change.value)
  );
}

function own(value: unknown, key: string): unknown {
  return isPlainMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Edits of one change, against `text`, whose document is `doc`. */
function editsFor(text: string, doc: Document, change: FieldChange): TextEdit[] {
  let map: YAMLMap = doc.contents as YAMLMap;
  let holder: Pair | null = null;
  let flow = isFlow(map);
  const shared: TextEdit[] = [];
  for (let depth = 0; depth < change.path.length; depth++) {
    const key = change.path[depth] ?? '';
    const path = change.path.slice(0, depth);
    const pair = findPair(doc, map, key);
    const rest = change.path.slice(depth + 1);
    if (!pair) {
      if (change.value === undefined) return [];
      const value = rest.reduceRight<unknown>((inner, step) => ({ [step]: inner }), change.value);
      return [...shared, ...insert({ text, doc, map, holder, flow, path }, key, value)];
    }
    if (rest.length === 0) {
      shared.push(...unshare(doc, pair, true));
      const edits =
        change.value === undefined
          ? remove({ text, doc, map, holder, flow, path }, pair)
          : replace({ text, doc, map, holder, flow, path }, pair, change.value);
      return merged(shared, edits);
    }
    const value = pair.value;
    if (isAlias(value)) {
      const edit = writeOut(doc, value, (copy) => {
        if (!setIn(copy, rest, change.value))
          throw new SharedValueError(`${change.path.join('.')} lies in something that is no map`);
      });
      return [...shared, edit];
    }
    if (isUnwritten(value) || (isMap(value) && value.items.length === 0)) {
      if (change.value === undefined) return [];
      const filled = rest.reduceRight<unknown>((inner, step) => ({ [step]: inner }), change.value);
      return merged(
        [...shared, ...unshare(doc, pair, true)],
        replace({ text, doc, map, holder, flow, path }, pair, filled),
      );
    }
    if (!isMap(value)) throw new SharedValueError(`${change.path.slice(0, depth + 1).join('.')} is no map`);
    shared.push(...unshare(doc, pair, false));
    flow ||= isFlow(value);
    map = value;
    holder = pair;
  }
  return [];
}

/** Edits that free shared values, without those that the main edits replace anyway. */
function merged(shared: readonly TextEdit[], edits: readonly TextEdit[]): TextEdit[] {
  const covered = (edit: TextEdit): boolean =>
    edits.some((other) => other.start <= edit.start && edit.end <= other.end && other.end > other.start);
  return [...shared.filter((edit) => !covered(edit)), ...edits];
}

interface Place {
  readonly text: string;
  readonly doc: Document;
  /** The map that holds the key. */
  readonly map: YAMLMap;
  /** The pair whose value that map is; null for the top. */
  readonly holder: Pair | null;
  readonly flow: boolean;
  /** Path of that map. */
  readonly path: FieldPath;
}

function indentOf(place: Place): number {
  const first = place.map.items[0];
  return first ? columnOf(place.text, pairStart(first)) : 0;
}

function render(place: Place, key: string, value: unknown): ValueText {
  const indent = place.flow ? 0 : indentOf(place);
  return valueText(value, { path: [...place.path, key], flow: place.flow, indent, step: fieldStep(place) });
}

/** Columns of one level below this map: as its own nested maps show, else as the file does. */
function fieldStep(place: Place): number {
  const base = indentOf(place);
  for (const pair of place.map.items) {
    const inner = isMap(pair.value) && !isFlow(pair.value) ? pair.value.items[0] : undefined;
    if (inner) return Math.max(columnOf(place.text, pairStart(inner)) - base, 1);
  }
  return stepOf(place.text, place.doc);
}

const joined = (eol: string, lines: readonly string[]): string => lines.map((line) => eol + line).join('');

/** `|` keeps its last line break only if one is there. */
function closing(text: string, at: number, eol: string, value: ValueText): string {
  return value.endsLine && at >= text.length ? eol : '';
}

function replace(place: Place, pair: Pair, value: unknown): TextEdit[] {
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

function remove(place: Place, pair: Pair): TextEdit[] {
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

function insert(place: Place, key: string, value: unknown): TextEdit[] {
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

/** Skips comment lines that are indented deeper than `indent`: they belong to what stands above them. */
function skipOwnComments(text: string, from: number, indent: number): number {
  let end = from;
  for (let at = from; at < text.length; at = nextLine(text, at)) {
    const line = text.slice(at, lineEnd(text, at));
    if (line.trim() === '') continue;
    const comment = /^( *)#/.exec(line);
    if (!comment || (comment[1] ?? '').length <= indent) break;
    end = nextLine(text, at);
  }
  return end;
}

function isPlainMap(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets or deletes in plain data. False when the way leads through something that is no map. */
function setIn(data: Data, path: FieldPath, value: unknown): boolean {
  let map = data;
  for (const [index, key] of path.entries()) {
    if (index === path.length - 1) {
      if (value === undefined) {
        delete map[key];
        return true;
      }
      Object.defineProperty(map, key, {
        value: structuredClone(value),
        writable: true,
        enumerable: true,
        configurable: true,
      });
      return true;
    }
    let inner: unknown = Object.hasOwn(map, key) ? map[key] : undefined;
    if (inner === undefined || inner === null) {
      if (value === undefined) return true;
      inner = {};
    } else if (!isPlainMap(inner)) return false;
    // A copy: the data of aliases is shared.
    const copy: Data = { ...(inner as Data) };
    Object.defineProperty(map, key, { value: copy, writable: true, enumerable: true, configurable: true });
    map = copy;
  }
  return true;
}

/** Equal as data; an undefined value counts as absent, and an empty map as nothing. */
function sameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (isEmpty(a) && isEmpty(b)) return true;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameData(item, b[i]))
    );
  if (!isPlainMap(a) || !isPlainMap(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) =>
    sameData(Object.hasOwn(a, key) ? a[key] : undefined, Object.hasOwn(b, key) ? b[key] : undefined),
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (isPlainMap(value) && Object.keys(value).length === 0);
}

function placed(problem: SourceProblem, text: string, file?: string): Problem {
  const lines = LineIndex.of(text);
  return {
    code: problem.code,
    message: problem.message,
    ...(file === undefined ? {} : { file }),
    start: lines.positionAt(Math.min(problem.start, text.length)),
    end: lines.positionAt(Math.min(problem.end, text.length)),
    severity: problem.severity,
  };
}

function refused(reason: string, text: string, file?: string): PatchResult {
  const message = `the change cannot be made without touching more of the file: ${reason}. Make it in the text`;
  return {
    edits: [],
    problems: [
      placed({ code: 'table-patch-refused', message, start: 0, end: 0, severity: 'error' }, text, file),
    ],
  };
}
