/**
 * Order within one function over its structure: what can run after what, what must, what is released on every exit.
 * Owns control flow; knows no library. Loops may run again, so "after" holds both ways inside one loop.
 */
import { isStmt } from '../facts/fileIndex.ts';
import type { Stmt } from '../facts/ir.ts';
import { some, type AnyNode } from '../facts/walk.ts';
import { exits, exitsAt, leaves } from './frames.ts';
import type { SourceFile } from './project.ts';

interface Step {
  readonly node: AnyNode;
  readonly child: AnyNode;
}

function chain(file: SourceFile, node: AnyNode): Step[] {
  const out: Step[] = [];
  let child = node;
  for (let at = file.index.parent(node); at; at = file.index.parent(at)) {
    out.push({ node: at, child });
    child = at;
  }
  return out;
}

/** Where two places part: the lowest common container with the part that holds each; null when they share none but the body. */
function fork(file: SourceFile, a: AnyNode, b: AnyNode): { node: AnyNode; a: AnyNode; b: AnyNode } | null {
  const up = new Map<AnyNode, AnyNode>(chain(file, a).map((s) => [s.node, s.child]));
  for (const step of chain(file, b)) {
    const viaA = up.get(step.node);
    if (viaA) return { node: step.node, a: viaA, b: step.child };
  }
  return null;
}

/** Both cannot run in one pass: different branches of an `if`, `?:` or `switch`. */
export function exclusive(file: SourceFile, a: AnyNode, b: AnyNode): boolean {
  const at = fork(file, a, b);
  if (!at) return earlyExitBetween(file, a, b);
  const { node } = at;
  if (
    node.k === 'if' &&
    ((at.a === node.then && at.b === node.else) || (at.a === node.else && at.b === node.then))
  )
    return true;
  if (node.k === 'cond' && at.a !== node.test && at.b !== node.test && at.a !== at.b) return true;
  if (node.k === 'switch') {
    const caseOf = (part: AnyNode): number => node.cases.findIndex((c) => c.body.includes(part as Stmt));
    const x = caseOf(at.a);
    const y = caseOf(at.b);
    if (x >= 0 && y >= 0 && x !== y) {
      const [low, high] = x < y ? [x, y] : [y, x];
      for (let i = low; i < high; i++) {
        const body = node.cases[i]?.body ?? [];
        if (leaves(body) || body.some((s) => s.k === 'continue')) return true;
      }
    }
  }
  return earlyExitBetween(file, a, b);
}

/** `if (x) { a; return } … b`: the block that holds `a` leaves the function before `b` comes. */
function earlyExitBetween(file: SourceFile, a: AnyNode, b: AnyNode): boolean {
  const first = a.s <= b.s ? a : b;
  const second = first === a ? b : a;
  // Whatever leaves the block of a `try`, its `finally` still runs.
  if (
    chain(file, first).some(
      ({ node, child }) =>
        node.k === 'try' && node.final && child !== node.final && holds(node.final, second),
    )
  )
    return false;
  for (const { node, child } of chain(file, first)) {
    if (holds(node, second)) return false;
    const rest =
      node.k === 'block' ? node.body.slice(node.body.indexOf(child as Stmt)) : isStmt(child) ? [child] : [];
    if (rest.length === 0 || !exits(rest)) continue;
    // A throw inside a try is caught there: `second` may still run.
    if (!rest.some((st) => some(st, (n) => n.k === 'throw')) || !caughtBefore(file, child, second))
      return true;
  }
  return false;
}

function holds(outer: AnyNode, inner: AnyNode): boolean {
  return inner.s >= outer.s && inner.e <= outer.e;
}

/** What is thrown at `from` is caught by a handler after which `target` can still come. */
function caughtBefore(file: SourceFile, from: AnyNode, target: AnyNode): boolean {
  for (const { node, child } of chain(file, from)) {
    if (node.k !== 'try' || child !== node.block || !node.handler || holds(node.block, target)) continue;
    return holds(node, target) || !exits(node.handler.body);
  }
  return false;
}

/** `b` can run after `a` in one call of the function. */
export function mayFollow(file: SourceFile, a: AnyNode, b: AnyNode): boolean {
  if (a === b || exclusive(file, a, b)) return false;
  // What lies inside a call (its receiver, its arguments) has run when the call does.
  if (b.s >= a.e || (holds(b, a) && b.e - b.s > a.e - a.s)) return true;
  return sharedLoop(file, a, b);
}

function sharedLoop(file: SourceFile, a: AnyNode, b: AnyNode): boolean {
  for (const { node } of chain(file, a))
    if (
      (node.k === 'for' ||
        node.k === 'forof' ||
        node.k === 'forin' ||
        node.k === 'while' ||
        node.k === 'do') &&
      b.s >= node.s &&
      b.e <= node.e
    )
      return true;
  return false;
}

/** Whenever `b` runs, `a` has run before it in the same call. */
export function mustPrecede(file: SourceFile, a: AnyNode, b: AnyNode): boolean {
  const inside = holds(b, a) && a !== b;
  if (a.e > b.s && !inside) return false;
  for (const { node, child } of chain(file, a)) {
    if (node === b) return true;
    if (!inside && holds(node, b)) return runsBefore(node, child, b);
    if (maySkip(node, child)) return false;
  }
  return true;
}

/** Both lie in `node`, `b` behind the part `child`: does reaching `b` mean that `child` has run? */
function runsBefore(node: AnyNode, child: AnyNode, b: AnyNode): boolean {
  switch (node.k) {
    case 'if':
    case 'cond':
      return child === node.test;
    case 'for':
      // The update stands before the body and runs after it.
      return child !== node.update;
    case 'switch': {
      if (child === node.disc) return true;
      const own = node.cases.find((c) => c.body.includes(child as Stmt));
      return own?.body.some((st) => holds(st, b)) ?? false;
    }
    case 'try':
      return false;
    default:
      return true;
  }
}

/** The statement or expression may come to its end without running the part. */
function maySkip(node: AnyNode, child: AnyNode): boolean {
  switch (node.k) {
    case 'if': {
      if (child === node.test) return false;
      // `if (!x) { a } else return` still dominates what follows.
      const other = child === node.then ? node.else : node.then;
      return !other || !exitsAt(other);
    }
    case 'cond':
      return child !== node.test;
    case 'bin':
      return child === node.r && (node.op === '&&' || node.op === '||' || node.op === '??');
    case 'for':
      return child === node.body || child === node.update;
    case 'forof':
    case 'forin':
    case 'while':
      return child === node.body;
    case 'switch':
      return child !== node.disc;
    case 'try':
      if (child === node.handler) return true;
      // After a caught failure inside the block, the part may not have run.
      return child === node.block && node.handler !== null && !exits(node.handler.body);
    default:
      return false;
  }
}

/** The statements of the innermost block around a statement, and its place in them. */
export function blockAround(
  file: SourceFile,
  st: Stmt,
  fn: number,
): { readonly body: readonly Stmt[]; readonly at: number; readonly owner: AnyNode | null } {
  const parent = file.index.parent(st);
  if (parent?.k === 'block') return { body: parent.body, at: parent.body.indexOf(st), owner: parent };
  if (parent?.k === 'switch')
    for (const c of parent.cases) {
      const at = c.body.indexOf(st);
      if (at >= 0) return { body: c.body, at, owner: parent };
    }
  const body = file.facts.functions[fn]?.body ?? [];
  return { body, at: body.indexOf(st), owner: null };
}

/** True when running the node can throw or reject: it calls or awaits something. */
export function canFail(node: AnyNode): boolean {
  return some(
    node,
    (n) =>
      n.k === 'call' ||
      n.k === 'new' ||
      n.k === 'await' ||
      n.k === 'throw' ||
      n.k === 'tag' ||
      n.k === 'yield' ||
      (n.k === 'forof' && n.await),
  );
}

/**
 * Is what `acquire` (a statement) gives back released on every way out? `releases` says whether a node releases it.
 * `leak` names the first place after which it is lost.
 */
export function releasedOnAllExits(
  file: SourceFile,
  acquire: Stmt,
  fn: number,
  releases: (node: AnyNode) => boolean,
  fails: (node: AnyNode) => boolean = canFail,
): { readonly ok: true } | { readonly ok: false; readonly leak: AnyNode } {
  const { body, at } = blockAround(file, acquire, fn);
  const rest = at >= 0 ? body.slice(at + 1) : [];
  for (const st of rest) {
    if (st.k === 'try') {
      if (st.final && some(st.final, releases)) return { ok: true };
      const inBlock = some(st.block, releases);
      const inHandler = st.handler !== null && some(st.handler, releases);
      if (inBlock && inHandler) {
        const early = earlyReturn(st.block, releases);
        return early ? { ok: false, leak: early } : { ok: true };
      }
      if (inBlock) return { ok: false, leak: st.block };
      if (st.handler && !inHandler && exits(st.handler.body)) return { ok: false, leak: st.handler };
      if (fails(st.block) && !st.handler) return { ok: false, leak: st };
      continue;
    }
    if (some(st, releases)) {
      if (st.k === 'if' && !some(st.test, releases)) {
        // Released on one branch only: the other must be covered later; look on.
        if (st.else && some(st.then, releases) && some(st.else, releases)) return { ok: true };
        if (exitsAt(st.then) && some(st.then, releases)) continue;
        continue;
      }
      return { ok: true };
    }
    if (st.k === 'ret' || st.k === 'throw') return { ok: false, leak: st };
    const leaving = firstExit(st);
    if (leaving) return { ok: false, leak: leaving };
    if (fails(st)) return { ok: false, leak: st };
  }
  // Within an outer try whose finally releases, the acquire statement itself is covered.
  for (
    let parent = file.index.parent(acquire), child: AnyNode = acquire;
    parent;
    child = parent, parent = file.index.parent(parent)
  )
    if (parent.k === 'try' && child === parent.block && parent.final && some(parent.final, releases))
      return { ok: true };
  return { ok: false, leak: acquire };
}

function firstExit(st: Stmt): AnyNode | null {
  let found: AnyNode | null = null;
  some(st, (n) => {
    if (n.k === 'ret' || n.k === 'throw') {
      found = n;
      return true;
    }
    return false;
  });
  return found;
}

function earlyReturn(block: Stmt & { k: 'block' }, releases: (node: AnyNode) => boolean): AnyNode | null {
  let released = false;
  for (const st of block.body) {
    if (some(st, releases) && st.k !== 'if') released = true;
    if (!released && st.k !== 'ret') {
      const exit = firstExit(st);
      if (exit && exit.k === 'ret' && !some(st, releases)) return exit;
    }
  }
  return null;
}
