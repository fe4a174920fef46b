/** Traversal of facts. Owns the knowledge of which parts a node has; visits in evaluation order as written. */
import type { Expr, Pattern, Stmt, SwitchCase } from './ir.ts';

export type AnyNode = Expr | Stmt | Pattern;

/** Calls `visit` with each direct part. Does not enter functions or classes (their bodies are facts of their own). */
export function eachPart(node: AnyNode | SwitchCase, visit: (part: AnyNode) => void): void {
  if (!('k' in node)) {
    if (node.test) visit(node.test);
    for (const st of node.body) visit(st);
    return;
  }
  switch (node.k) {
    case 'mem':
      visit(node.obj);
      return;
    case 'idx':
      visit(node.obj);
      visit(node.index);
      return;
    case 'call':
    case 'new':
      visit(node.callee);
      for (const a of node.args) visit(a);
      return;
    case 'tmpl':
      for (const x of node.exprs) visit(x);
      return;
    case 'tag':
      visit(node.tag);
      for (const x of node.exprs) visit(x);
      return;
    case 'obj':
      for (const p of node.props) {
        if (p.computed) visit(p.computed);
        visit(p.value);
      }
      return;
    case 'arr':
      for (const x of node.items) visit(x);
      return;
    case 'await':
    case 'un':
    case 'spread':
    case 'as':
    case 'import':
      visit(node.arg);
      return;
    case 'yield':
      if (node.arg) visit(node.arg);
      return;
    case 'bin':
      visit(node.l);
      visit(node.r);
      return;
    case 'asg':
      visit(node.target);
      visit(node.value);
      return;
    case 'cond':
      visit(node.test);
      visit(node.yes);
      visit(node.no);
      return;
    case 'other':
      for (const x of node.kids) visit(x);
      return;
    case 'pobj':
      for (const p of node.props) {
        if (p.computed) visit(p.computed);
        visit(p.value);
      }
      if (node.rest) visit(node.rest);
      return;
    case 'parr':
      for (const p of node.items) if (p) visit(p);
      return;
    case 'pdef':
      visit(node.target);
      visit(node.value);
      return;
    case 'pexpr':
      visit(node.expr);
      return;
    case 'var':
      for (const d of node.decls) {
        if (d.init) visit(d.init);
        visit(d.target);
      }
      return;
    case 'expr':
      visit(node.expr);
      return;
    case 'ret':
      if (node.arg) visit(node.arg);
      return;
    case 'throw':
      visit(node.arg);
      return;
    case 'if':
      visit(node.test);
      visit(node.then);
      if (node.else) visit(node.else);
      return;
    case 'for':
      if (node.init) visit(node.init);
      if (node.test) visit(node.test);
      visit(node.body);
      if (node.update) visit(node.update);
      return;
    case 'forof':
    case 'forin':
      visit(node.iter);
      if (node.decl) visit(node.decl);
      if (node.target) visit(node.target);
      visit(node.body);
      return;
    case 'while':
      visit(node.test);
      visit(node.body);
      return;
    case 'do':
      visit(node.body);
      visit(node.test);
      return;
    case 'try':
      visit(node.block);
      if (node.param) visit(node.param);
      if (node.handler) visit(node.handler);
      if (node.final) visit(node.final);
      return;
    case 'switch':
      visit(node.disc);
      for (const c of node.cases) {
        if (c.test) visit(c.test);
        for (const st of c.body) visit(st);
      }
      return;
    case 'block':
      for (const st of node.body) visit(st);
      return;
    case 'label':
      visit(node.body);
      return;
    default:
      return;
  }
}

/** Pre-order walk; `enter` returning false leaves a subtree out. */
export function walk(node: AnyNode, enter: (node: AnyNode) => boolean | void): void {
  if (enter(node) === false) return;
  eachPart(node, (part) => walk(part, enter));
}

/** True when some node of the subtree satisfies `test` (functions are not entered). */
export function some(node: AnyNode, test: (node: AnyNode) => boolean): boolean {
  let found = false;
  walk(node, (n) => {
    if (found) return false;
    if (test(n)) found = true;
    return !found;
  });
  return found;
}

/** Bindings that a pattern declares. */
export function boundBy(pattern: Pattern | Expr): ReadonlySet<number> {
  const names = new Set<number>();
  walk(pattern, (n) => {
    if (n.k === 'pid') names.add(n.b);
  });
  return names;
}

/** Drops casts, non-null marks and `await`. */
export function bare(expr: Expr): Expr {
  let at = expr;
  while (at.k === 'as' || at.k === 'await') at = at.arg;
  return at;
}

/** Drops casts and non-null marks only. */
export function uncast(expr: Expr): Expr {
  let at = expr;
  while (at.k === 'as') at = at.arg;
  return at;
}
