/** A worker or schedule whose failures reach nobody. */
import type { AnyNode } from '../facts/walk.ts';
import { some } from '../facts/walk.ts';
import { nameOf, takenBy, usesOf } from './_kit/uses.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import type { FnValue } from '../model/values.ts';
import { isLogCall } from './_kit/detection.ts';
import { letsFailureOut } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unobserved-job-failure',
  lens: 'partial-failure',
  axis: 'operational-visibility',
  faultClass: 'observability',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A queue worker or a scheduled function can fail, and nothing logs or counts it: the worker has no listener for `failed` and its processor no handler, or the scheduler drops the rejection.',
    why: 'The job lands among the failed ones in Redis, or the run ends without a word, and nobody looks there. Mails are not sent and reports not made for weeks, until somebody asks where they are.',
    remedy:
      'Listen for `failed` and log the job, its attempt and the error; count them where an alarm can see it.',
    whenNot: 'Another process listens to the queue and reports its failures.',
  },
  incidents: ['silent-failure', 'missing-alert'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) {
      worker(ctx, site);
      schedule(ctx, site);
    }
  },
});

// ---- Bull and BullMQ

function worker(ctx: RuleContext, site: Site): void {
  const { node, file, target } = site;
  if (node.k === 'tag' || target.k !== 'lib') return;
  const bullmq = target.pack.id === 'bullmq' && target.makes === 'Worker';
  const bull =
    target.pack.id === 'bull' &&
    node.k === 'call' &&
    node.callee.k === 'mem' &&
    node.callee.prop === 'process';
  if (!bullmq && !bull) return;
  const given = bullmq ? node.args[1] : node.args.at(-1);
  const processor = given ? ctx.model.values.of(file, given) : null;
  if (processor?.k !== 'fn' || reports(ctx, processor)) return;
  if (!letsFailureOut(ctx.model, processor.file, processor.fn)) return;
  if (/['"`]failed['"`]|QueueEvents|OnQueueFailed|OnWorkerEvent/.test(file.text)) return;
  if (bullmq && goesElsewhere(file, node)) return;
  if (bull && isHandedIn(ctx, site)) return;
  const name = calleeName(site);
  ctx.report({
    at: node.callee,
    message: `When a job of this ${bullmq ? 'worker' : 'queue'} fails, nobody hears of it: nothing listens for \`failed\` and the processor logs nothing.`,
    trigger: 'a job fails for the last time',
    scenario: `At \`${name}\`, when a job fails, then it lies among the failed ones in Redis, with no log line and no metric.`,
    detection: 'When somebody misses its result: failed jobs are only seen by who looks for them.',
    fix: 'Listen for `failed` and log the job with its error.',
    anchor: name,
  });
}

/** The processor, or what it calls directly, logs failures in a handler. */
function reports(ctx: RuleContext, value: FnValue): boolean {
  const logs = (file: SourceFile, fn: number): boolean =>
    ctx.model.within(file, fn).some((f) => {
      const handlers = (file.index.tries[f.id] ?? []).flatMap((t) => t.handler ?? []);
      if (handlers.some((h) => some(h, (n) => n.k === 'call'))) return true;
      return (file.index.calls[f.id] ?? []).some(
        (c) => c.k === 'call' && c.callee.k === 'mem' && c.callee.prop === 'catch' && c.args.length > 0,
      );
    });
  if (logs(value.file, value.fn)) return true;
  const text = value.file.text.slice(
    value.file.facts.functions[value.fn]?.s,
    value.file.facts.functions[value.fn]?.e,
  );
  if (/captureException|withSpan|instrument|monitor|trace|observ|wrap/i.test(text)) return true;
  return ctx.model
    .sitesWithin(value.file, value.fn)
    .some((s) => s.target.k === 'fn' && logs(s.target.value.file, s.target.value.fn));
}

/** The worker is given back, kept where others can listen, or handed to something. */
function goesElsewhere(file: SourceFile, node: AnyNode & { k: 'call' | 'new' }): boolean {
  const parent = file.index.parent(node);
  if (!parent || parent.k === 'expr') return false;
  const taken = takenBy(file, node);
  if (!taken) return true;
  const binding = nameOf(taken.target);
  if (binding < 0) return true;
  if (file.facts.exports.some((x) => x.local === binding)) return true;
  // Only calls of its own members (`close`, `on('error')`) keep it here.
  return usesOf(file, binding).some((id) => file.index.parent(id)?.k !== 'mem');
}

/** The queue comes from elsewhere: whoever made it may listen. */
function isHandedIn(ctx: RuleContext, site: Site): boolean {
  const recv = site.target.k === 'lib' ? site.target.recv : null;
  return !recv?.origin || recv.origin.file !== ctx.file;
}

// ---- node-cron

/** node-cron before 4 hands a rejected round to an emitter of its own that nobody can listen to. */
function schedule(ctx: RuleContext, site: Site): void {
  const { node, file } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem' || node.callee.prop !== 'schedule') return;
  if (!file.facts.specifiers.includes('node-cron') || !node.args[1]) return;
  const base = ctx.model.values.of(file, node.callee.obj);
  if (base.k !== 'ext' || base.pkg !== 'node-cron') return;
  const version = ctx.model.project.versions.within(file.path, 'node-cron', '<4.0.0');
  if (version === null) return;
  const round = ctx.model.values.of(file, node.args[1]);
  if (round.k !== 'fn') return;
  const fact = round.file.facts.functions[round.fn];
  if (!fact?.async || !letsFailureOut(ctx.model, round.file, round.fn)) return;
  const logs = (round.file.index.tries[round.fn] ?? []).some(
    (t) => t.handler && some(t.handler, (n) => n.k === 'call' && isLogCall(ctx.model, round.file, n)),
  );
  if (logs) return;
  ctx.report({
    at: node.callee,
    message: `When a round of this schedule fails, nobody hears of it: node-cron ${version} catches the rejection and keeps it to itself.`,
    trigger: 'the scheduled function rejects',
    scenario: `At \`${calleeName(site)}\`, when a round fails, then no error is logged, the process goes on, and the next round fails the same way.`,
    detection: 'When somebody misses its result: the rejection is dropped.',
    fix: 'Catch and log inside the scheduled function.',
    anchor: calleeName(site),
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Mails that fail where nobody looks',
    bad: `import { Worker } from 'bullmq';
import nodemailer from 'nodemailer';
const mailer = nodemailer.createTransport({ host: 'mail.example.com' });
const worker = new Worker('mails', async (job) => {
  await mailer.sendMail({ to: job.data.to, subject: job.data.subject });
});
worker.on('error', (error) => console.error('worker', error));
`,
    good: `import { Worker } from 'bullmq';
import nodemailer from 'nodemailer';
const mailer = nodemailer.createTransport({ host: 'mail.example.com' });
const worker = new Worker('mails', async (job) => {
  await mailer.sendMail({ to: job.data.to, subject: job.data.subject });
});
worker.on('error', (error) => console.error('worker', error));
worker.on('failed', (job, error) => console.error('mail not sent', job?.id, job?.attemptsMade, error));
`,
  },
];
