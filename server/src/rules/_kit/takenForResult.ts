/**
 * Promises that code takes for what they will give: a property of the result read off the promise, the promise itself
 * as a condition. Owns the proof that nothing waits for it first.
 */
import type { Call, Expr } from '../../facts/ir.ts';
import type { AnyNode } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import { outerCast, usesOf } from './uses.ts';

export interface TakenForResult {
  /** The property that is read; null where the promise stands as a condition. */
  readonly property: string | null;
  readonly use: Expr;
}

/** What a promise has of its own, and what tests for one ask for. */
const OF_PROMISES = /^(?:then|catch|finally|constructor|toString|hasOwnProperty|cancel|abort)$/;

/** Only for functions of the project that are `async` or say `Promise<…>`: those give nothing else. */
export function takenForResult(site: Site): TakenForResult | null {
  const { file, node, target } = site;
  if (target.k !== 'fn' || node.k !== 'call') return null;
  const fact = target.value.file.facts.functions[target.value.fn];
  if (!fact || fact.generator || (fact.ret ? fact.ret.name !== 'Promise' : !fact.async)) return null;
  const direct = asResult(file, node);
  if (direct) return direct;
  const at = outerCast(file, node);
  const statement = file.index.parent(at);
  if (statement?.k !== 'var') return null;
  const decl = statement.decls.find((d) => d.init === at);
  if (decl?.target.k !== 'pid') return null;
  const { b } = decl.target;
  const binding = file.facts.bindings[b];
  if (!binding || binding.writes.length > 0) return null;
  let found: TakenForResult | null = null;
  for (const use of usesOf(file, b)) {
    const taken = asResult(file, use);
    // One place that waits for it, or hands it to somebody who may, and the name is a promise on purpose.
    if (!taken) return null;
    found ??= taken;
  }
  return found;
}

function asResult(file: SourceFile, expr: Expr): TakenForResult | null {
  const at = outerCast(file, expr);
  const parent: AnyNode | undefined = file.index.parent(at);
  if (parent?.k === 'mem' && parent.obj === at)
    return OF_PROMISES.test(parent.prop) ? null : { property: parent.prop, use: at };
  const tested =
    (parent?.k === 'un' && parent.op === '!') ||
    ((parent?.k === 'if' || parent?.k === 'cond' || parent?.k === 'while') && parent.test === at);
  return tested && !isOptional(file, expr) ? { property: null, use: at } : null;
}

/** `f?.()` may give nothing at all, which is what such a condition asks. */
function isOptional(file: SourceFile, expr: Expr): boolean {
  if (expr.k === 'call') return holdsOptional(expr);
  const decl = expr.k === 'id' ? file.facts.bindings[expr.b]?.decl : undefined;
  return decl?.k === 'init' && decl.init.k === 'call' && holdsOptional(decl.init);
}

function holdsOptional(call: Call): boolean {
  return call.opt || (call.callee.k === 'mem' && call.callee.opt);
}
