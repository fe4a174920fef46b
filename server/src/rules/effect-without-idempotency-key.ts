/** A payment or creation at a provider that is not told which work it belongs to. */
import type { Call, Expr, Obj } from '../facts/ir.ts';
import { some, uncast } from '../facts/walk.ts';
import type { Severity } from '../base/vocabulary.ts';
import { addArgument, addProperty, replaceNode } from '../fixes/edits.ts';
import { isNothing, readOption, readPath, stringOf } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { detectionWhenThrown } from './_kit/detection.ts';
import { workIdentity } from './_kit/identity.ts';
import { movesMoney } from './_kit/payments.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { urlHost } from './_kit/url.ts';

export const rule = defineRule({
  id: 'effect-without-idempotency-key',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A call that moves money or creates something at a provider takes an idempotency key and is given none, in code that can run more than once for the same work: a handler, a consumer, a job, a function that others call.',
    why: 'When the answer is lost, whoever asked asks again: the browser, the queue, the retry loop. To the provider the second call is a new one, and the customer is charged twice. A key that the client library makes for each call covers only the repeats of that one call.',
    remedy:
      'Pass a key made from what the work is about (the order, the invoice, the event), so that every repeat of the same work carries the same key. Not a random value.',
    whenNot: 'Where the call is made by hand, once, or where a repeat is meant to be a new one.',
  },
  incidents: ['non-idempotent-retry', 'duplicate-delivery'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) check(ctx, site);
  },
});

interface Weight {
  readonly severity: Severity;
  /** What a repeat does, after the callee's name. */
  readonly again: string;
  /** True when a customer's or user's id names what is created. */
  readonly party: boolean;
}

const MONEY: Weight = { severity: 'critical', again: 'moves the money a second time', party: false };

/** By resource of the provider; what is not listed is harmless when made twice. */
const CREATED: Readonly<Record<string, Weight>> = {
  subscriptions: { severity: 'critical', again: 'starts a second subscription', party: false },
  subscriptionschedules: { severity: 'high', again: 'starts a second schedule', party: false },
  invoiceitems: { severity: 'critical', again: 'bills the item a second time', party: false },
  invoices: { severity: 'high', again: 'makes a second invoice', party: false },
  creditnotes: { severity: 'critical', again: 'credits the amount a second time', party: false },
  meterevents: { severity: 'critical', again: 'bills the usage a second time', party: false },
  customers: { severity: 'low', again: 'creates a second customer', party: true },
  // Nothing is paid until a person acts, and an unused session expires.
  sessions: { severity: 'low', again: 'opens a second checkout that can be paid too', party: false },
  paymentlinks: { severity: 'medium', again: 'creates a second payment link', party: false },
};
const MONEY_RESOURCES = /^(?:charges|paymentintents|transfers|payouts|refunds|topups)$/;

/** Hosts that move money, with the path that does. */
const PAYMENT_HOSTS: readonly { readonly host: RegExp; readonly path: RegExp; readonly key: RegExp }[] = [
  {
    host: /^api\.stripe\.com$/,
    path: /\/v1\/(?:charges|payment_intents|transfers|payouts|refunds|subscriptions|invoiceitems)$/,
    key: /idempotency-key/i,
  },
  {
    host: /^api(?:-m)?(?:\.sandbox)?\.paypal\.com$/,
    path: /\/(?:orders|payouts|captures?|refund|payments?)\b/,
    key: /paypal-request-id/i,
  },
  {
    host: /^connect\.squareup(?:sandbox)?\.com$/,
    path: /\/v2\/(?:payments|refunds|orders)\b/,
    key: /idempotency_key/i,
  },
  {
    host: /adyen\.com$|adyenpayments\.com$/,
    path: /\/(?:payments|refunds|captures|transfers)\b/,
    key: /idempotency-key/i,
  },
  {
    host: /^api\.(?:mollie\.com|checkout\.com|gocardless\.com|razorpay\.com)$/,
    path: /\/(?:payments|refunds|payouts|transfers)\b/,
    key: /idempotency-key|idempotency/i,
  },
];

function weightOf(site: Site): Weight | null {
  const { effect } = site;
  if (!effect?.spec.idempotency || effect.kind !== 'sdk') return null;
  const resource = (effect.entity ?? '').toLowerCase();
  if (effect.op === 'charge') {
    // Confirming or capturing a payment that exists is refused the second time.
    if (/^(?:confirm|capture|pay)$/.test(memberName(site))) return null;
    return MONEY;
  }
  if (effect.op !== 'create' || memberName(site) !== 'create') return null;
  if (MONEY_RESOURCES.test(resource)) return MONEY;
  if (resource === 'sessions' && !/checkout\.sessions\.create$/.test(calleeName(site))) return null;
  return CREATED[resource] ?? null;
}

function memberName(site: Site): string {
  return site.node.k !== 'tag' && site.node.callee.k === 'mem' ? site.node.callee.prop : '';
}

function check(ctx: RuleContext, site: Site): void {
  if (site.node.k !== 'call' || site.effect?.confidence !== 'shown') return;
  const byHand = ctx.model.outermost(ctx.file, site.fn) === 0;
  if (byHand) return;
  const sdk = weightOf(site);
  if (sdk) {
    if (!hasKey(ctx, site) && !isRefusedTwice(ctx, site) && !isWhatIsLeft(ctx, site))
      report(ctx, site, refundOf(ctx, site, intentOf(ctx, site, sdk)));
    return;
  }
  if (site.effect.kind === 'http') {
    const host = paymentHost(ctx, site);
    if (host && !mentionsKey(ctx, site, host.key)) report(ctx, site, MONEY, host.name);
  }
}

/** Nothing is paid for or started by a second one. */
function isRefusedTwice(ctx: RuleContext, site: Site): boolean {
  const params = site.node.k === 'call' ? site.node.args[0] : undefined;
  if (!params) return false;
  if (site.effect?.entity === 'sessions') {
    const mode = readPath(ctx.model.values, site.file, params, ['mode']);
    return mode.k === 'value' && stringOf(ctx.model.values, mode.file, mode.expr) === 'setup';
  }
  if (site.effect?.entity !== 'subscriptionschedules') return false;
  return readPath(ctx.model.values, site.file, params, ['from_subscription']).k === 'value';
}

/** Until it is confirmed, an unused payment intent does nothing. */
function intentOf(ctx: RuleContext, site: Site, weight: Weight): Weight {
  return site.effect?.entity !== 'paymentintents' || movesMoney(ctx.model, site)
    ? weight
    : { severity: 'low', again: 'makes a second payment intent that can be paid too', party: false };
}

/** The amount comes from the provider's own balance, read in the same run: a payout takes from it at once. */
function isWhatIsLeft(ctx: RuleContext, site: Site): boolean {
  if (!/^(?:payouts|transfers)$/.test(site.effect?.entity ?? '') || site.node.k !== 'call') return false;
  const amount = readOption(ctx.model.values, site.file, site.node, { arg: 0, path: 'amount' });
  return amount.k === 'value' && amount.file === site.file && fromBalance(site.file, amount.expr, new Set());
}

/** Follows the names of an expression back to a call of `balance.retrieve`. */
function fromBalance(file: SourceFile, expr: Expr, seen: Set<number>): boolean {
  return some(expr, (n) => {
    if (n.k === 'call' && n.callee.k === 'mem' && n.callee.prop === 'retrieve')
      return /\bbalance\.retrieve$/.test(file.text.slice(n.callee.s, n.callee.e));
    if (n.k !== 'id' || n.b < 0 || seen.has(n.b)) return false;
    seen.add(n.b);
    const binding = file.facts.bindings[n.b];
    if (!binding || binding.fn === 0) return false;
    const from = binding.decl?.k === 'init' ? partOf(binding.decl.init, binding.decl.path[0]) : null;
    return [from, ...binding.writes].some((e) => e !== null && fromBalance(file, e, seen));
  });
}

/** `const [a, b] = await Promise.all([x, y])`: what the name at an index stands for. */
function partOf(init: Expr, index: unknown): Expr {
  const inner = uncast(uncast(init).k === 'await' ? (uncast(init) as { arg: Expr }).arg : init);
  const list = inner.k === 'call' ? uncast(inner.args[0] ?? inner) : inner;
  return typeof index === 'number' && list.k === 'arr' ? (list.items[index] ?? init) : init;
}

/** A refund of the whole payment is refused the second time; one of an amount is not. */
function refundOf(ctx: RuleContext, site: Site, weight: Weight): Weight {
  if (site.effect?.entity !== 'refunds' || site.node.k !== 'call') return weight;
  const amount = readOption(ctx.model.values, site.file, site.node, { arg: 0, path: 'amount' });
  return amount.k === 'absent'
    ? { ...weight, severity: 'medium', again: 'is refused though the money went back' }
    : { ...weight, again: 'gives the amount back a second time where the payment still covers it' };
}

/** True when a key is given or cannot be excluded. */
function hasKey(ctx: RuleContext, site: Site): boolean {
  const { node, effect, file } = site;
  const spec = effect?.spec.idempotency;
  if (!spec || node.k !== 'call') return true;
  if (node.args.some((a) => a.k === 'spread')) return true;
  const resource = effect.entity ?? '';
  for (const [i, arg] of node.args.entries()) {
    // The parameters may be built elsewhere; the options are what holds the key.
    const read = readPath(ctx.model.values, file, arg, [spec.property]);
    if (read.k === 'value') return !isNothing(uncast(read.expr));
    if (read.k === 'unknown' && i >= optionsAt(site)) return true;
    if (resource === 'meterevents' && i === 0) {
      const identifier = readPath(ctx.model.values, file, arg, ['identifier']);
      if (identifier.k !== 'absent') return true;
    }
  }
  return false;
}

function optionsAt(site: Site): number {
  const arg = site.effect?.spec.idempotency?.at.arg;
  return typeof arg === 'number' ? arg : 1;
}

function paymentHost(ctx: RuleContext, site: Site): { name: string; key: RegExp } | null {
  if (site.effect?.method !== 'POST') return null;
  const name = urlHost(ctx.model, site);
  const known = name ? PAYMENT_HOSTS.find((h) => h.host.test(name)) : undefined;
  const at = site.effect.spec.urlAt;
  if (!name || !known || !at) return null;
  const read = readOption(ctx.model.values, site.file, site.node, at);
  const url = read.k === 'value' ? stringOf(ctx.model.values, read.file, read.expr) : null;
  return url && known.path.test(url.replace(/[?#].*$/, '')) ? { name, key: known.key } : null;
}

/** The key is in the call's own text, or the headers are built where they cannot be read. */
function mentionsKey(ctx: RuleContext, site: Site, key: RegExp): boolean {
  const { node, file } = site;
  if (node.k !== 'call') return true;
  if (key.test(file.text.slice(node.s, node.e)) || /idempoten/i.test(file.text.slice(node.s, node.e)))
    return true;
  const body = site.effect?.spec.bodyAt;
  return node.args.some((arg, i) => {
    if (arg.k === 'spread') return true;
    if (body?.path === '' && body.arg === i) return false;
    const headers = readPath(ctx.model.values, file, arg, ['headers']);
    if (headers.k === 'unknown') return uncast(arg).k !== 'lit' && uncast(arg).k !== 'tmpl';
    if (headers.k !== 'value') return false;
    const inner = uncast(headers.expr);
    return inner.k !== 'obj' || inner.props.some((p) => p.kind === 'spread');
  });
}

function report(ctx: RuleContext, site: Site, weight: Weight, host?: string): void {
  const name = calleeName(site);
  const units = ctx.unitsReaching(ctx.model.outermost(site.file, site.fn));
  const script =
    units.length === 0 && /(?:^|\/)(?:scripts?|bin|tools?|seeds?|migrations?|cli)\//.test(site.file.path);
  const what = host ? `\`${name}\` to \`${host}\`` : `\`${name}\``;
  ctx.report({
    at: (site.node as Call).callee,
    message: `When this runs again for the same work, ${what} ${weight.again}: it carries no idempotency key.`,
    trigger: 'the answer is lost or late, and the caller, the queue or a retry asks again',
    scenario: `At \`${name}\`, when the provider has done it but the answer does not arrive and the work is repeated, then it ${weight.again}.`,
    detection: /is refused/.test(weight.again)
      ? detectionWhenThrown(ctx, site)
      : 'When a customer complains or the books are compared: the repeat succeeds.',
    fix: 'Pass an idempotency key made from what the work is about, the same for every repeat.',
    anchor: name,
    severity: script ? lower(weight.severity) : weight.severity,
    fixes: host ? [] : fixesFor(ctx, site, weight),
  });
}

function lower(severity: Severity): Severity {
  return severity === 'critical' ? 'high' : severity === 'high' ? 'medium' : 'low';
}

function fixesFor(ctx: RuleContext, site: Site, weight: Weight): FixDraft[] {
  const node = site.node as Call;
  const spec = site.effect?.spec.idempotency;
  const identity = workIdentity(ctx.model, site, weight.party);
  if (!spec || !identity) return [];
  const { file } = site;
  const at = optionsAt(site);
  const value = `\`${prefix(site)}-\${${identity}}\``;
  const inParams = site.effect?.entity === 'meterevents';
  const property = inParams ? `identifier: ${value}` : `${spec.property}: ${value}`;
  return [
    {
      id: 'add-idempotency-key',
      title: `Add an idempotency key from \`${identity}\``,
      kind: 'safe',
      edits: () => {
        const index = inParams ? 0 : at;
        const arg = node.args[index];
        if (!arg)
          return [{ file: file.path, edits: [addArgument(file.text, node, index, `{ ${property} }`)] }];
        const inner = uncast(arg);
        if (inner.k === 'obj') {
          const wrong = (inner as Obj).props.find((p) => p.key === spec.property);
          return [
            {
              file: file.path,
              edits: [wrong ? replaceNode(wrong, property) : addProperty(file.text, inner, property)],
            },
          ];
        }
        if (isNothing(inner)) return [{ file: file.path, edits: [replaceNode(arg, `{ ${property} }`)] }];
        const text = file.text.slice(arg.s, arg.e);
        return [
          {
            file: file.path,
            edits: [replaceNode(arg, `{ ...${/^[\w$.]+$/.test(text) ? text : `(${text})`}, ${property} }`)],
          },
        ];
      },
    },
  ];
}

/** `paymentIntents` → `payment-intent`: keys of different calls for the same work stay apart. */
function prefix(site: Site): string {
  const callee = (site.node as Call).callee;
  const resource = callee.k === 'mem' && callee.obj.k === 'mem' ? callee.obj.prop : 'create';
  const word = resource === 'sessions' ? 'checkout' : resource.replace(/s$/, '');
  return word.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Charging for an order',
    bad: `import Stripe from 'stripe';
const stripe = new Stripe(process.env.STRIPE_KEY ?? '');

export async function charge(order: { id: string; total: number }) {
  return stripe.paymentIntents.create({ amount: order.total, currency: 'eur', metadata: { order: order.id } });
}
`,
    good: `import Stripe from 'stripe';
const stripe = new Stripe(process.env.STRIPE_KEY ?? '');

export async function charge(order: { id: string; total: number }) {
  return stripe.paymentIntents.create(
    { amount: order.total, currency: 'eur', metadata: { order: order.id } },
    { idempotencyKey: \`charge-\${order.id}\` },
  );
}
`,
    fixed: `import Stripe from 'stripe';
const stripe = new Stripe(process.env.STRIPE_KEY ?? '');

export async function charge(order: { id: string; total: number }) {
  return stripe.paymentIntents.create({ amount: order.total, currency: 'eur', metadata: { order: order.id } }, { idempotencyKey: \`payment-intent-\${order.id}\` });
}
`,
  },
];
