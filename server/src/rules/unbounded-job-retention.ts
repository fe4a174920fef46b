/** Finished jobs that stay in Redis for ever. */
import { uncast } from '../facts/walk.ts';
import { addArgument, addProperty } from '../fixes/edits.ts';
import type { Model } from '../model/model.ts';
import { readOption } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unbounded-job-retention',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'low',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A Bull or BullMQ queue is made without `removeOnComplete`, and nothing else in the project sets it: every finished job stays in Redis with all its data.',
    why: 'Redis grows with every job until it has no memory left. Then it evicts or refuses writes, for the queue and for whatever else is kept there.',
    remedy:
      'Keep the last finished jobs by count or age: `removeOnComplete: { count: 1000 }`, and more of the failed ones.',
    whenNot: 'A few jobs a day, or something else clears the queue.',
  },
  incidents: ['resource-exhaustion', 'out-of-memory'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) check(ctx, site);
  },
});

const SETS = /removeOn(?:Complete|Fail)|keepJobs|\.clean\s*\(|\.obliterate\s*\(|\.trimEvents/;

function check(ctx: RuleContext, site: Site): void {
  const { node, target, file } = site;
  if (node.k === 'tag' || target.k !== 'lib' || target.makes !== 'Queue') return;
  const { id } = target.pack;
  if (id !== 'bullmq' && id !== 'bull') return;
  // bee-queue removes by other names.
  if (id === 'bull' && file.facts.specifiers.includes('bee-queue')) return;
  const at = id === 'bull' ? ('last' as const) : 1;
  const read = readOption(ctx.model.values, file, node, { arg: at, path: 'defaultJobOptions' });
  if (read.k === 'unknown') return;
  if (SETS.test(file.text) || setElsewhere(ctx.model)) return;
  if (read.k === 'value' && uncast(read.expr).k !== 'obj') return;
  const name = calleeName(site);
  ctx.report({
    at: node.callee,
    message: 'Every finished job stays in Redis for ever: nothing in the project removes completed jobs.',
    trigger: 'the queue is in use for long enough',
    scenario: `At \`${name}\`, as jobs finish, then each stays stored with its data, until Redis has no memory left for anything.`,
    detection: 'When Redis runs out of memory, or by its growth if somebody watches it.',
    fix: 'Set `removeOnComplete` and `removeOnFail` in `defaultJobOptions`.',
    anchor: name,
    fixes: fixesFor(site, id),
  });
}

const known = new WeakMap<Model, boolean>();

/** Some file that has to do with queues removes jobs: by options of a worker, of an `add`, or by hand. */
function setElsewhere(model: Model): boolean {
  const before = known.get(model);
  if (before !== undefined) return before;
  const { project } = model;
  const found = project
    .sourceFiles()
    .some(
      (f) =>
        /queue|job|worker|process|bull|task|redis|config/i.test(f) && SETS.test(project.peekText(f) ?? ''),
    );
  known.set(model, found);
  return found;
}

function fixesFor(site: Site, id: string): FixDraft[] {
  const { node, file } = site;
  if (node.k === 'tag' || (id === 'bull' && node.args.length !== 1)) return [];
  const options = 'removeOnComplete: { count: 1000 }, removeOnFail: { count: 5000 }';
  return [
    {
      id: 'bound-retention',
      title: 'Keep the last 1000 completed and 5000 failed jobs',
      kind: 'safe',
      edits: () => {
        const arg = node.args[1];
        if (!arg)
          return [
            {
              file: file.path,
              edits: [addArgument(file.text, node, 1, `{ defaultJobOptions: { ${options} } }`)],
            },
          ];
        const obj = uncast(arg);
        if (obj.k !== 'obj') return null;
        const own = obj.props.find((p) => p.key === 'defaultJobOptions');
        if (!own)
          return [
            { file: file.path, edits: [addProperty(file.text, obj, `defaultJobOptions: { ${options} }`)] },
          ];
        const inner = uncast(own.value);
        return inner.k === 'obj'
          ? [{ file: file.path, edits: [addProperty(file.text, inner, options)] }]
          : null;
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A queue that never forgets',
    bad: `import { Queue } from 'bullmq';
export const mails = new Queue('mails', { connection: { host: 'redis' } });
`,
    good: `import { Queue } from 'bullmq';
export const mails = new Queue('mails', {
  connection: { host: 'redis' },
  defaultJobOptions: { removeOnComplete: { count: 1000 }, removeOnFail: { count: 5000 } },
});
`,
    fixed: `import { Queue } from 'bullmq';
export const mails = new Queue('mails', { connection: { host: 'redis' }, defaultJobOptions: { removeOnComplete: { count: 1000 }, removeOnFail: { count: 5000 } } });
`,
  },
];
