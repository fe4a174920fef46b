/**
 * What surrounds a place, from the inside out: loops, try parts, branches, and the calls whose callback it is in.
 * Owns the crossing from a callback to the call that runs it, and what a local wrapper does with its parameter.
 */
import type { Call, Expr, New, Stmt } from '../facts/ir.ts';
import { some, uncast, type AnyNode } from '../facts/walk.ts';
import { isStmt } from '../facts/fileIndex.ts';
import type { CallbackRole, CallbackSpec, CallSpec, Pack } from '../packs/contract.ts';
import { namesCallee, NO_HINTS, type Hints } from './hints.ts';
import type { SourceFile } from './project.ts';
import type { Sites, Target } from './sites.ts';
import { matchCallback, type FnValue, type Inst } from './values.ts';

export type Frame =
  | { readonly k: 'loop'; readonly node: Stmt; readonly fn: number }
  | { readonly k: 'try' | 'catch' | 'finally'; readonly node: Stmt & { k: 'try' }; readonly fn: number }
  | {
      readonly k: 'if';
      readonly node: AnyNode;
      readonly fn: number;
      readonly test: Expr;
      readonly branch: 'then' | 'else';
    }
  | {
      /** A function written as an argument: what runs it and how. */
      readonly k: 'callback';
      readonly fn: number;
      readonly call: Call | New;
      readonly arg: number;
      readonly roles: ReadonlySet<CallbackRole>;
      /** Set when a pack says what the call is. */
      readonly lib: {
        readonly pack: Pack;
        readonly spec: CallSpec;
        readonly callback: CallbackSpec | null;
        readonly recv: Inst | null;
        readonly name: string;
      } | null;
      /** Array method that runs it once per element: `map`, `forEach` … */
      readonly iterates: string | null;
      /** False when nothing tells what the receiver does with it. */
      readonly resolved: boolean;
    }
  /** The end of a function that is not an inline argument. */
  | { readonly k: 'function'; readonly fn: number };

const ARRAY_METHODS = new Set([
  'map',
  'forEach',
  'filter',
  'some',
  'every',
  'find',
  'findIndex',
  'reduce',
  'flatMap',
  'reduceRight',
  'sort',
]);
const PROMISE_METHODS = new Set(['then', 'catch', 'finally']);
const HINTED = ['timeout', 'retry', 'transaction'] as const;
const NO_ROLES: ReadonlySet<CallbackRole> = new Set();

export class Frames {
  private readonly callbacks = new WeakMap<object, (Frame & { k: 'callback' }) | null>();

  constructor(
    private readonly sites: Sites,
    readonly hints: Hints = NO_HINTS,
  ) {}

  /** From the innermost outwards; ends with a `function` frame. */
  *around(file: SourceFile, node: AnyNode, fn: number): Generator<Frame> {
    let child: AnyNode = node;
    let at: AnyNode | undefined = file.index.parent(node);
    let current = fn;
    for (let guard = 0; guard < 2000; guard++) {
      if (!at) {
        const callback = this.callbackOf(file, current);
        if (!callback) {
          yield { k: 'function', fn: current };
          return;
        }
        yield callback;
        child = callback.call;
        current = file.index.functionOf(callback.call);
        at = file.index.parent(callback.call);
        continue;
      }
      switch (at.k) {
        case 'for':
        case 'while':
        case 'do':
          if (child !== (at.k === 'for' ? at.init : null)) yield { k: 'loop', node: at, fn: current };
          break;
        case 'forof':
        case 'forin':
          if (child === at.body || child === at.decl) yield { k: 'loop', node: at, fn: current };
          break;
        case 'try':
          yield {
            k: child === at.block ? 'try' : child === at.final ? 'finally' : 'catch',
            node: at,
            fn: current,
          };
          break;
        case 'if':
          if (child === at.then || child === at.else)
            yield {
              k: 'if',
              node: at,
              fn: current,
              test: at.test,
              branch: child === at.then ? 'then' : 'else',
            };
          break;
        case 'cond':
          if (child === at.yes || child === at.no)
            yield {
              k: 'if',
              node: at,
              fn: current,
              test: at.test,
              branch: child === at.yes ? 'then' : 'else',
            };
          break;
        case 'bin':
          if (child === at.r && (at.op === '&&' || at.op === '||' || at.op === '??'))
            yield { k: 'if', node: at, fn: current, test: at.l, branch: at.op === '&&' ? 'then' : 'else' };
          break;
        default:
          break;
      }
      child = at;
      at = file.index.parent(at);
    }
  }

  /** The frame of a function that is written as an argument; null otherwise. */
  callbackOf(file: SourceFile, fn: number): (Frame & { k: 'callback' }) | null {
    const fact = file.facts.functions[fn];
    if (!fact) return null;
    const known = this.callbacks.get(fact);
    if (known !== undefined) return known;
    this.callbacks.set(fact, null);
    const frame = this.makeCallback(file, fn);
    this.callbacks.set(fact, frame);
    return frame;
  }

  private makeCallback(file: SourceFile, fn: number): (Frame & { k: 'callback' }) | null {
    const site = file.index.argumentSite(fn);
    if (!site) return null;
    const { call, arg, path } = site;
    const callee = uncast(call.callee);
    // An immediately invoked function is no argument, and arguments of `new Promise` run at once.
    const target = this.sites.target(file, call);
    const base = { k: 'callback' as const, fn, call, arg };
    const hinted = this.hintedRoles(file.text.slice(call.callee.s, call.callee.e));
    if (hinted) return { ...base, roles: hinted, lib: null, iterates: null, resolved: true };
    if (target.k === 'lib') {
      const callback = matchCallback(target.spec.callbacks, arg, call.args.length, path);
      const lib = { pack: target.pack, spec: target.spec, callback, recv: target.recv, name: target.name };
      return {
        ...base,
        roles: callback ? new Set([callback.role]) : NO_ROLES,
        lib,
        iterates: null,
        resolved: callback !== null,
      };
    }
    if (target.k === 'fn' && path === '') {
      const roles = this.rolesOfParameter(target.value, arg, 0);
      return { ...base, roles: roles ?? NO_ROLES, lib: null, iterates: null, resolved: roles !== null };
    }
    const prop = callee.k === 'mem' ? callee.prop : null;
    if (prop && ARRAY_METHODS.has(prop) && arg === 0)
      return { ...base, roles: new Set(['sync']), lib: null, iterates: prop, resolved: true };
    if (prop && PROMISE_METHODS.has(prop))
      return { ...base, roles: new Set(['sync']), lib: null, iterates: null, resolved: true };
    const builtin = target.k === 'builtin' ? target.name : null;
    if (builtin === 'Promise' && call.k === 'new')
      return { ...base, roles: new Set(['sync']), lib: null, iterates: null, resolved: true };
    if (
      builtin === 'setTimeout' ||
      builtin === 'setInterval' ||
      builtin === 'setImmediate' ||
      builtin === 'queueMicrotask' ||
      builtin === 'process.nextTick' ||
      builtin === 'process.on'
    )
      return { ...base, roles: new Set(['listener']), lib: null, iterates: null, resolved: true };
    if (prop === 'on' || prop === 'once' || prop === 'addListener' || prop === 'addEventListener')
      return { ...base, roles: new Set(['listener']), lib: null, iterates: null, resolved: true };
    if (builtin === 'Array.from')
      return { ...base, roles: new Set(['sync']), lib: null, iterates: 'map', resolved: true };
    return { ...base, roles: NO_ROLES, lib: null, iterates: null, resolved: false };
  }

  private hintedRoles(callee: string): ReadonlySet<CallbackRole> | null {
    const roles = HINTED.filter((role) => namesCallee(this.hints.wrappers[role], callee));
    return roles.length > 0 ? new Set<CallbackRole>(roles) : null;
  }

  /** What a local function does with the function it is given: null when that cannot be told. */
  rolesOfParameter(callee: FnValue, arg: number, depth: number): ReadonlySet<CallbackRole> | null {
    const { file } = callee;
    const fact = file.facts.functions[callee.fn];
    const param = fact?.params[arg];
    if (!fact || !param || depth > 4) return null;
    const target = param.target.k === 'pdef' ? param.target.target : param.target;
    if (target.k !== 'pid' || target.b < 0) return null;
    const roles = new Set<CallbackRole>();
    let seen = false;
    for (const inner of file.index.within(fact.id)) {
      for (const call of file.index.calls[inner.id] ?? []) {
        if (call.k === 'tag') continue;
        const direct = call.callee.k === 'id' && call.callee.b === target.b;
        const at = direct ? -1 : call.args.findIndex((a) => isName(a, target.b));
        if (!direct && at < 0) continue;
        seen = true;
        let from: AnyNode = call;
        if (!direct) {
          const next = this.sites.target(file, call);
          if (next.k === 'lib') {
            const callback = matchCallback(next.spec.callbacks, at, call.args.length, '');
            if (callback) roles.add(callback.role);
          } else if (next.k === 'fn' && !(next.value.fn === callee.fn && next.value.file === file)) {
            for (const role of this.rolesOfParameter(next.value, at, depth + 1) ?? []) roles.add(role);
          }
        } else roles.add('sync');
        from = call;
        for (const frame of this.around(file, from, inner.id)) {
          if (frame.k === 'loop' && this.isRetryLoop(file, frame, call)) roles.add('retry');
          if (frame.k === 'callback')
            for (const role of frame.roles) if (role !== 'sync' && role !== 'listener') roles.add(role);
          if (frame.k === 'function' || frame.fn === callee.fn) {
            if (frame.k === 'function') break;
          }
        }
        if (this.isRaced(file, call)) roles.add('timeout');
        if (this.recursesOnFailure(file, callee, inner.id)) roles.add('retry');
      }
    }
    if (!seen) return null;
    if (this.arms(file, fact.id)) roles.add('timeout');
    return roles;
  }

  /** `for (…) { try { return await fn() } catch { … } }`: the loop goes on because the call failed. */
  isRetryLoop(file: SourceFile, loop: Frame & { k: 'loop' }, inside: AnyNode): boolean {
    if (loop.node.k === 'forof' && !/attempt|retr|delay|backoff/i.test(iterText(file, loop.node.iter)))
      return false;
    if (loop.node.k === 'forin') return false;
    // A try with a handler between the loop and the call, that does not always leave the loop.
    for (let at = file.index.parent(inside); at && at !== loop.node; at = file.index.parent(at))
      if (at.k === 'try' && at.handler && inside.s >= at.block.s && inside.e <= at.block.e)
        return !leaves(at.handler.body);
    return false;
  }

  private isRaced(file: SourceFile, call: Call | New): boolean {
    for (let at = file.index.parent(call); at; at = file.index.parent(at)) {
      if (isStmt(at)) return false;
      if (at.k === 'call') {
        const target = this.sites.target(file, at);
        if (target.k === 'builtin' && target.name === 'Promise.race') return true;
      }
    }
    return false;
  }

  /** The function starts a timer that aborts or rejects. */
  private arms(file: SourceFile, fn: number): boolean {
    const fact = file.facts.functions[fn];
    if (!fact) return false;
    let timer = false;
    let race = false;
    for (const inner of file.index.within(fact.id)) {
      for (const call of file.index.calls[inner.id] ?? []) {
        const target = this.sites.target(file, call);
        if (target.k !== 'builtin') continue;
        if (target.name === 'AbortSignal.timeout') return true;
        if (target.name === 'setTimeout') timer = true;
        if (target.name === 'Promise.race') race = true;
      }
    }
    return timer && race;
  }

  /** The function calls itself from a catch: a retry by recursion. */
  recursesOnFailure(file: SourceFile, callee: FnValue, inner: number): boolean {
    for (const call of file.index.calls[inner] ?? []) {
      if (call.k !== 'call') continue;
      const target: Target = this.sites.target(file, call);
      if (target.k !== 'fn' || target.value.file !== file || target.value.fn !== callee.fn) continue;
      for (
        let at = file.index.parent(call), child: AnyNode = call;
        at;
        child = at, at = file.index.parent(at)
      )
        if (at.k === 'try' && child === at.handler) return true;
      const callback = this.callbackOf(file, inner);
      if (callback && callback.call.callee.k === 'mem' && callback.call.callee.prop === 'catch') return true;
    }
    return false;
  }
}

function iterText(file: SourceFile, expr: Expr): string {
  return file.text.slice(expr.s, expr.e);
}

function isName(expr: Expr, binding: number): boolean {
  const inner = uncast(expr);
  return inner.k === 'id' && inner.b === binding;
}

/** Every way through the statements ends in return, throw, or leaving the loop. */
export function leaves(body: readonly Stmt[]): boolean {
  for (const st of body) if (leavesAt(st)) return true;
  return false;
}

function leavesAt(st: Stmt): boolean {
  switch (st.k) {
    case 'ret':
    case 'throw':
    case 'break':
      return true;
    case 'block':
      return leaves(st.body);
    case 'if':
      return st.else !== null && leavesAt(st.then) && leavesAt(st.else);
    case 'try':
      return st.final && leaves(st.final.body)
        ? true
        : leaves(st.block.body) && (!st.handler || leaves(st.handler.body));
    case 'switch':
      return (
        st.cases.some((c) => c.test === null) &&
        st.cases.every((c, i) => leaves(c.body) || (c.body.length === 0 && i + 1 < st.cases.length))
      );
    case 'label':
      return leavesAt(st.body);
    default:
      return false;
  }
}

/** Every way through ends in return or throw (the function is left). */
export function exits(body: readonly Stmt[]): boolean {
  return body.some((st) => exitsAt(st));
}

export function exitsAt(st: Stmt): boolean {
  switch (st.k) {
    case 'ret':
    case 'throw':
      return true;
    case 'block':
      return exits(st.body);
    case 'if':
      return st.else !== null && exitsAt(st.then) && exitsAt(st.else);
    case 'try':
      if (st.final && exits(st.final.body)) return true;
      return exits(st.block.body) && (!st.handler || exits(st.handler.body));
    case 'switch':
      return (
        st.cases.some((c) => c.test === null) &&
        st.cases.every((c, i) => exits(c.body) || (c.body.length === 0 && i + 1 < st.cases.length))
      );
    case 'while':
    case 'do':
      return st.test.k === 'lit' && st.test.value === true && !some(st.body, (n) => n.k === 'break');
    case 'label':
      return exitsAt(st.body);
    default:
      return false;
  }
}
