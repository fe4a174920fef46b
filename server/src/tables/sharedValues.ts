/**
 * Owns values that several places share through a YAML anchor. An edit at one place must not change the others:
 * before it, the shared value moves to the first alias, or the alias at the edited place is written out.
 */
import { type Alias, type Document, type Node, type Pair, isCollection, isMap, isScalar, visit } from 'yaml';
import type { TextEdit } from '../base/textEdit.ts';
import { flowText } from './yamlText.ts';
import { rangeOf, tokensOf } from './yamlPlaces.ts';

/** Why an edit is not possible without changing another place. */
export class SharedValueError extends Error {}

/**
 * Edits that free `node` (a value of `pair`) and, with `deep`, all below it, from aliases elsewhere. Empty when
 * nothing there is shared.
 */
export function unshare(doc: Document, pair: Pair, deep: boolean): TextEdit[] {
  const edits: TextEdit[] = [];
  const moved = new Set<Node>();
  const inside = rangeOf(pair.value);
  const free = (owner: Pair, node: unknown): void => {
    if (!(isScalar(node) || isCollection(node)) || !node.anchor || moved.has(node)) return;
    const first = firstAliasOf(doc, node);
    if (!first) return;
    if (deep && rangeOf(first).start >= inside.start && rangeOf(first).end <= inside.end) return;
    const anchor = tokensOf(owner).sep.find(
      (token) => token.type === 'anchor' && token.source === `&${node.anchor}`,
    );
    if (!anchor || isKey(doc, first))
      throw new SharedValueError(`the value is shared through &${node.anchor}`);
    moved.add(node);
    const space = /^[ \t]*/.exec(textAfter(owner, anchor))?.[0].length ?? 0;
    edits.push({ start: anchor.offset, end: anchor.offset + anchor.source.length + space, newText: '' });
    const value: unknown = node.toJS(doc);
    const at = rangeOf(first);
    edits.push({ start: at.start, end: at.end, newText: `&${node.anchor} ${flowText(value)}` });
  };
  free(pair, pair.value);
  if (deep)
    visit(doc, {
      Pair: (_, inner, path) => {
        if (inner === pair || path.includes(pair)) free(inner, inner.value);
      },
    });
  return edits;
}

/** The spaces that follow a token, as far as the pair's own tokens tell. */
function textAfter(pair: Pair, token: { readonly offset: number; readonly source: string }): string {
  const end = token.offset + token.source.length;
  const next = tokensOf(pair).sep.find((other) => other.offset === end && other.type === 'space');
  return next?.source ?? '';
}

function firstAliasOf(doc: Document, node: Node): Alias | null {
  let found: Alias | null = null;
  visit(doc, {
    Alias: (_, alias) => {
      if (alias.resolve(doc) !== node) return undefined;
      found = alias;
      return visit.BREAK;
    },
  });
  return found;
}

function isKey(doc: Document, alias: Alias): boolean {
  let key = false;
  visit(doc, {
    Pair: (_, pair) => {
      if (pair.key === alias) key = true;
    },
  });
  return key;
}

/** An alias on the way to an edited place, written out in place; `change` is applied to the copy first. */
export function writeOut(
  doc: Document,
  alias: Alias,
  change: (copy: Record<string, unknown>) => void,
): TextEdit {
  const target = alias.resolve(doc);
  if (!isMap(target)) throw new SharedValueError(`*${alias.source} is no map`);
  const copy = structuredClone(target.toJS(doc) as Record<string, unknown>);
  change(copy);
  const { start, end } = rangeOf(alias);
  return { start, end, newText: flowText(copy) };
}
