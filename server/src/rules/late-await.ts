/** Promises that are started together and awaited one after the other. */
import type { FunctionFact, Ident } from '../facts/ir.ts';
import { uncast, walk, type AnyNode } from '../facts/walk.ts';
import { DETECTION_WHEN_UNHANDLED, UNHANDLED } from './_kit/detection.ts';
import { chainOf, hasHandler, promiseOf } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'late-await',
  lens: 'partial-failure',
  axis: 'silent-failure',
  faultClass: 'observability',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'Two calls are started, then awaited in turn. While the first is awaited, nothing watches the second.',
    why: 'When the first rejects, the function leaves and nobody ever awaits the second: if it rejects too, the rejection is unhandled: it ends the process, or reaches a process-wide handler that knows nothing of the call. When the second rejects while the first is still waited for, the same happens, although the code looks as if it handled both.',
    remedy: 'Await both with `Promise.all` (or `allSettled` where both outcomes matter).',
    whenNot: 'The second promise has a rejection handler of its own.',
  },
  incidents: ['silent-failure'],
  fixKind: 'none',
  detect(ctx) {
    for (const fn of ctx.functions) if (fn.async) check(ctx, fn);
  },
});

interface Started {
  readonly binding: number;
  readonly at: number;
  readonly end: number;
  readonly name: string;
  readonly span: { readonly s: number; readonly e: number };
  readonly confidence: 'shown' | 'assumed';
}

function check(ctx: RuleContext, fn: FunctionFact): void {
  const { file, model } = ctx;
  const started: Started[] = [];
  for (const st of fn.body) {
    if (st.k !== 'var') continue;
    for (const decl of st.decls) {
      const init = decl.init ? uncast(decl.init) : null;
      if (decl.target.k !== 'pid' || init?.k !== 'call' || hasHandler(chainOf(file, init))) continue;
      const site = model.sites.at(file, init);
      const promise = site && site.top === init ? promiseOf(model, site) : null;
      if (!site || !promise || promise.lazy) continue;
      started.push({
        binding: decl.target.b,
        at: st.s,
        end: st.e,
        name: calleeName(site),
        span: init.callee,
        confidence: promise.confidence,
      });
    }
  }
  if (started.length < 2) return;
  const uses = usesOf(ctx, fn);
  // Only names whose every use is a plain `await x` in the function's own statements.
  const plain = started.map((s) => ({
    ...s,
    awaits: (uses.get(s.binding) ?? []).map((use) => ({
      use,
      awaited: file.index.parent(use)?.k === 'await',
    })),
  }));
  for (const second of plain) {
    if (second.awaits.length === 0 || !second.awaits.every((a) => a.awaited)) continue;
    const awaitedAt = Math.min(...second.awaits.map((a) => a.use.s));
    const first = plain.find(
      (f) =>
        f !== second &&
        f.awaits.some((a) => a.awaited && a.use.s > second.end && a.use.s < awaitedAt) &&
        f.awaits.every((a) => a.awaited),
    );
    if (!first) continue;
    ctx.report({
      at: second.span,
      message: `While \`${first.name}\` is awaited nothing watches \`${second.name}\`: if both fail, or this one fails first, the rejection is unhandled.`,
      trigger: `\`${first.name}\` rejects and \`${second.name}\` does too, or \`${second.name}\` rejects first`,
      scenario: `At \`${second.name}\`, when it rejects before it is awaited, then ${UNHANDLED}.`,
      detection: DETECTION_WHEN_UNHANDLED,
      fix: 'Await both with `Promise.all`.',
      anchor: second.name,
      confidence: second.confidence,
    });
  }
}

function usesOf(ctx: RuleContext, fn: FunctionFact): Map<number, Ident[]> {
  const out = new Map<number, Ident[]>();
  for (const inner of ctx.model.within(ctx.file, fn.id))
    for (const st of inner.body)
      walk(st, (n: AnyNode) => {
        if (n.k !== 'id' || n.b < 0) return;
        const list = out.get(n.b) ?? [];
        list.push(n);
        out.set(n.b, list);
      });
  return out;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'An order and its stock are written side by side',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export async function place(id: string) {
  const order = pool.query('INSERT INTO orders (id) VALUES ($1)', [id]);
  const stock = pool.query('UPDATE stock SET held = held + 1 WHERE order_id = $1', [id]);
  await order;
  await stock;
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();
export async function place(id: string) {
  const order = pool.query('INSERT INTO orders (id) VALUES ($1)', [id]);
  const stock = pool.query('UPDATE stock SET held = held + 1 WHERE order_id = $1', [id]);
  await Promise.all([order, stock]);
}
`,
  },
];
