/**
 * Whether a call can come to a place at all, by what it hands in: a branch on an option that the call leaves out is not
 * taken. Owns following such options up the path of calls.
 */
import type { Expr, PathStepFact, Pattern } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import { isNothing, readOption } from '../../model/options.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';

/**
 * Some branch on the way from the first of the calls to `hit` is never taken with what the calls hand in. `via` leads
 * there, outermost first; each one calls the function that the next one, and in the end `hit`, stands in.
 */
export function neverTaken(model: Model, via: readonly Site[], hit: Site): boolean {
  const steps = [...via, hit];
  return steps.some((step, i) => {
    const calls = steps.slice(0, i);
    if (calls.length === 0) return false;
    for (const frame of model.frames.around(step.file, step.node, step.fn)) {
      if (frame.k !== 'if') continue;
      const told = truth(model, calls, step.file, frame.test, 0);
      if (told !== null && told !== (frame.branch === 'then')) return true;
    }
    return false;
  });
}

/** Null when it cannot be told. */
function truth(
  model: Model,
  calls: readonly Site[],
  file: SourceFile,
  expr: Expr,
  depth: number,
): boolean | null {
  if (depth > 12) return null;
  const inner = uncast(expr);
  const of = (e: Expr): boolean | null => truth(model, calls, file, e, depth + 1);
  if (isNothing(inner)) return false;
  switch (inner.k) {
    case 'lit':
      return inner.kind === 'number' || inner.kind === 'string' || typeof inner.value === 'boolean'
        ? Boolean(inner.value)
        : null;
    case 'obj':
    case 'fn':
    case 'arr':
      return true;
    case 'un': {
      const arg = inner.op === '!' ? of(inner.arg) : null;
      return arg === null ? null : !arg;
    }
    case 'bin': {
      if (inner.op === 'in') return isGiven(model, calls, file, inner.l, inner.r);
      const l = inner.op === '&&' || inner.op === '||' ? of(inner.l) : null;
      const r = inner.op === '&&' || inner.op === '||' ? of(inner.r) : null;
      if (inner.op === '&&')
        return l === false || r === false ? false : l === true && r === true ? true : null;
      if (inner.op === '||')
        return l === true || r === true ? true : l === false && r === false ? false : null;
      return null;
    }
    case 'id':
    case 'mem': {
      const from = parameterOf(file, inner, 0);
      const call = calls.at(-1);
      if (!from || !call || !entered(call, file, from.fn)) return null;
      const read = readOption(model.values, call.file, call.node, { arg: from.index, path: from.path });
      if (read.k === 'absent') return hasDefault(file, from) ? null : false;
      if (read.k !== 'value') return null;
      return truth(model, calls.slice(0, -1), read.file, read.expr, depth + 1);
    }
    default:
      return null;
  }
}

/** `'url' in rest` with what the call hands in. */
function isGiven(
  model: Model,
  calls: readonly Site[],
  file: SourceFile,
  key: Expr,
  object: Expr,
): boolean | null {
  const name = uncast(key);
  const from = parameterOf(file, uncast(object), 0);
  const call = calls.at(-1);
  if (name.k !== 'lit' || typeof name.value !== 'string' || !from || !call) return null;
  if (!entered(call, file, from.fn)) return null;
  const path = from.path === '' ? name.value : `${from.path}.${name.value}`;
  const read = readOption(model.values, call.file, call.node, { arg: from.index, path });
  return read.k === 'absent' ? false : read.k === 'value' ? true : null;
}

function entered(call: Site, file: SourceFile, fn: number): boolean {
  const { target, node } = call;
  return (
    target.k === 'fn' &&
    target.value.file === file &&
    target.value.fn === fn &&
    node.k === 'call' &&
    !node.args.some((a) => a.k === 'spread')
  );
}

interface FromParameter {
  readonly fn: number;
  readonly index: number;
  /** Joined with dots. */
  readonly path: string;
}

/** The part of a parameter that a name or member stands for. */
function parameterOf(file: SourceFile, expr: Expr, depth: number): FromParameter | null {
  if (depth > 8) return null;
  const inner = uncast(expr);
  if (inner.k === 'mem') {
    const base = parameterOf(file, inner.obj, depth + 1);
    return base && { ...base, path: base.path === '' ? inner.prop : `${base.path}.${inner.prop}` };
  }
  const binding = inner.k === 'id' ? file.facts.bindings[inner.b] : undefined;
  if (inner.k !== 'id' || !binding?.decl || binding.writes.length > 0) return null;
  const { decl } = binding;
  if (decl.k === 'param') {
    const path = joined('', decl.path);
    return path === null ? null : { fn: decl.fn, index: decl.index, path };
  }
  if (decl.k !== 'init') return null;
  const base = parameterOf(file, decl.init, depth + 1);
  const path = base ? joined(base.path, decl.path) : null;
  return base && path !== null ? { ...base, path } : null;
}

/** Null where an index is in it. What a rest pattern holds are the same properties. */
function joined(path: string, steps: readonly PathStepFact[]): string | null {
  const names = steps.filter((s) => s !== '...');
  if (names.some((s) => typeof s !== 'string' || s === '*')) return null;
  return [...(path === '' ? [] : [path]), ...names].join('.');
}

function hasDefault(file: SourceFile, from: FromParameter): boolean {
  const param = file.facts.functions[from.fn]?.params[from.index];
  if (!param) return false;
  const { target } = param;
  // `options = {}` gives no part of it a value.
  if (target.k === 'pdef' && from.path !== '' && target.value.k === 'obj' && target.value.props.length === 0)
    return defaultIn(target.target);
  return defaultIn(target);
}

/** Any default within the parameter: which part it is for is not looked at. */
function defaultIn(pattern: Pattern): boolean {
  switch (pattern.k) {
    case 'pdef':
      return true;
    case 'pobj':
      return pattern.props.some((p) => defaultIn(p.value));
    case 'parr':
      return pattern.items.some((i) => i !== null && defaultIn(i));
    default:
      return false;
  }
}
