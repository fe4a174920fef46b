/** An answer whose body nobody reads. */
import type { Ident, Stmt } from '../facts/ir.ts';
import { some } from '../facts/walk.ts';
import { exits } from '../model/frames.ts';
import { insertBefore, indentAt, usesSemicolons } from '../fixes/edits.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { memberOn, nameOf, settled, taken, takenBy, usesOf } from './_kit/uses.ts';

export const rule = defineRule({
  id: 'unread-response-body',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'low',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'The body of an answer of `fetch` or undici is neither read nor cancelled, on any path or on the one for bad statuses.',
    why: 'The connection stays taken until the garbage collector finds the answer. While the other side fails, each failed call takes another one: sockets pile up, and on a pool with a limit the next calls wait.',
    remedy: 'Read the body, or cancel it: `await res.body?.cancel()` (`body.dump()` in undici).',
    whenNot: 'Answers that have no body: HEAD, 204, 304.',
  },
  incidents: ['connection-leak'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) check(ctx, site);
  },
});

const READS = /^(?:json|text|arrayBuffer|blob|formData|bytes|body|clone|dump|buffer)$/;

function check(ctx: RuleContext, site: Site): void {
  const { effect, node, file, target } = site;
  if (effect?.kind !== 'http' || effect.pack?.id !== 'fetch' || target.k !== 'lib' || node.k !== 'call')
    return;
  if (effect.method === 'HEAD' || effect.method === 'OPTIONS' || effect.method === null) return;
  if (file.index.parent(site.top)?.k !== 'await' || site.chain.length > 0) return;
  const undici = target.name === 'request';
  if (!undici && target.name !== 'fetch' && target.name !== 'default') return;
  const whole = settled(file, node);
  const holder = takenBy(file, whole);
  const name = calleeName(site);
  if (!holder) {
    // `await fetch(url);` as a statement of its own.
    if (file.index.parent(whole)?.k === 'expr') report(ctx, site, name, undici, 'all', []);
    return;
  }
  if (undici && holder.target.k === 'pobj') {
    const body = taken(holder.target, 'body');
    if (body === undefined && !holder.target.rest) report(ctx, site, name, undici, 'all', []);
    return;
  }
  const binding = nameOf(holder.target);
  if (binding < 0) return;
  const uses = usesOf(file, binding);
  if (uses.length === 0 || uses.some((u) => memberOn(file, u) === null)) return;
  const reads = uses.filter((u) => READS.test(memberOn(file, u) ?? ''));
  if (reads.length === 0) {
    report(ctx, site, name, undici, 'all', []);
    return;
  }
  const branch = unreadBranch(file, uses, reads);
  if (branch)
    report(
      ctx,
      site,
      name,
      undici,
      'errors',
      cancelFix(file, branch, file.facts.bindings[binding]?.name ?? 'res', undici),
    );
}

/** `if (!res.ok) throw …` before the first read, with no read of its own. */
function unreadBranch(file: SourceFile, uses: readonly Ident[], reads: readonly Ident[]) {
  const first = Math.min(...reads.map((r) => r.s));
  for (const use of uses) {
    if (!/^(?:ok|status|statusCode)$/.test(memberOn(file, use) ?? '') || use.s > first) continue;
    for (const at of file.index.ancestors(use)) {
      if (at.k !== 'if' || use.s < at.test.s || use.e > at.test.e) continue;
      const body = at.then.k === 'block' ? at.then.body : [at.then];
      if (!exits(body) || reads.some((r) => r.s >= at.then.s && r.e <= at.then.e)) return null;
      // The check of one status that has no body.
      if (/\b(?:204|304)\b/.test(file.text.slice(at.test.s, at.test.e))) return null;
      // The answer goes out whole.
      if (some(at.then, (n) => n.k === 'id' && n.b === use.b && memberOn(file, n) === null)) return null;
      return at.then;
    }
  }
  return null;
}

function report(
  ctx: RuleContext,
  site: Site,
  name: string,
  undici: boolean,
  which: 'all' | 'errors',
  fixes: readonly FixDraft[],
): void {
  ctx.report({
    at: site.node.k === 'tag' ? site.node.tag : site.node.callee,
    message: `${which === 'all' ? 'Each answer' : 'Each answer with a bad status'} keeps its connection until it is collected: nothing reads or cancels its body.`,
    trigger: which === 'all' ? 'many calls in a short time' : 'the other side answers with errors',
    scenario: `At \`${name}\`, when ${which === 'all' ? 'it is called often' : 'the other side fails'}, then each call leaves a connection taken and opens another.`,
    detection: 'By the number of open sockets: each call by itself succeeds or fails as it ought to.',
    fix: undici ? 'Read the body, or call `body.dump()`.' : 'Read the body, or call `body?.cancel()` on it.',
    anchor: name,
    severity: undici ? 'medium' : 'low',
    fixes,
  });
}

function cancelFix(file: SourceFile, branch: Stmt, res: string, undici: boolean): FixDraft[] {
  return [
    {
      id: 'cancel-body',
      title: 'Let the body go',
      kind: 'safe',
      edits: () => {
        const first = branch.k === 'block' ? branch.body[0] : undefined;
        const call = undici ? `await ${res}.body.dump()` : `await ${res}.body?.cancel()`;
        const line = `${call}${usesSemicolons(file.text) ? ';' : ''}`;
        if (first) return [{ file: file.path, edits: [insertBefore(file.text, first, [line])] }];
        if (branch.k === 'block') return null;
        const indent = indentAt(file.text, branch.s);
        const text = file.text.slice(branch.s, branch.e);
        return [
          {
            file: file.path,
            edits: [
              {
                start: branch.s,
                end: branch.e,
                newText: `{\n${indent}  ${line}\n${indent}  ${text}\n${indent}}`,
              },
            ],
          },
        ];
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A failing service that takes all sockets',
    bad: `export async function rates() {
  const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(5_000) });
  if (!res.ok) {
    throw new Error('rates answered ' + res.status);
  }
  return res.json();
}
`,
    good: `export async function rates() {
  const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(5_000) });
  if (!res.ok) {
    throw new Error('rates answered ' + res.status + ': ' + (await res.text()));
  }
  return res.json();
}
`,
    fixed: `export async function rates() {
  const res = await fetch('https://rates.example.com', { signal: AbortSignal.timeout(5_000) });
  if (!res.ok) {
    await res.body?.cancel();
    throw new Error('rates answered ' + res.status);
  }
  return res.json();
}
`,
  },
];
