/** Delays that grow alike on every instance. */
import { addProperty, addArgument } from '../fixes/edits.ts';
import { uncast } from '../facts/walk.ts';
import { placeOfPath } from '../model/place.ts';
import type { Site } from '../model/sites.ts';
import { detectionWhenThrown } from './_kit/detection.ts';
import { retriesOf, type Retry } from './_kit/retries.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'retry-without-jitter',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'network',
  severity: 'low',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'The pause before a repeated call grows with each attempt but is the same for everyone: nothing in it is random.',
    why: 'A fault hits all instances and requests at the same moment. Without randomness they all come back together, in waves that are as high as the first one, and each wave can bring the other side down again.',
    remedy: "Multiply the delay by a random factor (`Math.random()`), or switch the helper's own jitter on.",
    whenNot: 'One process makes the calls, and one at a time.',
  },
  incidents: ['thundering-herd', 'retry-storm'],
  fixKind: 'safe',
  detect(ctx) {
    if (placeOfPath(ctx.file.path) === 'script') return;
    for (const retry of retriesOf(ctx.model, ctx.file)) check(ctx, retry);
  },
});

function check(ctx: RuleContext, retry: Retry): void {
  const { delay } = retry;
  if (delay.kind !== 'growing' || delay.jitter) return;
  if (retry.attempts !== 'unknown' && retry.attempts !== null && retry.attempts < 3) return;
  // Only a service that others call too can be brought down by a wave.
  if (!retry.calls.some((c) => reachesService(ctx, c))) return;
  const name = short(ctx.file.text.slice(retry.at.s, retry.at.e));
  const site = retry.calls[0];
  const at = delay.expr ?? retry.at;
  ctx.report({
    at: { s: at.s, e: at.e },
    message: `After a fault that hits many at once, all of them repeat \`${name}\` at the same moments: the delay grows without randomness.`,
    trigger: 'a fault hits many requests or instances at the same time',
    scenario: `At \`${name}\`, when the other side fails for all callers at once, then their retries come back in waves of the same height.`,
    detection: site ? detectionWhenThrown(ctx, site) : 'By whoever runs the other side: load comes in waves.',
    fix: 'Put randomness into the delay.',
    anchor: name,
    fixes: fixesFor(ctx, retry),
  });
}

function reachesService(ctx: RuleContext, site: Site): boolean {
  const kind = site.effect?.kind;
  if (kind) return kind === 'http' || kind === 'sdk' || kind === 'rpc' || kind === 'mail' || kind === 'queue';
  return (
    site.target.k === 'fn' &&
    ctx.model
      .reach(site.target.value.file, site.target.value.fn)
      .some(
        (r) =>
          r.site.effect?.network &&
          r.site.effect.kind !== 'db' &&
          r.site.effect.kind !== 'cache' &&
          r.site.effect.kind !== 'connection',
      )
  );
}

function fixesFor(ctx: RuleContext, retry: Retry): FixDraft[] {
  const { file } = ctx;
  const { delay, options, spec } = retry;
  if (retry.kind !== 'helper') {
    const { expr } = delay;
    if (!expr) return [];
    const text = file.text.slice(expr.s, expr.e);
    const simple = expr.k === 'id' || expr.k === 'call' || expr.k === 'mem';
    return [
      {
        id: 'add-jitter',
        title: 'Add jitter to the delay',
        kind: 'safe',
        edits: () => [
          {
            file: file.path,
            edits: [
              {
                start: expr.s,
                end: expr.e,
                newText: `${simple ? text : `(${text})`} * (0.5 + Math.random() / 2)`,
              },
            ],
          },
        ],
      },
    ];
  }
  const at = spec?.backoffOption?.[0];
  if (!at || !options || at.arg === 'last') return [];
  const property =
    at.path === 'randomize' ? 'randomize: true' : at.path === 'jitter' ? "jitter: 'full'" : null;
  if (!property) return [];
  const { call } = options;
  const index = at.arg;
  return [
    {
      id: 'switch-jitter-on',
      title: `Set \`${property}\``,
      kind: 'safe',
      edits: () => {
        const arg = call.args[index];
        if (!arg)
          return call.args.some((a) => a.k === 'spread')
            ? null
            : [
                {
                  file: options.file.path,
                  edits: [addArgument(options.file.text, call, index, `{ ${property} }`)],
                },
              ];
        const obj = uncast(arg);
        return obj.k === 'obj'
          ? [{ file: options.file.path, edits: [addProperty(options.file.text, obj, property)] }]
          : null;
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Doubling delays that all clients share',
    bad: `export async function load(url: string) {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await fetch(url);
    } catch (error) {
      if (attempt === 4) throw error;
      await new Promise(resolve => setTimeout(resolve, 200 * 2 ** attempt));
    }
  }
}
`,
    good: `export async function load(url: string) {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await fetch(url);
    } catch (error) {
      if (attempt === 4) throw error;
      await new Promise(resolve => setTimeout(resolve, Math.random() * 200 * 2 ** attempt));
    }
  }
}
`,
    fixed: `export async function load(url: string) {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await fetch(url);
    } catch (error) {
      if (attempt === 4) throw error;
      await new Promise(resolve => setTimeout(resolve, (200 * 2 ** attempt) * (0.5 + Math.random() / 2)));
    }
  }
}
`,
  },
];
