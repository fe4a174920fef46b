/** Where the value of an expression goes: the names it is bound to and every use of a name in its file. */
import type { Expr, Ident, Pattern } from '../../facts/ir.ts';
import { uncast, walk, type AnyNode } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';

const cache = new WeakMap<SourceFile, Map<number, Ident[]>>();

/** Reads of a name, nested functions included; what is assigned to it is no read. */
export function usesOf(file: SourceFile, binding: number): readonly Ident[] {
  let all = cache.get(file);
  if (!all) {
    const found = new Map<number, Ident[]>();
    for (const fn of file.facts.functions)
      for (const st of fn.body)
        walk(st, (node) => {
          if (node.k !== 'id' || node.b < 0) return;
          const parent = file.index.parent(node);
          if (parent?.k === 'asg' && parent.target === node && parent.op === '=') return;
          const list = found.get(node.b);
          if (list) list.push(node);
          else found.set(node.b, [node]);
        });
    cache.set(file, found);
    all = found;
  }
  return all.get(binding) ?? [];
}

/** Climbs over casts, `await` and parentheses: the outermost expression with the same value. */
export function settled(file: SourceFile, expr: Expr): Expr {
  let at: Expr = expr;
  for (;;) {
    const parent = file.index.parent(at);
    if (parent?.k === 'await' || parent?.k === 'as') at = parent;
    else return at;
  }
}

/** The pattern or name that takes an expression's value: its declaration or assignment; null when there is none. */
export function takenBy(
  file: SourceFile,
  expr: Expr,
): { readonly target: Pattern | Expr; readonly holder: AnyNode } | null {
  const parent = file.index.parent(expr);
  if (parent?.k === 'var') {
    const decl = parent.decls.find((d) => d.init === expr);
    return decl ? { target: decl.target, holder: parent } : null;
  }
  if (parent?.k === 'asg' && parent.op === '=' && parent.value === expr)
    return { target: parent.target, holder: parent };
  return null;
}

/** The binding of a plain name; -1 for anything else. */
export function nameOf(target: Pattern | Expr): number {
  if (target.k === 'pid' || target.k === 'id') return target.b;
  if (target.k === 'pdef') return nameOf(target.target);
  return -1;
}

/** The binding that a destructuring pattern gives to a property; undefined when it does not take it. */
export function taken(target: Pattern | Expr, key: string): number | undefined {
  if (target.k !== 'pobj') return undefined;
  const prop = target.props.find((p) => p.key === key);
  return prop ? nameOf(prop.value) : undefined;
}

/** A member read of a name: `res.ok` for the identifier `res`. */
export function memberOn(file: SourceFile, id: Expr): string | null {
  const at = outerCast(file, id);
  const parent = file.index.parent(at);
  if (parent?.k === 'mem' && uncast(parent.obj) === uncast(id)) return parent.prop;
  return null;
}

export function outerCast(file: SourceFile, expr: Expr): Expr {
  let at = expr;
  for (let parent = file.index.parent(at); parent?.k === 'as'; parent = file.index.parent(at)) at = parent;
  return at;
}
