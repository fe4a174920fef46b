/** Owns finding the way to a field and choosing the edits for it: insert, replace or remove. */
import { type Document, type Pair, type YAMLMap, isAlias, isMap } from 'yaml';
import type { TextEdit } from '../base/textEdit.ts';
import type { FieldPath } from './fieldOrder.ts';
import { insert } from './insertEdits.ts';
import { isPlainMap, own, sameData, setIn } from './plainData.ts';
import { remove } from './removeEdits.ts';
import { replace } from './replaceEdits.ts';
import { SharedValueError, unshare, writeOut } from './sharedValues.ts';
import { findPair, isFlow, isUnwritten } from './yamlPlaces.ts';

/** Sets the value at a path (maps on the way are made), or takes it out when `value` is undefined. */
export interface FieldChange {
  readonly path: FieldPath;
  readonly value: unknown;
}

/** A map over an existing map becomes one change a key, so that untouched keys keep their bytes. */
export function expand(doc: Document, data: unknown, change: FieldChange): FieldChange[] {
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

/** Edits of one change, against `text`, whose document is `doc`. */
export function editsFor(text: string, doc: Document, change: FieldChange): TextEdit[] {
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
