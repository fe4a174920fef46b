/** A promise that leaves a try block before it settles. */
import type { Try } from '../facts/ir.ts';
import { uncast, walk, type AnyNode } from '../facts/walk.ts';
import { chainOf, hasHandler, promiseOf } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'await-missing-in-try',
  lens: 'partial-failure',
  axis: 'silent-failure',
  faultClass: 'network',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'An async function returns a promise from inside `try` without awaiting it, so the `catch` or `finally` beside it never sees its failure.',
    why: 'The handler that was written for this call does not run when it fails: no log, no fallback, no clean answer. A `finally` runs while the work is still going on and takes away what it needs.',
    remedy: 'Write `return await` inside `try`.',
    whenNot: 'Outside of `try`, where `await` before a return changes nothing.',
  },
  incidents: ['swallowed-error'],
  fixKind: 'safe',
  detect(ctx) {
    for (const fn of ctx.functions) {
      if (!fn.async) continue;
      for (const node of ctx.file.index.tries[fn.id] ?? []) check(ctx, node);
    }
  },
});

function check(ctx: RuleContext, node: Try): void {
  const { file } = ctx;
  walk(node.block, (n) => {
    // A try further in has handlers of its own and is looked at by itself; those of this one still hold.
    if (n.k !== 'ret' || !n.arg || !isInBlockOf(ctx, n, node)) return;
    const call = uncast(n.arg);
    if (call.k !== 'call') return;
    let root = call;
    while (
      root.callee.k === 'mem' &&
      /^(?:then|finally|catch)$/.test(root.callee.prop) &&
      uncast(root.callee.obj).k === 'call'
    )
      root = uncast(root.callee.obj) as typeof call;
    const site = ctx.model.sites.at(file, root);
    if (!site || hasHandler(chainOf(file, root))) return;
    const promise =
      promiseOf(ctx.model, site) ??
      (site.top === call ? null : promiseOf(ctx.model, ctx.model.sites.at(file, call) ?? site));
    // An answer that is put together rejects no more than a plain value does: only work counts.
    if (!promise || (promise.effect === null && promise.confidence === 'shown')) return;
    // The next attempt of the function itself has this try around its own body.
    if (
      site.target.k === 'fn' &&
      site.target.value.file === file &&
      site.target.value.fn === ctx.file.index.functionOf(root)
    )
      return;
    const name = calleeName(site);
    const part = node.handler ? 'catch' : 'finally';
    ctx.report({
      at: call.callee,
      message:
        part === 'catch'
          ? `When \`${name}\` rejects, the \`catch\` beside it does not run: the promise is returned before it settles.`
          : `\`finally\` runs before \`${name}\` is done: the promise is returned before it settles.`,
      trigger: `\`${name}\` rejects, or takes time`,
      scenario: `At \`${name}\`, when it fails, then the failure passes the ${part} by and reaches the caller untouched.`,
      detection:
        part === 'catch'
          ? 'By whoever calls this: the handler here stays silent.'
          : 'When the work finds that what it uses is gone.',
      fix: 'Await the promise inside `try`.',
      anchor: name,
      confidence: promise.confidence,
      fixes: [
        {
          id: 'await',
          title: 'Await before returning',
          kind: 'safe',
          edits: () => [{ file: file.path, edits: [{ start: call.s, end: call.s, newText: 'await ' }] }],
        },
      ],
    });
  });
}

/** The innermost try whose block holds the statement; a return in a handler leaves through no other block. */
function isInBlockOf(ctx: RuleContext, node: AnyNode, wanted: Try): boolean {
  let child: AnyNode = node;
  for (const at of ctx.file.index.ancestors(node)) {
    if (at.k === 'try') return at === wanted && child === at.block;
    child = at;
  }
  return false;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A log line that is never written',
    bad: `async function fetchRate(currency: string): Promise<number> {
  const res = await fetch(\`https://rates.example.com/\${currency}\`);
  return Number(await res.text());
}
export async function rate(currency: string) {
  try {
    return fetchRate(currency);
  } catch (error) {
    console.error('no rate for', currency, error);
    throw error;
  }
}
`,
    good: `async function fetchRate(currency: string): Promise<number> {
  const res = await fetch(\`https://rates.example.com/\${currency}\`);
  return Number(await res.text());
}
export async function rate(currency: string) {
  try {
    return await fetchRate(currency);
  } catch (error) {
    console.error('no rate for', currency, error);
    throw error;
  }
}
`,
    fixed: `async function fetchRate(currency: string): Promise<number> {
  const res = await fetch(\`https://rates.example.com/\${currency}\`);
  return Number(await res.text());
}
export async function rate(currency: string) {
  try {
    return await fetchRate(currency);
  } catch (error) {
    console.error('no rate for', currency, error);
    throw error;
  }
}
`,
  },
];
