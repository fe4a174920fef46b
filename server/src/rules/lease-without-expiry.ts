/** A lock in Redis that nobody frees when its holder dies, or that is freed by somebody who no longer holds it. */
import { uncast } from '../facts/walk.ts';
import { numberOf } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { keyTextOf, leaseOf, redisCommand, type Lease } from './_kit/redisLease.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, duration, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'lease-without-expiry',
  lens: 'clock',
  axis: 'recoverability',
  faultClass: 'partition',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.2.0',
  docs: {
    what: 'A lock is taken in Redis with no expiry in the same command, or is given back by deleting its key without a look at who holds it.',
    why: 'A holder that is killed never deletes its key: without an expiry the work stands still until a person deletes it by hand. With an expiry, a holder that was slow finds the key taken over by the next one, deletes it, and a third one comes in beside the second.',
    remedy:
      'Take it with `SET key token NX PX ms`, the token random for each holder, and give it back with a script that deletes the key only while it still holds that token.',
    whenNot: 'A mark that is meant to stay for ever, such as the id of an event that has been handled.',
  },
  incidents: ['stuck-lock'],
  fixKind: 'none',
  detect(ctx) {
    const leases = ctx.sites.flatMap((s) => leaseOf(ctx.model, s) ?? []);
    if (leases.length === 0) return;
    for (const lease of leases) if (lease.expiry === 'absent') withoutExpiry(ctx, lease);
    for (const site of ctx.sites)
      if (/^(?:del|unlink)$/.test(redisCommand(site))) deletedBlindly(ctx, site, leases);
  },
});

function withoutExpiry(ctx: RuleContext, lease: Lease): void {
  const { site } = lease;
  const name = calleeName(site);
  const outer = ctx.model.outermost(site.file, site.fn);
  const expire = ctx.model
    .sitesWithin(site.file, outer)
    .find((s) => /^p?expire(?:at)?$/.test(redisCommand(s)) && keyTextOf(s) === lease.keyText);
  const later = expire ? calleeName(expire) : null;
  ctx.report({
    at: site.node.k === 'tag' ? site.node.tag : site.node.callee,
    message: later
      ? `When the process ends between \`${name}\` and \`${later}\`, the lock \`${short(lease.keyText)}\` has no expiry and nobody gets it again.`
      : `When the holder of the lock \`${short(lease.keyText)}\` is killed, the key stays: \`${name}\` gives it no expiry, and nobody gets the lock again.`,
    trigger: later
      ? `a restart between \`${name}\` and \`${later}\``
      : 'the process is killed or loses Redis while it holds the lock',
    scenario: `At \`${name}\`, when the holder ends before it gives the lock back, then every later caller finds it taken, until a person deletes the key.`,
    detection: 'When somebody misses the work: callers that do not get the lock raise no error.',
    fix: 'Take the lock and set its expiry in one command: `SET key token NX PX ms`.',
    anchor: name,
  });
}

function deletedBlindly(ctx: RuleContext, site: Site, leases: readonly Lease[]): void {
  const { file, model } = ctx;
  const key = keyTextOf(site);
  const outer = model.outermost(file, site.fn);
  const lease = leases.find((l) => {
    if (l.keyText !== key || l.expiry === 'unknown' || l.expiry === 'absent') return false;
    const own = model.outermost(file, l.site.fn);
    return own === outer || isSharedKey(file, l);
  });
  if (!lease || asksForHolder(ctx, site, lease) || endsBefore(ctx, lease)) return;
  const name = calleeName(site);
  const held = lease.ms === null ? 'its expiry' : `its ${duration(lease.ms)}`;
  ctx.report({
    at: site.node.k === 'tag' ? site.node.tag : site.node.callee,
    message: `When the work takes longer than ${held}, the lock \`${short(lease.keyText)}\` belongs to the next holder by then, and \`${name}\` deletes theirs: a third one comes in beside them.`,
    trigger: `the work under the lock outlives ${held}`,
    scenario: `At \`${name}\`, when the lock has run out and somebody else has taken it, then their lock is deleted and two work at once.`,
    detection: 'When a user complains or the data is compared: nothing fails.',
    fix: 'Set a random token as the value and delete the key in a script that first compares it.',
    anchor: name,
    severity: 'medium',
    path: [lease.site, site],
  });
}

/** The platform stops the function before its lock runs out: `export const maxDuration = 60`, or a limit that the author names. */
function endsBefore(ctx: RuleContext, lease: Lease): boolean {
  if (!ctx.file.text.includes('maxDuration')) return false;
  const limit = ctx.file.facts.bindings.find((b) => b.name === 'maxDuration' && b.fn === 0)?.decl;
  const seconds = limit?.k === 'init' ? numberOf(ctx.model.values, ctx.file, limit.init) : null;
  return seconds === null || lease.ms === null || lease.ms >= seconds * 1000;
}

/** A constant of the module or a field: the same key wherever it is named. */
function isSharedKey(file: RuleContext['file'], lease: Lease): boolean {
  const key = uncast(lease.key);
  if (key.k === 'id') return file.facts.bindings[key.b]?.fn === 0;
  return key.k === 'mem' && uncast(key.obj).k === 'this';
}

/** The key's value is looked at before, or the lock is kept alive while the work runs. */
function asksForHolder(ctx: RuleContext, site: Site, lease: Lease): boolean {
  const outer = ctx.model.outermost(site.file, site.fn);
  return ctx.model
    .sitesWithin(site.file, outer)
    .concat(ctx.model.sitesWithin(site.file, ctx.model.outermost(site.file, lease.site.fn)))
    .some(
      (s) =>
        s !== site &&
        /^(?:get|eval|evalsha|fcall|watch|p?expire|getex)$/.test(redisCommand(s)) &&
        (keyTextOf(s) === lease.keyText || /^eval|^fcall/.test(redisCommand(s))),
    );
}

export const examples: readonly RuleExample[] = [
  {
    title: 'One report at a time',
    bad: `import Redis from 'ioredis';
const redis = new Redis();

export async function nightly(run: () => Promise<void>) {
  if ((await redis.set('lock:nightly', '1', 'NX')) !== 'OK') return;
  try {
    await run();
  } finally {
    await redis.del('lock:nightly');
  }
}
`,
    good: `import Redis from 'ioredis';
const redis = new Redis();
const RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end";

export async function nightly(holder: string, run: () => Promise<void>) {
  if ((await redis.set('lock:nightly', holder, 'PX', 600000, 'NX')) !== 'OK') return;
  try {
    await run();
  } finally {
    await redis.eval(RELEASE, 1, 'lock:nightly', holder);
  }
}
`,
  },
];
