/**
 * Listeners of which one is meant to end the others: whoever fires first takes the rest away. Owns the finding of pairs
 * where that holds in one direction only.
 */
import type { Call, Expr, FunctionFact } from '../../facts/ir.ts';
import { some, uncast } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';

interface Listener {
  readonly event: string;
  /** Source text of the handler, by which it is added and taken away. */
  readonly handler: string;
  readonly fn: FunctionFact;
  readonly receiver: string;
}

export interface OneSidedPair {
  /** The handler that leaves the other one behind. */
  readonly fn: FunctionFact;
  readonly event: string;
  readonly left: { readonly event: string; readonly handler: string };
  readonly receiver: string;
}

/** `once` on an emitter that was there before the function: what stays there stays. */
export function oneSidedPairs(file: SourceFile): OneSidedPair[] {
  if (!/\.(?:removeListener|off)\(/.test(file.text)) return [];
  const found: OneSidedPair[] = [];
  for (const fn of file.facts.functions) {
    const listeners = added(file, fn.id);
    for (const a of listeners)
      for (const b of listeners) {
        if (a.fn === b.fn || a.receiver !== b.receiver) continue;
        if (!takesAway(file, a.fn, b, 0) || takesAway(file, b.fn, a, 0)) continue;
        // Taken away where it was added, behind a wait for either of them.
        if (takesAway(file, fn, a, 2)) continue;
        found.push({
          fn: b.fn,
          event: b.event,
          left: { event: a.event, handler: a.handler },
          receiver: b.receiver,
        });
      }
  }
  return found;
}

function added(file: SourceFile, fn: number): Listener[] {
  const list: Listener[] = [];
  for (const call of file.index.calls[fn] ?? []) {
    const parts = call.k === 'call' ? partsOf(file, call, /^once$/) : null;
    if (!parts || !outlives(file, parts.receiver, fn)) continue;
    const made = functionOf(file, parts.handler);
    if (made)
      list.push({
        event: parts.event,
        handler: text(file, parts.handler),
        fn: made,
        receiver: text(file, parts.receiver),
      });
  }
  return list;
}

function partsOf(
  file: SourceFile,
  call: Call,
  names: RegExp,
): { event: string; handler: Expr; receiver: Expr } | null {
  const [event, handler] = call.args;
  if (call.callee.k !== 'mem' || !names.test(call.callee.prop) || !handler) return null;
  if (event?.k !== 'lit' || typeof event.value !== 'string') return null;
  return { event: event.value, handler, receiver: call.callee.obj };
}

function text(file: SourceFile, expr: Expr): string {
  return file.text.slice(expr.s, expr.e);
}

/** A parameter, a field, or a local name for one. */
function outlives(file: SourceFile, receiver: Expr, fn: number): boolean {
  let at: Expr = uncast(receiver);
  while (at.k === 'mem') at = uncast(at.obj);
  if (at.k === 'this') return true;
  const binding = at.k === 'id' ? file.facts.bindings[at.b] : undefined;
  if (!binding) return false;
  if (binding.kind === 'param') return true;
  const { decl } = binding;
  if (decl?.k !== 'init' || binding.writes.length > 0) return false;
  const init = uncast(decl.init);
  return (init.k === 'id' || init.k === 'mem') && outlives(file, init, fn);
}

function functionOf(file: SourceFile, handler: Expr): FunctionFact | null {
  const inner = uncast(handler);
  if (inner.k === 'id') {
    const decl = file.facts.bindings[inner.b]?.decl;
    if (decl?.k === 'fn') return file.facts.functions[decl.fn] ?? null;
    const init = decl?.k === 'init' && decl.path.length === 0 ? uncast(decl.init) : null;
    return init?.k === 'fn' ? (file.facts.functions[init.fn] ?? null) : null;
  }
  if (inner.k !== 'mem' || inner.obj.k !== 'this') return null;
  const named = file.facts.functions.filter(
    (f) => f.name === inner.prop || (f.name === null && assignedTo(file, f) === inner.prop),
  );
  return named.length === 1 ? (named[0] ?? null) : null;
}

/** `Cursor.prototype.onRow = function () {}`: the property it is given to. */
function assignedTo(file: SourceFile, fn: FunctionFact): string | null {
  return /\.([\w$]+)\s*=\s*$/.exec(file.text.slice(Math.max(0, fn.s - 80), fn.s))?.[1] ?? null;
}

function takesAway(file: SourceFile, fn: FunctionFact, other: Listener, depth: number): boolean {
  return fn.body.some((st) =>
    some(st, (n) => {
      if (n.k !== 'call') return false;
      const parts = partsOf(file, n, /^(?:removeListener|off)$/);
      if (parts) return parts.event === other.event && text(file, parts.handler) === other.handler;
      if (n.callee.k === 'mem' && n.callee.prop === 'removeAllListeners') return true;
      // What is done for both in one place.
      const called = depth < 2 ? functionOf(file, n.callee) : null;
      return called !== null && called !== other.fn && takesAway(file, called, other, depth + 1);
    }),
  );
}
