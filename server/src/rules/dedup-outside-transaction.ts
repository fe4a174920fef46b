/** The mark that a message was handled and the change that the message asks for, committed apart. */
import type { Expr } from '../facts/ir.ts';
import { some } from '../facts/walk.ts';
import { exitsAt } from '../model/frames.ts';
import { mustPrecede } from '../model/paths.ts';
import type { Site } from '../model/sites.ts';
import { isDatabaseWrite, isSideTable, standingOf } from './_kit/databaseCalls.ts';
import { decisionsOn, namesOf } from './_kit/decisions.ts';
import { DETECTION_BY_COMPARISON } from './_kit/detection.ts';
import { keyTextOf, redisCommand } from './_kit/redisLease.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { tableOf } from './_kit/tables.ts';
import { calleeName } from './_kit/text.ts';
import { isAwaited, openTransaction } from './_kit/transactionScopes.ts';
import { flowOf } from './_kit/writeSteps.ts';

export const rule = defineRule({
  id: 'dedup-outside-transaction',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.2.0',
  docs: {
    what: 'A webhook or consumer writes down that it has handled an event and changes its data, each in a commit of its own (or the mark in Redis and the data in the database).',
    why: 'The process ends between the two. Marked first, the event counts as handled and its change is never made, since every redelivery is turned away. Changed first, the redelivery makes the change a second time. Both leave no trace.',
    remedy: 'Insert the mark and make the change in one transaction, so that both are there or neither is.',
    whenNot:
      'Where the mark is taken back when the work fails, or says "begun" and a later run takes up what was left.',
  },
  incidents: ['duplicate-delivery', 'lost-message'],
  fixKind: 'none',
  detect(ctx) {
    if (!ctx.sites.some((s) => markOf(s) !== null)) return;
    const flows = new Map<number, Site[]>();
    for (const site of ctx.sites) {
      if (site.fn === 0) continue;
      const flow = flowOf(ctx.model, site);
      if (flow) flows.set(flow.fn, [...(flows.get(flow.fn) ?? []), site]);
    }
    for (const [fn, sites] of flows) if (isDelivered(ctx, fn)) check(ctx, sites);
  },
});

/** The function answers deliveries that come again. */
function isDelivered(ctx: RuleContext, fn: number): boolean {
  const outer = ctx.model.outermost(ctx.file, fn);
  return ctx
    .unitsReaching(outer)
    .some((u) => /^(?:webhook|consumer|job|subscriber|lambda)$/.test(u.unit.kind));
}

interface Mark {
  readonly what: string;
  readonly store: 'database' | 'redis';
}

const MARKS =
  /^"?(?:\w+\.)?"?(?:processed|handled|seen|received|consumed|delivered|applied|idempoten\w*|dedup\w*|inbox|webhook|stripe|message)_?(?:webhook|stripe|payment|inbound|incoming)?_?(?:events?|messages?|webhooks?|deliver(?:y|ies)|jobs?|ids?|keys?|receipts?|requests?|inbox)?"?$/i;
const NO_MARK = /^(?:stripe|webhooks?|messages?|message_?ids?|seen|received|delivered|deliver(?:y|ies))$/i;

/** The call writes down that something was handled. */
function markOf(site: Site): Mark | null {
  const { effect } = site;
  if (effect?.kind === 'db') {
    if (effect.op !== 'insert' && effect.op !== 'upsert') return null;
    const table = tableOf(site);
    return table !== null && MARKS.test(table) && !NO_MARK.test(table)
      ? { what: table, store: 'database' }
      : null;
  }
  const name = redisCommand(site);
  if (name !== 'set' && name !== 'setnx') return null;
  const text = site.file.text.slice(site.node.s, site.node.e);
  const key = keyTextOf(site);
  if (key === null || /lock|mutex|lease|rate|limit|throttle|cooldown|cache/i.test(key)) return null;
  const asks = name === 'setnx' || /['"]NX['"]|\bnx\s*:/i.test(text);
  return asks && turnsAway(site) ? { what: key, store: 'redis' } : null;
}

/** `if (!fresh) return`: whoever finds the key there does nothing. */
function turnsAway(site: Site): boolean {
  const { file } = site;
  const names = namesOf(file, site.top, site.fn);
  return decisionsOn(file, site.fn, names, site.node as Expr).some(
    (d) => d.node.k === 'if' && exitsAt(d.node.then) && d.node.then.s > site.node.e,
  );
}

function check(ctx: RuleContext, sites: readonly Site[]): void {
  for (const site of sites) {
    const mark = markOf(site);
    if (!mark || !isAwaited(site.file, site.top) || inTransaction(ctx, site)) continue;
    if (isTakenBack(ctx, sites, site, mark)) continue;
    const change = sites.find((s) => s !== site && isApart(ctx, s, site, mark));
    if (!change) continue;
    const before = change.node.s > site.node.s;
    if (
      !(before
        ? mustPrecede(site.file, site.node, change.node) || decidedBy(site, change)
        : mustPrecede(site.file, change.node, site.node))
    )
      continue;
    report(ctx, site, mark, change, before);
  }
}

function inTransaction(ctx: RuleContext, site: Site): boolean {
  return (
    openTransaction(ctx.model, site) !== null ||
    (site.effect?.kind === 'db' && standingOf(ctx.model, site) !== 'outside')
  );
}

/** A change of its own commit; one in another store is apart from the mark however it is made. */
function isApart(ctx: RuleContext, site: Site, mark: Site, kind: Mark): boolean {
  if (isDatabaseWrite(site)) {
    if (markOf(site) !== null || isSideTable(tableOf(site))) return false;
    return kind.store === 'redis' || site.effect?.pack === mark.effect?.pack;
  }
  const { target } = site;
  if (target.k === 'lib' && target.spec.callbacks?.some((c) => c.role === 'transaction'))
    return kind.store === 'redis' || target.pack === mark.effect?.pack;
  if (target.k !== 'fn') return false;
  return ctx.model
    .reach(target.value.file, target.value.fn)
    .some(
      (r) =>
        r.via.length < 2 &&
        isDatabaseWrite(r.site) &&
        markOf(r.site) === null &&
        !isSideTable(tableOf(r.site)) &&
        (kind.store === 'redis' || r.site.effect?.pack === mark.effect?.pack),
    );
}

/** `if (!(await mark())) return; … change`, `if (await mark()) { change }`. */
function decidedBy(mark: Site, change: Site): boolean {
  for (const at of mark.file.index.ancestors(mark.node))
    if (at.k === 'if' && at.test.s <= mark.node.s && mark.node.e <= at.test.e)
      return change.node.s > at.test.e;
  return false;
}

/** The mark goes when the work fails, or is only said to be done once it is. */
function isTakenBack(ctx: RuleContext, sites: readonly Site[], mark: Site, kind: Mark): boolean {
  const { file } = mark;
  const text = file.text.slice(mark.node.s, mark.node.e);
  if (/status|state|processing|pending|begun|startedAt|started_at/i.test(text)) return true;
  const fact = file.facts.functions[ctx.model.outermost(file, mark.fn)];
  if (!fact) return true;
  const all = ctx.model.sitesWithin(file, fact.id);
  if (kind.store === 'redis')
    return all.some(
      (s) =>
        /^(?:del|unlink|set|expire)$/.test(redisCommand(s)) && s !== mark && keyTextOf(s) === keyTextOf(mark),
    );
  if (
    all.some(
      (s) =>
        s !== mark && tableOf(s) === kind.what && /^(?:update|delete|upsert|write)$/.test(s.effect?.op ?? ''),
    )
  )
    return true;
  // A helper in the failure branch may take it back.
  return sites.some((s) => {
    for (const frame of ctx.model.frames.around(file, s.node, s.fn))
      if (frame.k === 'catch' && some(frame.node.block, (n) => n === mark.node)) return s.target.k === 'fn';
    return false;
  });
}

function report(ctx: RuleContext, site: Site, mark: Mark, change: Site, before: boolean): void {
  const name = calleeName(site);
  const other = calleeName(change);
  const where = mark.store === 'redis' ? 'in Redis' : `in \`${mark.what}\``;
  // Where the first of the two commits: the place at which other rules speak of writes that belong together.
  const first = before ? site : change;
  ctx.report({
    at: first.node.k === 'tag' ? first.node.tag : first.node.callee,
    message: before
      ? `When the process ends after \`${name}\` and before \`${other}\`, the event is marked as handled ${where} and its change is missing: every redelivery is turned away.`
      : `When the process ends after \`${other}\` and before \`${name}\`, the change is made and the event is not marked ${where}: the redelivery makes it again.`,
    trigger: before
      ? `\`${other}\` fails, or a restart comes before it`
      : `a restart, or \`${name}\` fails, after \`${other}\``,
    scenario: before
      ? `At \`${other}\`, when it fails after the mark was committed, then the event is never worked on.`
      : `At \`${name}\`, when it does not come after \`${other}\` was committed, then the next delivery of the event repeats the change.`,
    detection: DETECTION_BY_COMPARISON,
    fix:
      mark.store === 'redis'
        ? `Keep the mark in the database and insert it in the transaction of \`${other}\`, or delete the key when the work fails.`
        : `Insert the mark in the same transaction as \`${other}\`.`,
    anchor: before ? name : other,
    path: before ? [site, change] : [change, site],
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A payment event',
    bad: `import express from 'express';
import { PrismaClient } from '@prisma/client';
const app = express();
const prisma = new PrismaClient();

app.post('/webhooks/payments', async (req, res) => {
  await prisma.processedEvent.create({ data: { id: req.body.id } });
  await prisma.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  res.sendStatus(200);
});
`,
    good: `import express from 'express';
import { PrismaClient } from '@prisma/client';
const app = express();
const prisma = new PrismaClient();

app.post('/webhooks/payments', async (req, res) => {
  await prisma.$transaction(async (tx) => {
    await tx.processedEvent.create({ data: { id: req.body.id } });
    await tx.invoice.update({ where: { id: req.body.invoice }, data: { paid: true } });
  });
  res.sendStatus(200);
});
`,
  },
];
