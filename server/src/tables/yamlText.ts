/**
 * Owns turning values into YAML text that every YAML 1.1 and 1.2 reader takes for the same value: what needs
 * quotes gets them, long text is folded, several lines become a literal block. Reads no document.
 */
import { type FieldPath, isBlockList, isBlockMap, isSetApart, sortedEntries } from './fieldOrder.ts';

/** Lines longer than this are folded where the text allows. */
export const LINE_WIDTH = 96;

/** A value as text: what follows `key: ` on its line, and the lines below it, fully indented, without line ends. */
export interface ValueText {
  readonly head: string;
  readonly body: readonly string[];
  /** The body is a block that must end in a line break (`|` keeps it). */
  readonly endsLine?: boolean;
}

export interface ValueContext {
  readonly path: FieldPath;
  /** Inside `{ }` or `[ ]`: everything on one line. */
  readonly flow: boolean;
  /** Column of the key that holds the value. */
  readonly indent: number;
  /** Columns of one level. */
  readonly step: number;
}

export function valueText(value: unknown, context: ValueContext): ValueText {
  if (typeof value === 'string') return stringText(value, context);
  if (value === null || value === undefined) return { head: 'null', body: [] };
  if (Array.isArray(value)) {
    const flow = flowText(value);
    if (
      context.flow ||
      value.length === 0 ||
      (!isBlockList(context.path) && widthOf(flow, context) <= LINE_WIDTH)
    )
      return { head: flow, body: [] };
    const pad = ' '.repeat(context.indent + context.step);
    return {
      head: '',
      body: value.map((item) => `${pad}- ${typeof item === 'string' ? listItemText(item) : flowText(item)}`),
    };
  }
  if (typeof value === 'object') {
    const map = value as Record<string, unknown>;
    if (context.flow || !isBlockMap(context.path) || Object.keys(map).length === 0)
      return { head: flowText(map, context.path), body: [] };
    return { head: '', body: blockLines(map, { ...context, indent: context.indent + context.step }) };
  }
  return {
    head:
      typeof value === 'number' && !Number.isFinite(value) ? JSON.stringify(String(value)) : String(value),
    body: [],
  };
}

/** Lines of a block map whose keys stand at `context.indent`, with blank lines where the format sets keys apart. */
export function blockLines(map: Readonly<Record<string, unknown>>, context: ValueContext): string[] {
  const lines: string[] = [];
  for (const [key, value] of sortedEntries(context.path, map)) {
    if (isSetApart(context.path, key) && lines.length > 0) lines.push('');
    lines.push(...pairLines(key, value, context));
  }
  return lines;
}

/** Lines of one pair of the block map at `context.path`. */
export function pairLines(key: string, value: unknown, context: ValueContext): string[] {
  const text = valueText(value, { ...context, path: [...context.path, key] });
  const head = `${' '.repeat(context.indent)}${keyText(key)}:${text.head === '' ? '' : ` ${text.head}`}`;
  return [head, ...text.body];
}

export function keyText(key: string): string {
  return isPlain(key, true) && !/[\s:?]/.test(key) ? key : quoted(key);
}

/** A value on one line, as it stands inside `{ }` and `[ ]`. */
export function flowText(value: unknown, path: FieldPath = []): string {
  if (typeof value === 'string') return isPlain(value, true) ? value : quoted(value);
  if (Array.isArray(value)) return `[${value.map((item) => flowText(item)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = sortedEntries(path, value as Record<string, unknown>);
    if (entries.length === 0) return '{}';
    return `{ ${entries.map(([key, inner]) => `${keyText(key)}: ${flowText(inner, [...path, key])}`).join(', ')} }`;
  }
  return valueText(value, { path, flow: true, indent: 0, step: 2 }).head;
}

function stringText(value: string, context: ValueContext): ValueText {
  if (context.flow) return { head: flowText(value), body: [] };
  const pad = ' '.repeat(context.indent + context.step);
  if (isLiteral(value)) {
    const ends = value.endsWith('\n');
    const lines = (ends ? value.slice(0, -1) : value).split('\n');
    return {
      head: ends ? '|' : '|-',
      body: lines.map((line) => (line === '' ? '' : pad + line)),
      endsLine: ends,
    };
  }
  const inline = isPlain(value, false) ? value : quoted(value);
  if (widthOf(inline, context) > LINE_WIDTH && isFoldable(value)) {
    const lines = fold(value, Math.max(LINE_WIDTH - pad.length, 40));
    if (lines.length > 1 || context.path.length === 1)
      return { head: '>-', body: lines.map((line) => pad + line) };
  }
  return { head: inline, body: [] };
}

/** Items of `pruned` read as sentences, so they are always quoted. */
function listItemText(item: string): string {
  return quoted(item);
}

function widthOf(inline: string, context: ValueContext): number {
  return context.indent + (context.path[context.path.length - 1] ?? '').length + 2 + inline.length;
}

function quoted(value: string): string {
  if (/["\\]/.test(value) && !value.includes("'") && isPrintable(value)) return `'${value}'`;
  return JSON.stringify(value).replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Controls, odd spaces and breaks, byte order marks, and halves of surrogate pairs. */
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** One line of visible characters and plain spaces. */
function isPrintable(value: string): boolean {
  return !UNPRINTABLE.test(value);
}

/** True when the text means itself without quotes, for readers of YAML 1.1 and 1.2 alike. */
function isPlain(value: string, flow: boolean): boolean {
  if (value === '' || value !== value.trim() || !isPrintable(value)) return false;
  if (/^[-?:,[\]{}#&*!|>'"%@`.=~+]/.test(value) || /:\s|:$|\s#/.test(value)) return false;
  if (flow && /["',[\]{}]|:\S|\?/.test(value) && !/^[\w./@-]+:[\w./@-]+$/.test(value)) return false;
  if (/^(y|n|yes|no|on|off|true|false|null|nan|inf)$/i.test(value)) return false;
  // Numbers, dates and times in any YAML's spelling.
  return !/^\d[\d_.,:a-fA-FxXoOtTzZ +-]*$/.test(value);
}

/** Folding must give the text back: one line, visible, and never a space next to a break. */
function isFoldable(value: string): boolean {
  return value !== '' && value === value.trim() && isPrintable(value);
}

function fold(value: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  // Only a single space between two other characters may become a line break.
  for (const word of value.split(/(?<=[^ ]) (?=[^ ])/)) {
    if (line === '') line = word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  return lines;
}

/** Several lines that a literal block can carry as they are. */
function isLiteral(value: string): boolean {
  if (!value.includes('\n') || /\n\n$/.test(value)) return false;
  if (/^\s/.test(value)) return false;
  const lines = value.replace(/\n$/, '').split('\n');
  return lines.every((line) => line === '' || (line.trim() !== '' && isPrintable(line)));
}
