/** A consumer that takes all that the broker has. */
import { uncast } from '../facts/walk.ts';
import { insertBefore, usesSemicolons } from '../fixes/edits.ts';
import { booleanOf, numberOf, readOption } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isWork } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, exprName } from './_kit/text.ts';

const PREFETCH = 20;

export const rule = defineRule({
  id: 'unbounded-prefetch',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'An AMQP consumer starts without a prefetch, or a worker is given no limit on the jobs it runs at once.',
    why: 'The broker pushes everything it has to the first consumer. After an outage that is the whole backlog: its handlers run all at once, memory and the connection pool give out, the process ends, and the next consumer gets the same load. Other instances stay idle meanwhile.',
    remedy: 'Set a prefetch (or concurrency) of what one process can handle at once.',
    whenNot: 'A reply queue that only ever holds answers to requests of this process.',
  },
  incidents: ['resource-exhaustion', 'backpressure'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) {
      consumer(ctx, site);
      worker(ctx, site);
    }
  },
});

function consumer(ctx: RuleContext, site: Site): void {
  const { node, effect, file } = site;
  if (node.k !== 'call' || effect?.op !== 'consume' || effect.pack?.id !== 'amqplib') return;
  if (node.callee.k !== 'mem' || node.callee.prop !== 'consume') return;
  if (setsPrefetch(ctx, site)) return;
  const { values } = ctx.model;
  // Without acknowledgements the broker counts nothing as open, and a prefetch bounds nothing.
  for (const option of ['noAck', 'exclusive', 'prefetch']) {
    const read = readOption(values, file, node, { arg: 2, path: option });
    if (read.k === 'unknown') return;
    if (read.k === 'value' && (option === 'prefetch' || booleanOf(values, read.file, read.expr) !== false))
      return;
  }
  const queue = node.args[0];
  const queueText = queue ? file.text.slice(queue.s, queue.e) : '';
  if (/reply|response|rpc|exclusive|callback|temp/i.test(queueText) || isPrivateQueue(file, site)) return;
  const handler = node.args[1] ? values.of(file, node.args[1]) : null;
  if (handler?.k !== 'fn') return;
  const work = ctx.model
    .reach(handler.file, handler.fn)
    .find((r) => isWork(r.site.effect) && r.site.effect.network);
  const fact = handler.file.facts.functions[handler.fn];
  if (!fact || !work || work.site.effect?.kind === 'queue') return;
  const name = calleeName(site);
  const channel = exprName(file, node.callee.obj);
  const what = calleeName(work.site);
  ctx.report({
    at: node.callee,
    message: `The broker pushes its whole backlog to this consumer at once: no prefetch is set, so \`${what}\` runs for every message side by side.`,
    trigger: 'a backlog, as after an outage of the consumer',
    scenario: `At \`${name}\`, when the queue is long, then all of its messages are handled at once by one process while the others get none.`,
    detection: 'When the process runs out of memory or connections: until then it only gets slower.',
    fix: `Call \`${channel}.prefetch(n)\` before \`${name}\`.`,
    anchor: name,
    fixes: prefetchFix(ctx, site, channel),
  });
}

/** Anywhere near: in this file, in what it imports to open the channel, or as `basic.qos` under another name. */
function setsPrefetch(ctx: RuleContext, site: Site): boolean {
  const PREFETCH_TEXT = /\.prefetch\s*\(|prefetch(?:Count)?\s*[:=]|basicQos|\.qos\s*\(/i;
  if (PREFETCH_TEXT.test(site.file.text)) return true;
  if (site.target.k !== 'lib') return true;
  for (let at = site.target.recv; at; at = at.from)
    if (at.origin && PREFETCH_TEXT.test(at.origin.file.text)) return true;
  // A channel that is handed in was opened where this rule does not look.
  const origin = site.target.recv?.origin ?? null;
  return origin === null && !site.file.facts.specifiers.some((s) => /amqp/.test(s));
}

/** The queue has no name of its own: it belongs to this connection and holds what is sent to it alone. */
function isPrivateQueue(file: SourceFile, site: Site): boolean {
  const queue = site.node.k === 'call' ? site.node.args[0] : undefined;
  const inner = queue ? uncast(queue) : null;
  return (
    (inner?.k === 'mem' || inner?.k === 'id' || inner?.k === 'lit') &&
    /assertQueue\(\s*(?:''|""|``|undefined|null)?\s*[,)]/.test(file.text)
  );
}

function prefetchFix(ctx: RuleContext, site: Site, channel: string) {
  const { file } = site;
  const st = file.index.statementOf(site.node);
  const parent = file.index.parent(site.top);
  if (!st || (st.k !== 'expr' && st.k !== 'var') || parent?.k !== 'await') return [];
  return [
    {
      id: 'add-prefetch',
      title: `Take ${PREFETCH} messages at a time`,
      kind: 'safe' as const,
      edits: () => [
        {
          file: file.path,
          edits: [
            insertBefore(file.text, st, [
              `await ${channel}.prefetch(${PREFETCH})${usesSemicolons(file.text) ? ';' : ''}`,
            ]),
          ],
        },
      ],
    },
  ];
}

/** `concurrency: Infinity` of a worker, or as an argument of Bull's `process`. */
function worker(ctx: RuleContext, site: Site): void {
  const { node, file, target } = site;
  if (node.k === 'tag' || target.k !== 'lib') return;
  const places =
    target.pack.id === 'bullmq' && target.makes === 'Worker'
      ? [{ arg: 2, path: 'concurrency' }]
      : target.pack.id === 'bull' && node.callee.k === 'mem' && node.callee.prop === 'process'
        ? [
            { arg: 0, path: '' },
            { arg: 1, path: '' },
          ]
        : [];
  for (const at of places) {
    const read = readOption(ctx.model.values, file, node, at);
    if (read.k !== 'value') continue;
    const n = numberOf(ctx.model.values, read.file, read.expr);
    if (n === null || (Number.isFinite(n) && n < 100_000)) continue;
    const name = calleeName(site);
    const here = read.file === file && read.expr.s >= node.s && read.expr.e <= node.e;
    ctx.report({
      at: here ? read.expr : node.callee,
      message: 'This worker takes every job there is at once: its concurrency has no limit.',
      trigger: 'a backlog, as after an outage of the worker',
      scenario: `At \`${name}\`, when the queue is long, then all of its jobs run at once in one process while the others get none.`,
      detection: 'When the process runs out of memory or connections: until then it only gets slower.',
      fix: 'Give the worker a concurrency that one process can bear.',
      anchor: name,
    });
    return;
  }
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A backlog that goes to one consumer at once',
    bad: `import amqp from 'amqplib';
import { Pool } from 'pg';
const pool = new Pool();
export async function start(url: string) {
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  await channel.consume('orders', async (message) => {
    if (!message) return;
    await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
    channel.ack(message);
  });
}
`,
    good: `import amqp from 'amqplib';
import { Pool } from 'pg';
const pool = new Pool();
export async function start(url: string) {
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  await channel.prefetch(20);
  await channel.consume('orders', async (message) => {
    if (!message) return;
    await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
    channel.ack(message);
  });
}
`,
    fixed: `import amqp from 'amqplib';
import { Pool } from 'pg';
const pool = new Pool();
export async function start(url: string) {
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  await channel.prefetch(20);
  await channel.consume('orders', async (message) => {
    if (!message) return;
    await pool.query('INSERT INTO bookings (body) VALUES ($1)', [message.content]);
    channel.ack(message);
  });
}
`,
  },
];
