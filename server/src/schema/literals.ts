/** Literal values as they stand in the code. Pure look-ups over facts; nothing is followed. */
import type { Arr, Call, Expr, FnExpr, New, Obj } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';

export function textOf(expr: Expr | undefined): string | null {
  const at = expr && uncast(expr);
  if (at?.k === 'lit' && at.kind === 'string') return String(at.value);
  return at?.k === 'tmpl' && at.exprs.length === 0 ? (at.quasis[0] ?? null) : null;
}

export function objectOf(expr: Expr | undefined): Obj | null {
  const at = expr && uncast(expr);
  return at?.k === 'obj' ? at : null;
}

export function listOf(expr: Expr | undefined): Arr | null {
  const at = expr && uncast(expr);
  return at?.k === 'arr' ? at : null;
}

export function functionOf(expr: Expr | undefined): FnExpr | null {
  const at = expr && uncast(expr);
  return at?.k === 'fn' ? at : null;
}

export function valueAt(obj: Obj | null, key: string): Expr | undefined {
  return obj?.props.find((p) => p.key === key)?.value;
}

export function isTrue(expr: Expr | undefined): boolean {
  const at = expr && uncast(expr);
  return at?.k === 'lit' && at.value === true;
}

/** Texts of a list, or of one text; null when something in it is no literal. */
export function textsOf(expr: Expr | undefined): readonly string[] | null {
  const one = textOf(expr);
  if (one !== null) return [one];
  const list = listOf(expr);
  if (!list) return null;
  const texts = list.items.map((item) => textOf(item) ?? textOf(valueAt(objectOf(item), 'name')));
  return texts.every((t): t is string => t !== null) ? texts : null;
}

/** Last name of a callee: `Index` of `@Index()`, `define` of `sequelize.define()`. */
export function nameOfCallee(call: Call | New): string | null {
  const at = uncast(call.callee);
  return at.k === 'id' ? at.name : at.k === 'mem' ? at.prop : null;
}

/** A decorator's name and arguments, whether it is called or not. */
export function decoratorOf(expr: Expr): { readonly name: string; readonly args: readonly Expr[] } | null {
  const at = uncast(expr);
  if (at.k === 'call') {
    const name = nameOfCallee(at);
    return name === null ? null : { name, args: at.args };
  }
  return at.k === 'id' ? { name: at.name, args: [] } : at.k === 'mem' ? { name: at.prop, args: [] } : null;
}

/** The calls of a chain from its head: `text('x').notNull().unique()` → text, notNull, unique. */
export function chainOf(expr: Expr): readonly Call[] {
  const calls: Call[] = [];
  for (let at: Expr = uncast(expr); ;) {
    if (at.k === 'call') {
      calls.unshift(at);
      at = uncast(at.callee);
    } else if (at.k === 'mem') at = uncast(at.obj);
    else return calls;
  }
}
