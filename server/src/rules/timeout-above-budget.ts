/** A timeout that is longer than the time its unit is given. */
import { uncast } from '../facts/walk.ts';
import type { Reached } from '../model/model.ts';
import { numberOf, readPath } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { retriesOf } from './_kit/retries.ts';
import { calleeName, duration } from './_kit/text.ts';

export const rule = defineRule({
  id: 'timeout-above-budget',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'gray-failure',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'A route says how long it may run (`maxDuration`), and a call in it is only cut off after that, alone or by the attempts it is given.',
    why: 'The host ends the function first. The timeout never fires, so nothing after it runs: no fallback, no log line, no answer of ours, no cleaning up. All that is left is a 504 with no word on what was slow.',
    remedy: 'Give the call a timeout that leaves time to answer, attempts and pauses included.',
    whenNot: 'The call is the last thing that the function does and nobody reads its answer.',
  },
  incidents: ['missing-timeout', 'cascading-failure'],
  fixKind: 'none',
  detect(ctx) {
    const budget = budgetOf(ctx, ctx.file);
    if (budget === null) return;
    const seen = new Set<number>();
    for (const { file, fn } of ctx.units)
      if (file === ctx.file)
        for (const reached of ctx.model.reach(file, fn)) check(ctx, budget, reached, seen);
  },
});

/** `export const maxDuration = 60`, or `export const config = { maxDuration: 60 }`, in seconds. */
function budgetOf(ctx: RuleContext, file: SourceFile): number | null {
  for (const x of file.facts.exports) {
    if (x.name !== 'maxDuration' && x.name !== 'config') continue;
    const decl = file.facts.bindings[x.local]?.decl;
    if (decl?.k !== 'init' || decl.path.length > 0) continue;
    let expr = decl.init;
    if (x.name === 'config') {
      if (uncast(expr).k !== 'obj') continue;
      const read = readPath(ctx.model.values, file, expr, ['maxDuration']);
      if (read.k !== 'value' || read.file !== file) continue;
      expr = read.expr;
    }
    const seconds = numberOf(ctx.model.values, file, expr);
    if (seconds !== null && seconds > 0) return seconds * 1000;
  }
  return null;
}

function check(ctx: RuleContext, budget: number, reached: Reached, seen: Set<number>): void {
  const { site, via } = reached;
  if (!site.effect?.network || site.effect.kind === 'cache') return;
  const bounds = ctx.model.bounds.of(site);
  if (!bounds || bounds.unknown || typeof bounds.parts.total !== 'number') return;
  // A library's default deep below is nobody's choice for this route.
  if (via.length > 0 && bounds.by?.endsWith('default')) return;
  const total = bounds.parts.total;
  const attempts = attemptsOf(ctx, reached);
  if (total * attempts <= budget) return;
  const at = site.file === ctx.file ? site : via.find((v) => v.file === ctx.file);
  if (!at || seen.has(at.node.s)) return;
  seen.add(at.node.s);
  const name = calleeName(site);
  const time = attempts > 1 ? `${attempts} × ${duration(total)}` : duration(total);
  ctx.report({
    at: at.node.k === 'tag' ? at.node.tag : at.node.callee,
    message: `When \`${name}\` hangs, the host ends this function at ${duration(budget)} and its own timeout (${time}) never fires: nothing after it runs.`,
    trigger: `\`${name}\` hangs or is slow`,
    scenario: `At \`${name}\`, when it takes longer than ${duration(budget)}, then the function is ended from outside: no fallback, no log line, no answer of ours.`,
    detection: 'By 504s that say nothing of their cause.',
    fix: `Give \`${name}\` a timeout that fits into ${duration(budget)}.`,
    anchor: name,
    path: [...via, site],
  });
}

/** The attempts of a retry in this file that repeats the call. */
function attemptsOf(ctx: RuleContext, { site, via }: Reached): number {
  for (const retry of retriesOf(ctx.model, ctx.file)) {
    if (typeof retry.attempts !== 'number' || retry.attempts > 100) continue;
    if (retry.calls.some((c) => c.node === site.node || via.some((v) => v.node === c.node)))
      return retry.attempts;
  }
  return 1;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A fallback that never runs',
    bad: `//- /app/api/rates/route.ts
export const maxDuration = 10;
export async function GET() {
  try {
    const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(30_000) });
    return Response.json(await res.json());
  } catch {
    return Response.json({ rates: null, stale: true });
  }
}
`,
    good: `//- /app/api/rates/route.ts
export const maxDuration = 10;
export async function GET() {
  try {
    const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(8_000) });
    return Response.json(await res.json());
  } catch {
    return Response.json({ rates: null, stale: true });
  }
}
`,
  },
];
