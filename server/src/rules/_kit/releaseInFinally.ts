/** Gives something back whatever happens: what follows its acquisition goes into `try`, the release into `finally`. */
import { applyEdits, type TextEdit } from '../../base/textEdit.ts';
import type { Stmt } from '../../facts/ir.ts';
import { some, uncast, type AnyNode } from '../../facts/walk.ts';
import { indentAt, indentUnit, lineEnd, usesSemicolons } from '../../fixes/edits.ts';
import { blockAround } from '../../model/paths.ts';
import type { SourceFile } from '../../model/project.ts';

/**
 * `acquire` is the statement that takes it, `call` the release as it is written where the code has none of its own; one
 * release at the end of the block moves. Null where the statements that follow cannot be wrapped as they are.
 */
export function releaseInFinally(
  file: SourceFile,
  fn: number,
  acquire: Stmt,
  releases: (node: AnyNode) => boolean,
  call: string,
): readonly TextEdit[] | null {
  const { text } = file;
  const { body, at } = blockAround(file, acquire, fn);
  const rest = at >= 0 ? body.slice(at + 1) : [];
  const first = rest[0];
  const last = rest.at(-1);
  if (!first || !last) return null;
  const isOwn = (st: Stmt): boolean =>
    st.k === 'expr' && releases(uncast(st.expr.k === 'await' ? st.expr.arg : st.expr));
  const own = rest.filter(isOwn);
  const elsewhere = rest.filter((st) => !isOwn(st)).some((st) => some(st, releases));
  if (elsewhere || own.length > 1 || rest.some((st) => st.k === 'fndecl')) return null;
  if (file.facts.functions[fn]?.async !== true) return null;
  const nl = lineEnd(text);
  const base = indentAt(text, first.s);
  const unit = indentUnit(text);
  const [moved] = own;
  const release = moved ? text.slice(moved.s, moved.e) : `${call}${usesSemicolons(text) ? ';' : ''}`;
  const changes: TextEdit[] = returnsToAwait(rest).map((offset) => ({
    start: offset - first.s,
    end: offset - first.s,
    newText: 'await ',
  }));
  if (moved) {
    const start = moved.s - first.s;
    const before = text.slice(first.s, moved.s);
    const kept = before.replace(/[ \t]*$/, '').replace(/\r?\n$/, '');
    changes.push({ start: start - (before.length - kept.length), end: moved.e - first.s, newText: '' });
  }
  const inner = applyEdits(text.slice(first.s, last.e), changes);
  if (inner.trim() === '' || inner.includes('`')) return null;
  const lines = inner.replace(/(\r?\n)([ \t]*)(?=\S)/g, `$1$2${unit}`);
  return [
    {
      start: first.s,
      end: last.e,
      newText: [
        `try {`,
        `${base}${unit}${lines.trimStart()}`,
        `${base}} finally {`,
        `${base}${unit}${release}`,
        `${base}}`,
      ].join(nl),
    },
  ];
}

/** A promise that is returned as it is would see the release before it settles. */
function returnsToAwait(rest: readonly Stmt[]): number[] {
  const found: number[] = [];
  for (const st of rest)
    some(st, (n) => {
      if (n.k === 'ret' && n.arg && (n.arg.k === 'call' || n.arg.k === 'tag')) found.push(n.arg.s);
      return false;
    });
  return found;
}
