/** Owns where the parts of a parsed YAML document lie in its text: pairs, values, line ends. Changes nothing. */
import { type Document, type Pair, type YAMLMap, isAlias, isMap, isScalar, isSeq } from 'yaml';

interface Token {
  readonly type: string;
  readonly offset: number;
  readonly source: string;
}

/** The tokens before a pair's key (or a list's item) and between its key and value. */
export function tokensOf(pair: Pair): { readonly start: readonly Token[]; readonly sep: readonly Token[] } {
  const item = (pair as { srcToken?: { start?: Token[]; sep?: Token[] } }).srcToken;
  return { start: item?.start ?? [], sep: item?.sep ?? [] };
}

const SPACING = new Set(['space', 'newline', 'comment', 'comma']);

/** Where a pair begins: its key, or what stands before it (`?`, an anchor, a tag). */
export function pairStart(pair: Pair): number {
  const first = tokensOf(pair).start.find((token) => !SPACING.has(token.type));
  return first?.offset ?? rangeOf(pair.key).start;
}

/** Where a value that is not written would go: behind the colon and behind any anchor or tag. */
export function emptyValueAt(pair: Pair): number {
  let at = rangeOf(pair.key).end;
  for (const token of tokensOf(pair).sep)
    if (token.type === 'map-value-ind' || token.type === 'anchor' || token.type === 'tag')
      at = token.offset + token.source.length;
  return at;
}

export function hasColon(pair: Pair): boolean {
  return tokensOf(pair).sep.some((token) => token.type === 'map-value-ind');
}

/** True when nothing is written behind the key. */
export function isUnwritten(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (!isScalar(value)) return false;
  const { start, end } = rangeOf(value);
  return start === end;
}

export function rangeOf(node: unknown): { readonly start: number; readonly end: number } {
  const range = (node as { range?: readonly number[] | null } | null | undefined)?.range;
  return { start: range?.[0] ?? 0, end: range?.[1] ?? 0 };
}

export function isBlockScalar(node: unknown): boolean {
  return isScalar(node) && (node.type === 'BLOCK_FOLDED' || node.type === 'BLOCK_LITERAL');
}

export function isFlow(node: unknown): boolean {
  return (isMap(node) || isSeq(node)) && node.flow === true;
}

/** True for a block scalar whose trailing blank lines are part of its value (`|+`, `>+`). */
export function keepsBlankLines(text: string, node: unknown): boolean {
  return isBlockScalar(node) && /^[|>]\d?\+/.test(text.slice(rangeOf(node).start, rangeOf(node).start + 3));
}

/**
 * End of a value's last written character. Blank lines after a block scalar stay outside, unless `kept` asks for
 * those that are part of its value.
 */
export function valueEnd(text: string, node: unknown, kept = false): number {
  if (isBlockScalar(node)) {
    const { start, end } = rangeOf(node);
    if (kept && keepsBlankLines(text, node))
      return end > start && text[end - 1] === '\n' ? end - (text[end - 2] === '\r' ? 2 : 1) : end;
    let at = end;
    while (at > start && /\s/.test(text[at - 1] ?? '')) at--;
    return at;
  }
  if ((isMap(node) || isSeq(node)) && !isFlow(node)) {
    const last: unknown = node.items[node.items.length - 1];
    if (isMap(node) && last !== undefined) return pairEnd(text, last as Pair, kept);
    if (isSeq(node) && last !== undefined && !isUnwritten(last)) return valueEnd(text, last, kept);
  }
  return rangeOf(node).end;
}

export function pairEnd(text: string, pair: Pair, kept = false): number {
  return isUnwritten(pair.value) ? emptyValueAt(pair) : valueEnd(text, pair.value, kept);
}

/** The scalar that ends a pair's text, if it is a block scalar that keeps its blank lines. */
export function endsInKeptLines(text: string, node: unknown): boolean {
  if (isMap(node) && !isFlow(node)) return endsInKeptLines(text, node.items[node.items.length - 1]?.value);
  if (isSeq(node) && !isFlow(node)) return endsInKeptLines(text, node.items[node.items.length - 1]);
  return keepsBlankLines(text, node);
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Offset of the line break that ends the line of `at`, or the end of the text. */
export function lineEnd(text: string, at: number): number {
  const next = text.indexOf('\n', at);
  if (next < 0) return text.length;
  return next > at && text[next - 1] === '\r' ? next - 1 : next;
}

/** Offset of the line after the one of `at`. */
export function nextLine(text: string, at: number): number {
  const next = text.indexOf('\n', at);
  return next < 0 ? text.length : next + 1;
}

export function columnOf(text: string, at: number): number {
  const start = lineStart(text, at);
  return at - start - (start === 0 && text.charCodeAt(0) === 0xfeff ? 1 : 0);
}

export function findPair(doc: Document, map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => {
    const node = isAlias(pair.key) ? pair.key.resolve(doc) : pair.key;
    return isScalar(node) && String(node.value) === key;
  });
}

export function keyOf(pair: Pair): string | null {
  return isScalar(pair.key) ? String(pair.key.value) : null;
}

/** The line break that the text mostly uses. */
export function eolOf(text: string): string {
  const all = text.split('\n').length - 1;
  const crlf = text.split('\r\n').length - 1;
  return crlf * 2 > all ? '\r\n' : '\n';
}

/** Columns of one level, as the first nested block map shows; 2 where none does. */
export function stepOf(text: string, doc: Document): number {
  if (!isMap(doc.contents)) return 2;
  const root = doc.contents;
  const base = root.items[0] ? columnOf(text, pairStart(root.items[0])) : 0;
  for (const pair of root.items) {
    const inner = isMap(pair.value) && !isFlow(pair.value) ? pair.value.items[0] : undefined;
    if (inner) return Math.max(columnOf(text, pairStart(inner)) - base, 1);
  }
  return 2;
}
