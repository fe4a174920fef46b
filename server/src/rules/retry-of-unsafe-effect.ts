/** Repeating what must not happen twice. */
import type { Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { readOption } from '../model/options.ts';
import { isIdempotent, type Site } from '../model/sites.ts';
import type { SourceFile } from '../model/project.ts';
import type { Values } from '../model/values.ts';
import { DETECTION_BY_COMPARISON } from './_kit/detection.ts';
import { movesMoney } from './_kit/payments.ts';
import { retriesOf, type Retry } from './_kit/retries.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'retry-of-unsafe-effect',
  lens: 'clock',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A call that is made again when it fails has an effect that adds up (a charge, a POST, a mail, a published message, a counter), and nothing marks the second attempt as the same one: no idempotency key, no id of its own that the other side knows.',
    why: 'A call that times out may well have been carried out; only its answer was lost. The retry then charges, sends or creates a second time, and nothing fails.',
    remedy:
      'Send a key that is made from the business identity outside the repeated part, or repeat only on answers that prove that nothing happened.',
    whenNot: 'The other side drops doubles by a field of the payload.',
  },
  incidents: ['double-charge', 'duplicate-side-effect'],
  fixKind: 'none',
  detect(ctx) {
    const reported = new Set<Site['node']>();
    for (const retry of retriesOf(ctx.model, ctx.file)) {
      if (retriesOnlyRefused(ctx, retry)) continue;
      for (const { site, path } of effectsOf(ctx, retry)) report(ctx, site, path, retry, reported);
    }
    for (const site of ctx.sites) {
      if (!isUnsafe(ctx, site)) continue;
      for (const frame of ctx.model.frames.around(ctx.file, site.node, site.fn))
        if (
          frame.k === 'callback' &&
          frame.lib === null &&
          frame.roles.has('retry') &&
          !frame.roles.has('transaction')
        ) {
          report(ctx, site, [], null, reported);
          break;
        }
    }
  },
});

function effectsOf(ctx: RuleContext, retry: Retry): { site: Site; path: readonly Site[] }[] {
  const out: { site: Site; path: readonly Site[] }[] = [];
  for (const call of retry.calls) {
    if (call.effect) {
      if (isUnsafe(ctx, call)) out.push({ site: call, path: [] });
    } else if (call.target.k === 'fn') {
      const found = ctx.model
        .reach(call.target.value.file, call.target.value.fn)
        .find((r) => isUnsafe(ctx, r.site));
      if (found) out.push({ site: found.site, path: [call, ...found.via, found.site] });
    }
  }
  // `request.post(url).retry(3)`: the chain itself is what is sent again.
  if (retry.library === 'superagent') {
    const site = ctx.sites.find((s) => s.effect !== null && s.chain.some((c) => c.node === retry.node));
    if (site && isUnsafe(ctx, site)) out.push({ site, path: [] });
  }
  return out;
}

function report(
  ctx: RuleContext,
  site: Site,
  path: readonly Site[],
  retry: Retry | null,
  reported: Set<Site['node']>,
): void {
  if (reported.has(site.node) || site.node.k === 'tag') return;
  reported.add(site.node);
  const here = site.file === ctx.file ? site : null;
  const name = calleeName(site);
  const at = here ? { s: site.node.callee.s, e: site.node.callee.e } : retry?.at;
  if (!at) return;
  const repeats = typeof retry?.attempts === 'number' ? retry.attempts - 1 : 0;
  const times = repeats > 1 ? ` up to ${repeats} times` : repeats === 1 ? ' once' : '';
  const twice = consequence(ctx, site);
  // What is sent may hold an id by which the other side tells a repeat.
  const told = mayBeTold(ctx, site);
  ctx.report({
    at,
    message: told
      ? `When its answer is lost, \`${name}\` is called again${times} with the same content: where the other side does not tell the repeat by something in it, ${twice}.`
      : `When its answer is lost, \`${name}\` is called again${times}: ${twice}, for it carries no key by which the other side can tell a repeat.`,
    trigger: 'the call is carried out and its answer is lost or late',
    scenario: `At \`${name}\`, when the call times out after it took effect, then the retry repeats it and ${told ? 'the other side takes it for a new one' : twice}.`,
    detection: DETECTION_BY_COMPARISON,
    fix: 'Send an idempotency key that is made outside the repeated part from what is being done.',
    anchor: name,
    severity: told
      ? 'low'
      : site.effect?.op === 'charge' && movesMoney(ctx.model, site)
        ? 'critical'
        : 'high',
    ...(path.length > 0 ? { path } : {}),
  });
}

function consequence(ctx: RuleContext, site: Site): string {
  if (site.effect?.op === 'charge' && !movesMoney(ctx.model, site)) return 'what it creates exists twice';
  switch (site.effect?.op) {
    case 'charge':
      return 'the money moves twice';
    case 'send':
      return 'what is sent goes out twice';
    case 'publish':
      return 'the message is published twice';
    case 'increment':
      return 'the count rises twice';
    default:
      return 'what it creates exists twice';
  }
}

const READS_BY_POST =
  /graphql|search|query|token|oauth|login|auth\b|authoriz|completion|embedding|lookup|valid|verify|check|preview|render|generat|translat|batchGet|introspect|health|ping|status|list|fetch[A-Z]|resolve|predict|infer|stream|telemetry|analytics|metrics|\/logs?\b|mget|scroll/i;
const MARKED =
  /idempot|dedup|identifier\s*:|jobId|messageId|message_id|request-?id|clientToken|client_token|ClientRequestToken|reference_?id\s*:|externalId|external_id|nonce|singletonKey|transactionId\s*:|\bupsert/i;

function isUnsafe(ctx: RuleContext, site: Site): boolean {
  const { effect, file, node } = site;
  if (!effect?.write || !effect.network || effect.confidence !== 'shown' || node.k === 'tag') return false;
  if (isIdempotent(effect) || effect.spec.bestEffort) return false;
  if (effect.kind === 'db' || effect.kind === 'cache') return false;
  if (effect.kind === 'http') {
    if (effect.method !== 'POST') return false;
    if (READS_BY_POST.test(file.text.slice(node.s, node.e))) return false;
  }
  // What a caller hands in whole may carry a key that is not seen from here.
  const payload = effect.kind === 'sdk' && node.args[0] ? ctx.model.values.of(file, node.args[0]) : null;
  if (payload?.k === 'param' && payload.path.length === 0) return false;
  const key = effect.spec.idempotency;
  if (key && readOption(ctx.model.values, file, node, key.at).k !== 'absent') return false;
  return !MARKED.test(textAround(ctx, file, site));
}

const ID = /^_?(?:id|uuid|guid|key|ref|reference|number|sequence|seq)$|(?:Id|_id|Uuid|Ref|Key|Number)$/;

/** Parts that hold what is sent, with ids of their own. */
const MANY = /^(?:entries|records|messages|items|events|payloads?|data|body|params|details?)$/i;

/** What is sent is built elsewhere, or names an id: it is the same for every attempt. Mail servers compare nothing. */
function mayBeTold(ctx: RuleContext, site: Site): boolean {
  const { effect, node, file } = site;
  if (node.k !== 'call' || !effect || effect.kind === 'mail') return false;
  const { values } = ctx.model;
  const at = effect.spec.bodyAt ?? (effect.kind === 'http' ? null : { arg: 0, path: '' });
  if (!at) return false;
  const read = readOption(values, file, node, at);
  if (read.k !== 'value') return read.k === 'unknown';
  return holdsId(values, read.file, read.expr, 0);
}

/** True as well where it cannot be seen. */
function holdsId(values: Values, file: SourceFile, expr: Expr, depth: number): boolean {
  const inner = uncast(expr);
  if (depth > 6) return true;
  switch (inner.k) {
    case 'lit':
    case 'tmpl':
      return false;
    case 'obj':
      return inner.props.some(
        (p) =>
          p.kind === 'spread' ||
          p.key === null ||
          ID.test(p.key) ||
          ((isNested(p.value) || MANY.test(p.key)) && holdsId(values, file, p.value, depth + 1)),
      );
    case 'arr':
      return inner.items.some((i) => holdsId(values, file, i, depth + 1));
    case 'new':
      return inner.args.some((a) => holdsId(values, file, a, depth + 1));
    case 'call': {
      const made = /^(?:JSON\.stringify|Buffer\.from|qs\.stringify|querystring\.stringify)$/.test(
        file.text.slice(inner.callee.s, inner.callee.e),
      );
      return !made || inner.args[0] === undefined || holdsId(values, file, inner.args[0], depth + 1);
    }
    default: {
      const value = values.of(file, inner);
      return value.k !== 'node' || value.expr === inner || holdsId(values, value.file, value.expr, depth + 1);
    }
  }
}

function isNested(expr: Expr): boolean {
  const { k } = uncast(expr);
  return k === 'obj' || k === 'arr';
}

/** The function that holds the call: a key is often made a few lines before it. */
function textAround(ctx: RuleContext, file: SourceFile, site: Site): string {
  const fact = file.facts.functions[ctx.model.outermost(file, site.fn)];
  const whole = fact && fact.id !== 0 ? file.text.slice(fact.s, fact.e) : '';
  const call = file.text.slice(site.node.s, site.node.e);
  return /idempot|dedup/i.test(whole) ? whole : call;
}

/** Only answers that prove that nothing happened are repeated: too many requests, a refused connection, a stale token. */
function retriesOnlyRefused(ctx: RuleContext, retry: Retry): boolean {
  const texts = [retry.handlerText || (retry.kind === 'loop' ? retry.text : '')];
  for (const at of retry.spec?.filterOption ?? []) {
    if (!retry.options) continue;
    const read = readOption(ctx.model.values, retry.options.file, retry.options.call, at);
    if (read.k === 'unknown') return true;
    if (read.k !== 'value') continue;
    const value = ctx.model.values.of(read.file, read.expr);
    const fact = value.k === 'fn' ? value.file.facts.functions[value.fn] : undefined;
    texts.push(
      fact && value.k === 'fn'
        ? value.file.text.slice(fact.s, fact.e)
        : read.file.text.slice(read.expr.s, read.expr.e),
    );
  }
  const text = texts.join('\n');
  return (
    /\b429\b|rate.?limit|too.?many|\b401\b|\b409\b|conflict|unauthori|expired|ECONNREFUSED|ENOTFOUND/i.test(
      text,
    ) && !/>=\s*500|5\d\d\b|ECONNRESET|ETIMEDOUT|timed?.?out|isRetryable|isNetwork|5xx/i.test(text)
  );
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A payout that is tried three times',
    bad: `import pRetry from 'p-retry';
export const payOut = (order: { id: string; total: number }) =>
  pRetry(() => fetch('https://pay.example.com/payouts', { method: 'POST', body: JSON.stringify({ amount: order.total }) }), { retries: 3 });
`,
    good: `import pRetry from 'p-retry';
export const payOut = (order: { id: string; total: number }) =>
  pRetry(
    () =>
      fetch('https://pay.example.com/payouts', {
        method: 'POST',
        headers: { 'Idempotency-Key': \`payout-\${order.id}\` },
        body: JSON.stringify({ amount: order.total }),
      }),
    { retries: 3 },
  );
`,
  },
];
