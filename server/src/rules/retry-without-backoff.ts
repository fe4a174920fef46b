/** Repeating a failed call at once, or at a steady beat. */
import type { Expr } from '../facts/ir.ts';
import { uncast, walk } from '../facts/walk.ts';
import { indentAt, indentUnit, lineEnd, usesSemicolons } from '../fixes/edits.ts';
import { numberOf } from '../model/options.ts';
import { detectionWhenThrown } from './_kit/detection.ts';
import { retriesOf, type Retry } from './_kit/retries.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { duration, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'retry-without-backoff',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'network',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A call that failed is made again at once, or always after the same pause: by a loop, by a function that calls itself from its handler, or by a helper that is set up so.',
    why: 'When the other side slows down, every instance repeats at the same beat, so its load multiplies just when it can bear least and it cannot come back. A retry without a pause also uses up its attempts within the same short fault that it was meant to outlast.',
    remedy: 'Let the delay grow with each attempt and put randomness into it, or take it from `Retry-After`.',
    whenNot:
      'The repeated call is local and cheap, or the failure is one that a second try ends for certain (a lost optimistic update).',
  },
  incidents: ['retry-storm', 'thundering-herd'],
  fixKind: 'previewed',
  detect(ctx) {
    for (const retry of retriesOf(ctx.model, ctx.file)) check(ctx, retry);
  },
});

function check(ctx: RuleContext, retry: Retry): void {
  const { delay, calls } = retry;
  if (delay.kind !== 'none' && delay.kind !== 'constant') return;
  if (retry.attempts !== 'unknown' && retry.attempts !== null && retry.attempts < 2) return;
  // An endless worker that pauses polls; only one that never pauses spins when its source is down.
  if (retry.kind === 'loop' && delay.kind === 'constant' && retry.attempts === null) return;
  if (retry.kind !== 'helper' && isConflictRetry(retry)) return;
  if (retry.kind === 'helper' && calls.length > 0 && calls.every((c) => isLocalStore(c))) return;
  const name = nameOf(ctx, retry);
  const times = typeof retry.attempts === 'number' ? ` up to ${retry.attempts} times` : '';
  const pause =
    delay.kind === 'none'
      ? 'at once'
      : delay.ms === null
        ? 'after the same pause each time'
        : `after ${duration(delay.ms)} each time`;
  const lasts = delay.kind === 'none' ? 'with no pause while the fault lasts' : 'and the pause does not grow';
  const site = calls[0] ?? ctx.sites.find((s) => s.node === retry.node);
  ctx.report({
    at: retry.at,
    message:
      retry.kind === 'helper'
        ? `While what it calls is down, \`${name}\` repeats it ${pause}${times}, ${lasts}.`
        : `While \`${name}\` fails, it is called again ${pause}${times}, ${lasts}.`,
    trigger: 'the other side fails or is overloaded',
    scenario: `At \`${name}\`, when the call fails, then it is made again ${pause}${times}, and every caller adds its repeats to the load while the other side recovers.`,
    detection: site
      ? detectionWhenThrown(ctx, site)
      : 'By whoever runs the other side: its load rises when it fails.',
    fix: 'Let the delay grow with each attempt, with randomness in it.',
    anchor: name,
    ...(isGentle(ctx, retry) ? { severity: 'low' as const } : {}),
    fixes: fixesFor(ctx, retry),
  });
}

const SECOND = 1000;

/** A pause of seconds adds little load; a loop that asks until the answer is the right one polls and is no retry. */
function isGentle(ctx: RuleContext, retry: Retry): boolean {
  if (retry.delay.kind !== 'constant') return false;
  const ms = retry.delay.ms ?? defaultOf(ctx, retry.delay.expr);
  return (ms !== null && ms >= SECOND) || (retry.kind === 'loop' && !retry.handler);
}

/** `{ delayMs = 2500 }`: what a parameter is where nobody gives it. */
function defaultOf(ctx: RuleContext, expr: Expr | null): number | null {
  const inner = expr ? uncast(expr) : null;
  if (inner?.k !== 'id') return null;
  let found: number | null = null;
  for (const param of ctx.functions[ctx.file.facts.bindings[inner.b]?.fn ?? 0]?.params ?? [])
    walk(param.target, (n) => {
      if (n.k === 'pdef' && n.target.k === 'pid' && n.target.b === inner.b)
        found = numberOf(ctx.model.values, ctx.file, n.value);
    });
  return found;
}

function nameOf(ctx: RuleContext, retry: Retry): string {
  // A timer that runs the function again stands for the function.
  const own = retry.kind === 'recursion' ? ctx.functions[retry.fn]?.name : null;
  return own ?? short(ctx.file.text.slice(retry.at.s, retry.at.e));
}

/** A lost optimistic update is settled by trying again at once. */
function isConflictRetry(retry: Retry): boolean {
  const words = retry.handler ? retry.handlerText : retry.text;
  return (
    /P2002|P2034|23505|40001|40P01|conflict|unique|serializ|deadlock|duplicate|ER_DUP|optimistic|11000|constraint|\b409\b/i.test(
      words,
    ) &&
    (retry.kind === 'recursion' || retry.calls.every(isLocalStore) || /\bthrow\b/.test(words))
  );
}

function isLocalStore(site: Retry['calls'][number]): boolean {
  return site.effect?.kind === 'db' || site.effect?.kind === 'cache';
}

function fixesFor(ctx: RuleContext, retry: Retry): FixDraft[] {
  const { counter, handler, delay } = retry;
  if (retry.kind !== 'loop' || !counter) return [];
  const { file } = ctx;
  const exponent = counter.start === 0 ? counter.name : `(${counter.name} - ${counter.start})`;
  const wait = (base: string): string => `Math.random() * Math.min(30_000, ${base} * 2 ** ${exponent})`;
  if (delay.kind === 'constant' && delay.expr) {
    const expr = delay.expr;
    const text = file.text.slice(expr.s, expr.e);
    return [
      {
        id: 'grow-delay',
        title: 'Let the delay grow, with jitter',
        kind: 'previewed',
        edits: () => [
          {
            file: file.path,
            edits: [
              { start: expr.s, end: expr.e, newText: wait(/^[\w.]+$/.test(text) ? text : `(${text})`) },
            ],
          },
        ],
      },
    ];
  }
  if (!handler || delay.kind !== 'none' || delay.expr) return [];
  return [
    {
      id: 'add-backoff',
      title: 'Wait longer before each attempt, with jitter',
      kind: 'previewed',
      edits: () => {
        const fact = file.facts.functions[retry.fn];
        if (!fact?.async) return null;
        const nl = lineEnd(file.text);
        const line = `await new Promise(resolve => setTimeout(resolve, ${wait('500')}))${usesSemicolons(file.text) ? ';' : ''}`;
        const last = handler.body.at(-1);
        const jump = last?.k === 'continue' ? last : null;
        if (jump) {
          const indent = indentAt(file.text, jump.s);
          return [
            { file: file.path, edits: [{ start: jump.s, end: jump.s, newText: `${line}${nl}${indent}` }] },
          ];
        }
        if (last) {
          const indent = indentAt(file.text, last.s);
          return [
            { file: file.path, edits: [{ start: last.e, end: last.e, newText: `${nl}${indent}${line}` }] },
          ];
        }
        const outer = indentAt(file.text, handler.e - 1);
        const inner = file.text.slice(handler.s + 1, handler.e - 1).trimEnd();
        const body = `${inner}${nl}${outer}${indentUnit(file.text)}${line}${nl}${outer}`;
        return [{ file: file.path, edits: [{ start: handler.s + 1, end: handler.e - 1, newText: body }] }];
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Three tries in a row',
    bad: `export async function stock(sku: string) {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await fetch(\`https://stock.example.com/\${sku}\`);
    } catch (error) {
      if (attempt === 2) throw error;
    }
  }
}
`,
    good: `export async function stock(sku: string) {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await fetch(\`https://stock.example.com/\${sku}\`);
    } catch (error) {
      if (attempt === 2) throw error;
      await new Promise(resolve => setTimeout(resolve, Math.random() * 500 * 2 ** attempt));
    }
  }
}
`,
    fixed: `export async function stock(sku: string) {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await fetch(\`https://stock.example.com/\${sku}\`);
    } catch (error) {
      if (attempt === 2) throw error;
      await new Promise(resolve => setTimeout(resolve, Math.random() * Math.min(30_000, 500 * 2 ** attempt)));
    }
  }
}
`,
  },
];
