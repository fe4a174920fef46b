/**
 * Places where a failed call is made again: loops that go on because it failed, functions that call themselves from
 * their handler, helpers that repeat a callback. Owns what each one waits, how often it goes round and what it repeats.
 */
import type { Call, Expr, New, Stmt } from '../../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../../facts/walk.ts';
import { leaves } from '../../model/frames.ts';
import type { Model } from '../../model/model.ts';
import { numberOf, readOption } from '../../model/options.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import type { Inst } from '../../model/values.ts';
import type { RetrySpec } from '../../packs/contract.ts';

/** `none` and `constant` repeat in step; `growing` backs off; `unknown` cannot be read. */
export type DelayKind = 'none' | 'constant' | 'growing' | 'unknown';

export interface Delay {
  readonly kind: DelayKind;
  /** Milliseconds where a constant is known. */
  readonly ms: number | null;
  readonly jitter: boolean;
  /** The expression that says how long; null where there is none. */
  readonly expr: Expr | null;
}

export interface Retry {
  readonly kind: 'loop' | 'recursion' | 'helper';
  readonly fn: number;
  /** The loop, the call that repeats, or the call of the helper. */
  readonly node: AnyNode;
  /** Where a finding points: the call that is repeated, else the helper's name. */
  readonly at: { readonly s: number; readonly e: number };
  /** The calls that are made again, written in the repeated part. */
  readonly calls: readonly Site[];
  readonly delay: Delay;
  /** Attempts in all; null: no cap; `unknown`: not readable. */
  readonly attempts: number | null | 'unknown';
  readonly handler: (Stmt & { k: 'block' }) | null;
  /** Text of the whole, for words that show a condition. */
  readonly text: string;
  /** Text of the handler, empty where there is none. */
  readonly handlerText: string;
  /** Name of a loop counter that starts at a number, with that number. */
  readonly counter: { readonly name: string; readonly start: number } | null;
  readonly spec: RetrySpec | null;
  /** Where the helper's options are: its own call, or the call that made its receiver. */
  readonly options: { readonly file: SourceFile; readonly call: Call | New } | null;
  /** The name of the helper's library; null for code of one's own. */
  readonly library: string | null;
}

const NO_DELAY: Delay = { kind: 'none', ms: null, jitter: false, expr: null };
const UNREADABLE: Delay = { kind: 'unknown', ms: null, jitter: true, expr: null };
const WAIT_NAME = /sleep|delay|back_?off|pause|^wait(?:Ms|ForMs|ForRetry|Seconds|Time)?$|setTimeout$/i;

const cache = new WeakMap<Model, WeakMap<SourceFile, readonly Retry[]>>();

export function retriesOf(model: Model, file: SourceFile): readonly Retry[] {
  let files = cache.get(model);
  if (!files) cache.set(model, (files = new WeakMap()));
  const known = files.get(file);
  if (known) return known;
  const found = [...loops(model, file), ...recursions(model, file), ...helpers(model, file)];
  files.set(file, found);
  return found;
}

type Loop = Stmt & { k: 'for' | 'while' | 'do' | 'forof' };

// ---- loops

function* loops(model: Model, file: SourceFile): Generator<Retry> {
  const seen = new Set<AnyNode>();
  for (const fact of file.facts.functions)
    for (const attempt of file.index.tries[fact.id] ?? []) {
      if (!attempt.handler) continue;
      const loop = loopAround(file, attempt);
      if (!loop || seen.has(loop) || leaves(attempt.handler.body)) continue;
      if (!isMainPart(attempt, loop)) continue;
      if (loop.k === 'forof' && !/attempt|retr|delay|backoff/i.test(textOf(file, loop.iter))) continue;
      const endless = isEndless(loop);
      // Success must end the loop, else it goes over things and not over attempts; an endless worker tries for ever.
      const stops = successLeaves(file, attempt, loop);
      if (!stops && !endless) continue;
      // A handler that repairs or skips goes on to other work.
      if (endless && handlerWorks(model, file, fact.id, attempt.handler)) continue;
      const calls = model.sites
        .of(file, fact.id)
        .filter(
          (s) =>
            s.node.s >= attempt.block.s && s.node.e <= attempt.block.e && loopAround(file, s.node) === loop,
        );
      const repeated = calls.filter((s) => isRepeatable(model, s));
      const first = repeated[0];
      if (!first || overThings(file, loop, repeated)) continue;
      seen.add(loop);
      const delay = delayWithin(model, file, loop, loop, stops ? attempt : null);
      // The same pause whether the call failed or not: that is polling, which has its own rule.
      const counted = counterOf(model, file, loop) !== null;
      if (
        delay.kind === 'constant' &&
        !counted &&
        (!stops || waitsOutside(model, file, loop, attempt.handler))
      )
        continue;
      yield make(file, 'loop', fact.id, loop, calleeSpan(first), repeated, delay, {
        attempts: stops ? attemptsOf(model, file, loop) : 'unknown',
        handler: attempt.handler,
        counter: counterOf(model, file, loop),
      });
    }
  // Loops that look at the status: `for (…) { res = await fetch(…); if (res.ok) return res; }`
  for (const fact of file.facts.functions)
    for (const site of model.sites.of(file, fact.id)) {
      if (site.effect?.kind !== 'http' || site.effect.spec.rejectsOnStatus !== false) continue;
      const loop = loopAround(file, site.node);
      if (!loop || seen.has(loop) || loop.k === 'forof') continue;
      const counter = counterOf(model, file, loop);
      if (!counter && !isEndless(loop)) continue;
      if (
        counter &&
        !/attempt|retr|tries|^try$/i.test(
          `${counter.name} ${loop.k === 'for' && loop.test ? textOf(file, loop.test) : ''}`,
        )
      )
        continue;
      const text = textOf(file, loop);
      if (
        !/\.ok\b|\.status(?:Code)?\b/.test(text) ||
        !some(loop.body, (n) => n.k === 'ret' || n.k === 'break')
      )
        continue;
      if (!counter && !/retr|attempt/i.test(text)) continue;
      if (overThings(file, loop, [site])) continue;
      seen.add(loop);
      yield make(
        file,
        'loop',
        fact.id,
        loop,
        calleeSpan(site),
        [site],
        delayWithin(model, file, loop, loop, null),
        {
          attempts: attemptsOf(model, file, loop),
          handler: null,
          counter,
        },
      );
    }
}

function make(
  file: SourceFile,
  kind: Retry['kind'],
  fn: number,
  node: AnyNode,
  at: { s: number; e: number },
  calls: readonly Site[],
  delay: Delay,
  more: Partial<Retry>,
): Retry {
  return {
    kind,
    fn,
    node,
    at,
    calls,
    delay,
    attempts: 'unknown',
    handler: null,
    text: textOf(file, node),
    counter: null,
    spec: null,
    options: null,
    library: null,
    handlerText: more.handler ? textOf(file, more.handler) : '',
    ...more,
  };
}

function loopAround(file: SourceFile, node: AnyNode): Loop | null {
  let child = node;
  for (let at = file.index.parent(node); at; child = at, at = file.index.parent(at)) {
    if ((at.k === 'for' || at.k === 'while' || at.k === 'do' || at.k === 'forof') && child === at.body)
      return at as Loop;
    if (at.k === 'forin') return null;
  }
  return null;
}

function isEndless(loop: Loop): boolean {
  if (loop.k === 'for') return loop.test === null;
  return (loop.k === 'while' || loop.k === 'do') && loop.test.k === 'lit' && loop.test.value === true;
}

/** Is the loop left once the block got through? By return or break in it or right after it, or by a flag the loop tests. */
function successLeaves(file: SourceFile, attempt: Stmt & { k: 'try' }, loop: Loop): boolean {
  const jumpsOut = (st: Stmt): boolean =>
    some(st, (n) => n.k === 'ret' || (n.k === 'break' && loopAround(file, n) === loop));
  if (jumpsOut(attempt.block)) return true;
  const parent = file.index.parent(attempt);
  const siblings = parent?.k === 'block' ? parent.body : [];
  const rest = siblings.slice(siblings.indexOf(attempt) + 1);
  if (rest.some((st) => st.k === 'ret' || st.k === 'break' || (st.k === 'if' && jumpsOut(st)))) return true;
  const test = loop.k === 'while' || loop.k === 'do' ? loop.test : loop.k === 'for' ? loop.test : null;
  if (!test) return false;
  const flags = new Set<number>();
  walk(test, (n) => {
    if (n.k === 'id' && n.b >= 0) flags.add(n.b);
  });
  return some(attempt.block, (n) => n.k === 'asg' && n.target.k === 'id' && flags.has(n.target.b));
}

/** The attempt is what the loop is for: a direct part of a short body. */
function isMainPart(attempt: Stmt & { k: 'try' }, loop: Loop): boolean {
  const body = loop.body.k === 'block' ? loop.body.body : [loop.body];
  return body.includes(attempt) && body.length <= 8;
}

/** Does the handler do something of its own beside telling, waiting and deciding? */
function handlerWorks(model: Model, file: SourceFile, fn: number, handler: Stmt & { k: 'block' }): boolean {
  return (file.index.calls[fn] ?? []).some((call) => {
    if (call.k !== 'call' || call.s < handler.s || call.e > handler.e) return false;
    return (
      file.index.parent(call)?.k === 'await' &&
      waitOf(model, file, call) === null &&
      !/setTimeout/.test(textOf(file, call))
    );
  });
}

function waitsOutside(model: Model, file: SourceFile, loop: Loop, handler: Stmt & { k: 'block' }): boolean {
  return file.facts.functions.some((f) =>
    (file.index.calls[f.id] ?? []).some(
      (call) =>
        call.k === 'call' &&
        call.s >= loop.s &&
        call.e <= loop.e &&
        !(call.s >= handler.s && call.e <= handler.e) &&
        waitOf(model, file, call) !== null,
    ),
  );
}

/** A counter that picks what is called makes it a walk over things. */
function overThings(file: SourceFile, loop: Loop, calls: readonly Site[]): boolean {
  const counter = loop.k === 'for' && loop.init?.k === 'var' ? loop.init.decls[0]?.target : undefined;
  if (
    loop.k === 'for' &&
    loop.test &&
    /\.(?:length|size)\b/.test(textOf(file, loop.test)) &&
    !/delay|backoff|attempt|retr/i.test(textOf(file, loop.test))
  )
    return true;
  if (isEndless(loop) && /\.(?:shift|pop|next)\(\)/.test(textOf(file, loop.body))) return true;
  if (loop.k === 'while' && /\.(?:length|size)\b|\.shift\(|\.pop\(|\.next\(/.test(textOf(file, loop.test)))
    return true;
  if (counter?.k !== 'pid' || /attempt|retr|tries|try/i.test(counter.name)) return false;
  return calls.some(
    (s) => s.node.k !== 'tag' && s.node.args.some((a) => some(a, (n) => n.k === 'id' && n.b === counter.b)),
  );
}

function counterOf(model: Model, file: SourceFile, loop: Loop): Retry['counter'] {
  if (loop.k === 'for' && loop.init?.k === 'var') {
    const decl = loop.init.decls[0];
    const start = decl?.init ? numberOf(model.values, file, decl.init) : null;
    return decl?.target.k === 'pid' && start !== null && loop.update
      ? { name: decl.target.name, start }
      : null;
  }
  return null;
}

function attemptsOf(model: Model, file: SourceFile, loop: Loop): number | null | 'unknown' {
  if (loop.k === 'forof') return 'unknown';
  if (loop.k === 'for' && loop.test?.k === 'bin') {
    const limit = numberOf(model.values, file, loop.test.r);
    const start = counterOf(model, file, loop)?.start ?? null;
    if (limit === null || start === null) return 'unknown';
    return loop.test.op === '<' ? limit - start : loop.test.op === '<=' ? limit - start + 1 : 'unknown';
  }
  return isEndless(loop) && !some(loop.body, (n) => n.k === 'throw') ? null : 'unknown';
}

/** Does the call leave the process, or run something that is handed in? Only its failing can be waited out. */
function isRepeatable(model: Model, site: Site): boolean {
  if (site.effect) return site.effect.network;
  const { node, file } = site;
  if (site.target.k === 'fn') {
    if (WAIT_NAME.test(calleeText(file, node))) return false;
    return model.reach(site.target.value.file, site.target.value.fn).some((r) => r.site.effect?.network);
  }
  if (node.k !== 'call') return false;
  const callee = uncast(node.callee);
  if (callee.k !== 'id') return false;
  const awaited = file.index.parent(node)?.k === 'await' || file.index.parent(node)?.k === 'ret';
  const decl = file.facts.bindings[callee.b]?.decl;
  return awaited && decl?.k === 'param';
}

// ---- recursion

function* recursions(model: Model, file: SourceFile): Generator<Retry> {
  for (const fact of file.facts.functions) {
    for (const attempt of file.index.tries[fact.id] ?? []) {
      const handler = attempt.handler;
      if (!handler) continue;
      const again = selfCall(model, file, fact.id, handler);
      if (!again) continue;
      const repeated = model.sites
        .of(file, fact.id)
        .filter((s) => s.node.s >= attempt.block.s && s.node.e <= attempt.block.e && isRepeatable(model, s));
      const delay = delayWithin(model, file, handler, null, null, again);
      // A pause before the function runs again shows that something outside is given time, even where that is not seen.
      const waits = delay.expr !== null && some(attempt.block, (n) => n.k === 'await');
      if (repeated.length === 0 && !waits) continue;
      yield make(file, 'recursion', fact.id, again, calleeSpanOf(again), repeated, delay, {
        handler,
        text: textOf(file, handler),
      });
    }
  }
}

/** The call of the function itself within a node, also in a timer's callback. */
function selfCall(model: Model, file: SourceFile, fn: number, within: Stmt): Call | null {
  for (const inner of file.index.within(fn)) {
    if (inner.id !== fn && !(inner.s >= within.s && inner.e <= within.e)) continue;
    for (const call of file.index.calls[inner.id] ?? []) {
      if (call.k !== 'call' || call.s < within.s || call.e > within.e) continue;
      const target = model.sites.target(file, call);
      if (target.k === 'fn' && target.value.file === file && target.value.fn === fn) return call;
      // `setTimeout(connect, 5000)`
      if (target.k === 'builtin' && target.name === 'setTimeout' && call.args[0]) {
        const value = model.values.of(file, call.args[0]);
        if (value.k === 'fn' && value.file === file && value.fn === fn) return call;
      }
    }
  }
  return null;
}

// ---- helpers

function* helpers(model: Model, file: SourceFile): Generator<Retry> {
  for (const site of model.sites.all(file)) {
    if (site.target.k !== 'lib' || site.node.k === 'tag') continue;
    const { spec, pack, recv } = site.target;
    const retry = spec.retry;
    if (!retry) continue;
    const options = retry.onInstance ? originOf(recv) : { file, call: site.node };
    const callback = spec.callbacks?.find((c) => c.role === 'retry');
    const arg = callback
      ? site.node.args[callback.arg === 'last' ? site.node.args.length - 1 : callback.arg]
      : undefined;
    const value = arg ? model.values.of(file, arg) : null;
    const calls =
      value?.k === 'fn'
        ? model
            .reach(value.file, value.fn)
            .map((r) => r.site)
            .filter((s) => s.effect?.network)
        : [];
    yield make(
      file,
      'helper',
      site.fn,
      site.node,
      calleeSpan(site),
      calls,
      helperDelay(model, retry, options),
      {
        attempts: helperAttempts(model, retry, options),
        spec: retry,
        options,
        library: pack.packages[0] ?? pack.id,
      },
    );
  }
}

function originOf(recv: Inst | null): Retry['options'] {
  for (let at = recv; at; at = at.from) if (at.origin) return at.origin;
  return null;
}

function helperDelay(model: Model, spec: RetrySpec, options: Retry['options']): Delay {
  if (!options) return UNREADABLE;
  const given = (spec.backoffOption ?? []).map((at) =>
    readOption(model.values, options.file, options.call, at),
  );
  const constant = (spec.constantWhen ?? []).some((at) => {
    const read = readOption(model.values, options.file, options.call, at);
    return read.k === 'value' && numberOf(model.values, read.file, read.expr) === at.equals;
  });
  if (given.some((g) => g.k === 'unknown')) return UNREADABLE;
  const set = given.find((g) => g.k === 'value');
  if (constant) return { kind: 'constant', ms: null, jitter: false, expr: null };
  if (spec.backoff === 'none' || spec.backoff === 'constant') {
    if (!set || set.k !== 'value') return { kind: spec.backoff, ms: null, jitter: false, expr: null };
    const text = textOf(set.file, set.expr);
    if (/Constant/.test(text)) return { kind: 'constant', ms: null, jitter: false, expr: set.expr };
    return { kind: 'growing', ms: null, jitter: !/linear|Iterable/i.test(text), expr: set.expr };
  }
  return { kind: 'growing', ms: null, jitter: spec.jitter || set !== undefined, expr: null };
}

function helperAttempts(model: Model, spec: RetrySpec, options: Retry['options']): number | null | 'unknown' {
  const fallback = spec.attempts.at(-1)?.value;
  if (!options) return 'unknown';
  for (const at of spec.attemptsOption ?? []) {
    const read = readOption(model.values, options.file, options.call, at);
    if (read.k === 'unknown') return 'unknown';
    if (read.k !== 'value') continue;
    if (/^(?:true)$/.test(textOf(read.file, read.expr))) return null;
    const n = numberOf(model.values, read.file, read.expr);
    if (n === null) return 'unknown';
    if (!Number.isFinite(n)) return null;
    return at.counts === 'retries' ? n + 1 : n;
  }
  return fallback === undefined ? 'unknown' : fallback;
}

// ---- delays

/** What is waited within a part before the call is made again. `loop`: names that it changes grow. */
function delayWithin(
  model: Model,
  file: SourceFile,
  part: Stmt,
  loop: Loop | null,
  attempt: (Stmt & { k: 'try' }) | null,
  again?: Call,
): Delay {
  const text = textOf(file, part);
  if (/retry[-_]?after/i.test(text)) return { ...UNREADABLE, kind: 'growing' };
  let found: Delay = NO_DELAY;
  for (const inner of file.facts.functions) {
    const holds = inner.s <= part.s && inner.e >= part.e;
    if (!holds && !(inner.s >= part.s && inner.e <= part.e)) continue;
    for (const call of file.index.calls[inner.id] ?? []) {
      if (call.k === 'tag' || call.s < part.s || call.e > part.e) continue;
      // A wait among the attempt's own work is part of the work.
      if (attempt && call.s >= attempt.block.s && call.e <= attempt.block.e) continue;
      const wait = waitOf(model, file, call);
      if (!wait) continue;
      const read = wait.expr ? delayKind(model, file, wait.expr, part, loop, 0) : UNREADABLE;
      // What computes its pause out of sight may put randomness into it.
      const delay = wait.opaque && read.kind === 'growing' ? { ...read, jitter: true } : read;
      found = strongest(found, delay);
    }
  }
  if (again && found.kind === 'none') {
    // The pause may be an argument of the call that repeats: `retry(fn, n - 1, delay * 2)`.
    if (again.args.some((a) => uncast(a).k === 'bin' && (uncast(a) as { op: string }).op === '*'))
      return { ...UNREADABLE, kind: 'growing' };
  }
  return found;
}

const RANK: Readonly<Record<DelayKind, number>> = { none: 0, constant: 1, unknown: 2, growing: 3 };
function strongest(a: Delay, b: Delay): Delay {
  return RANK[b.kind] > RANK[a.kind] ? b : a;
}

/** A call that waits: a timer, or something named like one. */
export function waitOf(
  model: Model,
  file: SourceFile,
  call: Call | New,
): { readonly expr: Expr | null; readonly opaque?: boolean } | null {
  if (call.k === 'new') return null;
  const site = model.sites.at(file, call);
  if (site?.effect?.kind === 'sleep') return { expr: call.args[0] ?? null };
  const target = model.sites.target(file, call);
  if (target.k === 'builtin' && target.name === 'setTimeout') return { expr: call.args[1] ?? null };
  const name = call.callee.k === 'id' ? call.callee.name : call.callee.k === 'mem' ? call.callee.prop : '';
  if (WAIT_NAME.test(name) && !/^clear|^get|^calc|^compute/i.test(name))
    return { expr: call.args[0] ?? null, opaque: /back_?off/i.test(calleeText(file, call)) };
  if (target.k === 'package' && /sleep|delay|timers|wait/.test(target.pkg))
    return { expr: call.args[0] ?? null };
  if (target.k === 'fn') {
    const fact = target.value.file.facts.functions[target.value.fn];
    const body = fact ? target.value.file.text.slice(fact.s, fact.e) : '';
    if (body.length < 400 && /setTimeout\s*\(/.test(body)) return { expr: call.args[0] ?? null };
  }
  return null;
}

function delayKind(
  model: Model,
  file: SourceFile,
  expr: Expr,
  part: Stmt,
  loop: Loop | null,
  depth: number,
): Delay {
  const text = textOf(file, expr);
  const jitter = /Math\.random|jitter|randomInt|random\(/i.test(text);
  if (grows(model, file, expr, part, loop, depth))
    return { kind: 'growing', ms: null, jitter: jitter || hasJitter(model, file, expr, 0), expr };
  const n = numberOf(model.values, file, expr);
  if (n !== null) return n <= 0 ? { ...NO_DELAY, expr } : { kind: 'constant', ms: n, jitter: false, expr };
  if (jitter || some(expr, (x) => x.k === 'call' || x.k === 'idx'))
    return { kind: 'unknown', ms: null, jitter: true, expr };
  const inner = uncast(expr);
  if (inner.k === 'id') {
    const decl = file.facts.bindings[inner.b]?.decl;
    if (decl?.k === 'init' && decl.path.length === 0 && depth < 4) {
      const kind = delayKind(model, file, decl.init, part, loop, depth + 1);
      return { ...kind, expr };
    }
    // A parameter may be what a caller makes grow.
    if (decl?.k === 'param' && loop === null) return { kind: 'unknown', ms: null, jitter: true, expr };
  }
  return { kind: 'constant', ms: null, jitter: false, expr };
}

/** Randomness in the expression, in what its names were given, or in the function that computes it; unseen code may hold some. */
function hasJitter(model: Model, file: SourceFile, expr: Expr, depth: number): boolean {
  if (/Math\.random|jitter|random/i.test(textOf(file, expr))) return true;
  if (depth > 3) return false;
  return some(expr, (n) => {
    if (n.k === 'call') {
      const target = model.sites.target(file, n);
      if (target.k === 'builtin') return false;
      if (target.k !== 'fn') return true;
      const fact = target.value.file.facts.functions[target.value.fn];
      return (
        !fact ||
        fact.body.length === 0 ||
        /random|jitter|noise/i.test(target.value.file.text.slice(fact.s, fact.e))
      );
    }
    if (n.k !== 'id') return false;
    const binding = file.facts.bindings[n.b];
    const given = [...(binding?.decl?.k === 'init' ? [binding.decl.init] : []), ...(binding?.writes ?? [])];
    return given.some((g) => g !== null && g !== expr && hasJitter(model, file, g, depth + 1));
  });
}

/** Does the value change from one round to the next? */
function grows(
  model: Model,
  file: SourceFile,
  expr: Expr,
  part: Stmt,
  loop: Loop | null,
  depth: number,
): boolean {
  if (depth > 4) return true;
  return some(expr, (n) => {
    if (n.k === 'bin' && n.op === '**') return true;
    if (n.k === 'idx') return true;
    if (n.k === 'call' && n.callee.k === 'mem' && n.callee.prop === 'pow') return true;
    if (n.k === 'call' && /attempt|retr|backoff/i.test(n.args.map((a) => textOf(file, a)).join(' ')))
      return true;
    if (n.k === 'mem')
      return (
        new RegExp(`\\.${n.prop.replace(/\$/g, '\\$')}\\s*(?:[*+]=|\\+\\+|=(?!=))`).test(file.text) &&
        !/^(?:delay|interval|retryDelay|ms)$/.test(n.prop)
      );
    if (n.k !== 'id' || n.b < 0) return false;
    const binding = file.facts.bindings[n.b];
    if (!binding) return false;
    if (binding.writes.length > 0) return true;
    const decl = binding.decl;
    if (decl?.k === 'each') return true;
    if (decl?.k === 'param')
      return (
        /attempt|retr|tries|count|depth|n$/i.test(binding.name) &&
        !/delay|ms|interval|wait/i.test(binding.name)
      );
    if (decl?.k === 'init' && decl.path.length === 0) {
      const init = uncast(decl.init);
      return init.k !== 'fn' && init.k !== 'call'
        ? grows(model, file, init, part, loop, depth + 1)
        : init.k === 'call' && grows(model, file, init, part, loop, depth + 1);
    }
    return false;
  });
}

// ---- words

function textOf(file: SourceFile, node: { readonly s: number; readonly e: number }): string {
  return file.text.slice(node.s, node.e);
}

function calleeText(file: SourceFile, node: Site['node']): string {
  const callee = node.k === 'tag' ? node.tag : node.callee;
  return textOf(file, callee);
}

function calleeSpan(site: Site): { s: number; e: number } {
  const { node } = site;
  return node.k === 'tag' ? { s: node.tag.s, e: node.tag.e } : calleeSpanOf(node);
}

function calleeSpanOf(node: Call | New): { s: number; e: number } {
  return { s: node.callee.s, e: node.callee.e };
}
