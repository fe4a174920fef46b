/**
 * Cuts the text of a table into a tree of parts, one for each key or list item, so that parts of several versions can be
 * put together. Owns which comments and blank lines belong to which part; every character belongs to exactly one.
 */
import { type Document, Lexer, isMap, isScalar, isSeq } from 'yaml';
import {
  columnOf,
  isFlow,
  keyOf,
  lineStart,
  nextLine,
  pairEnd,
  pairStart,
  rangeOf,
  valueEnd,
} from './yamlPlaces.ts';

export interface Part {
  /** The key of a pair; of a list's item its data as JSON. */
  readonly key: string;
  /** Columns before the key. */
  readonly indent: number;
  /** All of it, with the comments that belong to it; ends with a line break. */
  readonly text: string;
  /** The text before the first inner part: comments and the line of the key. The whole text where there is none. */
  readonly head: string;
  /** Null where the value is not spread over parts of its own. */
  readonly parts: readonly Part[] | null;
  /** After the last inner part: comments that belong to the whole. */
  readonly tail: string;
  readonly kind: 'map' | 'list' | 'leaf';
  readonly data: unknown;
}

export interface TextTree {
  /** Before the first key. */
  readonly head: string;
  readonly parts: readonly Part[];
  /** After the last part. */
  readonly tail: string;
}

/** `text` has line feeds alone and ends with one. Null for a document that is no block map of plain keys. */
export function textTree(text: string, doc: Document): TextTree | null {
  const root = doc.contents;
  if (!isMap(root) || isFlow(root) || root.items.length === 0) return null;
  try {
    const cut = new Cutter(text, doc);
    const first = cut.startOf(0, pairStart(root.items[0]!));
    const { parts, end } = cut.pairs(root, first, text.length);
    return { head: text.slice(0, first), parts, tail: text.slice(end) };
  } catch (error) {
    if (error instanceof NotCuttable) return null;
    throw error;
  }
}

class NotCuttable extends Error {}

interface Item {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  readonly data: unknown;
}

class Cutter {
  constructor(
    private readonly text: string,
    private readonly doc: Document,
  ) {}

  pairs(map: { items: readonly unknown[] }, from: number, to: number): { parts: Part[]; end: number } {
    const items = (map.items as Parameters<typeof keyOf>[0][]).map((pair): Item => {
      const key = keyOf(pair);
      if (key === null) throw new NotCuttable();
      return {
        key,
        start: pairStart(pair),
        end: pairEnd(this.text, pair, true),
        value: pair.value,
        data: this.dataOf(pair.value),
      };
    });
    return this.cut(items, from, to);
  }

  private items(
    list: { items: readonly unknown[] },
    from: number,
    to: number,
  ): { parts: Part[]; end: number } {
    const items = list.items.map((node): Item => {
      const value = rangeOf(node);
      const data = this.dataOf(node);
      const dash = this.text.lastIndexOf('-', value.start);
      if (!isScalar(node) || dash < lineStart(this.text, value.start)) throw new NotCuttable();
      return {
        key: JSON.stringify(data),
        start: dash,
        end: valueEnd(this.text, node, true),
        value: null,
        data,
      };
    });
    return this.cut(items, from, to);
  }

  /** `from` is where the first part begins; the last may reach up to `to`. */
  private cut(items: readonly Item[], from: number, to: number): { parts: Part[]; end: number } {
    const parts: Part[] = [];
    let start = from;
    for (const [i, item] of items.entries()) {
      const indent = columnOf(this.text, item.start);
      if (this.text.slice(lineStart(this.text, item.start), item.start).replace('\ufeff', '').trim() !== '')
        throw new NotCuttable();
      const next = items[i + 1];
      const limit = next ? lineStart(this.text, next.start) : to;
      const end = this.endOf(Math.max(item.end, item.start), indent, limit);
      parts.push(this.part(item, indent, start, end));
      start = end;
    }
    return { parts, end: start };
  }

  private part(item: Item, indent: number, start: number, end: number): Part {
    const text = this.text.slice(start, end);
    const leaf: Part = {
      key: item.key,
      indent,
      text,
      head: text,
      parts: null,
      tail: '',
      kind: 'leaf',
      data: item.data,
    };
    const { value } = item;
    const nested =
      (isMap(value) || isSeq(value)) &&
      !isFlow(value) &&
      value.items.length > 0 &&
      !value.anchor &&
      !value.tag;
    if (!nested) return leaf;
    try {
      const first = isMap(value)
        ? pairStart(value.items[0]!)
        : this.text.lastIndexOf('-', rangeOf(value.items[0]).start);
      const from = this.startOf(nextLine(this.text, item.start), first);
      if (lineStart(this.text, first) <= item.start) return leaf;
      const inner = isMap(value) ? this.pairs(value, from, end) : this.items(value, from, end);
      return {
        ...leaf,
        head: this.text.slice(start, from),
        parts: inner.parts,
        tail: this.text.slice(inner.end, end),
        kind: isMap(value) ? 'map' : 'list',
      };
    } catch (error) {
      if (error instanceof NotCuttable) return leaf;
      throw error;
    }
  }

  /** Comments right above a key belong to it. */
  startOf(from: number, key: number): number {
    let at = lineStart(this.text, key);
    const indent = columnOf(this.text, key);
    while (at > from) {
      const above = lineStart(this.text, at - 1);
      const line = this.text.slice(above, at);
      if (!/^\s*#/.test(line) || line.length - line.trimStart().length !== indent) break;
      at = above;
    }
    return Math.max(at, from);
  }

  /** After the value's last line come deeper comments that belong to it still; what follows is the next part's. */
  private endOf(valueAt: number, indent: number, limit: number): number {
    let end = Math.min(nextLine(this.text, valueAt), limit);
    for (let at = end; at < limit;) {
      const next = Math.min(nextLine(this.text, at), limit);
      const line = this.text.slice(at, next);
      if (/^\s*#/.test(line)) {
        if (line.length - line.trimStart().length <= indent) break;
        end = next;
      } else if (line.trim() !== '') break;
      at = next;
    }
    return end;
  }

  private dataOf(node: unknown): unknown {
    return (node as { toJS?: (doc: Document) => unknown } | null)?.toJS?.(this.doc) ?? null;
  }
}

/** The comments of a piece of YAML, in order, each from its `#` to the end of the line. */
export function commentsIn(text: string): readonly string[] {
  const out: string[] = [];
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith('#') && !scalar) out.push(token.trimEnd());
    scalar = token === '\u001f';
  }
  return out;
}

/** The text with every line moved by some columns. Null where a line has fewer to give. */
export function shifted(text: string, by: number): string | null {
  if (by === 0) return text;
  const lines = text.split('\n');
  if (by < 0 && lines.some((line) => line.trim() !== '' && !line.startsWith(' '.repeat(-by)))) return null;
  return lines
    .map((line) => (line.trim() === '' ? line : by > 0 ? ' '.repeat(by) + line : line.slice(-by)))
    .join('\n');
}
