/** A handler of messages that come more than once, whose effects add up and which nothing keeps from running twice. */
import type { Severity } from '../base/vocabulary.ts';
import { some, uncast } from '../facts/walk.ts';
import { exits } from '../model/frames.ts';
import type { Reached } from '../model/model.ts';
import { readOption } from '../model/options.ts';
import { mayFollow } from '../model/paths.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isUnique } from '../schema/uniqueKeys.ts';
import type { Unit } from '../units/unit.ts';
import { decisionsOn, findingOf, namesOf } from './_kit/decisions.ts';
import { isSideTable } from './_kit/databaseCalls.ts';
import { violationHandled } from './_kit/guards.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { tableOf } from './_kit/tables.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'redelivery-without-dedup',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A webhook, consumer or job does something that adds up (inserts a row, raises a number, sends a message) and first claims nothing: no unique row for the event, no upsert, no `SET NX`, no conditional update that says who was first.',
    why: 'Such deliveries come at least once. A lost acknowledgement, a restart or a slow answer brings the same event again, and everything is done a second time: two rows, double credit, a second mail. Each run by itself looks right.',
    remedy:
      'Claim the event before the effects, in the same transaction: insert its id into a table with a unique index and stop when it is there. Or make the effects the same however often they run: upserts, keys, set instead of add.',
    whenNot: 'Where a second run does no harm, or the sender delivers at most once.',
  },
  incidents: ['duplicate-delivery'],
  fixKind: 'none',
  detect(ctx) {
    const done = new Set<number>();
    const reported = new Set<Site['node']>();
    for (const { unit, file, fn } of ctx.units) {
      if (file !== ctx.file || done.has(fn)) continue;
      if (unit.kind !== 'webhook' && unit.kind !== 'consumer' && unit.kind !== 'job') continue;
      // A loop that looks for work by itself is handed none.
      if (unit.framework === 'polling-loop' || isDeprecated(ctx, fn)) continue;
      done.add(fn);
      check(ctx, fn, unit.kind, reported);
    }
    for (const fn of eventFunctions(ctx)) if (!done.has(fn)) check(ctx, fn, 'webhook', reported);
  },
});

/** The comment above the handler says that nobody hands it anything any more. */
function isDeprecated(ctx: RuleContext, fn: number): boolean {
  const { file } = ctx;
  const fact = file.facts.functions[fn];
  if (!fact) return false;
  const start = file.text.lastIndexOf('\n', fact.s) + 1;
  const above = /((?:^[ \t]*(?:\/\/|\/?\*)[^\n]*\n)+)$/m.exec(
    file.text.slice(Math.max(0, start - 600), start),
  );
  return above !== null && /@deprecated\b/i.test(above[1] ?? '');
}

/** Functions that are handed a verified event: part of a webhook, wherever it is registered. */
function eventFunctions(ctx: RuleContext): number[] {
  const { facts } = ctx.file;
  if (!facts.specifiers.some((s) => s === 'stripe')) return [];
  return facts.functions
    .filter(
      (fn) =>
        fn.exported &&
        fn.params.some(
          (p) =>
            p.type &&
            ctx.model.values.type(ctx.file, p.type).k === 'inst' &&
            /(?:^|\.)Event$/.test(p.type.name),
        ),
    )
    .map((fn) => fn.id);
}

const WORDS =
  /idempoten|dedup|de-dup|duplicate|already.{0,12}(?:process|handl|sent|exist|receiv|deliver)|processed_?(?:events?|at|webhooks?|messages?)|is_?processed|\bclaim\w*\(|\bredeliver|alreadySeen|\bonce\w*\(/i;
const CLAIM_NAME =
  /idempoten|dedup|alreadyProcessed|isDuplicate|markProcessed|markAsProcessed|recordEvent|claim|tryLock|withLock|acquireLock|ensureOnce|runOnce|findOrCreate|getOrCreate|upsert/i;

function check(ctx: RuleContext, fn: number, kind: Unit['kind'], reported: Set<Site['node']>): void {
  const { file, model } = ctx;
  const reached = model.reach(file, fn);
  const fact = file.facts.functions[fn];
  if (!fact || reached.length === 0) return;
  const claims = reached.filter((r) => isClaim(ctx, r.site) || CLAIM_NAME.test(nameOf(r.site)));
  const effects = reached
    .filter((r) => addsUp(ctx, r))
    .sort((a, b) => weight(ctx, b.site) - weight(ctx, a.site));
  const worst = effects.find((e) => !claims.some((c) => comesBefore(file, fn, c, e)));
  if (!worst) return;
  // Where the claims that the words are about are known, they have been looked at by themselves.
  if (claims.length === 0 && WORDS.test(file.text.slice(fact.s, fact.e))) return;
  if (
    leavesWhenDone(ctx, file, fn) ||
    leavesWhenDone(ctx, worst.site.file, worst.site.fn) ||
    reached.some((r) => r.via.length > 0 && r.via.length <= 2 && leavesWhenDone(ctx, r.site.file, r.site.fn))
  )
    return;
  if (reported.has(worst.site.node)) return;
  reported.add(worst.site.node);
  report(ctx, kind, worst);
}

/** The claim can be on the way to the effect: only one in another branch is not. */
function comesBefore(file: SourceFile, fn: number, claim: Reached, effect: Reached): boolean {
  const a = claim.via[0] ?? claim.site;
  const b = effect.via[0] ?? effect.site;
  if (a.file !== file || b.file !== file || a.fn !== fn || b.fn !== fn || a === b) return true;
  return mayFollow(file, a.node, b.node);
}

function nameOf(site: Site): string {
  if (site.node.k === 'tag') return '';
  return site.node.callee.k === 'mem'
    ? site.node.callee.prop
    : site.node.callee.k === 'id'
      ? site.node.callee.name
      : '';
}

/** Running it again changes more. */
function addsUp(ctx: RuleContext, reached: Reached): boolean {
  const { site } = reached;
  const { effect } = site;
  if (!effect || effect.confidence !== 'shown' || effect.spec.bestEffort || !guardedByNothing(ctx, site))
    return false;
  if (effect.kind === 'mail' && effect.op === 'send') return true;
  if (effect.kind !== 'db') return false;
  if (isSideTable(tableOf(site))) return false;
  if (effect.op === 'increment')
    return !/(?:retr|attempt|error|fail|view|click|count$|version)/i.test(
      site.file.text.slice(site.node.s, site.node.e),
    );
  if (effect.op === 'insert')
    return (
      !hasOwnKey(ctx, site) &&
      !/skipDuplicates|ignoreDuplicates|onConflict|not\s+exists/i.test(
        site.file.text.slice(site.top.s, site.top.e),
      )
    );
  return (
    /\b(?:increment|decrement|\$inc)\s*:/.test(site.file.text.slice(site.node.s, site.node.e)) &&
    effect.op === 'update' &&
    /balance|credit|amount|stock|quantity|points|cents|total|usage/i.test(
      site.file.text.slice(site.node.s, site.node.e),
    )
  );
}

/** A durable step keeps its result; work in a failure branch runs where the rest did not. */
function guardedByNothing(ctx: RuleContext, site: Site): boolean {
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn)) {
    if (frame.k === 'callback' && frame.roles.has('step')) return false;
    if (frame.k === 'catch') return false;
  }
  return true;
}

const OWN_KEY =
  /^(?:id|_id|eventId|event_id|messageId|message_id|externalId|external_id|providerId|provider_id|stripe\w*Id|jobId|job_id|key|idempotencyKey|idempotency_key|invoiceId|paymentIntentId|payment_intent|chargeId|checkoutSessionId|subscriptionId|transactionId|reference|remoteId|sourceId|hash|fingerprint)$/;

/** Who the event is about; the same in every event of theirs. */
const PARTY = /customer|user|account|email|member|workspace/i;

/** The row carries the event's own id: a unique index refuses the second one. A new random id does not count. */
function hasOwnKey(ctx: RuleContext, site: Site): boolean {
  const { effect, node } = site;
  if (effect?.sql)
    return /\b(?:event_?id|message_?id|external_?id|stripe_\w*id|idempotency_key|job_?id)\b/i.test(
      effect.sql.text,
    );
  const exprs = [];
  if (effect?.spec.dataAt && node.k !== 'tag') {
    const read = readOption(ctx.model.values, site.file, node, effect.spec.dataAt);
    if (read.k !== 'value') return true;
    exprs.push(read.expr);
  }
  for (const link of site.chain) if (link.name === 'values') exprs.push(...link.node.args);
  if (exprs.length === 0) return true;
  return exprs.some((e) => {
    const inner = uncast(e);
    if (inner.k !== 'obj') return true;
    return inner.props.some(
      (p) =>
        p.key !== null &&
        OWN_KEY.test(p.key) &&
        !some(p.value, (n) => n.k === 'call') &&
        !PARTY.test(p.key) &&
        !PARTY.test(site.file.text.slice(p.value.s, p.value.e)),
    );
  });
}

/** A unique key of the schema lies within what a second run writes alike. */
function isRefusedTwice(ctx: RuleContext, site: Site): boolean {
  const { effect, node } = site;
  const table = tableOf(site);
  if (!effect?.spec.dataAt || node.k === 'tag' || !table) return false;
  const read = readOption(ctx.model.values, site.file, node, effect.spec.dataAt);
  const data = read.k === 'value' ? uncast(read.expr) : null;
  if (data?.k !== 'obj') return false;
  const columns = data.props.flatMap((p) =>
    p.key === null || some(p.value, (n) => n.k === 'call' || n.k === 'new')
      ? []
      : uncast(p.value).k === 'obj' || uncast(p.value).k === 'cond'
        ? [p.key, `${p.key}Id`]
        : [p.key],
  );
  return isUnique(ctx.model.project.schema.uniqueKeys(), table, columns);
}

function weight(ctx: RuleContext, site: Site): number {
  const { effect } = site;
  if (effect?.kind === 'mail') return 1;
  if (isRefusedTwice(ctx, site)) return 0;
  return effect?.op === 'insert' ? 2 : 3;
}

/** Says who was first. */
function isClaim(ctx: RuleContext, site: Site): boolean {
  const { effect } = site;
  if (!effect) return false;
  const text = (): string => site.file.text.slice(site.top.s, site.top.e);
  if (effect.kind === 'cache')
    return effect.op === 'write' && (/nx$/i.test(nameOf(site)) || /\bNX\b|['"]NX['"]|\bnx\s*:/.test(text()));
  if (effect.kind === 'lock') return true;
  if (effect.kind !== 'db') return false;
  // A record beside the work is no claim, unless its table is kept for that or a second one is passed over.
  if (
    effect.op === 'upsert' &&
    (!isSideTable(tableOf(site)) || INBOX.test(tableOf(site) ?? '') || PASSED_OVER.test(text()))
  )
    return nameOf(site) !== 'save';
  if (effect.op === 'insert') return violationHandled(site.file, site, ctx.model);
  if (effect.sql?.forUpdate || effect.sql?.advisory) return true;
  if (effect.op !== 'update' && effect.op !== 'delete') return false;
  // An update whose number of changed rows is looked at.
  const fact = site.file.facts.functions[site.fn];
  return (
    fact !== undefined &&
    /\.(?:count|rowCount|affectedRows|affected|modifiedCount|matchedCount|changes|numUpdatedRows)\b/.test(
      site.file.text.slice(fact.s, fact.e),
    )
  );
}

const INBOX = /processed|handled|received|seen|dedup|idempot|inbox/i;
const PASSED_OVER = /\.(?:ignore|orIgnore|onConflictDoNothing|doNothing)\(|on\s+conflict[^;]*do\s+nothing/i;

const DONE =
  /^(?:status|state|processed\w*|handled\w*|completed\w*|paid\w*|sent\w*|fulfilled\w*|delivered\w*|finishedAt|done|notified\w*)$/;

/** The function looks something up and stops when it shows that the work is done. */
function leavesWhenDone(ctx: RuleContext, file: SourceFile, fn: number): boolean {
  for (const inner of ctx.model.within(file, fn))
    for (const read of ctx.model.sites.of(file, inner.id)) {
      const reads =
        (read.effect?.kind === 'db' || read.effect?.kind === 'cache') && read.effect.op === 'read';
      if (!reads && read.target.k !== 'fn') continue;
      const names = namesOf(file, read.top, read.fn);
      if (names.size === 0 && !reads) continue;
      for (const decision of decisionsOn(file, inner.id, names, read.node as never)) {
        if (decision.node.k !== 'if') continue;
        const { then } = decision.node;
        const asksState = some(
          decision.test,
          (n) => n.k === 'mem' && DONE.test(n.prop) && n.obj.k === 'id' && names.has(n.obj.b),
        );
        // A branch that makes the thing only where there is none yet.
        const present = reads && findingOf(decision.test, names, read.node as never);
        if (asksState) return true;
        if (present === 'present' && exits(then.k === 'block' ? then.body : [then])) return true;
        if (
          (present === 'absent' || present === 'present') &&
          ctx.model
            .sitesWithin(file, inner.id)
            .some((s) => s.effect?.op === 'insert' && decision.runsWhenAbsent(s.node))
        )
          return true;
      }
    }
  return false;
}

function report(ctx: RuleContext, kind: Unit['kind'], worst: Reached): void {
  const { site, via } = worst;
  const outer = via[0] ?? site;
  if (outer.file !== ctx.file) return;
  const name = calleeName(site);
  const { effect } = site;
  const again =
    effect?.kind === 'mail'
      ? 'sends a second mail'
      : effect?.op === 'insert'
        ? `adds a second \`${tableOf(site) ?? 'row'}\``
        : `changes \`${tableOf(site) ?? 'the number'}\` a second time`;
  const what = kind === 'webhook' ? 'event' : kind === 'job' ? 'job' : 'message';
  if (effect?.op === 'insert' && isRefusedTwice(ctx, site)) {
    ctx.report({
      at: outer.node.k === 'tag' ? outer.node.tag : outer.node.callee,
      message: `When the same ${what} comes a second time, a unique key refuses \`${name}\` and the ${what} fails there: nothing on the way claims the ${what} first.`,
      trigger: `the ${what} is delivered again: a lost acknowledgement, a restart, a slow answer`,
      scenario: `At \`${name}\`, when the first run got this far and not to its end, then every further one stops here and what comes after is never done.`,
      detection: 'By the errors of the repeated runs.',
      fix: 'Handle the violation as done before, or use an upsert.',
      anchor: calleeName(outer),
      severity: 'low',
      path: [...via, site],
    });
    return;
  }
  // A second mail is a nuisance, and what is read before it often tells that it was sent.
  let severity: Severity = effect?.kind === 'mail' ? 'low' : effect?.op === 'insert' ? 'high' : 'critical';
  if (kind === 'job') severity = severity === 'critical' ? 'high' : severity === 'high' ? 'medium' : 'low';
  ctx.report({
    at: outer.node.k === 'tag' ? outer.node.tag : outer.node.callee,
    message: `When the same ${what} comes a second time, \`${name}\` ${again}: nothing on the way claims the ${what} first.`,
    trigger: `the ${what} is delivered again: a lost acknowledgement, a restart, a slow answer`,
    scenario: `At \`${name}\`, when the ${what} has been worked on before and comes again, then it ${again}.`,
    detection: 'When a user complains or the data is compared: both runs succeed.',
    fix: `Claim the ${what} by its id before \`${name}\`, in the same transaction, and stop when it is already claimed.`,
    anchor: calleeName(outer),
    severity,
    path: [...via, site],
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Credit from a payment event',
    bad: `import express from 'express';
import { Pool } from 'pg';
const app = express();
const pool = new Pool();

app.post('/webhooks/payments', async (req, res) => {
  await pool.query('UPDATE wallets SET cents = cents + $1 WHERE owner = $2', [req.body.cents, req.body.owner]);
  res.sendStatus(200);
});
`,
    good: `import express from 'express';
import { Pool } from 'pg';
const app = express();
const pool = new Pool();

app.post('/webhooks/payments', async (req, res) => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const claim = await client.query('INSERT INTO seen (event) VALUES ($1) ON CONFLICT DO NOTHING', [req.body.id]);
    if (claim.rowCount === 1)
      await client.query('UPDATE wallets SET cents = cents + $1 WHERE owner = $2', [req.body.cents, req.body.owner]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
  res.sendStatus(200);
});
`,
  },
];
