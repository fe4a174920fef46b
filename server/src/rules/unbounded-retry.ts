/** Repeating a failed call without end. */
import { some, uncast } from '../facts/walk.ts';
import { addProperty } from '../fixes/edits.ts';
import { detectionWhenHeld } from './_kit/detection.ts';
import { retriesOf, type Retry } from './_kit/retries.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { short } from './_kit/text.ts';

const ATTEMPTS = 5;

export const rule = defineRule({
  id: 'unbounded-retry',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'backpressure',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A failed call is repeated with no cap on the attempts, no deadline and no signal that ends it.',
    why: 'While the other side stays down, every caller that came in since then is still repeating. Their requests, memory and connections pile up, nobody gets an error, and the load that waits for the recovery grows with the outage.',
    remedy: 'Cap the attempts or the total time, and let the last error out.',
    whenNot: 'A background connection that the process cannot do without, repeated with growing pauses.',
  },
  incidents: ['retry-storm', 'resource-exhaustion'],
  fixKind: 'previewed',
  detect(ctx) {
    for (const retry of retriesOf(ctx.model, ctx.file)) check(ctx, retry);
  },
});

/** Making a connection or waiting for one is what a process does until it can work at all. */
const STANDING =
  /connect|subscri|listen|ready|health|alive|ping|watch|poll|consume|heartbeat|^run$|^start$|^init|worker|loop|stream/i;

function check(ctx: RuleContext, retry: Retry): void {
  if (retry.attempts !== null) return;
  if (retry.kind === 'loop' && isEndedOtherwise(retry)) return;
  if (retry.calls.some((c) => c.effect?.kind === 'connection' || c.effect?.op === 'consume')) return;
  const fact = ctx.functions[retry.fn];
  const name = short(ctx.file.text.slice(retry.at.s, retry.at.e));
  if (STANDING.test(name) || STANDING.test(fact?.name ?? '')) return;
  const site = retry.calls[0];
  ctx.report({
    at: retry.at,
    message:
      retry.kind === 'helper'
        ? `While what it calls is down, \`${name}\` repeats it without end: no attempt is the last.`
        : `While \`${name}\` fails, it is called again without end: no attempt is the last.`,
    trigger: 'the other side stays down',
    scenario: `At \`${name}\`, when the failure lasts, then each caller goes on repeating and none of them gets an error.`,
    detection: site ? detectionWhenHeld(ctx, site) : 'When callers complain: no error is raised.',
    fix: 'Cap the attempts or the total time, and throw the last error.',
    anchor: name,
    fixes: fixesFor(retry),
  });
}

/** A cap, a deadline or a way to stop that the loop looks at itself. */
function isEndedOtherwise(retry: Retry): boolean {
  if (retry.handler && some(retry.handler, (n) => n.k === 'ret' || n.k === 'throw' || n.k === 'break'))
    return true;
  return /Date\.now|deadline|aborted|signal|max[A-Z_]|attempt|retries|tries|elapsed|timeout|stopp|closed|running|shutdown|isActive/i.test(
    retry.text,
  );
}

function fixesFor(retry: Retry): FixDraft[] {
  const at = retry.spec?.attemptsOption?.[0];
  const { options } = retry;
  if (!at || !options || at.arg === 'last' || at.path === '' || at.path.includes('.')) return [];
  const property = `${at.path}: ${at.counts === 'retries' ? ATTEMPTS - 1 : ATTEMPTS}`;
  const arg = options.call.args[at.arg];
  const obj = arg ? uncast(arg) : null;
  if (obj?.k !== 'obj' || obj.props.some((p) => p.key === at.path)) return [];
  return [
    {
      id: 'cap-attempts',
      title: `Cap the attempts at ${ATTEMPTS}`,
      kind: 'previewed',
      edits: () => [{ file: options.file.path, edits: [addProperty(options.file.text, obj, property)] }],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A policy whose default is to go on for ever',
    bad: `import { retry, handleAll, ExponentialBackoff } from 'cockatiel';
const policy = retry(handleAll, { backoff: new ExponentialBackoff() });
export const rates = () => policy.execute(() => fetch('https://rates.example.com'));
`,
    good: `import { retry, handleAll, ExponentialBackoff } from 'cockatiel';
const policy = retry(handleAll, { backoff: new ExponentialBackoff(), maxAttempts: 4 });
export const rates = () => policy.execute(() => fetch('https://rates.example.com'));
`,
    fixed: `import { retry, handleAll, ExponentialBackoff } from 'cockatiel';
const policy = retry(handleAll, { backoff: new ExponentialBackoff(), maxAttempts: 4 });
export const rates = () => policy.execute(() => fetch('https://rates.example.com'));
`,
  },
];
