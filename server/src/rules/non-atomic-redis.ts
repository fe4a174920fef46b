/** One decision made with several Redis commands that another caller can get between. */
import { uncast, type AnyNode } from '../facts/walk.ts';
import type { Expr } from '../facts/ir.ts';
import { addProperty, addArgument } from '../fixes/edits.ts';
import type { SourceFile } from '../model/project.ts';
import { isIdempotent, type Site } from '../model/sites.ts';
import { decisionsOn, namesOf } from './_kit/decisions.ts';
import { isSerialised } from './_kit/guards.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'non-atomic-redis',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A key is looked at with one command and set by another for the same decision, or is counted up by one command and given its expiry by the next.',
    why: 'Between the two commands another caller does the same: both find the key free and both go on. And when the process ends between counting and expiring, the key stays for ever: a limit that never opens again.',
    remedy:
      'Use one command that decides (`SET key value NX PX ms`), a `MULTI`, or a script; give the expiry in the command that makes the key.',
    whenNot: 'Where a second caller that goes on does no harm: a cache that is filled twice.',
  },
  incidents: ['check-then-act'],
  fixKind: 'previewed',
  detect(ctx) {
    const byFunction = new Map<number, Site[]>();
    for (const site of ctx.sites) {
      if (site.effect?.kind !== 'cache' || site.target.k !== 'lib' || site.node.k !== 'call') continue;
      const outer = ctx.model.outermost(ctx.file, site.fn);
      const list = byFunction.get(outer) ?? [];
      list.push(site);
      byFunction.set(outer, list);
    }
    for (const sites of byFunction.values()) {
      expiryApart(ctx, sites);
      lookThenSet(ctx, sites);
    }
  },
});

function command(site: Site): string {
  return site.node.k === 'call' && site.node.callee.k === 'mem' ? site.node.callee.prop.toLowerCase() : '';
}

function keyOf(site: Site): string | null {
  const key = site.node.k === 'call' ? site.node.args[0] : undefined;
  return key ? site.file.text.slice(key.s, key.e) : null;
}

function span(site: Site): { s: number; e: number } {
  return site.node.k === 'tag' ? site.node.tag : site.node.callee;
}

// ---- counted or claimed by one command, given its expiry by another

function expiryApart(ctx: RuleContext, sites: readonly Site[]): void {
  for (const [i, first] of sites.entries()) {
    const name = command(first);
    if (!/^(?:incr|incrby|setnx)$/.test(name)) continue;
    const key = keyOf(first);
    const expire = sites.slice(i + 1).find((s) => /^p?expire(?:at)?$/.test(command(s)) && keyOf(s) === key);
    if (!expire || renewedElsewhere(ctx, first, key)) continue;
    // Set on every call, a missed expiry is made good by the next one.
    if (name !== 'setnx' && !onlyOnFirst(ctx, expire)) continue;
    const what = calleeName(first);
    ctx.report({
      at: span(first),
      message: `When the process ends or the connection breaks between \`${what}\` and \`${calleeName(expire)}\`, the key stays for ever: ${name === 'setnx' ? 'nobody gets the claim again' : 'the count never starts anew'}.`,
      trigger: `a restart or a lost connection after \`${what}\``,
      scenario: `At \`${what}\`, when the expiry that follows is not set, then ${quoted(key)} has none and stays until somebody deletes it.`,
      detection: 'When a user complains of being locked out: nothing fails.',
      fix:
        name === 'setnx'
          ? 'Claim and expire with one `SET key value NX PX ms`.'
          : 'Send both in one `MULTI`, or count in a script that sets the expiry.',
      anchor: what,
    });
  }
}

/** `if (n === 1) await redis.expire(…)` */
function onlyOnFirst(ctx: RuleContext, expire: Site): boolean {
  for (const frame of ctx.model.frames.around(expire.file, expire.node, expire.fn))
    if (frame.k === 'if') return true;
  return false;
}

/** The expiry is looked after by other means: `ttl` is asked for, or it is set on every call. */
function renewedElsewhere(ctx: RuleContext, first: Site, key: string | null): boolean {
  return ctx.model
    .sitesWithin(first.file, ctx.model.outermost(first.file, first.fn))
    .some((s) => /^p?ttl$/.test(command(s)) && keyOf(s) === key);
}

// ---- looked at, then set

function lookThenSet(ctx: RuleContext, sites: readonly Site[]): void {
  const { file, model } = ctx;
  for (const read of sites) {
    if (!/^(?:get|exists)$/.test(command(read))) continue;
    const key = keyOf(read);
    const names = namesOf(file, read.top, read.fn);
    for (const write of sites) {
      if (
        write.node.s < read.node.e ||
        !/^(?:set|setex|psetex)$/.test(command(write)) ||
        keyOf(write) !== key
      )
        continue;
      if (!isMark(write) || /\bNX\b|nx\s*:/i.test(file.text.slice(write.node.s, write.node.e))) continue;
      const decision = decisionsOn(file, read.fn, names, read.node as Expr).find((d) =>
        d.runsWhenAbsent(write.node),
      );
      if (!decision || isSerialised(model, file, write.fn, write.node)) continue;
      const work = workBefore(ctx, read, write);
      if (work === 'harmless') break;
      if (work !== null) {
        reportDone(ctx, read, write, work, key);
        break;
      }
      ctx.report({
        at: span(write),
        message: `Two callers at the same time both find ${quoted(key)} free with \`${calleeName(read)}\` and both set it: the mark holds nobody off.`,
        trigger: 'two callers with the same key at the same time',
        scenario: `At \`${calleeName(write)}\`, when a second caller asks between this caller's \`${calleeName(read)}\` and its \`${calleeName(write)}\`, then both go on as the first.`,
        detection: 'When a user complains or the data is compared: nothing fails.',
        fix: 'Set the key with `NX` and go on only where that succeeded.',
        anchor: calleeName(write),
        fixes: nxFix(file, write),
      });
      break;
    }
  }
}

/** Set once the work is done: it keeps later callers off, and none that comes while the work runs. */
function reportDone(ctx: RuleContext, read: Site, write: Site, work: Site, key: string | null): void {
  const what = calleeName(work);
  ctx.report({
    at: span(write),
    message: `Two callers at the same time both find ${quoted(key)} unset with \`${calleeName(read)}\` and both call \`${what}\`: the key is set only after it.`,
    trigger: `a second caller with the same key while \`${what}\` runs`,
    scenario: `At \`${what}\`, when a second caller asks before this one has come to \`${calleeName(write)}\`, then it is called twice.`,
    detection: 'When a user complains or the data is compared: both calls succeed.',
    fix: `Claim the key with \`NX\` and an expiry before \`${what}\`, and delete it where the work fails.`,
    anchor: calleeName(write),
  });
}

/**
 * What happens between the look and the mark: null when nothing leaves the process, `harmless` when doing it twice
 * changes nothing more, else the call that a second caller repeats.
 */
function workBefore(ctx: RuleContext, read: Site, write: Site): Site | 'harmless' | null {
  let harmless = false;
  for (const site of ctx.model.sitesWithin(read.file, ctx.model.outermost(read.file, read.fn))) {
    if (site.node.s < read.node.e || site.node.e > write.node.s) continue;
    const inside =
      site.target.k === 'fn' ? ctx.model.reach(site.target.value.file, site.target.value.fn) : [];
    for (const s of [site, ...inside.map((r) => r.site)]) {
      if (!s.effect?.network || s.effect.kind === 'cache') continue;
      if (s.effect.write && !isIdempotent(s.effect) && !FORGIVING.test(s.file.text.slice(s.top.s, s.top.e)))
        return site;
      harmless = true;
    }
  }
  return harmless ? 'harmless' : null;
}

const FORGIVING =
  /skipDuplicates|ignoreDuplicates|updateOnDuplicate|onConflict|on\s+conflict|onDuplicate|\bor\s*ignore\b|orIgnore|orUpdate/i;

function quoted(key: string | null): string {
  return key === null ? 'the key' : `\`${short(key.replaceAll('`', ''))}\``;
}

/** A mark, not a cached value: a constant, a time, an id. */
function isMark(write: Site): boolean {
  if (write.node.k !== 'call') return false;
  const value = command(write) === 'set' ? write.node.args[1] : write.node.args[2];
  if (!value) return false;
  const inner: AnyNode = uncast(value);
  if (inner.k === 'lit') return true;
  if (inner.k !== 'call') return false;
  return /Date\.now|toISOString|String\(\s*Date|randomUUID|nanoid/.test(
    write.file.text.slice(inner.s, inner.e),
  );
}

/** Adds the condition; what the answer then decides is for the author. */
function nxFix(file: SourceFile, write: Site): FixDraft[] {
  const { node } = write;
  if (node.k !== 'call' || command(write) !== 'set') return [];
  const pack = write.effect?.pack?.id;
  const options = node.args[2] ? uncast(node.args[2]) : null;
  const edit =
    options?.k === 'obj'
      ? addProperty(file.text, options, pack === 'redis' ? 'NX: true' : 'nx: true')
      : !options && pack === 'redis'
        ? addArgument(file.text, node, 2, '{ NX: true }')
        : pack === 'ioredis'
          ? addArgument(file.text, node, node.args.length, "'NX'")
          : null;
  if (!edit) return [];
  return [
    {
      id: 'set-nx',
      title: 'Set only when the key is free',
      kind: 'previewed',
      edits: () => [{ file: file.path, edits: [edit] }],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'One report at a time',
    bad: `import { createClient } from 'redis';
const redis = createClient();

export async function start(report: string) {
  const running = await redis.get(\`report:\${report}\`);
  if (running) return false;
  await redis.set(\`report:\${report}\`, '1', { EX: 600 });
  return true;
}
`,
    good: `import { createClient } from 'redis';
const redis = createClient();

export async function start(report: string) {
  const first = await redis.set(\`report:\${report}\`, '1', { NX: true, EX: 600 });
  return first === 'OK';
}
`,
    fixed: `import { createClient } from 'redis';
const redis = createClient();

export async function start(report: string) {
  const running = await redis.get(\`report:\${report}\`);
  if (running) return false;
  await redis.set(\`report:\${report}\`, '1', { EX: 600, NX: true });
  return true;
}
`,
  },
];
