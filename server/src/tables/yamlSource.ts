/**
 * Owns the step from text to a YAML document with positions, safe on hostile input: limits on size, depth and
 * aliases, duplicate keys, and every error at its offset. Never throws. Knows nothing of tables.
 */
import {
  type Document,
  type Node,
  type Pair,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
} from 'yaml';

/** Longer texts are refused unread: tables are written by people. In UTF-16 units. */
export const MAX_TEXT = 500_000;
const MAX_DEPTH = 60;
const MAX_ALIASES = 200;
/** More problems than this help nobody. */
export const MAX_PROBLEMS = 50;

/** A complaint about a span of the text; `end` exclusive. */
export interface SourceProblem {
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly severity: 'error' | 'warning' | 'note';
}

export interface YamlSource {
  /** Null when the text was refused unread or has a YAML error. */
  readonly doc: Document | null;
  /** The document as plain data, aliases resolved. Undefined without a document. */
  readonly data: unknown;
  readonly problems: readonly SourceProblem[];
}

/** Parses one YAML document. With any problem of severity error, `doc` is null. */
export function parseYamlSource(text: string): YamlSource {
  if (text.length > MAX_TEXT)
    return refused(
      'table-too-large',
      `the file has ${text.length} characters; tables are read up to ${MAX_TEXT}`,
    );
  const marker = /^<{7,} .*$/m.exec(text);
  if (marker && /^={7,}$/m.test(text) && /^>{7,} /m.test(text))
    return refused(
      'table-conflict',
      'a merge conflict is left open here: decide between the two sides and delete the marks',
      marker.index,
      marker.index + marker[0].length,
    );
  const depthAt = tooDeepAt(text);
  if (depthAt >= 0)
    return refused('table-too-deep', `nested more than ${MAX_DEPTH} levels deep`, depthAt, depthAt + 1);
  try {
    return parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refused('table-unreadable', `the file cannot be read as YAML: ${reason}`);
  }
}

function parse(text: string): YamlSource {
  // The parser's own duplicate check compares every key with every other; ours is linear.
  const doc = parseDocument(text, {
    keepSourceTokens: true,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'error',
  });
  const problems: SourceProblem[] = [];
  for (const error of doc.errors.slice(0, MAX_PROBLEMS)) {
    const code = error.code === 'MULTIPLE_DOCS' ? 'table-many-documents' : 'table-syntax';
    const message =
      error.code === 'MULTIPLE_DOCS'
        ? 'one file holds one table: a second document starts here'
        : `not valid YAML: ${error.message}`;
    problems.push({
      code,
      message,
      start: error.pos[0],
      end: Math.max(error.pos[1], error.pos[0]),
      severity: 'error',
    });
  }
  for (const warning of doc.warnings.slice(0, MAX_PROBLEMS))
    problems.push({
      code: 'table-syntax',
      message: warning.message,
      start: warning.pos[0],
      end: Math.max(warning.pos[1], warning.pos[0]),
      severity: 'warning',
    });
  if (doc.errors.length === 0) checkTree(doc, problems);
  if (problems.some((problem) => problem.severity === 'error'))
    return { doc: null, data: undefined, problems };
  const data: unknown = doc.toJS({ maxAliasCount: MAX_ALIASES });
  return { doc, data, problems };
}

/** Duplicate keys, keys that are no text, aliases without anchor or in a circle, and too many aliases. */
function checkTree(doc: Document, problems: SourceProblem[]): void {
  const anchors = new Map<string, Node>();
  let aliases = 0;
  const complain = (node: Node, code: string, message: string): void => {
    if (problems.length < MAX_PROBLEMS)
      problems.push({
        code,
        message,
        start: node.range?.[0] ?? 0,
        end: node.range?.[1] ?? 0,
        severity: 'error',
      });
  };
  const walk = (node: unknown): void => {
    if (isAlias(node)) {
      aliases++;
      const target = anchors.get(node.source);
      if (!target) complain(node, 'table-alias', `*${node.source} has no anchor before it`);
      else if (
        (target.range?.[0] ?? 0) <= (node.range?.[0] ?? 0) &&
        (node.range?.[1] ?? 0) <= (target.range?.[1] ?? -1)
      )
        complain(node, 'table-alias', `*${node.source} refers to a value that it is part of`);
      else if (aliases === MAX_ALIASES + 1)
        complain(node, 'table-alias', `more than ${MAX_ALIASES} aliases: write the values out`);
      return;
    }
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor) anchors.set(node.anchor, node);
    if (isMap(node)) {
      const known = new Map<string, true>();
      for (const pair of node.items) {
        walk(pair.key);
        checkKey(pair, known);
        walk(pair.value);
      }
    } else if (isSeq(node)) {
      for (const item of node.items) {
        if (isPair(item)) {
          walk(item.key);
          walk(item.value);
        } else walk(item);
      }
    }
  };
  const checkKey = (pair: Pair, known: Map<string, true>): void => {
    const key = pair.key;
    if (isAlias(key)) return;
    if (!isScalar(key)) {
      if (isMap(key) || isSeq(key)) complain(key, 'table-key', 'a key must be a plain text');
      return;
    }
    const name = String(key.value);
    if (known.has(name))
      complain(key, 'table-duplicate-key', `the key "${name}" is here twice; keep one of them`);
    known.set(name, true);
  };
  walk(doc.contents);
}

/**
 * Offset where brackets or indentation nest too deep, or -1. A cheap over-estimate by text, so that no recursive
 * parser sees such input: brackets within quotes count too, which no real table reaches.
 */
function tooDeepAt(text: string): number {
  let open = 0;
  let lineStart = true;
  let dashes = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 10 || c === 13) {
      lineStart = true;
      dashes = 0;
      continue;
    }
    if (c === 91 || c === 123) open++;
    else if ((c === 93 || c === 125) && open > 0) open--;
    else if (lineStart && (c === 45 || c === 63 || c === 58)) dashes++;
    if (c !== 32 && c !== 45 && c !== 63 && c !== 58) lineStart = false;
    if (open > MAX_DEPTH || (dashes > MAX_DEPTH && !/^[-\s]*$/.test(text.slice(i, i + 200)))) return i;
  }
  return indentsTooDeep(text);
}

function indentsTooDeep(text: string): number {
  const stack: number[] = [];
  const lines = /^( *)(?=[^\s#])/gm;
  for (let match = lines.exec(text); match; match = lines.exec(text)) {
    if (match[0] === '') {
      stack.length = 0;
      lines.lastIndex = match.index + 1;
      stack.push(0);
      continue;
    }
    const width = match[0].length;
    while (stack.length > 0 && (stack[stack.length - 1] ?? 0) >= width) stack.pop();
    stack.push(width);
    if (stack.length > MAX_DEPTH) return match.index;
  }
  return -1;
}

function refused(code: string, message: string, start = 0, end = 0): YamlSource {
  return { doc: null, data: undefined, problems: [{ code, message, start, end, severity: 'error' }] };
}
