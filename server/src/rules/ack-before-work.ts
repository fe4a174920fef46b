/** A message or webhook that is settled while the work it stands for is still to be done. */
import { uncast, type AnyNode } from '../facts/walk.ts';
import type { FunctionFact, Stmt } from '../facts/ir.ts';
import { indentAt, lineEnd } from '../fixes/edits.ts';
import { booleanOf, readOption } from '../model/options.ts';
import { exclusive, mayFollow, mustPrecede } from '../model/paths.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { promiseOf } from './_kit/promises.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { changeOf, isChange, isLeftAlone } from './_kit/work.ts';

export const rule = defineRule({
  id: 'ack-before-work',
  lens: 'partial-failure',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A message is acknowledged, deleted or committed, or a webhook is answered with success, before the work it stands for is done: the acknowledgement comes first, the broker is told not to wait for one, or the work is started and not awaited.',
    why: 'Whoever sent it drops it on the acknowledgement. When the work then fails, or the process ends between the two, nobody sends it again: an order is paid and never shipped, and no error says so.',
    remedy:
      'Acknowledge last. Where the sender waits only briefly, store the message first (a table, a queue of your own), answer, and work from there.',
    whenNot: 'Where losing a message is meant: metrics, presence, cache hints.',
  },
  incidents: ['duplicate-delivery', 'silent-failure'],
  fixKind: 'previewed',
  detect(ctx) {
    for (const site of ctx.sites) {
      if (site.effect?.kind === 'queue' && site.effect.op === 'ack') acknowledged(ctx, site);
      else if (site.effect?.op === 'consume') withoutAck(ctx, site);
    }
    for (const { unit, file, fn } of ctx.units) {
      if (file !== ctx.file) continue;
      if (unit.kind === 'webhook') webhook(ctx, file, fn);
      if (unit.kind === 'webhook' || unit.kind === 'consumer' || unit.kind === 'job')
        leftAlone(ctx, file, fn, unit.kind === 'webhook');
    }
  },
});

function span(site: Site): { s: number; e: number } {
  return site.node.k === 'tag' ? site.node.tag : site.node.callee;
}

const WORK_NAME =
  /^(?:handle|process|save|store|persist|insert|create|update|upsert|charge|ship|fulfil+|send|deliver|publish|execute|perform|apply|sync|import|run)(?:[A-Z_]\w*)?$/;

/** Work that follows a place in the same function. */
function workAfter(ctx: RuleContext, ack: Site): Site[] {
  const { file, model } = ctx;
  return model.sites.of(file, ack.fn).filter((w) => {
    if (w.node.s < ack.node.e || w.effect?.op === 'ack' || w.effect?.kind === 'respond') return false;
    if (exclusive(file, ack.node, w.node) || !mayFollow(file, ack.node, w.node)) return false;
    if (inCatch(file, w.node, ack.node)) return false;
    return changeOf(model, w) !== null || looksLikeWork(file, w);
  });
}

/** Runs only when something else failed. */
function inCatch(file: SourceFile, node: AnyNode, than: AnyNode): boolean {
  for (let child = node, at = file.index.parent(node); at; child = at, at = file.index.parent(at))
    if (at.k === 'try' && child === at.handler && !(than.s >= child.s && than.e <= child.e)) return true;
  return false;
}

/** An awaited call that cannot be followed and is named as work. */
function looksLikeWork(file: SourceFile, site: Site): boolean {
  if (site.target.k !== 'unresolved' || site.node.k !== 'call') return false;
  const name =
    site.node.callee.k === 'mem'
      ? site.node.callee.prop
      : site.node.callee.k === 'id'
        ? site.node.callee.name
        : '';
  return WORK_NAME.test(name) && file.index.parent(site.top)?.k === 'await';
}

/** Something that outlives the process holds the message by then. */
function keptBefore(ctx: RuleContext, ack: Site): boolean {
  const { file, model } = ctx;
  return model.sitesWithin(file, ack.fn).some((p) => {
    if (p.node.e > ack.node.s || isLeftAlone(file, p)) return false;
    if (!mustPrecede(file, p.node, ack.node) && !guarded(file, p, ack)) return false;
    const change = changeOf(model, p);
    return (
      change !== null &&
      (change.kind === 'db' ||
        change.kind === 'queue' ||
        change.kind === 'cache' ||
        change.kind === 'sdk' ||
        change.kind === 'http')
    );
  });
}

/** The earlier change stands in a branch of its own: some messages are kept by it, which the rule cannot tell apart. */
function guarded(file: SourceFile, p: Site, ack: Site): boolean {
  return mayFollow(file, p.node, ack.node);
}

function acknowledged(ctx: RuleContext, ack: Site): void {
  const { file, model } = ctx;
  const name = calleeName(ack);
  const detached = model.sites
    .of(file, ack.fn)
    .find(
      (w) =>
        w.top.e <= ack.node.s &&
        isLeftAlone(file, w) &&
        promiseOf(model, w) !== null &&
        changeOf(model, w) !== null &&
        mayFollow(file, w.node, ack.node) &&
        isRejectable(w),
    );
  const after = workAfter(ctx, ack);
  const first = after[0];
  if (!detached && (!first || keptBefore(ctx, ack))) return;
  const work = detached ?? (first as Site);
  const what = calleeName(work);
  ctx.report({
    at: span(ack),
    message: detached
      ? `\`${name}\` settles the message while \`${what}\` still runs, unawaited: when that fails, the message is gone.`
      : `\`${name}\` settles the message before \`${what}\`: when that fails or the process ends, the message is gone.`,
    trigger: `\`${what}\` fails, or the process ends, after \`${name}\``,
    scenario: `At \`${name}\`, when \`${what}\` does not succeed afterwards, then the message is not delivered again and its work is lost.`,
    detection: 'When a user complains or the data is compared: the broker counts the message as done.',
    fix: `Acknowledge after \`${what}\` has succeeded.`,
    anchor: name,
    confidence: changeOf(model, work)?.confidence ?? 'assumed',
    fixes: detached ? awaitFix(ctx, detached) : moveFix(ctx, ack, after, 'Acknowledge after the work'),
  });
}

function isRejectable(site: Site): boolean {
  return site.node.k === 'call';
}

/** `consume(queue, handler, { noAck: true })`: the broker forgets each message as it sends it. */
function withoutAck(ctx: RuleContext, site: Site): void {
  if (site.node.k !== 'call' || site.effect?.pack?.id !== 'amqplib') return;
  const read = readOption(ctx.model.values, site.file, site.node, { arg: 2, path: 'noAck' });
  if (read.k !== 'value' || booleanOf(ctx.model.values, read.file, read.expr) !== true) return;
  const handler = site.node.args[1] ? ctx.model.values.of(site.file, site.node.args[1]) : null;
  if (handler?.k !== 'fn') return;
  const work = ctx.model.reach(handler.file, handler.fn).find((r) => isChange(r.site.effect));
  if (!work) return;
  const option = uncast(site.node.args[2] ?? site.node);
  const prop = option.k === 'obj' ? option.props.find((p) => p.key === 'noAck') : undefined;
  const what = calleeName(work.site);
  ctx.report({
    at: prop ?? span(site),
    message: `The broker forgets each message as it sends it: when \`${what}\` fails or the process ends, the message is gone.`,
    trigger: `\`${what}\` fails, or the process ends with messages in hand`,
    scenario: `At \`${calleeName(site)}\`, when a message has been sent and \`${what}\` does not succeed, then nobody delivers it again.`,
    detection: 'When a user complains or the data is compared: the queue is empty and nothing failed.',
    fix: 'Consume with acknowledgements and call `ack` after the work.',
    anchor: calleeName(site),
  });
}

// ---- webhooks

function webhook(ctx: RuleContext, file: SourceFile, fn: number): void {
  for (const site of ctx.model.sites.of(file, fn)) {
    if (site.effect?.kind !== 'respond' || !isSuccess(file, site)) continue;
    const after = workAfter(ctx, site);
    const first = after[0];
    if (!first || keptBefore(ctx, site)) continue;
    const what = calleeName(first);
    const name = calleeName(site);
    ctx.report({
      at: span(site),
      message: `The sender is told that the event has arrived before \`${what}\`: when that fails or the process ends, it is not sent again.`,
      trigger: `\`${what}\` fails, or the process ends, after the answer`,
      scenario: `At \`${name}\`, when \`${what}\` does not succeed after the answer, then the sender counts the event as delivered and its work is lost.`,
      detection: 'When a user complains or the data is compared: the sender sees success.',
      fix: `Answer after \`${what}\`, or store the event before the answer and work from there.`,
      anchor: name,
      confidence: changeOf(ctx.model, first)?.confidence ?? 'assumed',
      fixes: moveFix(ctx, site, after, 'Answer after the work'),
    });
    return;
  }
}

/** The answer is not one of an error. */
function isSuccess(file: SourceFile, site: Site): boolean {
  if (site.node.k !== 'call') return false;
  const text = file.text.slice(site.node.s, site.node.e);
  const status =
    /(?:status|sendStatus|code)\(\s*(\d{3})/.exec(text)?.[1] ?? /\bstatus:\s*(\d{3})/.exec(text)?.[1];
  return status ? Number(status) < 300 : !/\bstatus(?:Code)?\(|error/i.test(text);
}

/** Work that is started and left to itself: the unit ends, and is settled, while it runs. */
function leftAlone(ctx: RuleContext, file: SourceFile, fn: number, isWebhook: boolean): void {
  const { model } = ctx;
  const acks = model.sitesWithin(file, fn).some((s) => s.effect?.op === 'ack');
  if (acks && !isWebhook) return;
  for (const site of model.sites.of(file, fn)) {
    if (site.node.k !== 'call' || !isLeftAlone(file, site) || promiseOf(model, site) === null) continue;
    const change = changeOf(model, site);
    if (!change || keptBefore(ctx, site) || inCatch(file, site.node, site.node)) continue;
    const name = calleeName(site);
    ctx.report({
      at: span(site),
      message: isWebhook
        ? `The sender is told that the event has arrived while \`${name}\` still runs: when it fails or the process ends, the event is not sent again.`
        : `The ${isJob(ctx, fn) ? 'job' : 'message'} is settled while \`${name}\` still runs: when it fails or the process ends, nobody runs it again.`,
      trigger: `\`${name}\` fails, or the process ends, after the handler has returned`,
      scenario: `At \`${name}\`, when it does not succeed after the handler has returned, then it counts as done and its work is lost.`,
      detection: 'When a user complains or the data is compared: the handler has reported success.',
      fix: `Await \`${name}\`.`,
      anchor: name,
      confidence: change.confidence,
      fixes: awaitFix(ctx, site),
    });
  }
}

function isJob(ctx: RuleContext, fn: number): boolean {
  return ctx.units.some((u) => u.fn === fn && u.unit.kind === 'job');
}

// ---- fixes

function bodyOf(file: SourceFile, st: Stmt, fact: FunctionFact | undefined): readonly Stmt[] {
  const parent = file.index.parent(st);
  return parent?.k === 'block' ? parent.body : parent ? [] : (fact?.body ?? []);
}

/** Moves the settling statement after the last statement of its block that works. */
function moveFix(ctx: RuleContext, ack: Site, after: readonly Site[], title: string): FixDraft[] {
  const { file } = ctx;
  const st = file.index.statementOf(ack.node);
  if (!st || st.k !== 'expr') return [];
  const body = bodyOf(file, st, file.facts.functions[ack.fn]);
  const at = body.indexOf(st);
  const last = body.findLastIndex((s, i) => i > at && after.some((w) => w.node.s >= s.s && w.node.e <= s.e));
  const target = body[last];
  // A return on the way would leave the message unsettled.
  if (at < 0 || !target || body.slice(at + 1, last + 1).some((s) => returns(s))) return [];
  return [
    {
      id: 'ack-after-work',
      title,
      kind: 'previewed',
      edits: () => {
        const text = file.text.slice(st.s, st.e);
        const next = body[at + 1];
        return [
          {
            file: file.path,
            edits: [
              { start: st.s, end: next ? next.s : st.e, newText: '' },
              {
                start: target.e,
                end: target.e,
                newText: `${lineEnd(file.text)}${indentAt(file.text, target.s)}${text}`,
              },
            ],
          },
        ];
      },
    },
  ];
}

function returns(st: Stmt): boolean {
  switch (st.k) {
    case 'ret':
      return true;
    case 'block':
      return st.body.some(returns);
    case 'if':
      return returns(st.then) || (st.else !== null && returns(st.else));
    case 'try':
      return returns(st.block) || (st.handler !== null && returns(st.handler));
    case 'switch':
      return st.cases.some((c) => c.body.some(returns));
    case 'forof':
    case 'forin':
    case 'for':
    case 'while':
    case 'do':
      return returns(st.body);
    default:
      return false;
  }
}

function awaitFix(ctx: RuleContext, site: Site): FixDraft[] {
  const { file } = ctx;
  const st = file.index.statementOf(site.node);
  const fact = file.facts.functions[site.fn];
  if (!fact?.async || st?.k !== 'expr') return [];
  const inner = st.expr.k === 'un' && st.expr.op === 'void' ? st.expr : null;
  // A rejection handler that is chained on would settle the message all the same.
  if (site.chain.some((c) => c.name === 'catch' || c.name === 'then' || c.name === 'finally')) return [];
  return [
    {
      id: 'await-work',
      title: `Await \`${calleeName(site)}\``,
      kind: 'previewed',
      edits: () => [
        {
          file: file.path,
          edits: [
            inner
              ? { start: inner.s, end: inner.arg.s, newText: 'await ' }
              : { start: st.s, end: st.s, newText: 'await ' },
          ],
        },
      ],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Orders from a queue',
    bad: `import amqp from 'amqplib';
import { Pool } from 'pg';
const pool = new Pool();

export async function listen(url: string) {
  const channel = await (await amqp.connect(url)).createChannel();
  await channel.consume('orders', async message => {
    if (!message) return;
    channel.ack(message);
    await pool.query('INSERT INTO orders (body) VALUES ($1)', [message.content.toString()]);
  });
}
`,
    good: `import amqp from 'amqplib';
import { Pool } from 'pg';
const pool = new Pool();

export async function listen(url: string) {
  const channel = await (await amqp.connect(url)).createChannel();
  await channel.consume('orders', async message => {
    if (!message) return;
    await pool.query('INSERT INTO orders (body) VALUES ($1)', [message.content.toString()]);
    channel.ack(message);
  });
}
`,
    fixed: `import amqp from 'amqplib';
import { Pool } from 'pg';
const pool = new Pool();

export async function listen(url: string) {
  const channel = await (await amqp.connect(url)).createChannel();
  await channel.consume('orders', async message => {
    if (!message) return;
    await pool.query('INSERT INTO orders (body) VALUES ($1)', [message.content.toString()]);
    channel.ack(message);
  });
}
`,
  },
];
