/** A timer that starts its next round while the last one is still at work. */
import type { Expr } from '../facts/ir.ts';
import { some, uncast } from '../facts/walk.ts';
import { numberOf } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isWork } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, duration } from './_kit/text.ts';

export const rule = defineRule({
  id: 'overlapping-interval',
  lens: 'clock',
  axis: 'load-saturation',
  faultClass: 'timing',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: '`setInterval` or a cron schedule starts async work of several steps that changes data, and nothing keeps the next round from starting while the last one runs.',
    why: 'When the database or another service is slow, a round outlasts the period. The next one starts beside it, reads the same rows and does the same work twice, which slows both: rounds pile up until the process or the database gives in.',
    remedy:
      'Start the next round when the last one is done (`setTimeout` at its end), or leave at once while a round runs.',
    whenNot: 'The scheduler lets one round run at a time, or the work takes a lock of its own.',
  },
  incidents: ['resource-exhaustion', 'wasted-work'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) check(ctx, site);
  },
});

const GUARDS =
  /running|in_?progress|in_?flight|busy|locked|\block\b|\w+Lock\b|mutex|semaphore|acquire|clearInterval|clearTimeout|isProcessing|processing\s*[=)]|polling\s*[=)]|advisory|SKIP LOCKED|pending\s*[=)]|skipLocked|leader/i;
const HARMLESS = /heart-?beat|ping|keep-?alive|renew|extend|metric|stats?\b|gauge|log/i;

interface Timer {
  readonly name: string;
  readonly callback: Expr;
  readonly period: number | null;
}

function check(ctx: RuleContext, site: Site): void {
  const timer = timerAt(ctx, site);
  if (!timer) return;
  const started = startedBy(ctx, site.file, timer.callback);
  if (!started) return;
  const { file, fn } = started;
  const texts = [file.text.slice(site.node.s, site.node.e)];
  const reached = ctx.model.reach(file, fn);
  const seen = new Set<string>();
  const add = (of: SourceFile, id: number): void => {
    const fact = of.facts.functions[id];
    const key = `${of.path}#${id}`;
    if (!fact || id === 0 || seen.has(key)) return;
    seen.add(key);
    texts.push(of.text.slice(fact.s, fact.e));
  };
  add(file, fn);
  for (const r of reached) add(r.site.file, r.site.fn);
  if (texts.some((t) => GUARDS.test(t))) return;
  const own = file.facts.functions[fn];
  if (!own || HARMLESS.test(own.name ?? '')) return;
  const work = reached.filter((r) => isWork(r.site.effect) && awaited(r.site));
  const write = work.find((r) => r.site.effect?.write === true && !r.site.effect.spec.bestEffort);
  // One statement is as long as its own deadline; what grows is a walk over rows or several steps.
  if (!write || (work.length < 2 && !loops(file, fn))) return;
  const what = calleeName(write.site);
  const every = timer.period === null ? '' : ` of ${duration(timer.period)}`;
  const node = site.node;
  ctx.report({
    at: node.k === 'tag' ? node.tag : node.callee,
    message: `When a round takes longer than the period${every}, the next one starts beside it and \`${what}\` runs twice over the same data.`,
    trigger: 'the database or another service is slow, or there is more to do than before',
    scenario: `At \`${timer.name}\`, when a round outlasts its period${every}, then rounds run side by side, do the same work and slow each other.`,
    detection: 'When doubled results or a rising load are noticed: each round by itself succeeds.',
    fix: 'Start the next round at the end of the last, or leave at once while one runs.',
    anchor: timer.name,
    confidence: 'assumed',
    path: [...write.via, write.site],
  });
}

function timerAt(ctx: RuleContext, site: Site): Timer | null {
  const { node, file, target } = site;
  if (node.k === 'tag') return null;
  if (target.k === 'builtin' && target.name === 'setInterval' && node.args[0]) {
    const period = node.args[1] ? numberOf(ctx.model.values, file, node.args[1]) : null;
    return { name: 'setInterval', callback: node.args[0], period };
  }
  const callee = uncast(node.callee);
  if (
    node.k === 'call' &&
    callee.k === 'mem' &&
    callee.prop === 'schedule' &&
    file.facts.specifiers.includes('node-cron') &&
    node.args[1] &&
    !/noOverlap/.test(file.text.slice(node.s, node.e))
  )
    return { name: calleeName(site), callback: node.args[1], period: null };
  return null;
}

/** The async function that each round starts and that nothing waits for. */
function startedBy(ctx: RuleContext, file: SourceFile, expr: Expr): { file: SourceFile; fn: number } | null {
  const value = ctx.model.values.of(file, uncast(expr));
  if (value.k !== 'fn') return null;
  const fact = value.file.facts.functions[value.fn];
  if (!fact) return null;
  if (fact.async) return { file: value.file, fn: value.fn };
  // `() => tick()` and `() => { void tick(); }`
  if (fact.body.length !== 1) return null;
  for (const call of value.file.index.calls[fact.id] ?? []) {
    if (call.k !== 'call') continue;
    const target = ctx.model.sites.target(value.file, call);
    if (target.k !== 'fn') continue;
    const next = target.value.file.facts.functions[target.value.fn];
    if (next?.async) return { file: target.value.file, fn: target.value.fn };
  }
  return null;
}

function awaited(site: Site): boolean {
  for (let at = site.file.index.parent(site.top); at; at = site.file.index.parent(at)) {
    if (at.k === 'await' || at.k === 'ret') return true;
    if (at.k === 'expr' || at.k === 'var') return false;
  }
  return false;
}

function loops(file: SourceFile, fn: number): boolean {
  return (file.facts.functions[fn]?.body ?? []).some((st) =>
    some(st, (n) => n.k === 'forof' || n.k === 'while' || n.k === 'for'),
  );
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Reminders that are sent twice when the database is slow',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export function start() {
  setInterval(async () => {
    const due = await pool.query('SELECT id FROM reminders WHERE sent_at IS NULL LIMIT 100');
    for (const row of due.rows) await pool.query('UPDATE reminders SET sent_at = now() WHERE id = $1', [row.id]);
  }, 5_000);
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();
export function start() {
  const round = async () => {
    const due = await pool.query('SELECT id FROM reminders WHERE sent_at IS NULL LIMIT 100');
    for (const row of due.rows) await pool.query('UPDATE reminders SET sent_at = now() WHERE id = $1', [row.id]);
    setTimeout(round, 5_000);
  };
  setTimeout(round, 5_000);
}
`,
  },
];
