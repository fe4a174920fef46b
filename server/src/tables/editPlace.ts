/** Owns the place an edit is made at: the map, its indentation, and how a value is spelled there. */
import { type Document, type Pair, type YAMLMap, isMap } from 'yaml';
import type { FieldPath } from './fieldOrder.ts';
import { columnOf, isFlow, lineEnd, nextLine, pairStart, stepOf } from './yamlPlaces.ts';
import { type ValueText, valueText } from './yamlText.ts';

export interface Place {
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

export function indentOf(place: Place): number {
  const first = place.map.items[0];
  return first ? columnOf(place.text, pairStart(first)) : 0;
}

export function render(place: Place, key: string, value: unknown): ValueText {
  const indent = place.flow ? 0 : indentOf(place);
  return valueText(value, { path: [...place.path, key], flow: place.flow, indent, step: fieldStep(place) });
}

/** Columns of one level below this map: as its own nested maps show, else as the file does. */
export function fieldStep(place: Place): number {
  const base = indentOf(place);
  for (const pair of place.map.items) {
    const inner = isMap(pair.value) && !isFlow(pair.value) ? pair.value.items[0] : undefined;
    if (inner) return Math.max(columnOf(place.text, pairStart(inner)) - base, 1);
  }
  return stepOf(place.text, place.doc);
}

export const joined = (eol: string, lines: readonly string[]): string =>
  lines.map((line) => eol + line).join('');

/** `|` keeps its last line break only if one is there. */
export function closing(text: string, at: number, eol: string, value: ValueText): string {
  return value.endsLine && at >= text.length ? eol : '';
}

/** Skips comment lines that are indented deeper than `indent`: they belong to what stands above them. */
export function skipOwnComments(text: string, from: number, indent: number): number {
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
