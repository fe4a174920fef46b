/** Cuts parts out of code so that the rest still parses. Owns commas, empty bodies and chains. */
import type { Call, Expr, Obj, Prop, Stmt } from '../../facts/ir.ts';
import { uncast, walk, type AnyNode } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import { edit, textOf, type Body, type Edit } from './inverse.ts';

export function cutProperty(file: SourceFile, obj: Obj, prop: Prop): Edit {
  const at = obj.props.indexOf(prop);
  const next = obj.props[at + 1];
  if (next) return edit(file, { s: prop.s, e: next.s }, '');
  const before = obj.props[at - 1];
  return edit(file, { s: before ? before.e : prop.s, e: prop.e }, '');
}

/** An empty block, which may stand wherever a statement may. */
export function cutStatement(file: SourceFile, statement: Stmt): Edit {
  return edit(file, statement, '{}');
}

/** `a.b().c(x).d()` without `.c(x)`. */
export function cutLink(file: SourceFile, call: Call): Edit | null {
  return call.callee.k === 'mem' ? edit(file, { s: call.callee.obj.e, e: call.e }, '') : null;
}

/** The call of a function that was handed in. */
export function calledWith(file: SourceFile, fn: Expr, args: string): string {
  return `(${textOf(file, fn)})(${args})`;
}

/** The property that holds the option, in the object written at the call or in the file's own constant. */
export function propertyAt(
  file: SourceFile,
  arg: Expr | undefined,
  path: readonly string[],
): { readonly obj: Obj; readonly prop: Prop } | null {
  const obj = arg && literalOf(file, arg);
  const [key, ...rest] = path;
  if (!obj || key === undefined) return null;
  const prop = obj.props.find((p) => p.key === key && p.kind !== 'spread');
  if (prop) return rest.length === 0 ? { obj, prop } : propertyAt(file, prop.value, rest);
  for (const p of obj.props) {
    const found = p.kind === 'spread' ? propertyAt(file, p.value, path) : null;
    if (found) return found;
  }
  return null;
}

function literalOf(file: SourceFile, expr: Expr): Obj | null {
  const inner = uncast(expr);
  if (inner.k === 'obj') return inner;
  if (inner.k !== 'id') return null;
  const decl = file.facts.bindings[inner.b]?.decl;
  if (decl?.k !== 'init' || decl.path.length > 0) return null;
  const init = uncast(decl.init);
  return init.k === 'obj' ? init : null;
}

/** The expression with what only waits for it or casts it. */
export function waited(file: SourceFile, node: AnyNode): AnyNode {
  let at = node;
  for (let up = file.index.parent(at); up?.k === 'await' || up?.k === 'as'; up = file.index.parent(up))
    at = up;
  return at;
}

/** The statement that is nothing but the expression; null where its value is used. */
export function wholeStatement(file: SourceFile, node: AnyNode): Stmt | null {
  const up = file.index.parent(waited(file, node));
  return up?.k === 'expr' ? up : null;
}

/** Every path through it ends the function, the loop's round, or throws. */
export function isExit(statement: Stmt): boolean {
  switch (statement.k) {
    case 'ret':
    case 'throw':
    case 'break':
    case 'continue':
      return true;
    case 'block': {
      const last = statement.body.at(-1);
      return last !== undefined && isExit(last);
    }
    case 'if':
      return statement.else !== null && isExit(statement.then) && isExit(statement.else);
    default:
      return false;
  }
}

export type If = Stmt & { readonly k: 'if' };

/** `if`s of a body, inner functions apart, in source order. */
export function ifsOf({ fact }: Body): readonly If[] {
  const out: If[] = [];
  for (const st of fact.body)
    walk(st, (node) => {
      if (node.k === 'if') out.push(node);
    });
  return out;
}

/** Calls of a body, inner functions apart. */
export function callsOf({ file, fact }: Body): readonly Call[] {
  return (file.index.calls[fact.id] ?? []).filter((call): call is Call => call.k === 'call');
}

export function calleeText(file: SourceFile, call: Call): string {
  return textOf(file, call.callee).replace(/\s+/g, '');
}

/** `charge` of `stripe.charges.charge(…)`. */
export function lastName(file: SourceFile, call: Call): string {
  const callee = uncast(call.callee);
  return callee.k === 'mem' ? callee.prop : callee.k === 'id' ? callee.name : calleeText(file, call);
}

/** The guard as a statement: with an `else`, what is left of it. */
export function cutGuard(file: SourceFile, guard: If): Edit {
  return edit(file, guard, guard.else ? textOf(file, guard.else) : '{}');
}

/** Literal pieces of SQL or other text in the arguments of a call. */
export function textsOf(
  call: { readonly s: number; readonly e: number },
  within: AnyNode,
): readonly AnyNode[] {
  const out: AnyNode[] = [];
  walk(within, (node) => {
    if ((node.k === 'lit' && node.kind === 'string') || node.k === 'tmpl' || node.k === 'tag')
      if (node.s >= call.s && node.e <= call.e) out.push(node);
  });
  return out;
}

/** Cuts what the pattern matches in the source of a text literal, template holes included. */
export function cutText(file: SourceFile, literal: AnyNode, pattern: RegExp): Edit | null {
  const found = pattern.exec(textOf(file, literal));
  if (!found) return null;
  const s = literal.s + found.index;
  return edit(file, { s, e: s + found[0].length }, '');
}
