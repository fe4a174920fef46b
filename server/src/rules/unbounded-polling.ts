/** Waiting for a state that may never come. */
import type { Call, Expr, FunctionFact, New, Stmt } from '../facts/ir.ts';
import { boundBy, some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { waitOf } from './_kit/retries.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unbounded-polling',
  lens: 'clock',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A loop asks again and again whether something outside has reached a state, pauses in between, and ends only when it has: there is no cap on the rounds, no deadline and no signal.',
    why: 'States get stuck. A job that crashed stays "running", a deleted one never becomes "done". Each caller that waits for it then polls for ever and keeps its request, its memory and its share of the rate limit.',
    remedy:
      'Give the wait a deadline, and say in the error what was waited for and in which state it was last.',
    whenNot: 'A worker whose whole purpose is to poll for as long as the process lives.',
  },
  incidents: ['resource-exhaustion', 'missing-timeout'],
  fixKind: 'none',
  detect(ctx) {
    for (const fn of ctx.functions) {
      if (!fn.async) continue;
      for (const call of ctx.file.index.calls[fn.id] ?? []) if (call.k !== 'tag') check(ctx, fn, call);
    }
  },
});

type Loop = Stmt & { k: 'while' | 'do' | 'for' };

/** What ends a wait by itself: a clock, a counter, a signal, a flag that somebody turns. */
const ENDS =
  /Date\.now|performance\.now|hrtime|deadline|elapsed|expire|time_?out|\bstart(?:ed|Time|edAt)?\b|max[A-Z_]|attempt|retr(?:y|ies)|tries|\bcount|iteration|\bsignal\b|abort|cancel|stop|clos(?:ed|ing)|running|shut|destroy|dispos|active|limit/i;
const WORKER =
  /worker|daemon|loop|forever|consume|subscribe|listen|watch|heartbeat|scheduler|^run$|^start$|^main$/i;

/** A call that waits, or `new Promise(resolve => setTimeout(resolve, …))`. */
function isPause(ctx: RuleContext, call: Call | New): boolean {
  if (call.k === 'call') return waitOf(ctx.model, ctx.file, call) !== null;
  return (
    call.callee.k === 'id' &&
    call.callee.name === 'Promise' &&
    call.e - call.s < 200 &&
    /setTimeout\s*\(/.test(ctx.file.text.slice(call.s, call.e))
  );
}

function check(ctx: RuleContext, fn: FunctionFact, call: Call | New): void {
  const { file } = ctx;
  // Start from the pause: most functions have none.
  if (!isPause(ctx, call) || !isAwaited(file, call)) return;
  const loop = loopAround(file, call);
  if (!loop || firstWait(ctx, fn, loop) !== call) return;
  const text = file.text.slice(loop.s, loop.e);
  if (ENDS.test(withoutPauses(ctx, fn, loop, text))) return;
  if (WORKER.test(fn.name ?? '')) return;
  if (isCounted(loop)) return;
  const polled = polledIn(ctx, fn, loop);
  if (!polled) return;
  if (boundedOutside(ctx, fn, loop)) return;
  const name = calleeName(polled.site);
  ctx.report({
    at: polled.site.node.k === 'tag' ? polled.site.node.tag : polled.site.node.callee,
    message: `If the state that this waits for never comes, \`${name}\` is asked for ever: nothing caps the rounds or the time.`,
    trigger: 'what is waited for is stuck, failed or gone',
    scenario: `At \`${name}\`, when the awaited state never comes, then the loop goes on for as long as the process lives and its caller never gets an answer.`,
    detection: 'When callers complain or the load of the polled side is looked at: no error is raised.',
    fix: 'Cap the rounds or the total time, and fail with the last state that was seen.',
    anchor: name,
    confidence: polled.confidence,
  });
}

function isAwaited(file: SourceFile, expr: Expr): boolean {
  for (let at = file.index.parent(expr); at; at = file.index.parent(at)) {
    if (at.k === 'await') return true;
    if (at.k === 'fn') return false;
    if (at.k === 'expr' || at.k === 'block') return false;
  }
  return false;
}

function loopAround(file: SourceFile, node: AnyNode): Loop | null {
  for (let child = node, at = file.index.parent(node); at; child = at, at = file.index.parent(at)) {
    if ((at.k === 'while' || at.k === 'do' || at.k === 'for') && child === at.body) return at;
    if (at.k === 'forof' || at.k === 'forin') return null;
  }
  return null;
}

function firstWait(ctx: RuleContext, fn: FunctionFact, loop: Loop): Call | New | null {
  for (const call of ctx.file.index.calls[fn.id] ?? [])
    if (call.k !== 'tag' && call.s >= loop.s && call.e <= loop.e && isPause(ctx, call)) return call;
  return null;
}

/** The pause's own words are no end: `setTimeout`, `sleep(retryDelay)`. */
function withoutPauses(ctx: RuleContext, fn: FunctionFact, loop: Loop, text: string): string {
  let out = text;
  for (const call of ctx.file.index.calls[fn.id] ?? [])
    if (call.k !== 'tag' && call.s >= loop.s && call.e <= loop.e && isPause(ctx, call))
      out = out.replace(ctx.file.text.slice(call.s, call.e), '');
  return out.replace(
    /'[^'\n]*'|"[^"\n]*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|timeout\s*:|AbortSignal\.timeout|\bsignal\s*:/g,
    '',
  );
}

/** `for (let i = 0; i < 10; i++)`, `while (n--)`: rounds are counted. */
function isCounted(loop: Loop): boolean {
  if (loop.k === 'for' && loop.update) return true;
  return some(
    loop,
    (n) =>
      (n.k === 'un' && (n.op === '++' || n.op === '--')) ||
      (n.k === 'asg' && (n.op === '+=' || n.op === '-=')),
  );
}

interface Polled {
  readonly site: Site;
  readonly confidence: 'shown' | 'assumed';
}

/**
 * The one call whose result ends the loop. Its arguments stay the same from round to round (else it pages through
 * something), and the loop changes nothing outside.
 */
function polledIn(ctx: RuleContext, fn: FunctionFact, loop: Loop): Polled | null {
  const { file, model } = ctx;
  const awaited = model.sites
    .of(file, fn.id)
    .filter(
      (s) =>
        s.node.s >= loop.s &&
        s.node.e <= loop.e &&
        s.node.k !== 'new' &&
        file.index.parent(s.top)?.k === 'await' &&
        !(s.node.k === 'call' && waitOf(model, file, s.node)) &&
        s.effect?.kind !== 'log' &&
        s.effect?.kind !== 'metric',
    );
  if (awaited.some((s) => s.effect?.write || changes(ctx, s))) return null;
  const asked = awaited.filter((s) => !readsBody(s));
  const [site] = asked;
  if (!site || asked.length > 1) return null;
  if (!asks(ctx, site)) return null;
  const changed = new Set<number>();
  walk(loop.body, (n) => {
    if (n.k === 'asg' && n.target.k === 'id') changed.add(n.target.b);
  });
  const node = site.node;
  const given = node.k === 'tag' ? node.exprs : node.args;
  if (given.some((a) => some(a, (n) => n.k === 'id' && changed.has(n.b)))) return null;
  if (!decidedBy(file, loop, site)) return null;
  const shown = site.effect !== null || reads(ctx, site);
  return { site, confidence: shown ? 'shown' : 'assumed' };
}

/** `await res.json()` belongs to the call before it. */
function readsBody(site: Site): boolean {
  const { node } = site;
  return (
    node.k === 'call' &&
    node.callee.k === 'mem' &&
    /^(?:json|text|arrayBuffer|blob)$/.test(node.callee.prop) &&
    node.args.length === 0
  );
}

function changes(ctx: RuleContext, site: Site): boolean {
  if (site.target.k !== 'fn') return false;
  return ctx.model
    .reach(site.target.value.file, site.target.value.fn)
    .some((r) => r.site.effect?.write === true && r.site.effect.network);
}

function reads(ctx: RuleContext, site: Site): boolean {
  if (site.target.k !== 'fn') return false;
  return ctx.model
    .reach(site.target.value.file, site.target.value.fn)
    .some((r) => r.site.effect?.network === true);
}

const ASKS =
  /^(?:get|fetch|find|check|poll|query|read|load|retrieve|describe|list|is|has|status|state|lookup|inspect|exists|count)(?:[A-Z_]|$)|Status$|State$/;

/** Something outside is asked: by effect, else by its name. */
function asks(ctx: RuleContext, site: Site): boolean {
  if (site.effect) return site.effect.network && site.effect.op !== 'consume';
  if (site.target.k === 'fn') return reads(ctx, site);
  const { node } = site;
  if (node.k !== 'call') return false;
  const name = node.callee.k === 'mem' ? node.callee.prop : node.callee.k === 'id' ? node.callee.name : '';
  return (site.target.k === 'unresolved' || site.target.k === 'package') && ASKS.test(name);
}

/** The loop's test, or a way out inside it, looks at what the call gave. */
function decidedBy(file: SourceFile, loop: Loop, site: Site): boolean {
  const names = new Set<number>();
  const st = file.index.statementOf(site.node);
  if (st?.k === 'var') for (const d of st.decls) for (const b of boundBy(d.target)) names.add(b);
  if (st?.k === 'expr' && st.expr.k === 'asg')
    walk(st.expr.target, (n) => void ((n.k === 'id' || n.k === 'pid') && names.add(n.b)));
  // What is taken from it on the way: `const body = await res.json()`.
  walk(loop.body, (n) => {
    if (n.k === 'var')
      for (const d of n.decls)
        if (d.init && some(d.init, (m) => m.k === 'id' && names.has(m.b)))
          for (const b of boundBy(d.target)) names.add(b);
    if (n.k === 'asg' && n.target.k === 'id' && some(n.value, (m) => m.k === 'id' && names.has(m.b)))
      names.add(n.target.b);
  });
  const looks = (expr: Expr): boolean =>
    (expr.s <= site.node.s && expr.e >= site.node.e) || some(expr, (n) => n.k === 'id' && names.has(n.b));
  const test = loop.test;
  if (test && uncast(test).k !== 'lit' && looks(test)) return true;
  let leaves = false;
  walk(loop.body, (n) => {
    if (n.k === 'if' && looks(n.test) && some(n.then, (m) => m.k === 'ret' || m.k === 'break')) leaves = true;
    if (n.k === 'switch' && looks(n.disc) && some(n, (m) => m.k === 'ret')) leaves = true;
  });
  return leaves;
}

/** A wrapper with a deadline runs it, or the function itself races it. */
function boundedOutside(ctx: RuleContext, fn: FunctionFact, loop: Loop): boolean {
  const { file, model } = ctx;
  for (const frame of model.frames.around(file, loop, fn.id))
    if (frame.k === 'callback' && frame.roles.has('timeout')) return true;
  const owner = ctx.functions[model.outermost(file, fn.id)];
  if (!owner) return true;
  if (/Promise\.race|setTimeout\s*\([^)]*(?:reject|abort)/.test(file.text.slice(owner.s, owner.e)))
    return true;
  // Callers that race it or hand it to a helper with a deadline.
  const name = fn.name ?? owner.name;
  return (
    name !== null &&
    new RegExp(`(?:race|[tT]imeout)\\s*\\([^;]{0,80}\\b${name.replace(/\$/g, '\\$')}\\b`).test(file.text)
  );
}

export const examples: readonly RuleExample[] = [
  {
    title: 'An export that never gets done',
    bad: `import axios from 'axios';
export async function waitForExport(id: string) {
  for (;;) {
    const { data } = await axios.get('https://exports.example.com/' + id, { timeout: 5_000 });
    if (data.status === 'done') return data.url;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}
`,
    good: `import axios from 'axios';
export async function waitForExport(id: string) {
  const deadline = performance.now() + 120_000;
  while (performance.now() < deadline) {
    const { data } = await axios.get('https://exports.example.com/' + id, { timeout: 5_000 });
    if (data.status === 'done') return data.url;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  throw new Error('export not done in time: ' + id);
}
`,
  },
];
