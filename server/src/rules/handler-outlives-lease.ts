/** Work under a lock or lease that may take longer than the lease holds. */
import { mayFollow } from '../model/paths.ts';
import { numberOf, readOption } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { leaseOf } from './_kit/redisLease.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, duration } from './_kit/text.ts';

export const rule = defineRule({
  id: 'handler-outlives-lease',
  lens: 'clock',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'A lock or message lease expires after a fixed time, and a call made while it is held is only cut off later than that.',
    why: 'When that call is slow, the lease ends while the work goes on. Somebody else takes the lock or gets the message, and both do the work: two charges, two mails, two writers.',
    remedy: 'Bound the calls below the lease, or extend the lease while the work runs.',
    whenNot: 'The work is safe to run twice, and side by side.',
  },
  incidents: ['duplicate-delivery', 'lock-expiry'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) {
      const held = lockHeld(ctx, site) ?? messageHeld(ctx, site);
      if (held) check(ctx, site, held);
    }
  },
});

interface Held {
  readonly ms: number;
  readonly what: 'lock' | 'message';
}

const EXTENDS =
  /\bextend|renew|heart-?beat|keep-?alive|pexpire\s*\(|\.expire\s*\(|ChangeMessageVisibility|watchdog|refreshLock/i;

function lockHeld(ctx: RuleContext, site: Site): Held | null {
  const lease = leaseOf(ctx.model, site);
  if (lease) return lease.ms === null ? null : { ms: lease.ms, what: 'lock' };
  if (site.effect?.kind !== 'lock' || site.effect.op !== 'acquire' || site.node.k !== 'call') return null;
  if (site.target.k !== 'lib' || !/^(?:acquire|lock)$/.test(site.target.name)) return null;
  const ttl = site.node.args[1];
  const ms = ttl ? numberOf(ctx.model.values, site.file, ttl) : null;
  return ms === null || ms <= 0 ? null : { ms, what: 'lock' };
}

/** `new ReceiveMessageCommand({ VisibilityTimeout: 30 })`, in seconds. */
function messageHeld(ctx: RuleContext, site: Site): Held | null {
  const { node, file } = site;
  if (node.k !== 'new' || node.callee.k !== 'id' || node.callee.name !== 'ReceiveMessageCommand') return null;
  const read = readOption(ctx.model.values, file, node, { arg: 0, path: 'VisibilityTimeout' });
  if (read.k !== 'value') return null;
  const seconds = numberOf(ctx.model.values, read.file, read.expr);
  return seconds === null || seconds <= 0 ? null : { ms: seconds * 1000, what: 'message' };
}

function check(ctx: RuleContext, site: Site, held: Held): void {
  const { file, model } = ctx;
  const owner = ctx.functions[model.outermost(file, site.fn)];
  if (!owner || EXTENDS.test(file.text.slice(owner.s, owner.e))) return;
  let slowest: { readonly at: Site; readonly ms: number; readonly call: Site } | null = null;
  for (const at of model.sites.of(file, site.fn)) {
    if (at === site || at.node.s < site.node.e || !mayFollow(file, site.node, at.node)) continue;
    for (const call of callsOf(ctx, at)) {
      const ms = longest(ctx, call, call === at);
      if (ms !== null && ms > held.ms && (!slowest || ms > slowest.ms)) slowest = { at, ms, call };
    }
  }
  if (!slowest) return;
  const name = calleeName(slowest.at);
  const slow = calleeName(slowest.call);
  ctx.report({
    at: slowest.at.node.k === 'tag' ? slowest.at.node.tag : slowest.at.node.callee,
    message: `The ${held.what} is held for ${duration(held.ms)} and \`${slow}\` may take ${duration(slowest.ms)}: ${held.what === 'lock' ? 'the lock ends while the work goes on, and somebody else takes it' : 'the message comes back while it is worked on, and is handled twice'}.`,
    trigger: `\`${slow}\` is slow`,
    scenario: `At \`${name}\`, when \`${slow}\` takes longer than ${duration(held.ms)}, then two run the same work at once.`,
    detection: 'When doubled results are noticed: each run by itself succeeds.',
    fix: `Bound \`${slow}\` below ${duration(held.ms)}, or extend the ${held.what} while it runs.`,
    anchor: name,
    path: slowest.call === slowest.at ? [] : [slowest.call],
  });
}

/** The call itself and what a local function behind it calls. */
function callsOf(ctx: RuleContext, site: Site): readonly Site[] {
  if (site.target.k !== 'fn') return [site];
  const { file, fn } = site.target.value;
  const fact = file.facts.functions[fn];
  if (fact && EXTENDS.test(file.text.slice(fact.s, fact.e))) return [];
  return ctx.model.reach(file, fn).map((r) => r.site);
}

/** The time after which a call is cut off, where it has one that can be read. */
function longest(ctx: RuleContext, site: Site, direct: boolean): number | null {
  if (!site.effect?.network || site.effect.kind === 'cache') return null;
  const bounds = ctx.model.bounds.of(site);
  if (!bounds || bounds.unknown) return null;
  // A library's default deep below says little about what this work usually takes.
  if (!direct && bounds.by?.endsWith('default')) return null;
  return typeof bounds.parts.total === 'number' ? bounds.parts.total : null;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A payout that two workers make',
    bad: `import Redis from 'ioredis';
const redis = new Redis();
export async function payOut(id: string) {
  const taken = await redis.set('lock:payout:' + id, '1', 'PX', 10_000, 'NX');
  if (!taken) return;
  await fetch('https://bank.example.com/payouts/' + id, { method: 'POST', signal: AbortSignal.timeout(30_000) });
  await redis.del('lock:payout:' + id);
}
`,
    good: `import Redis from 'ioredis';
const redis = new Redis();
export async function payOut(id: string) {
  const taken = await redis.set('lock:payout:' + id, '1', 'PX', 10_000, 'NX');
  if (!taken) return;
  await fetch('https://bank.example.com/payouts/' + id, { method: 'POST', signal: AbortSignal.timeout(5_000) });
  await redis.del('lock:payout:' + id);
}
`,
  },
];
