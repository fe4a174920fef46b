/** A race that a timer can win, whose loser runs on; and timers that stay when what they were for is over. */
import type { Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { numberOf } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { leftTimer, type LeftTimer } from './_kit/leftTimers.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { duration } from './_kit/text.ts';

export const rule = defineRule({
  id: 'abandoned-work',
  lens: 'clock',
  axis: 'load-saturation',
  faultClass: 'gray-failure',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: '`Promise.race` runs work against a timer, and neither is ended when the other wins: the work is not aborted, the timer is not cleared. Or a timer is set for a piece of work, a promise or an object, and stays when that is over.',
    why: 'When the timer wins, the work goes on unseen with its connection and its effects, and a retry runs beside it. When the work wins, the timer stays: each call leaves one behind until it fires, and the process does not end before.',
    remedy: 'Give the work a signal and abort it when the time is over; clear the timer in `finally`.',
    whenNot: 'The timer is one of milliseconds and the work has no effects.',
  },
  incidents: ['resource-exhaustion', 'wasted-work'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) {
      check(ctx, site);
      const left = leftTimer(ctx, site);
      if (left) reportTimer(ctx, left);
    }
  },
});

function check(ctx: RuleContext, site: Site): void {
  const { node, file } = site;
  if (site.target.k !== 'builtin' || site.target.name !== 'Promise.race' || node.k !== 'call') return;
  const list = node.args[0] ? uncast(node.args[0]) : null;
  if (list?.k !== 'arr' || list.items.length < 2) return;
  const timers = list.items.map((item) => timerOf(ctx, file, item, 0));
  const timer = timers.find((t) => t !== null);
  // A race of timers alone, or of work alone, leaves nothing of this kind.
  if (!timer || timers.every((t) => t !== null)) return;
  // A short timer and closing down leave nothing worth ending.
  if (timer.ms !== null && timer.ms < 1000) return;
  if (
    list.items.some((i) =>
      /\.(?:quit|close|end|disconnect|shutdown|flush|drain)\w*\(/.test(file.text.slice(i.s, i.e)),
    )
  )
    return;
  const fact = file.facts.functions[ctx.model.outermost(file, site.fn)];
  const around = fact && fact.id !== 0 ? file.text.slice(fact.s, fact.e) : file.text.slice(node.s, node.e);
  if (
    /\babort\w*\s*\(|clearTimeout\s*\(|\.unref\s*\(|\.cancel\w*\s*\(|\.(?:destroy|terminate|kill)\s*\(|AbortSignal/.test(
      `${around}\n${timer.text}`,
    )
  )
    return;
  const ms = timer.ms === null ? null : duration(timer.ms);
  ctx.report({
    at: { s: node.callee.s, e: node.callee.e },
    message: `When the timer wins, the work it raced goes on unseen; when the work wins, a timer${ms ? ` of ${ms}` : ''} stays behind.`,
    trigger: 'the work is slower than the timer, or there are many calls',
    scenario: `At \`Promise.race\`, when the time is over, then the work still runs to its end with what it holds, and each call that is faster leaves its timer${ms ? ` for ${ms}` : ''}.`,
    detection: 'When memory or load rises with no error to explain it: nothing fails.',
    fix: 'Abort the work when the time is over, and clear the timer in `finally`.',
    anchor: 'Promise.race',
  });
}

function reportTimer(ctx: RuleContext, left: LeftTimer): void {
  const { call, when } = left;
  const name = call.callee.k === 'id' && call.callee.name === 'setInterval' ? 'setInterval' : 'setTimeout';
  const ms = left.ms === null ? '' : ` of ${duration(left.ms)}`;
  const over = {
    settled: 'something else settles the promise first',
    done: 'the work is done in time',
    failed: 'the work fails',
    closed: `\`${left.closer ?? ''}\` has been called`,
  }[when];
  const message =
    when === 'closed'
      ? `After \`${left.closer ?? ''}\` this interval runs on: nothing clears it.`
      : when === 'failed'
        ? `When the work fails, this timer${ms} stays behind: it is cleared only after success.`
        : `When ${over}, this timer${ms} stays behind until it fires: nothing clears it.`;
  ctx.report({
    at: { s: call.callee.s, e: call.callee.e },
    message,
    trigger: over,
    scenario: `At \`${name}\`, when ${over}, then the timer keeps what it holds${when === 'closed' ? ' and works on a closed object' : ' and the process'} alive.`,
    detection:
      when === 'closed'
        ? 'When a process does not end, or an error comes from an object that was closed.'
        : 'When memory rises or a process ends late: nothing fails.',
    fix:
      when === 'closed'
        ? `Keep the handle and clear it in \`${left.closer ?? ''}\`.`
        : 'Clear the timer on every way out, in `finally`.',
    anchor: name,
    ...(when === 'closed' ? {} : { severity: 'low' as const }),
  });
}

/** A promise that a timer settles, made in place, by a name or by a local function; with its text. */
function timerOf(
  ctx: RuleContext,
  file: SourceFile,
  expr: Expr,
  depth: number,
): { readonly text: string; readonly ms: number | null } | null {
  const inner = uncast(expr);
  if (depth > 3) return null;
  if (inner.k === 'new' && inner.callee.k === 'id' && inner.callee.name === 'Promise' && inner.callee.b < 0) {
    const text = file.text.slice(inner.s, inner.e);
    if (!/\bsetTimeout\s*\(/.test(text) || /\bawait\b|\.on\(|\.once\(|addEventListener/.test(text))
      return null;
    for (const list of file.index.calls)
      for (const call of list)
        if (
          call.k === 'call' &&
          call.s >= inner.s &&
          call.e <= inner.e &&
          call.callee.k === 'id' &&
          call.callee.name === 'setTimeout'
        )
          return { text, ms: call.args[1] ? numberOf(ctx.model.values, file, call.args[1]) : null };
    return null;
  }
  if (inner.k === 'id') {
    const decl = file.facts.bindings[inner.b]?.decl;
    return decl?.k === 'init' && decl.path.length === 0 ? timerOf(ctx, file, decl.init, depth + 1) : null;
  }
  if (inner.k === 'call') {
    const target = ctx.model.sites.target(file, inner);
    if (target.k !== 'fn') return null;
    const fact = target.value.file.facts.functions[target.value.fn];
    const text = fact ? target.value.file.text.slice(fact.s, fact.e) : '';
    if (text.length > 500 || !/\bsetTimeout\s*\(/.test(text) || /\bawait\b/.test(text)) return null;
    return { text, ms: inner.args[0] ? numberOf(ctx.model.values, file, inner.args[0]) : null };
  }
  return null;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A report that is no longer waited for',
    bad: `declare function build(): Promise<string>;
export function report() {
  return Promise.race([build(), new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 30_000))]);
}
`,
    good: `declare function build(signal: AbortSignal): Promise<string>;
export function report() {
  return build(AbortSignal.timeout(30_000));
}
`,
  },
];
