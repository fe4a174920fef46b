/** Work that nobody waits for and whose failure nobody sees. */
import type { TextEdit } from '../base/textEdit.ts';
import type { Call, Expr, FunctionFact } from '../facts/ir.ts';
import { some, uncast, type AnyNode } from '../facts/walk.ts';
import { quoteOf, replaceNode } from '../fixes/edits.ts';
import { inherited } from '../model/packIndex.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { DETECTION_WHEN_UNHANDLED, isLogCall, UNHANDLED } from './_kit/detection.ts';
import { loggerAt, logLine } from './_kit/loggers.ts';
import {
  hasHandler,
  lastName,
  letsFailureOut,
  promiseOf,
  workOf,
  type PromiseCall,
} from './_kit/promises.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { takenForResult } from './_kit/takenForResult.ts';
import { calleeName, exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unobserved-promise',
  lens: 'partial-failure',
  axis: 'silent-failure',
  faultClass: 'observability',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A call starts work that can fail (a write, a request, an async function of the project) and its promise is dropped: not awaited, not returned, not kept and read, no rejection handler. The same holds for an async callback given to `forEach`, to `map` without `Promise.all`, or to a timer.',
    why: 'The caller goes on, and answers, before the work is done. When the work fails, the rejection reaches no handler: Node ends the process, or a process-wide handler logs an error without its request. The write is lost and the caller has gone on as if it were done.',
    remedy:
      'Await the promise or return it. Where the work is meant to run on its own, attach a handler that logs: `void send(x).catch(error => logger.error({ err: error }))`. Loop with `for … of`, or collect with `Promise.all`.',
    whenNot:
      'The promise cannot reject because its function catches everything itself. A start-up call at the top of a module, whose failure is the failure of the start.',
  },
  incidents: ['silent-failure', 'swallowed-error'],
  fixKind: 'previewed',
  detect(ctx) {
    const seen = new Set<AnyNode>();
    const drops: Dropped[] = [];
    for (const site of ctx.sites) {
      if (site.node.k === 'new') continue;
      const drop = checkCall(ctx, site, seen);
      if (drop) drops.push(drop);
      if (site.node.k !== 'call') continue;
      checkTaken(ctx, site, site.node);
      checkThen(ctx, site, site.node, seen);
      checkArrayMethod(ctx, site.node);
      checkTimer(ctx, site, site.node);
      checkSecondBranch(ctx, site, site.node, seen);
    }
    reportDrops(ctx, drops);
  },
});

// ---- a dropped call

interface Drop {
  readonly how: 'statement' | 'void' | 'unread' | 'callback';
  /** The expression whose value is dropped. */
  readonly expr: Expr;
}

interface Dropped {
  readonly site: Site;
  readonly drop: Drop;
  readonly promise: PromiseCall;
}

function checkCall(ctx: RuleContext, site: Site, seen: Set<AnyNode>): Dropped | null {
  const { file } = site;
  if (seen.has(site.top)) return null;
  const drop = dropped(ctx, file, site.top, site.fn);
  if (!drop) return null;
  if (!chainStaysPromise(ctx, site) || hasHandler(stepsOf(site))) return null;
  // The next round of a function that runs itself is lost where its first round is.
  if (callsItself(ctx, site)) return null;
  const promise = promiseOf(ctx.model, site);
  if (!promise || isLogCall(ctx.model, file, site.node)) return null;
  if (isBestEffort(site, promise) || drainsOnExit(ctx, site) || (promise.lazy && isKeptBuilder(ctx, site)))
    return null;
  seen.add(site.top);
  return { site, drop, promise };
}

/** The call stands in the function that it calls, and something else in the file starts that function. */
function callsItself(ctx: RuleContext, site: Site): boolean {
  const { target } = site;
  if (target.k !== 'fn' || target.value.file !== site.file) return false;
  const own = target.value.fn;
  const within = (fn: number): boolean => {
    for (let at = fn; at > 0; at = ctx.functions[at]?.parent ?? 0) if (at === own) return true;
    return false;
  };
  if (!within(site.fn)) return false;
  return ctx.model.sites.callersIn(ctx.file, site.file, own).some((s) => !within(s.fn));
}

/** From this many drops of one callee in a file on it is one habit with one cure, not so many findings. */
const HABIT = 4;

function reportDrops(ctx: RuleContext, drops: readonly Dropped[]): void {
  const groups = new Map<string, Dropped[]>();
  for (const d of drops) {
    const { node, chain, top } = d.site;
    const method = node.k === 'call' && uncast(node.callee).k === 'mem' && chain.length === 0;
    const key =
      method && (d.drop.how === 'statement' || d.drop.how === 'callback') ? calleeName(d.site) : `${top.s}`;
    groups.set(key, [...(groups.get(key) ?? []), d]);
  }
  for (const group of groups.values()) {
    const habit = group.length >= HABIT;
    if (habit) reportDrop(ctx, group);
    else for (const d of group) reportDrop(ctx, [d]);
  }
}

/** Telling others of what happened: the work itself is done when it is lost. */
function tells(site: Site, promise: PromiseCall): boolean {
  if (promise.effect?.op === 'publish') return true;
  return site.node.k === 'call' && /^(?:publish|broadcast)$/.test(lastName(site.node.callee) ?? '');
}

/** The fixes that every one of the places takes, each for all of them: what is one finding has one cure. */
function fixesForAll(ctx: RuleContext, group: readonly Dropped[]): FixDraft[] {
  const drafts = group.map(({ site, drop, promise }) => fixesFor(ctx, site, drop, promise));
  const [first = [], ...others] = drafts;
  if (others.length === 0) return first;
  return first.flatMap((draft) => {
    const same = others.map((list) => list.find((d) => d.id === draft.id));
    if (same.includes(undefined)) return [];
    return {
      ...draft,
      title: `${draft.title} at all ${group.length} places`,
      edits: () => {
        const parts = [draft, ...same].map((d) => d?.edits() ?? null);
        const file = ctx.file.path;
        return parts.includes(null)
          ? null
          : [{ file, edits: parts.flatMap((p) => p?.flatMap((e) => e.edits) ?? []) }];
      },
    };
  });
}

/** One dropped call, or a habit: the first of many, reported for all. */
function reportDrop(ctx: RuleContext, group: readonly Dropped[]): void {
  const [head] = group;
  if (!head) return;
  const { site, drop, promise } = head;
  const more = group.length - 1;
  const inline = site.node.k === 'call' && uncast(site.node.callee).k === 'fn';
  const name = inline ? 'async function' : calleeName(site);
  const where = more > 0 ? `, here and at ${more} more places of this file` : '';
  ctx.report({
    at: calleeSpan(site),
    message: promise.lazy
      ? `\`${name}\` builds a query that never runs${where}: nothing awaits it.`
      : drop.how === 'unread'
        ? `The promise of \`${name}\` is kept and never read: ${promise.held ? 'the failure that it gives back as a value is lost' : 'a rejection of it reaches no handler here'}.`
        : promise.held
          ? `Nothing waits for \`${name}\`${where}: the caller goes on before it is done, and the failure that it gives back as a value is read by nobody.`
          : `Nothing waits for \`${name}\`${where}: the caller goes on before it is done, and a rejection of it reaches no handler here.`,
    trigger: `\`${name}\` ${promise.held ? 'fails' : 'rejects'}, or takes longer than what comes after it`,
    scenario: promise.held
      ? `At \`${name}\`, when it fails, then the caller has gone on as if it were done and nobody reads the failure.`
      : `At \`${name}\`, when it fails after the caller has gone on, then what was left of the work is lost and ${UNHANDLED}.`,
    detection: promise.held
      ? 'When a user misses the result: no error is raised.'
      : 'By an unhandled rejection in the log, or when a user misses the result: the caller has gone on.',
    fix: fixSentence(ctx, site, drop, promise),
    anchor: name,
    confidence: promise.confidence,
    ...(drop.how === 'void' || tells(site, promise)
      ? { severity: 'low' as const }
      : promise.confidence === 'assumed' || promise.held
        ? { severity: 'medium' as const }
        : {}),
    fixes: fixesForAll(ctx, group),
  });
}

/** `const user = findUser(id); if (!user.active)`: the promise has no such property, and as a condition it is always true. */
function checkTaken(ctx: RuleContext, site: Site, call: Call): void {
  const taken = takenForResult(site);
  if (!taken) return;
  const { file } = ctx;
  const name = calleeName(site);
  const line = file.lines.positionAt(taken.use.s).line;
  const { property } = taken;
  ctx.report({
    at: call.callee,
    message:
      property === null
        ? `Nothing waits for \`${name}\`: its promise is taken for its answer, and a promise is always true.`
        : `Nothing waits for \`${name}\`: \`${property}\` is read off its promise and is always undefined.`,
    trigger: 'every call',
    scenario:
      property === null
        ? `At line ${line}, whatever \`${name}\` answers, then the condition holds, and a rejection reaches no handler.`
        : `At line ${line}, whatever \`${name}\` answers, then \`${property}\` is undefined, and a rejection reaches no handler.`,
    detection: 'When a user complains or the data is compared: nothing fails here.',
    fix: `Await \`${name}\`.`,
    anchor: name,
    fixes:
      ctx.functions[site.fn]?.async === true && file.index.parent(call)?.k === 'var'
        ? [
            {
              id: 'await',
              title: 'Await it',
              kind: 'previewed',
              edits: () => [{ file: file.path, edits: awaitEdits(file, call) }],
            },
          ]
        : [],
  });
}

/** `page.pdf().then(store);` as a statement: `then` shows the promise whatever made it. */
function checkThen(ctx: RuleContext, site: Site, call: Call, seen: Set<AnyNode>): void {
  if ((site.target.k !== 'unresolved' && site.target.k !== 'package') || seen.has(site.top)) return;
  const steps = stepsOf(site);
  const first = steps[0];
  if (first?.name !== 'then' || !steps.every((step) => PROMISE_STEPS.has(step.name))) return;
  const callback = first.args[0] ? uncast(first.args[0]) : null;
  if (callback?.k !== 'fn' || hasHandler(steps) || uncast(call.callee).k === 'id') return;
  const drop = dropped(ctx, ctx.file, site.top, site.fn);
  if (drop?.how !== 'statement' || !workOf(ctx.model, ctx.file, callback.fn)) return;
  seen.add(site.top);
  reportDrop(ctx, [{ site, drop, promise: { confidence: 'assumed', effect: null, lazy: false } }]);
}

/** Where a value goes to waste; null when something takes it. */
function dropped(ctx: RuleContext, file: SourceFile, top: Expr, fn: number): Drop | null {
  const fact = ctx.functions[fn];
  // At the top of a module a failure ends the start-up, and top-level code is not run under a caller.
  if (!fact || fn === 0) return null;
  let child: AnyNode = top;
  let detached = false;
  for (let at = file.index.parent(top); at; child = at, at = file.index.parent(at)) {
    switch (at.k) {
      case 'as':
        continue;
      case 'un':
        if (at.op !== 'void') return null;
        detached = true;
        continue;
      case 'bin':
        if (child !== at.r || (at.op !== '&&' && at.op !== '||' && at.op !== '??')) return null;
        continue;
      case 'cond':
        if (child === at.test) return null;
        continue;
      case 'other':
        if (at.what !== 'seq') return null;
        if (child !== at.kids.at(-1)) return { how: 'statement', expr: child as Expr };
        continue;
      case 'expr':
        return { how: detached ? 'void' : 'statement', expr: at.expr };
      case 'ret':
        if (!fact.exprBody) return null;
        if (detached) return { how: 'void', expr: child as Expr };
        return ignoredByReceiver(ctx, file, fn) ? { how: 'callback', expr: child as Expr } : null;
      case 'var': {
        const init: AnyNode = child;
        const decl = at.decls.find((d) => d.init === init);
        if (decl?.target.k !== 'pid') return null;
        const binding = file.facts.bindings[decl.target.b];
        const exported = file.facts.exports.some(
          (x) => x.local === (decl.target.k === 'pid' ? decl.target.b : -1),
        );
        return binding && binding.reads === 0 && !exported ? { how: 'unread', expr: child as Expr } : null;
      }
      default:
        return null;
    }
  }
  return null;
}

/** The function is handed to a timer or `forEach`, which drop what it gives back. */
function ignoredByReceiver(ctx: RuleContext, file: SourceFile, fn: number): boolean {
  const frame = ctx.model.frames.callbackOf(file, fn);
  if (!frame) return false;
  if (frame.iterates === 'forEach') return true;
  const target = ctx.model.sites.target(file, frame.call);
  return target.k === 'builtin' && TIMERS.has(target.name);
}

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'process.nextTick']);
const PROMISE_STEPS = new Set(['then', 'catch', 'finally']);

function stepsOf(site: Site): { name: string; args: readonly Expr[] }[] {
  return site.chain.map((c) => ({ name: c.name, args: c.node.args }));
}

/** What is chained on is promise plumbing, or a builder's own steps. */
function chainStaysPromise(ctx: RuleContext, site: Site): boolean {
  return site.chain.every((c) => {
    if (PROMISE_STEPS.has(c.name)) return true;
    const next = ctx.model.sites.at(site.file, c.node);
    return site.target.k === 'lib' && next?.target.k === 'lib';
  });
}

/** Counters and debug lines that the code may lose. */
function isBestEffort(site: Site, promise: PromiseCall): boolean {
  return (
    (promise.effect?.spec.bestEffort === true && site.target.k === 'lib') ||
    (site.node.k === 'call' &&
      /DebugLog$|^sendTelemetry|^sendMetrics?$/.test(lastName(site.node.callee) ?? ''))
  );
}

/** `query.where(…)` on a name: builders change in place, and the query is awaited further on. */
function isKeptBuilder(ctx: RuleContext, site: Site): boolean {
  if (site.node.k !== 'call' || site.node.callee.k !== 'mem') return false;
  const receiver = uncast(site.node.callee.obj);
  if (!/^(?:id|mem|this)$/.test(receiver.k)) return false;
  const value = ctx.model.values.of(site.file, receiver);
  return value.k === 'inst' && inherited(value.pack, value.type, 'role') === 'builder';
}

/** `server.close()` and the like on the way out of the process. */
function drainsOnExit(ctx: RuleContext, site: Site): boolean {
  if (site.node.k === 'tag' || site.node.callee.k !== 'mem') return false;
  if (!/^(?:close|end|quit|disconnect|destroy|stop|shutdown|terminate)$/.test(site.node.callee.prop))
    return false;
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn))
    if (frame.k === 'callback' && exprName(site.file, frame.call.callee) === 'process.on') return true;
  const owner = ctx.functions[ctx.model.outermost(site.file, site.fn)];
  return /close|shutdown|stop|dispose|destroy|teardown|exit|cleanup/i.test(owner?.name ?? '');
}

function calleeSpan(site: Site): { s: number; e: number } {
  return site.node.k === 'tag'
    ? site.node.tag
    : site.node.callee.k === 'fn'
      ? headOf(site.file, site.node.callee.fn)
      : site.node.callee;
}

/** The head of an inline function: as far as its body. */
function headOf(file: SourceFile, fn: number): { s: number; e: number } {
  const fact = file.facts.functions[fn];
  if (!fact) return { s: 0, e: 0 };
  const text = file.text.slice(fact.s, fact.bs);
  return { s: fact.s, e: fact.s + Math.max(text.trimEnd().length, 1) };
}

// ---- callbacks of arrays and timers

const ALWAYS_TRUE = new Set(['filter', 'some', 'every', 'find', 'findIndex']);

function checkArrayMethod(ctx: RuleContext, call: Call): void {
  if (call.callee.k !== 'mem' || call.args.length === 0) return;
  const { file, model } = ctx;
  const method = call.callee.prop;
  const drops = method === 'forEach' || method === 'map';
  if (!drops && !ALWAYS_TRUE.has(method)) return;
  const callback = call.args[0] ? uncast(call.args[0]) : null;
  if (!callback) return;
  const value =
    callback.k === 'fn'
      ? ({ k: 'fn', file, fn: callback.fn } as const)
      : callback.k === 'id'
        ? model.values.of(file, callback)
        : null;
  if (value?.k !== 'fn') return;
  const fact = value.file.facts.functions[value.fn];
  if (!fact?.async) return;
  // A `forEach` of a library or of the project may well wait for its callback.
  const member = model.values.of(file, call.callee);
  if (member.k === 'fn' || member.k === 'ext' || model.values.callSpec(member) !== null) return;
  const base = model.values.of(file, call.callee.obj);
  if (base.k === 'ext' || base.k === 'cls' || base.k === 'ns') return;
  const parent = file.index.parent(call);
  if (method === 'forEach' && (parent?.k === 'await' || parent?.k === 'ret')) return;
  const work = workOf(model, value.file, value.fn);
  const fails = letsFailureOut(model, value.file, value.fn);
  if (!work && !fails) return;
  if (method === 'map' && !isDroppedMap(ctx, file, call)) return;
  const what = work ? `\`${calleeName(work.site)}\`` : 'the callback';
  const name = exprName(file, call.callee);
  const truthy = ALWAYS_TRUE.has(method);
  ctx.report({
    at: call.callee,
    message: truthy
      ? `\`${method}\` reads a promise as its answer, which is always true: every element passes, and nothing handles a rejection.`
      : `\`${method}\` drops the promises of its async callback: the code after it runs before ${what} is done${fails ? ', and a rejection reaches no handler' : ''}.`,
    trigger: truthy
      ? 'any element'
      : `the list is not empty${fails ? ' and one element fails, or takes longer than what comes after' : ''}`,
    scenario: truthy
      ? `At \`${name}\`, for every element, then the test passes whatever the callback finds.`
      : `At \`${name}\`, when ${what} takes time or fails, then the code after it has gone on.`,
    detection: 'When a user complains or the data is compared: the code after it has gone on.',
    fix: truthy
      ? 'Wait for the answers with `Promise.all` first and test those.'
      : 'Loop with `for … of` and await, or wait with `Promise.all(xs.map(…))`.',
    anchor: name,
    fixes: callback.k === 'fn' && drops ? loopFix(ctx, call, callback.fn) : [],
  });
}

function isDroppedMap(ctx: RuleContext, file: SourceFile, call: Call): boolean {
  const fn = file.index.functionOf(call);
  if (fn === 0) return false;
  const drop = dropped(ctx, file, call, fn);
  return drop?.how === 'statement' || drop?.how === 'unread' || drop?.how === 'void';
}

function checkTimer(ctx: RuleContext, site: Site, call: Call): void {
  if (site.target.k !== 'builtin' || !TIMERS.has(site.target.name)) return;
  const { file, model } = ctx;
  const callback = call.args[0] ? uncast(call.args[0]) : null;
  if (!callback) return;
  const value =
    callback.k === 'fn'
      ? ({ k: 'fn', file, fn: callback.fn } as const)
      : callback.k === 'id' || callback.k === 'mem'
        ? model.values.of(file, callback)
        : null;
  if (value?.k !== 'fn') return;
  const fact = value.file.facts.functions[value.fn];
  if (!fact?.async || !letsFailureOut(model, value.file, value.fn)) return;
  const timer = site.target.name;
  const work = workOf(model, value.file, value.fn);
  const what = work ? `\`${calleeName(work.site)}\`` : 'its body';
  ctx.report({
    at: call.callee,
    message: `\`${timer}\` drops the promise of its async callback: when ${what} rejects, no handler takes the rejection.`,
    trigger: `${what} rejects`,
    scenario: `At \`${timer}\`, when ${what} fails, then ${UNHANDLED}.`,
    detection: DETECTION_WHEN_UNHANDLED,
    fix: 'Catch inside the callback and log.',
    anchor: timer,
  });
}

/** `result.finally(clean)` beside `result.then(a, b)`: the promise that `finally` makes rejects once more. */
function checkSecondBranch(ctx: RuleContext, site: Site, call: Call, seen: Set<AnyNode>): void {
  const { file } = ctx;
  const { callee } = call;
  if (callee.k !== 'mem' || (callee.prop !== 'finally' && callee.prop !== 'then') || call.args.length !== 1)
    return;
  const root = uncast(callee.obj);
  if (root.k !== 'id' || seen.has(site.top)) return;
  // `then` alone is not a promise's only; `finally` with a function is.
  if (callee.prop === 'then' && !startedHere(ctx, file, root.b)) return;
  if (callee.prop === 'finally' && uncast(call.args[0] as Expr).k !== 'fn') return;
  if (!dropped(ctx, file, site.top, site.fn) || hasHandler(stepsOf(site))) return;
  const binding = file.facts.bindings[root.b];
  const init = binding?.decl?.k === 'init' ? uncast(binding.decl.init) : null;
  if (init && handledWhereMade(init)) return;
  if (init?.k === 'call' && callee.prop === 'finally') {
    const made = ctx.model.sites.at(file, init);
    if (made?.target.k === 'fn' && promiseOf(ctx.model, made) === null) return;
  }
  seen.add(site.top);
  const name = exprName(file, callee);
  ctx.report({
    at: callee,
    message: `\`${callee.prop}\` makes a second promise that rejects with \`${root.name}\`, and nothing handles that one.`,
    trigger: `\`${root.name}\` rejects`,
    scenario: `At \`${name}\`, when \`${root.name}\` rejects, then the handler of the other branch takes its own copy and here ${UNHANDLED}.`,
    detection: DETECTION_WHEN_UNHANDLED,
    fix: `Chain \`${callee.prop}\` on the branch that has the handler.`,
    anchor: name,
  });
}

function startedHere(ctx: RuleContext, file: SourceFile, binding: number): boolean {
  const decl = file.facts.bindings[binding]?.decl;
  if (decl?.k !== 'init' || decl.path.length > 0) return false;
  const init = uncast(decl.init);
  if (init.k !== 'call') return false;
  const site = ctx.model.sites.at(file, init);
  return site !== null && promiseOf(ctx.model, site) !== null;
}

function handledWhereMade(init: Expr): boolean {
  for (let at = init; at.k === 'call' && at.callee.k === 'mem'; at = uncast(at.callee.obj))
    if (
      (at.callee.prop === 'catch' && at.args.length > 0) ||
      (at.callee.prop === 'then' && at.args.length > 1)
    )
      return true;
  return init.k === 'await';
}

// ---- fixes

function fixSentence(ctx: RuleContext, site: Site, drop: Drop, promise: PromiseCall): string {
  const name = calleeName(site);
  const fact = ctx.functions[site.fn];
  if (promise.held && fact?.async) return `Await \`${name}\` and look at what it gives back.`;
  // Who runs a callback or a constructor waits for nothing that it gives back.
  const unheard =
    !fact?.async &&
    (drop.how === 'callback' ||
      fact?.kind === 'constructor' ||
      site.file.index.argumentSite(site.fn) !== null);
  if (neverEnds(site) || unheard) return `Give \`${name}\` a rejection handler that logs.`;
  return fact?.async
    ? `Await \`${name}\`, or give it a rejection handler that logs.`
    : `Return the promise of \`${name}\`, or give it a rejection handler that logs.`;
}

/** The callee loops for ever: what stands behind an `await` of it would not run. */
function neverEnds(site: Site): boolean {
  const { target } = site;
  const fact = target.k === 'fn' ? target.value.file.facts.functions[target.value.fn] : undefined;
  return (
    fact?.body.some(
      (st) =>
        ((st.k === 'while' && st.test.k === 'lit' && st.test.value === true) ||
          (st.k === 'for' && !st.test)) &&
        !some(st.body, (n) => n.k === 'break' || n.k === 'ret'),
    ) ?? false
  );
}

function fixesFor(ctx: RuleContext, site: Site, drop: Drop, promise: PromiseCall): FixDraft[] {
  const { file } = site;
  const out: FixDraft[] = [];
  const fact = ctx.functions[site.fn];
  const { top } = site;
  if (fact?.async && drop.how !== 'unread' && !neverEnds(site))
    out.push({
      id: 'await',
      title: 'Await it',
      kind: 'previewed',
      edits: () => [{ file: file.path, edits: awaitEdits(file, top) }],
    });
  if (!promise.lazy && drop.how !== 'unread')
    out.push({
      id: 'log-rejection',
      title: 'Log its rejection',
      kind: 'safe',
      edits: () => {
        const style = loggerAt(ctx.model, file, site.fn) ?? { receiver: 'console', fieldsFirst: false };
        const line = logLine(style, `${calleeName(site)} failed`, 'error', quoteOf(file.text));
        return [
          {
            file: file.path,
            edits: [{ start: top.e, end: top.e, newText: `.catch(${parameter(file)} => ${line})` }],
          },
        ];
      },
    });
  return out;
}

function parameter(file: SourceFile): string {
  return /\.[cm]?tsx?$/.test(file.path) ? '(error: unknown)' : 'error';
}

/** `void` in front gives way to `await`; anything else gets it put before. */
function awaitEdits(file: SourceFile, top: Expr): TextEdit[] {
  const parent = file.index.parent(top);
  if (parent?.k === 'un' && parent.op === 'void') return [{ start: parent.s, end: top.s, newText: 'await ' }];
  return [{ start: top.s, end: top.s, newText: 'await ' }];
}

function loopFix(ctx: RuleContext, call: Call, fn: number): FixDraft[] {
  const { file } = ctx;
  const fact = file.facts.functions[fn];
  const outer = ctx.functions[file.index.functionOf(call)];
  if (!fact || !outer?.async || outer.id === 0 || call.callee.k !== 'mem') return [];
  const statement = file.index.parent(call);
  if (statement?.k !== 'expr') return [];
  if (call.callee.prop === 'map')
    return [
      {
        id: 'promise-all',
        title: 'Wait with Promise.all',
        kind: 'previewed',
        edits: () => [
          {
            file: file.path,
            edits: [
              { start: call.s, end: call.s, newText: 'await Promise.all(' },
              { start: call.e, end: call.e, newText: ')' },
            ],
          },
        ],
      },
    ];
  if (fact.params.length !== 1 || call.args.length !== 1 || hasReturn(fact)) return [];
  return [
    {
      id: 'for-of',
      title: 'Loop with for … of',
      kind: 'previewed',
      edits: () => {
        const text = (n: { s: number; e: number }): string => file.text.slice(n.s, n.e);
        const param = fact.params[0];
        if (!param || call.callee.k !== 'mem') return null;
        const head = `for (const ${text(param.target)} of ${text(call.callee.obj)}) `;
        const body = fact.exprBody ? expressionBody(file, fact) : file.text.slice(fact.bs, fact.e);
        return body === null ? null : [{ file: file.path, edits: [replaceNode(statement, head + body)] }];
      },
    },
  ];
}

function expressionBody(file: SourceFile, fact: FunctionFact): string | null {
  const ret = fact.body[0];
  if (ret?.k !== 'ret' || !ret.arg) return null;
  const text = file.text.slice(ret.arg.s, ret.arg.e);
  return `{ ${ret.arg.k === 'await' ? text : `await ${text}`}; }`;
}

function hasReturn(fact: FunctionFact): boolean {
  return !fact.exprBody && fact.body.some((st) => some(st, (n) => n.k === 'ret'));
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Reminders are sent after the count was reported',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export async function remind(ids: string[]) {
  ids.forEach(async id => {
    await pool.query('UPDATE invoices SET reminded_at = now() WHERE id = $1', [id]);
  });
  return ids.length;
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();
export async function remind(ids: string[]) {
  for (const id of ids) {
    await pool.query('UPDATE invoices SET reminded_at = now() WHERE id = $1', [id]);
  }
  return ids.length;
}
`,
    fixed: `import { Pool } from 'pg';
const pool = new Pool();
export async function remind(ids: string[]) {
  for (const id of ids) {
    await pool.query('UPDATE invoices SET reminded_at = now() WHERE id = $1', [id]);
  }
  return ids.length;
}
`,
  },
  {
    title: 'An audit row that nobody waits for',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export async function close(id: string) {
  await pool.query('UPDATE accounts SET closed = true WHERE id = $1', [id]);
  pool.query('INSERT INTO audit (account_id, what) VALUES ($1, $2)', [id, 'closed']);
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();
export async function close(id: string) {
  await pool.query('UPDATE accounts SET closed = true WHERE id = $1', [id]);
  await pool.query('INSERT INTO audit (account_id, what) VALUES ($1, $2)', [id, 'closed']);
}
`,
    fixed: `import { Pool } from 'pg';
const pool = new Pool();
export async function close(id: string) {
  await pool.query('UPDATE accounts SET closed = true WHERE id = $1', [id]);
  await pool.query('INSERT INTO audit (account_id, what) VALUES ($1, $2)', [id, 'closed']);
}
`,
  },
];
