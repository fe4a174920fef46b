/** Owns finding the YAML node, and the span, that a path of keys and indexes leads to. */
import { type Document, type Node, type Pair, isAlias, isMap, isSeq } from 'yaml';
import { keyOf, rangeOf } from './yamlPlaces.ts';

export type NodePath = readonly (string | number)[];

export interface Spot {
  /** How far the path could be followed. */
  readonly path: NodePath;
  /** The innermost pair on the way; absent in a list or at the top. */
  readonly pair: Pair | undefined;
  readonly node: Node | null;
}

/** The deepest place on the path that is in the document. */
export function findSpot(doc: Document, path: NodePath): Spot | null {
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

export function valueAt(data: unknown, path: NodePath): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

export function pairOf(map: { items: Pair[] }, key: string): Pair | undefined {
  return map.items.find((pair) => keyOf(pair) === key);
}

/** The value of a pair when asked for and written; else its key; else the start of the file. */
export function spanOf(pair: Pair | undefined, value: boolean): { start: number; end: number } {
  if (!pair) return { start: 0, end: 0 };
  if (value) {
    const span = rangeOf(pair.value);
    if (span.end > span.start) return span;
  }
  return rangeOf(pair.key);
}
