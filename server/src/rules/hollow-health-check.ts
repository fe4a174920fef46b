/** Health checks that say the wrong thing. */
import { some } from '../facts/walk.ts';
import type { UnitRef } from '../units/discover.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'hollow-health-check',
  lens: 'partial-failure',
  axis: 'operational-visibility',
  faultClass: 'observability',
  severity: 'low',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A readiness endpoint that always answers yes, or a liveness endpoint that asks a database or another service.',
    why: 'Readiness that cannot fail sends traffic to an instance whose pool is dead. Liveness that asks a dependency restarts every instance when that dependency is slow, which turns its short outage into a long one of ours.',
    remedy:
      'Let readiness ask what requests cannot do without, with a short timeout; let liveness say only that the process still turns.',
    whenNot: 'The service has no dependency that it cannot do without.',
  },
  incidents: ['bad-health-check', 'cascading-failure'],
  fixKind: 'none',
  detect(ctx) {
    for (const ref of ctx.units)
      if (ref.file === ctx.file && ref.unit.kind === 'http' && ref.unit.route !== null)
        check(ctx, ref, ref.unit.route);
  },
});

const READY = /(?:^|[/_-])(?:ready|readyz|readiness|readyness)\/?$/i;
const LIVE = /(?:^|[/_-])(?:live|livez|liveness|alive)\/?$/i;

function check(ctx: RuleContext, ref: UnitRef, route: string): void {
  const { model, file } = ctx;
  const fact = file.facts.functions[ref.fn];
  if (!fact || fact.id === 0) return;
  const at = { s: fact.ns, e: Math.max(fact.ne, fact.ns + 1) };
  if (READY.test(route)) {
    if (!alwaysSaysYes(ctx, ref.fn)) return;
    ctx.report({
      at: registration(ctx, ref) ?? at,
      message: `\`${route}\` always says that this instance is ready: it asks nothing that could be down.`,
      trigger: 'the pool is dead, or start-up is not done',
      scenario: `At \`${route}\`, when what requests need is down, then the instance still counts as ready and gets traffic that it fails.`,
      detection: 'By the error rate: the check itself stays green.',
      fix: 'Ask the database or whatever requests cannot do without, with a short timeout.',
      anchor: route,
    });
    return;
  }
  if (!LIVE.test(route)) return;
  const asked = model
    .reach(file, ref.fn)
    .find((r) => r.site.effect?.network === true && /^(?:db|cache|http|queue|sdk)$/.test(r.site.effect.kind));
  if (!asked) return;
  const name = calleeName(asked.site);
  ctx.report({
    at: registration(ctx, ref) ?? at,
    message: `While \`${name}\` fails, every instance is restarted: \`${route}\` says that the process is dead when something else is.`,
    trigger: 'a dependency is down or slow',
    scenario: `At \`${route}\`, when \`${name}\` fails, then the orchestrator restarts healthy processes, all of them, and their load comes back at once.`,
    detection: 'By restarts of all instances during an outage of a dependency.',
    fix: `Leave \`${name}\` to the readiness check.`,
    anchor: route,
    path: [...asked.via, asked.site],
  });
}

/** The route's text in the call that registers it. */
function registration(ctx: RuleContext, ref: UnitRef): { s: number; e: number } | null {
  const site = ctx.file.index.argumentSite(ref.fn);
  const first = site?.call.args[0];
  return first?.k === 'lit' ? first : null;
}

/** No branch, nothing awaited, no call but those that answer. */
function alwaysSaysYes(ctx: RuleContext, fn: number): boolean {
  const fact = ctx.functions[fn];
  if (!fact || fact.body.length === 0) return false;
  if (
    fact.body.some((st) =>
      some(
        st,
        (n) =>
          n.k === 'if' ||
          n.k === 'cond' ||
          n.k === 'await' ||
          n.k === 'throw' ||
          n.k === 'try' ||
          (n.k === 'bin' && (n.op === '&&' || n.op === '||' || n.op === '??')),
      ),
    )
  )
    return false;
  return ctx.model.sitesWithin(ctx.file, fn).every((s) => {
    if (s.effect?.kind === 'respond' || s.effect?.kind === 'log') return true;
    const name = calleeName(s);
    return /(?:^|\.)(?:status|json|send|sendStatus|end|type|header|set|code|text|toISOString|now|uptime)$|^new (?:Response|Date|NextResponse)$|^(?:Response|NextResponse)\.json$|^new Date\(\)/.test(
      name,
    );
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'An instance that is ready whatever happens',
    bad: `import express from 'express';
const app = express();
app.get('/readyz', (req, res) => {
  res.status(200).json({ status: 'ok' });
});
`,
    good: `import express from 'express';
import { Pool } from 'pg';
const pool = new Pool({ query_timeout: 1_000 });
const app = express();
app.get('/readyz', async (req, res) => {
  await pool.query('SELECT 1');
  res.status(200).json({ status: 'ok' });
});
`,
  },
];
