/**
 * Which calls give a promise that can reject. Owns the judgement by declaration (async, `Promise<…>`), by library, by
 * shape (SQL handed to something whose other calls are awaited), and whether a function lets a failure out.
 */
import type { Expr, FunctionFact, Stmt } from '../../facts/ir.ts';
import { eachPart, some, uncast, type AnyNode } from '../../facts/walk.ts';
import type { Model, Reached } from '../../model/model.ts';
import { isPromise } from '../../model/packIndex.ts';
import type { CallSpec } from '../../packs/contract.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Effect, Site } from '../../model/sites.ts';
import { returnsOf, type FnValue, type Value } from '../../model/values.ts';
import { holdsFailure } from './heldFailures.ts';

export interface PromiseCall {
  readonly confidence: 'shown' | 'assumed';
  /** The effect that its work has, where one is known. */
  readonly effect: Effect | null;
  /** A query builder that does nothing until it is awaited. */
  readonly lazy: boolean;
  /** Its failure comes as a value (`Either`, `Result`, `{ data, error }`), not as a rejection. */
  readonly held?: boolean;
}

const SILENT_KINDS = new Set(['log', 'metric', 'respond', 'sleep']);

/** The effect counts as work: something outside the process is read or changed. */
export function isWork(effect: Effect | null): effect is Effect {
  return effect !== null && !SILENT_KINDS.has(effect.kind);
}

/** Null when the call is not known to give a promise, or the promise is known not to reject. */
export function promiseOf(model: Model, site: Site): PromiseCall | null {
  const { target, node } = site;
  if (node.k === 'new') return null;
  if (target.k === 'lib') {
    if (takesCallback(site) || target.spec.rejects === false) return null;
    if (runsTransaction(site, target.spec)) return { confidence: 'shown', effect: null, lazy: false };
    if (!isPromise(target.spec)) return null;
    if (!isWork(site.effect) && target.spec.rejects !== true) return null;
    return {
      confidence: site.effect?.confidence ?? 'shown',
      effect: site.effect,
      lazy: target.spec.lazy === true,
    };
  }
  if (target.k === 'fn') return promiseOfFunction(model, target.value);
  if (node.k === 'tag') return null;
  if (looksLikeTransaction(site)) return { confidence: 'assumed', effect: null, lazy: false };
  if (site.effect && site.effect.confidence === 'assumed' && !takesCallback(site))
    return awaitsReceiver(site) ? { confidence: 'assumed', effect: site.effect, lazy: false } : null;
  if (promisedBySignature(model, site)) return { confidence: 'shown', effect: null, lazy: false };
  return forgottenAmongAwaited(site) ? { confidence: 'assumed', effect: null, lazy: false } : null;
}

/** A transaction whose body is async: its outcome is known to nobody but its promise. */
function runsTransaction(site: Site, spec: CallSpec): boolean {
  const { node, file } = site;
  return (
    node.k === 'call' &&
    (spec.callbacks?.some((c) => {
      const arg = node.args[c.arg === 'last' ? node.args.length - 1 : c.arg];
      const inner = arg ? uncast(arg) : null;
      return c.role === 'transaction' && inner?.k === 'fn' && file.facts.functions[inner.fn]?.async === true;
    }) ??
      false)
  );
}

/** `db.transaction(async (tx) => …)` on something that cannot be followed: the shape is that of databases alone. */
function looksLikeTransaction(site: Site): boolean {
  const { node, file } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem' || !/^\$?transaction$/.test(node.callee.prop))
    return false;
  const body = node.args.map((a) => uncast(a)).find((a) => a.k === 'fn');
  const fact = body?.k === 'fn' ? file.facts.functions[body.fn] : undefined;
  return fact?.async === true && fact.params.length > 0;
}

const CHANGES =
  /^(?:ensure|save|create|update|upsert|insert|delete|remove|send|publish|add|set|store|close|merge|sync|write|register|cancel|refund|charge)[A-Z]/;
const LANGUAGE =
  /^(?:console|process|Math|JSON|Object|Array|Reflect|Promise|globalThis|window|document|performance|Atomics|Intl|Symbol|Number|String|Date|Buffer|localStorage|sessionStorage|navigator)\b/;

/** A call that changes something, on a receiver whose every other call in the file is awaited or given back. */
function forgottenAmongAwaited(site: Site): boolean {
  const { node, target, file } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem' || !CHANGES.test(node.callee.prop) || takesCallback(site))
    return false;
  if (target.k !== 'unresolved' && !(target.k === 'builtin' && !LANGUAGE.test(target.name))) return false;
  const receiver = file.text.slice(node.callee.obj.s, node.callee.obj.e);
  if (!/^[\w$.]+$/.test(receiver) || receiver === 'this') return false;
  let awaited = 0;
  for (const fn of file.facts.functions)
    for (const call of file.index.calls[fn.id] ?? []) {
      if (call.k !== 'call' || call === node || call.callee.k !== 'mem') continue;
      if (file.text.slice(call.callee.obj.s, call.callee.obj.e) !== receiver) continue;
      const parent = file.index.parent(call);
      if (parent?.k === 'expr') return false;
      if (parent?.k === 'await') awaited++;
    }
  return awaited >= 3;
}

function promiseOfFunction(model: Model, value: FnValue): PromiseCall | null {
  const fact = value.file.facts.functions[value.fn];
  if (!fact || fact.generator || !givesPromise(model, value.file, fact)) return null;
  if (fact.body.length > 0 && !letsFailureOut(model, value.file, value.fn)) return null;
  return {
    confidence: 'shown',
    effect: workOf(model, value.file, value.fn)?.site.effect ?? null,
    lazy: false,
    ...(holdsFailure(value.file, fact) ? { held: true } : {}),
  };
}

/** The first work that running a function leads to. */
export function workOf(model: Model, file: SourceFile, fn: number): Reached | null {
  return model.reach(file, fn).find((r) => isWork(r.site.effect)) ?? null;
}

/** `async`, annotated `Promise<…>`, or gives back what a promising call gives. */
export function givesPromise(model: Model, file: SourceFile, fact: FunctionFact, depth = 0): boolean {
  if (fact.async) return true;
  if (fact.ret?.name === 'Promise') return true;
  if (fact.ret || depth > 3) return false;
  return returnsOf(file, fact.id).some((returned) => {
    const inner = uncast(returned);
    if (inner.k === 'new')
      return inner.callee.k === 'id' && inner.callee.name === 'Promise' && inner.callee.b < 0;
    if (inner.k !== 'call') return false;
    const site = model.sites.at(file, inner);
    if (!site) return false;
    if (site.target.k === 'lib')
      return isPromise(site.target.spec) && isWork(site.effect) && !takesCallback(site);
    if (site.target.k !== 'fn') return false;
    const next = site.target.value.file.facts.functions[site.target.value.fn];
    return (
      next !== undefined && next !== fact && givesPromise(model, site.target.value.file, next, depth + 1)
    );
  });
}

/** A trailing function that no pack accounts for: the callback form, which gives no promise. */
function takesCallback(site: Site): boolean {
  if (site.node.k === 'tag') return false;
  const last = site.node.args.at(-1);
  if (!last || uncast(last).k !== 'fn') return false;
  const callbacks = site.target.k === 'lib' ? site.target.spec.callbacks : undefined;
  return !callbacks?.some(
    (c) => c.arg === 'last' || c.arg === (site.node.k === 'tag' ? -1 : site.node.args.length - 1),
  );
}

/** Something called on the same receiver is awaited in the same file. */
function awaitsReceiver(site: Site): boolean {
  if (site.node.k === 'tag' || site.node.callee.k !== 'mem') return false;
  const receiver = site.file.text.slice(site.node.callee.obj.s, site.node.callee.obj.e);
  const { index, facts } = site.file;
  return facts.functions.some((fn) =>
    (index.calls[fn.id] ?? []).some(
      (call) =>
        call.k === 'call' &&
        call !== site.node &&
        call.callee.k === 'mem' &&
        index.parent(call)?.k === 'await' &&
        site.file.text.slice(call.callee.obj.s, call.callee.obj.e) === receiver,
    ),
  );
}

/** A member of an interface or literal type whose signature promises. */
function promisedBySignature(model: Model, site: Site): boolean {
  if (site.node.k !== 'call' || site.node.callee.k !== 'mem') return false;
  const base = typedShape(model, model.values.of(site.file, site.node.callee.obj));
  if (base?.k !== 'shape') return false;
  const type = base.type.members?.[site.node.callee.prop];
  return type?.name === '=>' && type.args[0]?.name === 'Promise';
}

/** A parameter stands for the shape that its annotation names. */
function typedShape(model: Model, value: Value): Value | null {
  if (value.k !== 'param') return value;
  const type = value.file.facts.functions[value.fn]?.params[value.index]?.type;
  if (!type) return null;
  let at = model.values.type(value.file, type);
  for (const step of value.path) {
    if (at.k !== 'shape' || typeof step !== 'string') return null;
    const member = at.type.members?.[step];
    if (!member) return null;
    at = model.values.type(at.file, member);
  }
  return at;
}

/** By model: what a function lets out depends on the files it calls into. */
const knownBy = new WeakMap<Model, WeakMap<FunctionFact, boolean>>();

/** Some await, throw or given-back promise of the function stands outside every try that catches for good. */
export function letsFailureOut(model: Model, file: SourceFile, fn: number): boolean {
  const fact = file.facts.functions[fn];
  if (!fact) return false;
  let known = knownBy.get(model);
  if (!known) knownBy.set(model, (known = new WeakMap<FunctionFact, boolean>()));
  const before = known.get(fact);
  if (before !== undefined) return before;
  // A cycle adds nothing that its first visit does not see.
  known.set(fact, false);
  const result = fact.body.some((st) => letsOut(model, file, st));
  known.set(fact, result);
  return result;
}

function letsOut(model: Model, file: SourceFile, node: AnyNode): boolean {
  switch (node.k) {
    case 'throw':
      return true;
    case 'await':
      return canReject(model, file, node.arg) || letsOut(model, file, node.arg);
    case 'ret':
      if (node.arg && uncast(node.arg).k === 'call' && canReject(model, file, node.arg)) return true;
      break;
    case 'forof':
      if (node.await) return true;
      break;
    case 'try':
      if (node.final && letsOut(model, file, node.final)) return true;
      if (node.handler)
        return some(node.handler, (n) => n.k === 'throw') || letsOutOfHandler(model, file, node.handler);
      return letsOut(model, file, node.block);
    default:
      break;
  }
  let out = false;
  eachPart(node, (part) => {
    out ||= letsOut(model, file, part);
  });
  return out;
}

/** Work that a handler itself awaits: `catch (e) { await markFailed(id) }`. A log that is awaited does not count. */
function letsOutOfHandler(model: Model, file: SourceFile, handler: Stmt): boolean {
  return some(handler, (n) => {
    if (n.k !== 'await') return false;
    const call = uncast(n.arg);
    if (call.k !== 'call') return false;
    const site = model.sites.at(file, call);
    return site !== null && isWork(site.effect) && !caught(site.file, call);
  });
}

function caught(file: SourceFile, expr: Expr): boolean {
  const chain = chainOf(file, expr);
  return hasHandler(chain);
}

/** Whether awaiting an expression can throw. */
function canReject(model: Model, file: SourceFile, expr: Expr): boolean {
  const inner = uncast(expr);
  if (inner.k === 'cond') return canReject(model, file, inner.yes) || canReject(model, file, inner.no);
  if (inner.k === 'bin') return canReject(model, file, inner.l) || canReject(model, file, inner.r);
  if (inner.k === 'tag') return true;
  if (inner.k === 'import') return false;
  if (inner.k !== 'call') return false;
  // The call at the root of the chain is what settles; `.catch(…)` on the way ends it.
  if (inner.callee.k === 'mem' && inner.callee.prop === 'catch' && inner.args.length > 0) return false;
  if (inner.callee.k === 'mem' && inner.callee.prop === 'then' && inner.args.length > 1) return false;
  if (inner.callee.k === 'mem' && (inner.callee.prop === 'then' || inner.callee.prop === 'finally'))
    return canReject(model, file, inner.callee.obj);
  const site = model.sites.at(file, inner);
  if (!site) return true;
  const { target } = site;
  switch (target.k) {
    case 'lib':
      return isWork(site.effect)
        ? target.spec.rejects !== false
        : target.spec.rejects === true || (target.spec.callbacks?.length ?? 0) > 0;
    case 'fn': {
      const fact = target.value.file.facts.functions[target.value.fn];
      if (!fact) return true;
      if (holdsFailure(target.value.file, fact)) return false;
      const run = WRAPPERS.test(fact.name ?? '') ? callbackOf(model, file, inner) : null;
      if (run) return letsFailureOut(model, run.file, run.fn);
      return fact.body.length === 0
        ? fact.ret?.name === 'Promise'
        : letsFailureOut(model, target.value.file, target.value.fn);
    }
    case 'builtin':
      if (target.name === 'Promise.allSettled' || target.name === 'Promise.resolve') return false;
      if (target.name === 'Promise.all' || target.name === 'Promise.race' || target.name === 'Promise.any')
        return anyRejects(model, file, inner.args[0]);
      return /^(?:import|fetch)$/.test(target.name) || target.name === 'Promise.reject';
    default:
      return !/^(?:sleep|delay|wait|timeout|setTimeout|nextTick|tick)$/i.test(lastName(inner.callee) ?? '');
  }
}

/** Runs what it is given and measures it: fails where that fails. */
const WRAPPERS =
  /^(?:instrument|trace|measure|profile|timed?|span|with(?:Span|Trace|Tracing|Metrics?|Timing|Context|Instrumentation))(?:Async|Sync|[A-Z]\w*)?$/;

function callbackOf(model: Model, file: SourceFile, call: Expr & { k: 'call' }): FnValue | null {
  const last = call.args.at(-1);
  const value = last ? model.values.of(file, last) : null;
  return value?.k === 'fn' ? value : null;
}

function anyRejects(model: Model, file: SourceFile, list: Expr | undefined): boolean {
  if (!list) return false;
  const inner = uncast(list);
  if (inner.k === 'arr')
    return inner.items.some((item) => canReject(model, file, item.k === 'spread' ? item.arg : item));
  if (inner.k === 'call' && inner.callee.k === 'mem' && inner.callee.prop === 'map' && inner.args[0]) {
    const fn = model.values.of(file, inner.args[0]);
    if (fn.k === 'fn') return letsFailureOut(model, fn.file, fn.fn);
  }
  return true;
}

export function lastName(callee: Expr): string | null {
  const inner = uncast(callee);
  return inner.k === 'id' ? inner.name : inner.k === 'mem' ? inner.prop : null;
}

export interface ChainStep {
  readonly name: string;
  readonly args: readonly Expr[];
}

/** Member calls chained on an expression, innermost first. */
export function chainOf(file: SourceFile, expr: Expr): readonly ChainStep[] {
  const out: ChainStep[] = [];
  let at: Expr = expr;
  for (;;) {
    const member = file.index.parent(at);
    if (member?.k !== 'mem' || member.obj !== at) return out;
    const call = file.index.parent(member);
    if (call?.k !== 'call' || call.callee !== member) return out;
    out.push({ name: member.prop, args: call.args });
    at = call;
  }
}

/** A rejection handler is attached on the way; `finally` lets the rejection through. */
export function hasHandler(chain: readonly ChainStep[]): boolean {
  return chain.some(
    (step) =>
      (step.name === 'catch' && step.args.length > 0) || (step.name === 'then' && step.args.length > 1),
  );
}
