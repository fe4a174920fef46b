/**
 * Merges two versions of a table that grew from one. Owns what the tool may decide by itself: rows and lists are united,
 * `seen` follows the later look, what one side alone changed is taken. What people have to decide (two verdicts on one
 * row, two contracts) stays as a conflict of just those lines. No verdict and no comment of either side is lost. Every
 * result is read back; where it would say something else, there is none and the caller merges as plain text.
 */
import { NO_EXPOSURE } from './generate.ts';
import { own, sameData } from './plainData.ts';
import { compareRowIds } from './rowId.ts';
import { NOTHING_TO_PRUNE } from './schema.ts';
import { commentsIn, shifted, textTree, type Part, type TextTree } from './textTree.ts';
import { parseYamlSource } from './yamlSource.ts';
import { eolOf } from './yamlPlaces.ts';

export interface ThreeWayText {
  readonly text: string;
  /** Places that a person has to decide. */
  readonly conflicts: number;
}

/** Null when the three texts cannot be merged part by part. `base` is empty where both sides added the file. */
export function mergeTexts(base: string, ours: string, theirs: string, markerSize = 7): ThreeWayText | null {
  const eol = eolOf(ours);
  const [o, a, b] = [base, ours, theirs].map(plain) as [string, string, string];
  const trees = [o, a, b].map((text) => {
    const { doc } = parseYamlSource(text);
    return doc ? textTree(text, doc) : null;
  });
  const [, treeA, treeB] = trees;
  if (!treeA || !treeB || (o.trim() !== '' && !trees[0])) return null;
  const merged = new Merger(trees[0] ?? null, treeA, treeB).all();
  if (!merged) return null;
  for (const side of ['a', 'b'] as const) {
    const read = parseYamlSource(
      merged.pieces.map((piece) => (typeof piece === 'string' ? piece : piece[side])).join(''),
    );
    if (!read.doc || !sameData(read.data, merged[side])) return null;
  }
  const mark = (sign: string, label = ''): string => `${sign.repeat(markerSize)}${label}\n`;
  const text = merged.pieces
    .map((piece) =>
      typeof piece === 'string'
        ? piece
        : `${mark('<', ' ours')}${piece.a}${mark('=')}${piece.b}${mark('>', ' theirs')}`,
    )
    .join('');
  const said = new Set(commentsIn(text));
  const before = new Set(commentsIn(o));
  for (const comment of [...commentsIn(a), ...commentsIn(b)])
    if (!said.has(comment) && !before.has(comment)) return null;
  return {
    text: eol === '\n' ? text : text.replaceAll('\n', eol),
    conflicts: merged.pieces.filter((piece) => typeof piece !== 'string').length,
  };
}

function plain(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n');
  return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`;
}

type Piece = string | { readonly a: string; readonly b: string };
type Data = Record<string, unknown>;

/** A part put together: its text, and the data that it gives with either side's answer to its conflicts. */
interface Merged {
  readonly pieces: readonly Piece[];
  /** Undefined: not there. */
  readonly a: unknown;
  readonly b: unknown;
}

const GONE: Merged = { pieces: [], a: undefined, b: undefined };

/** Fields that together are one decision. */
const DECISION: ReadonlySet<string> = new Set([
  'verdict',
  'proposed',
  'how',
  'test',
  'signal',
  'asserted',
  'because',
  'reason',
  'owner',
  'expires',
  'holds-while',
  'blocker',
  'to',
]);

class Merger {
  constructor(
    private readonly o: TextTree | null,
    private readonly a: TextTree,
    private readonly b: TextTree,
  ) {}

  all(): { readonly pieces: readonly Piece[]; readonly a: Data; readonly b: Data } | null {
    const { o, a, b } = this;
    const inner = this.map([], o?.parts ?? [], a.parts, b.parts, a.parts[0]?.indent ?? 0);
    if (!inner) return null;
    return {
      pieces: [edge(o?.head, a.head, b.head), ...inner.pieces, edge(o?.tail, a.tail, b.tail)],
      a: inner.a as Data,
      b: inner.b as Data,
    };
  }

  private map(
    path: readonly string[],
    o: readonly Part[],
    a: readonly Part[],
    b: readonly Part[],
    indent: number,
  ): Merged | null {
    const pieces: Piece[] = [];
    const [dataA, dataB]: [Data, Data] = [{}, {}];
    const set = (data: Data, key: string, value: unknown): void => {
      if (value !== undefined)
        Object.defineProperty(data, key, { value, enumerable: true, writable: true, configurable: true });
    };
    const decision = path.length === 2 && path[0] === 'rows' ? this.decision(o, a, b) : null;
    let decided = false;
    for (const key of united(path, a, b)) {
      const [po, pa, pb] = [o, a, b].map((parts) => parts.find((part) => part.key === key));
      const moved = pb && move(pb, indent);
      if (pb && !moved) return null;
      if (decision && DECISION.has(key)) {
        if (decision.taken === 'conflict') {
          if (!decided) {
            decided = true;
            const hunk = this.hunk(a, b, indent);
            if (!hunk) return null;
            pieces.push(hunk);
          }
          set(dataA, key, pa?.data);
          set(dataB, key, pb?.data);
          continue;
        }
        if (decision.taken !== 'each') {
          const [taken, other] = decision.taken === 'a' ? [pa, moved] : [moved, pa];
          if (taken) pieces.push(withComments(taken.text, other?.text ?? '', po?.text ?? '', indent));
          // Words beside a field that goes are words still.
          else pieces.push(lostComments(other?.text ?? '', po?.text ?? '', indent));
          set(dataA, key, taken?.data);
          set(dataB, key, taken?.data);
          continue;
        }
      }
      const merged = this.part([...path, key], po, pa, moved ?? undefined, indent);
      if (!merged) return null;
      pieces.push(...merged.pieces);
      set(dataA, key, merged.a);
      set(dataB, key, merged.b);
    }
    return { pieces, a: dataA, b: dataB };
  }

  /** Whose decision a row gets: one side's, field by field, or nobody's. */
  private decision(
    o: readonly Part[],
    a: readonly Part[],
    b: readonly Part[],
  ): { taken: 'a' | 'b' | 'each' | 'conflict' } {
    const of = (parts: readonly Part[]): Data =>
      Object.fromEntries(parts.filter(({ key }) => DECISION.has(key)).map(({ key, data }) => [key, data]));
    const [was, mine, other] = [of(o), of(a), of(b)];
    const open = (data: Data): boolean =>
      (data['verdict'] ?? 'undecided') === 'undecided' || data['proposed'] === true;
    if (o.length === 0 && !sameData(mine, other)) {
      // Both sides generated the row: a proposal is no decision.
      if (open(mine) !== open(other)) return { taken: open(mine) ? 'b' : 'a' };
    }
    const changed = (now: Data): Set<string> =>
      new Set([...DECISION].filter((key) => !sameData(was[key], now[key])));
    const [byA, byB] = [changed(mine), changed(other)];
    if (byA.size === 0 || byB.size === 0 || sameData(mine, other)) return { taken: 'each' };
    const both = [...byA].filter((key) => byB.has(key));
    const apart = both.some((key) => !sameData(mine[key], other[key]));
    const verdict =
      (byA.has('verdict') || byB.has('verdict')) &&
      !(byA.has('verdict') && byB.has('verdict') && mine['verdict'] === other['verdict']);
    return { taken: apart || verdict ? 'conflict' : 'each' };
  }

  private hunk(a: readonly Part[], b: readonly Part[], indent: number): Piece | null {
    const mine = a.filter(({ key }) => DECISION.has(key)).map(({ text }) => text);
    const other = b.filter(({ key }) => DECISION.has(key)).map((part) => move(part, indent)?.text ?? null);
    return other.includes(null) ? null : { a: mine.join(''), b: other.join('') };
  }

  private part(
    path: readonly string[],
    o: Part | undefined,
    a: Part | undefined,
    b: Part | undefined,
    indent: number,
  ): Merged | null {
    if (!a || !b) {
      const left = a ?? b;
      if (!left) return GONE;
      if (!o) return { pieces: [left.text], a: left.data, b: left.data };
      // Taken out by one side: that holds where the other did not touch it.
      if (alike(o, left) || sameBut(o.data, left.data, 'seen'))
        return { ...GONE, pieces: [lostComments(left.text, o.text, a ? a.indent : indent)] };
      return a
        ? { pieces: [{ a: a.text, b: '' }], a: a.data, b: undefined }
        : { pieces: [{ a: '', b: left.text }], a: undefined, b: left.data };
    }
    if (alike(a, b) || (o && alike(o, b))) return { pieces: [a.text], a: a.data, b: a.data };
    if (o && alike(o, a)) return { pieces: [b.text], a: b.data, b: b.data };
    const whole = this.leaf(path, o, a, b);
    if (whole) return whole;
    if (a.parts && b.parts && a.kind === b.kind) {
      const inside = a.parts[0]!.indent;
      const was = o?.kind === a.kind ? (o.parts ?? []) : [];
      const head = edge(o?.kind === a.kind ? o.head : undefined, a.head, b.head);
      const tail = edge(o?.kind === a.kind ? o.tail : undefined, a.tail, b.tail);
      if (a.kind === 'list') return list(head, tail, was, a.parts, b.parts, inside);
      const inner = this.map(path, was, a.parts, b.parts, inside);
      return inner && { ...inner, pieces: [head, ...inner.pieces, tail] };
    }
    return { pieces: [{ a: a.text, b: b.text }], a: a.data, b: b.data };
  }

  /** What can be decided on a value as a whole; null where it cannot, or where its parts can be looked at. */
  private leaf(path: readonly string[], o: Part | undefined, a: Part, b: Part): Merged | null {
    const inner = a.parts !== null && b.parts !== null;
    const take = (part: Part, other: Part): Merged => ({
      pieces: [withComments(part.text, other.text, o?.text ?? '', a.indent)],
      a: part.data,
      b: part.data,
    });
    if (!inner && (sameData(a.data, b.data) || (o && sameData(o.data, b.data)))) return take(a, b);
    if (!inner && o && sameData(o.data, a.data)) return take(b, a);
    const key = path.at(-1);
    if (key === 'seen') return later(a.data, b.data) ? take(a, b) : take(b, a);
    if (path[0] === 'lenses' && path.length === 2) {
      const [byToolA, byToolB] = [byTool(a.data), byTool(b.data)];
      if (byToolA !== byToolB) return byToolA ? take(b, a) : take(a, b);
      // Two conclusions of the tool: the one that leaves more open; the next generation renews it.
      if (byToolA) return weight(a) >= weight(b) ? take(a, b) : take(b, a);
      if (!inner && sameBut(a.data, b.data, 'seen'))
        return later(own(a.data, 'seen'), own(b.data, 'seen')) ? take(a, b) : take(b, a);
    }
    if (path[0] === 'rows' && path.length === 2 && !inner) {
      if (sameBut(a.data, b.data, 'seen'))
        return later(own(a.data, 'seen'), own(b.data, 'seen')) ? take(a, b) : take(b, a);
    }
    if (path.length === 1 && key === 'pruned') {
      if (a.data === NOTHING_TO_PRUNE && Array.isArray(b.data)) return take(b, a);
      if (b.data === NOTHING_TO_PRUNE && Array.isArray(a.data)) return take(a, b);
    }
    return null;
  }
}

/** Items of both sides, but for those that one side took out. */
function list(
  head: string,
  tail: string,
  o: readonly Part[],
  a: readonly Part[],
  b: readonly Part[],
  indent: number,
): Merged | null {
  const has = (parts: readonly Part[], key: string): boolean => parts.some((part) => part.key === key);
  const pieces: string[] = [head];
  const data: unknown[] = [];
  for (const part of [...a, ...b.filter(({ key }) => !has(a, key))]) {
    if (has(o, part.key) && !(has(a, part.key) && has(b, part.key))) continue;
    const moved = move(part, indent);
    if (!moved) return null;
    const twin = has(a, part.key) ? b.find(({ key }) => key === part.key) : undefined;
    const was = o.find(({ key }) => key === part.key);
    pieces.push(withComments(moved.text, twin?.text ?? '', was?.text ?? '', indent));
    data.push(part.data);
  }
  // A list without items would be a key without a value.
  return data.length === 0 ? null : { pieces: [...pieces, tail], a: data, b: data };
}

/** Keys of both sides: rows in their order where ours are, else each of theirs after what stands before it there. */
function united(path: readonly string[], a: readonly Part[], b: readonly Part[]): readonly string[] {
  const keys = a.map(({ key }) => key);
  const sorted =
    path.length === 1 &&
    path[0] === 'rows' &&
    keys.every((key, i) => i === 0 || compareRowIds(keys[i - 1]!, key) < 0);
  b.forEach(({ key }, i) => {
    if (keys.includes(key)) return;
    if (sorted) {
      const after = keys.findIndex((other) => compareRowIds(other, key) > 0);
      keys.splice(after < 0 ? keys.length : after, 0, key);
      return;
    }
    keys.splice(i === 0 ? 0 : keys.indexOf(b[i - 1]!.key) + 1, 0, key);
  });
  return keys;
}

function move(part: Part, indent: number): Part | null {
  const text = shifted(part.text, indent - part.indent);
  if (text === null) return null;
  if (indent === part.indent) return part;
  const head = shifted(part.head, indent - part.indent);
  const tail = shifted(part.tail, indent - part.indent);
  const parts = part.parts?.map((inner) => move(inner, inner.indent + indent - part.indent)) ?? null;
  if (head === null || tail === null || parts?.includes(null)) return null;
  return { ...part, indent, text, head, tail, parts: parts as readonly Part[] | null };
}

/** The same but for indentation and blank lines around. */
function alike(a: Part, b: Part): boolean {
  const flat = (part: Part): string =>
    (shifted(part.text, -part.indent) ?? part.text).replace(/^(?:[ \t]*\n)+|\s+$/g, '');
  return a.text === b.text || flat(a) === flat(b);
}

/** What stands before or after keys: comments and blank lines of one side, and the new comments of the other. */
function edge(o: string | undefined, a: string, b: string): string {
  if (a === b || b === o) return a;
  if (a === o) return b;
  const indent = /^([ \t]*)\S/m.exec(a)?.[1]?.length ?? 0;
  return withComments(a, b, o ?? '', indent);
}

function withComments(text: string, other: string, base: string, indent: number): string {
  return lostComments(other, base + text, indent) + text;
}

/** Comments of `from` that `in` does not hold, each on a line of its own. */
function lostComments(from: string, kept: string, indent: number): string {
  const known = new Set(commentsIn(kept));
  return commentsIn(from)
    .filter((comment) => !known.has(comment))
    .map((comment) => `${' '.repeat(indent)}${comment}\n`)
    .join('');
}

function sameBut(a: unknown, b: unknown, key: string): boolean {
  const without = (data: unknown): unknown =>
    typeof data === 'object' && data !== null && !Array.isArray(data) ? { ...data, [key]: undefined } : data;
  return sameData(without(a), without(b));
}

/** Whether the first look is the later one; the same answer from both sides, also on one day. */
function later(a: unknown, b: unknown): boolean {
  const rank = (seen: unknown): string =>
    `${String(own(seen, 'date') ?? '')} ${JSON.stringify(seen ?? null)}`;
  return rank(a) >= rank(b);
}

/** Nobody signed it and it says nothing but what the tool says. */
function byTool(entry: unknown): boolean {
  if (own(entry, 'seen') !== undefined || own(entry, 'note') !== undefined) return false;
  const reason = own(entry, 'reason');
  return own(entry, 'exposure') === 'open' ? reason === undefined : reason === NO_EXPOSURE;
}

function weight({ data }: Part): string {
  return `${own(data, 'exposure') === 'open' ? 1 : 0} ${JSON.stringify(data)}`;
}
