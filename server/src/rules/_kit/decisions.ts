/** Branches that a value decides. Owns reading a test as "there is one" or "there is none", and which code runs in each case. */
import { exitsAt } from '../../model/frames.ts';
import type { Expr, Stmt } from '../../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import { eachName } from './scope.ts';

/** What a test says of a looked-up value when it holds. */
export type Finding = 'present' | 'absent' | null;

export interface Decision {
  readonly node: AnyNode;
  readonly test: Expr;
  /** Runs only where nothing was found, as far as this branch tells. */
  runsWhenAbsent(node: AnyNode): boolean;
}

/** Names that hold what an expression gave, through destructuring, and names made from them alone. */
export function namesOf(file: SourceFile, expr: Expr, fn: number): ReadonlySet<number> {
  const names = new Set<number>();
  let child: AnyNode = expr;
  for (let at = file.index.parent(expr); at; child = at, at = file.index.parent(at)) {
    if (at.k === 'await' || at.k === 'as' || at.k === 'mem' || at.k === 'idx') continue;
    // `(await find()).length > 0`, `!(await find())`, `found ?? null`
    if (at.k === 'bin' || at.k === 'un') continue;
    if (at.k === 'var') {
      const holder: AnyNode = child;
      for (const d of at.decls) if (d.init === holder) eachName(d.target, (_, b) => names.add(b));
      break;
    }
    if (at.k === 'asg') {
      if (at.target.k === 'id' && at.target.b >= 0) names.add(at.target.b);
      break;
    }
    return names;
  }
  if (names.size === 0) return names;
  const fact = file.facts.functions[fn];
  for (let round = 0; round < 2 && fact; round++)
    for (const st of fact.body)
      walk(st, (n) => {
        if (n.k !== 'var') return;
        for (const d of n.decls)
          if (d.init && isPartOf(d.init, names)) eachName(d.target, (_, b) => names.add(b));
      });
  return names;
}

/** `found.rows[0]`, `found.length > 0`, `!found`: says nothing but what was found. */
function isPartOf(expr: Expr, names: ReadonlySet<number>): boolean {
  const inner = uncast(expr);
  switch (inner.k) {
    case 'id':
      return names.has(inner.b);
    case 'mem':
    case 'idx':
      return isPartOf(inner.obj, names);
    case 'un':
      return isPartOf(inner.arg, names);
    case 'bin':
      return isPartOf(inner.l, names) && (inner.r.k === 'lit' || inner.op === '??');
    case 'call':
      return (
        inner.callee.k === 'mem' &&
        /^(?:at|find|some|every|filter|includes)$/.test(inner.callee.prop) &&
        isPartOf(inner.callee.obj, names)
      );
    default:
      return false;
  }
}

/** Decisions within a function that names or the look-up itself take part in, in source order. */
export function decisionsOn(
  file: SourceFile,
  fn: number,
  names: ReadonlySet<number>,
  lookUp: Expr,
): readonly Decision[] {
  const fact = file.facts.functions[fn];
  const out: Decision[] = [];
  const about = (test: Expr): boolean => some(test, (n) => (n.k === 'id' && names.has(n.b)) || n === lookUp);
  for (const st of fact?.body ?? [])
    walk(st, (n) => {
      if (n.k === 'if' && about(n.test)) {
        const says = findingOf(n.test, names, lookUp);
        out.push({
          node: n,
          test: n.test,
          runsWhenAbsent: (node) => {
            if (says === 'absent') return within(n.then, node);
            if (says !== 'present') return false;
            return (
              (n.else !== null && within(n.else, node)) ||
              (leaves(n.then) && node.s >= n.e && sharesLoop(file, n, node))
            );
          },
        });
      } else if (n.k === 'cond' && about(n.test)) {
        const says = findingOf(n.test, names, lookUp);
        out.push({
          node: n,
          test: n.test,
          runsWhenAbsent: (node) => within(says === 'absent' ? n.yes : n.no, node) && says !== null,
        });
      } else if (n.k === 'bin' && (n.op === '??' || n.op === '||') && about(n.l)) {
        const says = findingOf(n.l, names, lookUp);
        out.push({ node: n, test: n.l, runsWhenAbsent: (node) => says === 'present' && within(n.r, node) });
      } else if (n.k === 'bin' && n.op === '&&' && about(n.l)) {
        const says = findingOf(n.l, names, lookUp);
        out.push({ node: n, test: n.l, runsWhenAbsent: (node) => says === 'absent' && within(n.r, node) });
      } else if (
        n.k === 'asg' &&
        (n.op === '??=' || n.op === '||=') &&
        n.target.k === 'id' &&
        names.has(n.target.b)
      )
        out.push({ node: n, test: n.value, runsWhenAbsent: (node) => within(n.value, node) });
    });
  return out;
}

function within(container: AnyNode, node: AnyNode): boolean {
  return node.s >= container.s && node.e <= container.e;
}

function leaves(st: Stmt): boolean {
  if (exitsAt(st)) return true;
  const last = st.k === 'block' ? st.body.at(-1) : st;
  return last?.k === 'continue' || last?.k === 'break';
}

/** After `continue`, only what is in the same loop is passed over. */
function sharesLoop(file: SourceFile, decision: Stmt & { k: 'if' }, node: AnyNode): boolean {
  const last = decision.then.k === 'block' ? decision.then.body.at(-1) : decision.then;
  if (last?.k !== 'continue' && last?.k !== 'break') return true;
  for (let at = file.index.parent(decision); at; at = file.index.parent(at))
    if (at.k === 'forof' || at.k === 'for' || at.k === 'while' || at.k === 'do' || at.k === 'forin')
      return within(at, node);
  return false;
}

export function findingOf(test: Expr, names: ReadonlySet<number>, lookUp: Expr): Finding {
  const about = (e: Expr): boolean => some(e, (n) => (n.k === 'id' && names.has(n.b)) || n === lookUp);
  const inner = bareTest(test);
  if (!about(inner)) return null;
  switch (inner.k) {
    case 'un':
      if (inner.op !== '!') return null;
      return flip(findingOf(inner.arg, names, lookUp));
    case 'bin': {
      if (inner.op === '&&' || inner.op === '||') {
        const l = about(inner.l) ? findingOf(inner.l, names, lookUp) : null;
        return l ?? (about(inner.r) ? findingOf(inner.r, names, lookUp) : null);
      }
      if (!about(inner.l)) {
        // `0 < count`, `limit <= count`
        const turned = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }[inner.op] ?? inner.op;
        return about(inner.r) ? compared(turned, inner.r, inner.l) : null;
      }
      return compared(inner.op, inner.l, inner.r);
    }
    case 'call':
      return inner.callee.k === 'mem' && inner.callee.prop === 'includes'
        ? null
        : inner === lookUp
          ? 'present'
          : /^(?:is|has|some|exists)/.test(inner.callee.k === 'mem' ? inner.callee.prop : '')
            ? 'present'
            : null;
    case 'id':
    case 'mem':
    case 'idx':
      return isWhole(inner) ? 'present' : null;
    default:
      return null;
  }
}

function bareTest(expr: Expr): Expr {
  let at = expr;
  while (at.k === 'as' || at.k === 'await') at = at.arg;
  return at;
}

function compared(op: string, side: Expr, other: Expr): Finding {
  const value = uncast(other);
  const nothing =
    (value.k === 'lit' && value.kind === 'null') || (value.k === 'id' && value.name === 'undefined');
  const left = bareTest(side);
  if (op === '===' || op === '==') {
    if (nothing || (value.k === 'lit' && (value.value === 0 || value.value === false)))
      return isWhole(left) ? 'absent' : null;
    return value.k === 'lit' && value.value === true ? 'present' : null;
  }
  if (op === '!==' || op === '!=')
    return nothing || (value.k === 'lit' && value.value === 0) ? (isWhole(left) ? 'present' : null) : null;
  if (!isCount(left)) return null;
  if (op === '>' || op === '>=') return 'present';
  if (op === '<' || op === '<=') return 'absent';
  return null;
}

/** The looked-up thing itself or how many there are, not a field of it. */
function isWhole(expr: Expr): boolean {
  const inner = bareTest(expr);
  if (inner.k === 'mem')
    return /^(?:length|rowCount|size|count|rows|exists|data|\$?0)$/.test(inner.prop) && isWhole(inner.obj);
  if (inner.k === 'idx') return isWhole(inner.obj);
  return inner.k === 'id' || inner.k === 'call';
}

function isCount(expr: Expr): boolean {
  const inner = bareTest(expr);
  if (inner.k === 'mem') return /^(?:length|rowCount|size|count|total|_count|n)$/.test(inner.prop);
  return inner.k === 'id' || inner.k === 'call';
}

function flip(finding: Finding): Finding {
  return finding === 'present' ? 'absent' : finding === 'absent' ? 'present' : null;
}
