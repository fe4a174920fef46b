/** `Promise.allSettled` whose rejections nobody looks at. */
import type { Call, Expr } from '../facts/ir.ts';
import { uncast, type AnyNode } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isHintName, isTidyName, lossIn, type Loss } from './_kit/consequence.ts';
import { chainOf, lastName } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'dropped-settled-failures',
  lens: 'partial-failure',
  axis: 'silent-failure',
  faultClass: 'observability',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: '`Promise.allSettled` never rejects; its result, or the rejected part of it, is never read.',
    why: 'Every write or request of the list may have failed and the code goes on in silence: no log, no count, no error for the caller.',
    remedy: "Look through the results for `status === 'rejected'` and log, count or rethrow them.",
    whenNot: 'Each promise handles and logs its own failure before it gets here.',
  },
  incidents: ['swallowed-error', 'silent-failure'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites)
      if (site.node.k === 'call' && site.target.k === 'builtin' && site.target.name === 'Promise.allSettled')
        check(ctx, site.node);
  },
});

function check(ctx: RuleContext, call: Call): void {
  const { file } = ctx;
  const how = dropped(file, call);
  if (!how) return;
  const owner = ctx.functions[ctx.model.outermost(file, file.index.functionOf(call))];
  if (isTidyName(owner?.name ?? null) || isHintName(owner?.name ?? null)) return;
  const loss = lossOfList(ctx, call.args[0]);
  if (!loss?.write || loss.confidence !== 'shown') return;
  const name = calleeName(loss.site);
  ctx.report({
    at: call.callee,
    message:
      how === 'never'
        ? `When \`${name}\` fails here, nothing shows it: the results are never read.`
        : `When \`${name}\` fails here, nothing shows it: only the fulfilled results are read.`,
    trigger: `\`${name}\` rejects for one or all`,
    scenario: `At \`Promise.allSettled\`, when \`${name}\` fails, then the code goes on as if all had succeeded, and the rejection in the results is read by nobody.`,
    detection: 'When a user complains or the data is compared: the rejections are dropped.',
    fix: "Log or rethrow the results whose status is 'rejected'.",
    anchor: `allSettled ${name}`,
    severity: isNotice(loss.site) ? 'low' : 'medium',
  });
}

/** The result is dropped on the spot, kept and never read, or read for its fulfilled part alone. */
function dropped(file: SourceFile, call: Call): 'never' | 'fulfilled' | null {
  if (chainOf(file, call).length > 0) return null;
  let at: AnyNode | undefined = file.index.parent(call);
  if (at?.k === 'await') at = file.index.parent(at);
  if (at?.k === 'expr') return 'never';
  if (at?.k !== 'var') return null;
  const decl = at.decls.find(
    (d) => d.init && uncast(d.init).k === 'await' && (uncast(d.init) as { arg: Expr }).arg === call,
  );
  if (decl?.target.k !== 'pid') return null;
  const binding = file.facts.bindings[decl.target.b];
  if (binding?.reads === 0) return 'never';
  const fn = file.facts.functions[binding?.fn ?? 0];
  if (!fn || !binding) return null;
  const text = file.text.slice(fn.s, fn.e);
  if (/rejected|reason|!==?\s*['"]fulfilled['"]/.test(text) || !/fulfilled/.test(text)) return null;
  // Handed on as a whole, somebody else may look.
  return new RegExp(`[(,]\\s*${binding.name}\\s*[,)]|return\\s+${binding.name}\\s*[;\\n]`).test(text) ||
    /\belse\b|\?\s/.test(text)
    ? null
    : 'fulfilled';
}

function lossOfList(ctx: RuleContext, list: Expr | undefined): Loss | null {
  if (!list) return null;
  const inner = uncast(list);
  // A mapped list: what its callback starts. Callbacks that catch report for themselves.
  if (inner.k === 'call' && inner.callee.k === 'mem' && inner.callee.prop === 'map' && inner.args[0]) {
    const value = ctx.model.values.of(ctx.file, inner.args[0]);
    if (value.k !== 'fn') return null;
    const fact = value.file.facts.functions[value.fn];
    if (!fact || (value.file.index.tries[value.fn] ?? []).some((t) => t.handler !== null)) return null;
    if (catches(value.file.text.slice(fact.s, fact.e))) return null;
    let best: Loss | null = null;
    for (const st of fact.body) {
      const found = lossIn(ctx.model, value.file, st);
      if (found && (!best || rank(found) > rank(best))) best = found;
    }
    return best;
  }
  if (inner.k !== 'arr') return null;
  let best: Loss | null = null;
  for (const item of inner.items) {
    if (
      catches(ctx.file.text.slice(item.s, item.e)) ||
      isTidyName(item.k === 'call' ? lastName(item.callee) : null)
    )
      continue;
    const found = lossIn(ctx.model, ctx.file, item);
    if (found && (!best || rank(found) > rank(best))) best = found;
  }
  return best;
}

/** A change that is lost weighs more than a message that somebody misses. */
function rank(loss: Loss): number {
  return (loss.write ? 2 : 0) + (isNotice(loss.site) ? 0 : 1);
}

function isNotice(site: Site): boolean {
  if (site.effect) return site.effect.kind === 'mail';
  return (
    site.node.k === 'call' &&
    /^(?:notify|alert|remind)|(?:Email|Mail|Notification)s?$/.test(lastName(site.node.callee) ?? '')
  );
}

function catches(text: string): boolean {
  return /\.catch\s*\(/.test(text);
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Seats that were not freed',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export async function free(ids: string[]) {
  await Promise.allSettled(ids.slice(0, 10).map(id => pool.query('UPDATE seats SET taken = false WHERE id = $1', [id])));
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();
export async function free(ids: string[]) {
  const results = await Promise.allSettled(ids.slice(0, 10).map(id => pool.query('UPDATE seats SET taken = false WHERE id = $1', [id])));
  for (const result of results) if (result.status === 'rejected') console.error('seat not freed', result.reason);
}
`,
  },
];
