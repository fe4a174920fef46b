/** Something that cannot be undone, in a callback that its driver runs again. */
import type { Expr } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { isIdempotent, type Site } from '../model/sites.ts';
import { DETECTION_BY_COMPARISON } from './_kit/detection.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { isChange } from './_kit/work.ts';

export const rule = defineRule({
  id: 'effect-in-rerunnable-callback',
  lens: 'partial-failure',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'high',
  blocking: false,
  stage: 'stable',
  since: '0.2.0',
  docs: {
    what: 'A transaction callback that is run again on a conflict (MongoDB `withTransaction`, a transaction inside a retry) sends, publishes or charges something, or adds to a variable outside it.',
    why: 'The database takes back what the failed run has written, and nothing else. The mail is out, the message is published, the list outside the callback has the entry already: the second run adds another one of each.',
    remedy:
      'Do it after the transaction has committed, with what the callback returned; begin outer variables anew inside the callback.',
    whenNot: 'Where the effect carries a key by which the other side drops the repeat.',
  },
  incidents: ['duplicate-side-effect'],
  fixKind: 'none',
  detect(ctx) {
    for (const fn of ctx.functions) {
      const by = rerunBy(ctx, fn.id);
      if (by) check(ctx, fn.id, by);
    }
  },
});

/** What runs the function again; null when it is no such callback. */
function rerunBy(ctx: RuleContext, fn: number): string | null {
  const { file, model } = ctx;
  const callback = model.frames.callbackOf(file, fn);
  if (!callback?.roles.has('transaction')) return null;
  const name = callback.call.callee.k === 'mem' ? callback.call.callee.prop : '';
  if (
    callback.lib &&
    (callback.lib.pack.id === 'mongodb' || callback.lib.pack.id === 'mongoose') &&
    /^(?:withTransaction|transaction)$/.test(name)
  )
    return `\`${name}\` runs its callback again after a transient error`;
  for (const frame of model.frames.around(file, callback.call, file.index.functionOf(callback.call))) {
    if (frame.k === 'callback' && frame.roles.has('retry'))
      return 'the retry around the transaction runs it again';
    if (frame.k === 'loop' && model.frames.isRetryLoop(file, frame, callback.call))
      return 'the loop around the transaction runs it again';
  }
  return null;
}

function check(ctx: RuleContext, fn: number, by: string): void {
  const { model, file } = ctx;
  for (const site of model.sitesWithin(file, fn)) {
    if (runsLater(ctx, site)) continue;
    const hit = addsUp(site) ? site : behind(ctx, site);
    if (hit) report(ctx, site, hit, by);
  }
  outerChanges(ctx, fn, by);
}

const KEYED = /idempoten|dedup|jobId|messageId|clientToken|singletonKey/i;

/** Leaves the database and does more each time. */
function addsUp(site: Site): boolean {
  const { effect } = site;
  if (!isChange(effect) || effect.confidence !== 'shown' || isIdempotent(effect)) return false;
  if (effect.kind === 'db' || effect.kind === 'file') return false;
  return !KEYED.test(site.file.text.slice(site.node.s, site.node.e));
}

function behind(ctx: RuleContext, site: Site): Site | null {
  if (site.target.k !== 'fn') return null;
  for (const { site: hit, via } of ctx.model.reach(site.target.value.file, site.target.value.fn))
    if (via.length < 3 && addsUp(hit) && ![...via, hit].some((s) => runsLater(ctx, s))) return hit;
  return null;
}

function runsLater(ctx: RuleContext, site: Site): boolean {
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn)) {
    if (frame.k === 'catch') return true;
    if (frame.k === 'callback')
      for (const role of ['listener', 'after-commit', 'handler', 'consumer', 'step'] as const)
        if (frame.roles.has(role)) return true;
  }
  return false;
}

function report(ctx: RuleContext, site: Site, hit: Site, by: string): void {
  const name = calleeName(site);
  const through = hit === site ? '' : ` (\`${calleeName(hit)}\` in it)`;
  ctx.report({
    at: site.node.k === 'tag' ? site.node.tag : site.node.callee,
    message: `\`${name}\`${through} takes effect once for each run of the callback: ${by}, and only the database forgets the run that failed.`,
    trigger: 'a conflict with another transaction, or a lost connection to the primary',
    scenario: `At \`${name}\`, when the transaction fails after it and is run again, then it happens twice and one of the two belongs to nothing.`,
    detection: DETECTION_BY_COMPARISON,
    fix: `Call \`${name}\` after the commit, with what the callback returned.`,
    anchor: name,
    path: hit === site ? [] : [site, hit],
  });
}

// ---- a variable outside that each run adds to

function outerChanges(ctx: RuleContext, fn: number, by: string): void {
  const { file, model } = ctx;
  const top = file.facts.functions[fn];
  if (!top) return;
  const reported = new Set<number>();
  for (const inner of model.within(file, fn))
    for (const st of inner.body)
      walk(st, (n) => {
        const b = grown(n);
        const binding = file.facts.bindings[b];
        if (!binding || reported.has(b) || binding.fn === 0) return;
        const home = file.facts.functions[binding.fn];
        // Declared around the callback, and not begun anew in it.
        if (!home || home.s >= top.s || home.e < top.e || beginsAnew(top.body, b)) return;
        reported.add(b);
        const name = binding.name;
        ctx.report({
          at: n.k === 'call' ? n.callee : n.k === 'asg' ? n.target : n,
          message: `Each run of the callback adds to \`${name}\`, which is declared outside it: ${by}, and what the failed run added stays.`,
          trigger: 'a conflict with another transaction, or a lost connection to the primary',
          scenario: `At \`${name}\`, when the transaction fails after it and is run again, then it holds the entries of both runs.`,
          detection: DETECTION_BY_COMPARISON,
          fix: `Begin \`${name}\` anew inside the callback, or return it from there.`,
          anchor: name,
          severity: 'medium',
        });
      });
}

/** The variable that a node adds to; -1 when it adds to none. */
function grown(n: AnyNode): number {
  if (n.k === 'call' && n.callee.k === 'mem' && /^(?:push|unshift)$/.test(n.callee.prop))
    return idOf(n.callee.obj);
  if (n.k === 'asg' && /^(?:\+|-|\*)=$/.test(n.op) && n.target.k === 'id') return n.target.b;
  if (n.k === 'un' && (n.op === '++' || n.op === '--')) return idOf(n.arg);
  return -1;
}

function idOf(expr: Expr): number {
  const inner = uncast(expr);
  return inner.k === 'id' ? inner.b : -1;
}

/** `rows = []`, `rows.length = 0` */
function beginsAnew(body: readonly AnyNode[], b: number): boolean {
  return body.some((st) =>
    some(
      st,
      (n) =>
        n.k === 'asg' &&
        n.op === '=' &&
        ((n.target.k === 'id' && n.target.b === b) ||
          (n.target.k === 'mem' && n.target.prop === 'length' && idOf(n.target.obj) === b)),
    ),
  );
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A mail from a transaction of MongoDB',
    bad: `import { MongoClient } from 'mongodb';
import nodemailer from 'nodemailer';
const mongo = new MongoClient('mongodb://db');
const mail = nodemailer.createTransport({ host: 'smtp' });

export async function order(address: string) {
  const session = mongo.startSession();
  try {
    await session.withTransaction(async () => {
      await mongo.db().collection('orders').insertOne({ address }, { session });
      await mail.sendMail({ to: address, subject: 'Ordered' });
    });
  } finally {
    await session.endSession();
  }
}
`,
    good: `import { MongoClient } from 'mongodb';
import nodemailer from 'nodemailer';
const mongo = new MongoClient('mongodb://db');
const mail = nodemailer.createTransport({ host: 'smtp' });

export async function order(address: string) {
  const session = mongo.startSession();
  try {
    await session.withTransaction(async () => {
      await mongo.db().collection('orders').insertOne({ address }, { session });
    });
  } finally {
    await session.endSession();
  }
  await mail.sendMail({ to: address, subject: 'Ordered' });
}
`,
  },
];
