/** Work that is begun side by side, of which one failing leaves the rest unobserved. */
import type { Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import type { Effect, Site } from '../model/sites.ts';
import { isDatabaseCall } from './_kit/databaseCalls.ts';
import { DETECTION_BY_COMPARISON } from './_kit/detection.ts';
import { isOneOff } from './_kit/guards.ts';
import { letsFailureOut } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { tableOf } from './_kit/tables.ts';
import { calleeName } from './_kit/text.ts';
import { openTransaction } from './_kit/transactionScopes.ts';
import { isChange } from './_kit/work.ts';

export const rule = defineRule({
  id: 'fail-fast-siblings',
  lens: 'partial-failure',
  axis: 'data-consistency',
  faultClass: 'recovery',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.2.0',
  docs: {
    what: 'Two or more calls that change different things outside the process are begun together in one `Promise.all`, so that the first rejection is the only thing the caller hears.',
    why: '`Promise.all` rejects with the first failure and forgets the others. They go on: one of them may still send, create or charge, and the caller, told that the whole has failed, tries everything again or cleans up too early.',
    remedy:
      'Do them one after the other, or wait for all with `Promise.allSettled` and decide by what has happened.',
    whenNot: 'Where each may happen without the other, and may happen twice.',
  },
  incidents: ['partial-write'],
  fixKind: 'none',
  detect(ctx) {
    if (isOneOff(ctx.file)) return;
    for (const site of ctx.sites)
      if (site.target.k === 'builtin' && site.target.name === 'Promise.all') check(ctx, site);
  },
});

interface Part {
  readonly site: Site;
  readonly change: Effect;
  readonly what: string;
}

function check(ctx: RuleContext, all: Site): void {
  const { node, file } = all;
  if (node.k !== 'call' || openTransaction(ctx.model, all)) return;
  const list = node.args[0] ? uncast(node.args[0]) : null;
  if (list?.k !== 'arr') return;
  const parts = list.items.flatMap((item) => partOf(ctx, item) ?? []);
  // Rows of one database belong into a transaction; this is about what no transaction covers.
  const heavy = parts.filter((p) => isOutside(p.change));
  if (heavy.length === 0 || new Set(parts.map((p) => p.what)).size < 2) return;
  const first = heavy[0] as Part;
  const other = parts.find((p) => p.what !== first.what) as Part;
  if (isLeft(file, node)) return;
  const [a, b] = [calleeName(first.site), calleeName(other.site)];
  ctx.report({
    at: node.callee,
    message: `When \`${b}\` fails, this rejects at once while \`${a}\` goes on unobserved: the caller is told that the whole has failed, and it has not.`,
    trigger: `\`${b}\` rejects before \`${a}\` is through`,
    scenario: `At \`Promise.all\`, when one of the calls rejects, then the others still take effect, and what the caller does next does not know of it.`,
    detection: DETECTION_BY_COMPARISON,
    fix: 'Wait with `Promise.allSettled` and decide by what has happened, or do them in the order in which they can be repeated.',
    anchor: 'Promise.all',
    path: [first.site, other.site],
  });
}

function partOf(ctx: RuleContext, item: Expr): Part | null {
  const inner = uncast(item);
  if (inner.k !== 'call') return null;
  const { file, model } = ctx;
  const text = file.text.slice(inner.s, inner.e);
  if (/\.catch\s*\(/.test(text)) return null;
  const site = model.sites.at(file, inner);
  if (!site) return null;
  if (isChange(site.effect) && site.effect.confidence === 'shown')
    return { site, change: site.effect, what: whatOf(site) };
  if (site.target.k !== 'fn' || !letsFailureOut(model, site.target.value.file, site.target.value.fn))
    return null;
  const hit = model
    .reach(site.target.value.file, site.target.value.fn)
    .find((r) => r.via.length < 3 && isChange(r.site.effect) && r.site.effect.confidence === 'shown');
  return hit?.site.effect
    ? { site, change: hit.site.effect, what: `${whatOf(hit.site)} ${calleeName(site)}` }
    : null;
}

function whatOf(site: Site): string {
  return isDatabaseCall(site)
    ? `db ${tableOf(site) ?? ''}`
    : `${site.effect?.kind ?? ''} ${calleeName(site)}`;
}

/** Nothing takes it back: a charge, a creation at a provider, a mail, a message. */
function isOutside(effect: Effect): boolean {
  return (
    /^(?:sdk|mail|queue)$/.test(effect.kind) && /^(?:charge|create|send|publish|insert)$/.test(effect.op)
  );
}

/** Nobody waits for the whole. */
function isLeft(file: Site['file'], node: Expr): boolean {
  const parent = file.index.parent(node);
  return parent?.k === 'un' || parent?.k === 'expr' || parent?.k === 'mem';
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A charge beside a booking',
    bad: `import { PrismaClient } from '@prisma/client';
import Stripe from 'stripe';
const prisma = new PrismaClient();
const stripe = new Stripe('sk');

export async function book(room: string, customer: string, amount: number) {
  await Promise.all([
    prisma.booking.create({ data: { room, customer } }),
    stripe.charges.create({ amount, currency: 'eur', customer }, { idempotencyKey: \`\${customer}:\${room}\` }),
  ]);
}
`,
    good: `import { PrismaClient } from '@prisma/client';
import Stripe from 'stripe';
const prisma = new PrismaClient();
const stripe = new Stripe('sk');

export async function book(room: string, customer: string, amount: number) {
  const booking = await prisma.booking.create({ data: { room, customer } });
  await stripe.charges.create({ amount, currency: 'eur', customer }, { idempotencyKey: booking.id });
}
`,
  },
];
