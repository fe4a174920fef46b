/** A write and a published message of which the one can happen without the other. */
import { some } from '../facts/walk.ts';
import { exclusive, mustPrecede } from '../model/paths.ts';
import type { Site } from '../model/sites.ts';
import { isDatabaseWrite, isSideTable, mentions, standingOf } from './_kit/databaseCalls.ts';
import { fateOfError } from './_kit/detection.ts';
import { isOneOff } from './_kit/guards.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { tableOf } from './_kit/tables.ts';
import { calleeName } from './_kit/text.ts';
import { isAwaited, openTransaction, type TransactionScope } from './_kit/transactionScopes.ts';
import { stepsByFlow, type Step } from './_kit/writeSteps.ts';

export const rule = defineRule({
  id: 'commit-then-publish',
  lens: 'partial-failure',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.2.0',
  docs: {
    what: 'A row is written and a message about it is put on a queue, and nothing makes both happen: the message follows the committed write, or goes out while the transaction is still open.',
    why: 'The broker is away for a moment, or the process is restarted between the two: the row waits for a worker that was never told, and no error points at it later. Sent before the commit, a quick worker finds nothing of what was written, and a rollback leaves a message about rows that do not exist.',
    remedy:
      'Write the message into an outbox table in the same transaction and let a relay publish it, or use a queue that lives in the same database and takes the transaction. Inside a transaction, publish after the commit and let a sweep pick up rows whose message was lost.',
    whenNot:
      'Messages whose loss nobody notices (metrics, cache hints), or rows that a periodic sweep picks up anyway.',
  },
  incidents: ['dual-write', 'lost-message'],
  fixKind: 'none',
  detect(ctx) {
    if (isOneOff(ctx.file)) return;
    const published = ctx.sites.flatMap((site) => publishOf(ctx, site) ?? []);
    if (published.length === 0) return;
    const inside = new Set<Site>();
    for (const p of published) if (beforeCommit(ctx, p)) inside.add(p.site);
    const steps = stepsByFlow(ctx.model, ctx.file, ctx.sites);
    const told = new Set<Step>();
    for (const p of published) {
      if (inside.has(p.site)) continue;
      const step = writeBefore(ctx, p, steps.get(p.site.fn) ?? []);
      if (!step || told.has(step)) continue;
      told.add(step);
      afterCommit(ctx, p, step);
    }
  },
});

interface Publish {
  /** The call in this file. */
  readonly site: Site;
  readonly hit: Site;
  readonly path: readonly Site[];
}

/** Messages that may be lost: hints, counters, mails and the like that tell people or caches and start no work. */
const BEST_EFFORT =
  /metric|analytic|telemetry|track|audit|\blogs?\b|logger|cache|invalidat|revalidat|warm|heartbeat|usage|notif|email|mail|avatar|search|index|webhook|broadcast|realtime|pubsub|presence|stats?\b|ping|refresh|cleanup|clean_?up|alert|report/i;

/** Helpers that are there to hand something to a worker; what another one also publishes is a side of its own work. */
const HANDS_OVER =
  /^_?(?:add|enqueue|queue|schedule|dispatch|publish|emit|trigger|send|submit|start|push|produce)(?:[A-Z_].*)?$|Queue$|Job$/;

function publishOf(ctx: RuleContext, site: Site): Publish | null {
  if (isPublish(site)) return { site, hit: site, path: [] };
  if (site.target.k !== 'fn' || site.fn === 0 || !HANDS_OVER.test(lastPart(site))) return null;
  const { value } = site.target;
  for (const { site: hit, via } of ctx.model.reach(value.file, value.fn)) {
    if (via.length > 2 || !isPublish(hit)) continue;
    if ([...via, hit].some((s) => runsLater(ctx, s))) continue;
    // What lies behind another transaction or a branch of its own is for that function to answer for.
    if ([...via, hit].some((s) => openTransaction(ctx.model, s))) continue;
    return { site, hit, path: [site, ...via, hit] };
  }
  return null;
}

function isPublish(site: Site): boolean {
  const { effect, node } = site;
  if (effect?.kind !== 'queue' || effect.op !== 'publish' || effect.confidence !== 'shown') return false;
  if (effect.spec.bestEffort) return false;
  const pack = effect.pack?.id;
  // A broadcast that nobody keeps.
  if ((pack === 'redis' || pack === 'ioredis') && !/^xadd$/i.test(lastPart(site))) return false;
  if (pack === 'nats' && site.target.k === 'lib' && site.target.recv?.type === 'Connection') return false;
  if (pack === 'graphileWorker') return false;
  // Enqueued through the handle of the caller's transaction, by a queue in the same database.
  if (pack === 'pgBoss' && node.k === 'call' && /\bdb\s*[:,}]/.test(argumentText(site))) return false;
  return true;
}

function argumentText(site: Site): string {
  const { node, file } = site;
  if (node.k !== 'call') return '';
  return node.args.map((a) => file.text.slice(a.s, a.e)).join(', ');
}

function lastPart(site: Site): string {
  const { node } = site;
  if (node.k === 'tag') return '';
  return node.callee.k === 'mem' ? node.callee.prop : node.callee.k === 'id' ? node.callee.name : '';
}

function runsLater(ctx: RuleContext, site: Site): boolean {
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn)) {
    if (frame.k === 'catch') return true;
    if (frame.k !== 'callback') continue;
    if (
      !frame.resolved &&
      frame.call.callee.k === 'mem' &&
      /commit|defer|after/i.test(frame.call.callee.prop)
    )
      return true;
    for (const role of ['listener', 'after-commit', 'handler', 'consumer'] as const)
      if (frame.roles.has(role)) return true;
  }
  return false;
}

// ---- published while the transaction is open

function beforeCommit(ctx: RuleContext, p: Publish): boolean {
  const { site, hit } = p;
  const scope = openTransaction(ctx.model, site);
  if (!scope) return false;
  if (runsLater(ctx, site)) return true;
  // Whoever is given the handle may wait for the commit.
  if (scope.binding >= 0 && site.node.k !== 'tag' && site.node.args.some((a) => mentions(a, scope.binding)))
    return true;
  if (inSameDatabase(hit, scope)) return true;
  if (/\bdelay\b|startAfter/.test(argumentText(site))) return true;
  const write = writeIn(ctx, scope, site);
  if (!write || isReportOfFailure(ctx, site)) return true;
  const name = calleeName(site);
  const table = namedTable(write);
  const what = table ? `\`${table}\`` : 'what was written';
  ctx.report({
    at: site.node.k === 'tag' ? site.node.tag : site.node.callee,
    message: `\`${name}\` hands the message over before the transaction commits: a quick worker finds nothing of ${what} yet, and a rollback leaves a message about rows that do not exist.`,
    trigger: 'a worker takes the message before the commit, or the transaction is rolled back',
    scenario: `At \`${name}\`, when the worker is faster than the commit or the commit fails, then the message is about a state of ${what} that the database does not show.`,
    detection: 'When somebody looks into jobs that found no row: the publisher sees no error.',
    fix: 'Publish after the commit, or write the message into an outbox in the same transaction.',
    anchor: name,
    path: p.path,
  });
  return true;
}

/** What the base class of all models is called names no table. */
function namedTable(site: Site): string | null {
  const table = tableOf(site);
  return table === 'model' || table === 'document' ? null : table;
}

/** The queue's own table is part of the transaction. */
function inSameDatabase(hit: Site, scope: TransactionScope): boolean {
  return hit.effect?.pack?.id === 'pgBoss' && scope.binding >= 0 && mentions(hit.node, scope.binding);
}

/** The transaction writes something that the message can be about. */
function writeIn(ctx: RuleContext, scope: TransactionScope, site: Site): Site | null {
  const sites = scope.managed
    ? ctx.model.sitesWithin(site.file, scope.fn)
    : ctx.model.sites.of(site.file, scope.fn).filter((s) => s.node.s > scope.opener.node.s);
  for (const s of sites) {
    if (s === site || exclusive(site.file, s.node, site.node)) continue;
    if (isDatabaseWrite(s) && !isSideTable(tableOf(s))) return s;
    if (s.target.k !== 'fn' || s.node.k === 'tag') continue;
    if (scope.binding < 0 || !s.node.args.some((a) => mentions(a, scope.binding))) continue;
    const behind = ctx.model
      .reach(s.target.value.file, s.target.value.fn)
      .find((r) => r.via.length < 3 && isDatabaseWrite(r.site) && !isSideTable(tableOf(r.site)));
    if (behind) return behind.site;
  }
  return null;
}

function isReportOfFailure(ctx: RuleContext, site: Site): boolean {
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn))
    if (frame.k === 'catch') return true;
  return false;
}

// ---- published after the write was committed

/** A row that a sweep looks for, by its name: an outbox by another word. */
const SWEPT = /pending|outbox|inbox|queue|schedule|batch|cron|jobs?$/i;

function writeBefore(ctx: RuleContext, p: Publish, steps: readonly Step[]): Step | null {
  const { site, hit } = p;
  if (site.fn === 0 || !isAwaited(site.file, site.top) || runsLater(ctx, site)) return null;
  if (BEST_EFFORT.test(`${calleeName(site)} ${calleeName(hit)} ${labelOf(site)} ${labelOf(hit)}`))
    return null;
  if (isRepeated(ctx, site) || compensates(ctx, site)) return null;
  const used = new Set<number>();
  const texts = argumentText(site);
  if (site.node.k === 'call')
    for (const a of site.node.args)
      some(a, (n) => {
        if (n.k === 'id' && n.b >= 0) used.add(n.b);
        return false;
      });
  for (const step of [...steps].reverse()) {
    if (step.site === site || step.site.node.e > site.node.s || step.how === 'helper') continue;
    if (!step.write.effect || !isDatabaseWrite(step.write)) continue;
    if (step.how === 'direct' && standingOf(ctx.model, step.write) !== 'outside') continue;
    if (!/^(?:insert|update|delete|increment|write)$/.test(step.write.effect.op)) continue;
    const table = tableOf(step.write);
    if (table === null || isSideTable(table) || SWEPT.test(table)) continue;
    if (!isAwaited(site.file, step.site.top) || !mustPrecede(site.file, step.node, site.node)) continue;
    const related =
      [...step.results].some((r) => used.has(r)) ||
      [...step.own].some((id) => new RegExp(`(?<![\\w.])${escaped(id)}\\b`).test(texts)) ||
      (step.write.effect.op === 'insert' &&
        [...step.own].some((id) => new RegExp(`(?<![\\w.])${escaped(id)}\\b`).test(texts)));
    if (related) return step;
  }
  return null;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The name of the job or topic as it is written. */
function labelOf(site: Site): string {
  const { node, file } = site;
  if (node.k !== 'call') return '';
  const first = node.args[0];
  if (!first) return '';
  if (first.k === 'obj') {
    const topic = first.props.find((p) => /^(?:topic|name|type|queue|QueueUrl|TopicArn)$/.test(p.key ?? ''));
    return topic ? file.text.slice(topic.value.s, topic.value.e) : '';
  }
  return first.k === 'id' || first.k === 'mem' || first.k === 'lit' || first.k === 'tmpl'
    ? file.text.slice(first.s, first.e)
    : '';
}

/** Work that is delivered or started again until it has gone through makes up for a lost message by itself. */
function isRepeated(ctx: RuleContext, site: Site): boolean {
  const units = ctx.unitsReaching(ctx.model.outermost(site.file, site.fn));
  if (units.some((u) => /^(?:consumer|job|cron|webhook|subscriber)$/.test(u.unit.kind))) return true;
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn)) {
    if (frame.k === 'loop' && (frame.node.k === 'while' || frame.node.k === 'do')) return true;
    if (
      frame.k === 'callback' &&
      (frame.roles.has('retry') || frame.roles.has('step') || frame.roles.has('consumer'))
    )
      return true;
  }
  return false;
}

/** A failed publish takes the write back, or marks the row. */
function compensates(ctx: RuleContext, site: Site): boolean {
  const writes = (from: number, to: number): boolean =>
    ctx.sites.some(
      (s) =>
        s.node.s >= from &&
        s.node.e <= to &&
        (isDatabaseWrite(s) ||
          s.target.k === 'fn' ||
          /fail|revert|undo|rollback|compensat|delete|remove|release|mark/i.test(lastPart(s))),
    );
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn))
    if (frame.k === 'try' && frame.node.handler && writes(frame.node.handler.s, frame.node.handler.e))
      return true;
  return site.chain.some((c) => c.name === 'catch' && writes(c.node.s, c.node.e));
}

function afterCommit(ctx: RuleContext, p: Publish, step: Step): void {
  const { site } = p;
  const name = calleeName(site);
  const wrote = calleeName(step.site);
  const table = tableOf(step.write);
  const fate = fateOfError(ctx, site.file, site.node, site.fn);
  ctx.report({
    at: site.node.k === 'tag' ? site.node.tag : site.node.callee,
    message: `If \`${name}\` fails or the process ends before it, \`${wrote}\` stays committed and no worker is ever told of this \`${table}\`.`,
    trigger: `the broker is away, or the process is restarted, after \`${wrote}\``,
    scenario: `At \`${name}\`, when the broker refuses or the process is restarted before it, then the \`${table}\` is stored and its message is missing, and nothing sends it later.`,
    detection:
      fate === 'framework'
        ? 'The error rate shows that one request failed; that its row was left without a message shows when a user asks for the result.'
        : 'When a user asks for the result: nothing compares the rows with the messages.',
    fix: 'Write the message into an outbox in the same transaction as the row, or have a sweep publish for rows that were left.',
    anchor: name,
    severity: step.write.effect?.op === 'insert' || step.write.effect?.op === 'delete' ? 'high' : 'medium',
    path: [step.site, site],
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'An export that is queued before it is stored',
    bad: `import { PrismaClient } from '@prisma/client';
import { Queue } from 'bullmq';
const prisma = new PrismaClient();
const exports_ = new Queue('exports');

export async function request(owner: string) {
  await prisma.$transaction(async (tx) => {
    const row = await tx.export.create({ data: { owner } });
    await exports_.add('build', { id: row.id });
  });
}
`,
    good: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function request(owner: string) {
  await prisma.$transaction(async (tx) => {
    const row = await tx.export.create({ data: { owner } });
    await tx.outbox.create({ data: { topic: 'build', payload: { id: row.id } } });
  });
}
`,
  },
];
