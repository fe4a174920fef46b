/** A message that fails by what is in it and comes back for ever. */
import type { Call, New } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { replaceNode } from '../fixes/edits.ts';
import { booleanOf, isNothing, numberOf, readOption, type OptionValue } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'poison-message',
  lens: 'resource-exhaustion',
  axis: 'recoverability',
  faultClass: 'recovery',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A message whose handling fails is put back on its queue with no end: a negative acknowledgement that requeues, an endless number of attempts, or a parse that throws where the consumer starts over with the same message.',
    why: 'Some messages fail by what is in them and fail every time. Such a message goes round at full speed, fills the log, takes the place of the others, and behind an ordered partition nothing moves at all. It stays until somebody removes it by hand.',
    remedy:
      'Count the deliveries, and after a few put the message aside (a dead letter queue) with the reason; check what a message holds before the work.',
    whenNot: 'The broker counts deliveries itself and puts the message aside.',
  },
  incidents: ['retry-storm', 'poison-message'],
  fixKind: 'previewed',
  detect(ctx) {
    for (const site of ctx.sites) {
      if (site.node.k === 'tag') continue;
      if (site.effect?.op === 'nack') requeued(ctx, site, site.node);
      if (site.target.k === 'lib') endless(ctx, site, site.node);
    }
    for (const { unit, file, fn } of ctx.units)
      if (file === ctx.file && unit.kind === 'consumer') unparsed(ctx, fn);
  },
});

// ---- put back by hand

const COUNTED =
  /x-death|redeliver|deliver(?:y|ies)-?_?(?:count|limit)|dead-?_?letter|\bdl[qx]\b|quorum|max_?-?(?:retries|attempts|deliver)|attempts?\b|retry-?_?count|retries|parking/i;

/** Where the flag sits that puts the message back; it does so unless told otherwise. */
const REQUEUE: Readonly<Record<string, number>> = { nack: 2, reject: 1, nackAll: 0 };

function requeued(ctx: RuleContext, site: Site, node: Call | New): void {
  const { file, model } = ctx;
  if (site.effect?.pack?.id !== 'amqplib' || site.target.k !== 'lib') return;
  const at = REQUEUE[site.target.name] ?? (node.callee.k === 'mem' ? REQUEUE[node.callee.prop] : undefined);
  if (at === undefined || node.args.some((a) => a.k === 'spread')) return;
  const flag = node.args[at];
  if (flag && !isNothing(uncast(flag)) && booleanOf(model.values, file, flag) !== true) return;
  if (!onFailure(ctx, site)) return;
  if (COUNTED.test(file.text)) return;
  const name = calleeName(site);
  ctx.report({
    at: node.callee,
    message: `A message that fails every time comes back at once, for ever: \`${name}\` puts it back and nothing counts how often.`,
    trigger: 'a message that cannot be handled: a missing field, a row that is gone',
    scenario: `At \`${name}\`, when a message fails by what is in it, then it is delivered again at once, fails again, and goes round as fast as the consumer can fail.`,
    detection: 'By the load of the consumer and the size of the log: the queue does not grow.',
    fix: 'Put the message aside after a few deliveries: reject it without requeue to a dead letter queue.',
    anchor: name,
    fixes: [
      {
        id: 'reject-without-requeue',
        title: 'Do not put the message back (needs a dead letter exchange)',
        kind: 'previewed',
        edits: () => {
          if (flag) return [{ file: file.path, edits: [replaceNode(flag, 'false')] }];
          const last = node.args.at(-1);
          if (!last) return null;
          const missing = Array.from({ length: at - node.args.length + 1 }, () => 'false').join(', ');
          return [{ file: file.path, edits: [{ start: last.e, end: last.e, newText: `, ${missing}` }] }];
        },
      },
    ],
  });
}

/** In a handler of a failure, whose choice does not hang on what the error is. */
function onFailure(ctx: RuleContext, site: Site): boolean {
  const { file, model } = ctx;
  let chosen = false;
  for (const frame of model.frames.around(file, site.node, site.fn)) {
    if (frame.k === 'if') chosen = true;
    if (frame.k === 'catch') return !chosen;
    if (frame.k === 'callback' && frame.call.callee.k === 'mem' && frame.call.callee.prop === 'catch')
      return !chosen;
    if (frame.k === 'function' || frame.k === 'try') return false;
  }
  return false;
}

// ---- attempts without end

/** Options that say how often a job runs, by library, in the calls that publish and those that make the queue. */
const ATTEMPTS: Readonly<Record<string, readonly { arg: number | 'last'; path: string }[]>> = {
  bullmq: [
    { arg: 2, path: 'attempts' },
    { arg: 1, path: 'defaultJobOptions.attempts' },
  ],
  bull: [
    { arg: 'last', path: 'attempts' },
    { arg: 'last', path: 'defaultJobOptions.attempts' },
  ],
  pgBoss: [{ arg: 2, path: 'retryLimit' }],
  'pg-boss': [{ arg: 2, path: 'retryLimit' }],
};
/** So many that nobody lives to see the last. */
const ENDLESS = 100_000;

function endless(ctx: RuleContext, site: Site, node: Call | New): void {
  if (site.target.k !== 'lib') return;
  const places = ATTEMPTS[site.target.pack.id];
  if (!places || (site.effect?.op !== 'publish' && site.target.makes === null)) return;
  for (const place of places) {
    const read = readOption(ctx.model.values, ctx.file, node, place);
    if (read.k !== 'value' || !isEndless(ctx, read)) continue;
    const name = calleeName(site);
    const option = place.path.split('.').at(-1) ?? place.path;
    const here = read.file === ctx.file && read.expr.s >= node.s && read.expr.e <= node.e;
    ctx.report({
      at: here ? read.expr : node.callee,
      message: `A job that fails every time is run again for ever: \`${option}\` has no end.`,
      trigger: 'a job that cannot succeed: bad input, a row that is gone',
      scenario: `At \`${name}\`, when a job fails by what is in it, then no attempt is the last: it stays in the queue and never counts as failed.`,
      detection: 'By a queue that never drains: no job reaches the failed state.',
      fix: `Cap \`${option}\`, and look at the jobs that reach the cap.`,
      anchor: name,
    });
    return;
  }
}

function isEndless(ctx: RuleContext, read: OptionValue & { k: 'value' }): boolean {
  const inner = uncast(read.expr);
  if (inner.k === 'mem' && inner.obj.k === 'id' && inner.obj.name === 'Number')
    return /^(?:MAX_SAFE_INTEGER|POSITIVE_INFINITY|MAX_VALUE)$/.test(inner.prop);
  const n = numberOf(ctx.model.values, read.file, read.expr);
  return n !== null && n >= ENDLESS;
}

// ---- messages that cannot be read

/** kafkajs runs a message again until it succeeds, and starts the consumer over with it; a throw in an amqplib callback ends the process. */
function unparsed(ctx: RuleContext, fn: number): void {
  const { file, model } = ctx;
  const callback = model.frames.callbackOf(file, fn);
  const library = callback?.lib?.pack.id;
  if (library !== 'kafkajs' && library !== 'amqplib') return;
  const message = ctx.functions[fn]?.params[0];
  if (!message) return;
  for (const site of model.sites.of(file, fn)) {
    const { node } = site;
    if (node.k !== 'call' || site.target.k !== 'builtin' || site.target.name !== 'JSON.parse') continue;
    const arg = node.args[0];
    if (!arg || !/\b(?:value|content)\b/.test(file.text.slice(arg.s, arg.e))) continue;
    let caught = false;
    for (const frame of model.frames.around(file, node, fn)) {
      if (frame.k === 'try' && frame.node.handler) caught = true;
      if (frame.k === 'callback' || frame.k === 'function') break;
    }
    if (caught) continue;
    const kafka = library === 'kafkajs';
    ctx.report({
      at: node.callee,
      message: kafka
        ? 'A message that is no JSON stops its partition: the parse throws, and the consumer starts over with the same message.'
        : 'A message that is no JSON ends this process: nothing catches the throw, the broker delivers the message to the next one, and it ends that too.',
      trigger: 'one message that is empty, cut off or of another format',
      scenario: kafka
        ? 'At `JSON.parse`, when a message cannot be read, then the consumer retries, crashes, restarts and reads the same message: nothing behind it is handled.'
        : 'At `JSON.parse`, when a message cannot be read, then the throw in the callback is uncaught, the process ends, and the message is delivered again.',
      detection: kafka ? 'By the growing lag of one partition.' : 'By a consumer that restarts in a loop.',
      fix: 'Catch the parse, put what cannot be read aside with the reason, and go on.',
      anchor: 'JSON.parse',
    });
    return;
  }
}

export const examples: readonly RuleExample[] = [
  {
    title: 'An order that cannot be booked and goes round for ever',
    bad: `import amqp from 'amqplib';
import { Pool } from 'pg';
const pool = new Pool();
export async function start(url: string) {
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  await channel.prefetch(10);
  await channel.consume('orders', async (message) => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch {
      channel.nack(message);
    }
  });
}
`,
    good: `import amqp from 'amqplib';
import { Pool } from 'pg';
const pool = new Pool();
export async function start(url: string) {
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  await channel.prefetch(10);
  await channel.consume('orders', async (message) => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch {
      channel.nack(message, false, false);
    }
  });
}
`,
    fixed: `import amqp from 'amqplib';
import { Pool } from 'pg';
const pool = new Pool();
export async function start(url: string) {
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  await channel.prefetch(10);
  await channel.consume('orders', async (message) => {
    if (!message) return;
    try {
      await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
      channel.ack(message);
    } catch {
      channel.nack(message, false, false);
    }
  });
}
`,
  },
];
