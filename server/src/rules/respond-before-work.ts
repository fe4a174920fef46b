/** Work of a request that is done after its answer, where its failure reaches nobody. */
import type { AnyNode } from '../facts/walk.ts';
import { some, uncast } from '../facts/walk.ts';
import { exclusive, mayFollow } from '../model/paths.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isHintName, isTidyName } from './_kit/consequence.ts';
import { lastName, letsFailureOut } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { changeOf } from './_kit/work.ts';

export const rule = defineRule({
  id: 'respond-before-work',
  lens: 'partial-failure',
  axis: 'silent-failure',
  faultClass: 'gray-failure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A request handler answers with success and then goes on to change something, with no handler around that work.',
    why: 'The caller has been told that it worked. When the work then fails the answer cannot be taken back; when the process ends in between (a deploy, a crash) the work is not even begun. Serverless hosts stop the function at the answer.',
    remedy: 'Answer after the work, or hand it to a queue before the answer.',
    whenNot:
      'Work whose loss is meant: it has a handler of its own that reports it, or it is handed to `waitUntil`.',
  },
  incidents: ['silent-failure', 'lost-work'],
  fixKind: 'none',
  detect(ctx) {
    for (const { unit, file, fn } of ctx.units)
      if (file === ctx.file && unit.kind === 'http') check(ctx, file, fn);
  },
});

function check(ctx: RuleContext, file: SourceFile, fn: number): void {
  const { model } = ctx;
  const sites = model.sites.of(file, fn);
  for (const answer of sites) {
    if (answer.effect?.kind !== 'respond' || !isSuccess(file, answer)) continue;
    const work = sites.find((w) => isLeftToLuck(ctx, file, answer, w));
    if (!work) continue;
    const name = calleeName(answer);
    const what = calleeName(work);
    ctx.report({
      at: answer.node.k === 'tag' ? answer.node.tag : answer.node.callee,
      message: `The caller is told that it worked before \`${what}\` has run: when that fails or the process ends, nobody hears of it.`,
      trigger: `\`${what}\` fails, or the process ends, after the answer`,
      scenario: `At \`${name}\`, when \`${what}\` does not succeed after the answer, then the caller goes on as if it had.`,
      detection: 'When a user complains or the data is compared: the request counts as a success.',
      fix: `Answer after \`${what}\`, or hand it to a queue before the answer.`,
      anchor: name,
    });
    return;
  }
}

/** The answer is not one of an error, and ends the request: a header or the first piece of a stream does not. */
function isSuccess(file: SourceFile, site: Site): boolean {
  if (site.node.k !== 'call' || file.index.parent(site.top)?.k === 'ret') return false;
  const text = file.text.slice(site.node.s, site.node.e);
  const status = /(?:status|sendStatus|code)\(\s*(\d{3})/.exec(text)?.[1];
  if (status) return Number(status) < 400;
  return !/\bstatus(?:Code)?\(|error/i.test(text);
}

function isLeftToLuck(ctx: RuleContext, file: SourceFile, answer: Site, work: Site): boolean {
  if (work.node.s < answer.top.e || work.effect?.kind === 'respond' || work.effect?.op === 'release')
    return false;
  if (exclusive(file, answer.node, work.node) || !mayFollow(file, answer.node, work.node)) return false;
  // In a loop the order says little: what follows may belong to the next round.
  if (inLoop(file, answer.node)) return false;
  const change = changeOf(ctx.model, work);
  if (!change || change.confidence !== 'shown' || change.kind === 'file') return false;
  // Handing work on is the remedy.
  if (change.kind === 'queue') return false;
  const name = lastName(work.node.k === 'tag' ? work.node.tag : work.node.callee);
  if (
    isHintName(name) ||
    isTidyName(name) ||
    /audit|log|track|metric|notify|analytics|usage|last_?(?:seen|used|login)|touch/i.test(name ?? '')
  )
    return false;
  if (isObserved(ctx, file, work)) return false;
  // A branch that answers with an error and then tidies up has its own reasons.
  return !inHandlerOf(file, work.node, answer.node);
}

function inLoop(file: SourceFile, node: AnyNode): boolean {
  for (const at of file.index.ancestors(node))
    if (at.k === 'for' || at.k === 'forof' || at.k === 'forin' || at.k === 'while' || at.k === 'do')
      return true;
  return false;
}

/** Its failure goes somewhere: a handler around or behind it, or the function that it calls keeps it. */
function isObserved(ctx: RuleContext, file: SourceFile, work: Site): boolean {
  if (work.chain.some((c) => c.name === 'catch')) return true;
  for (
    let child: AnyNode = work.node, at = file.index.parent(work.node);
    at;
    child = at, at = file.index.parent(at)
  )
    if (at.k === 'try' && at.handler && child === at.block) return true;
  const { target } = work;
  if (target.k === 'fn' && !letsFailureOut(ctx.model, target.value.file, target.value.fn)) return true;
  for (const at of file.index.ancestors(work.node))
    if (
      at.k === 'call' &&
      /waitUntil|\bafter\b|defer|background|setImmediate/i.test(file.text.slice(at.callee.s, at.callee.e))
    )
      return true;
  return false;
}

function inHandlerOf(file: SourceFile, node: AnyNode, than: AnyNode): boolean {
  for (let child = node, at = file.index.parent(node); at; child = at, at = file.index.parent(at)) {
    if (at.k === 'try' && child !== at.block && !(than.s >= child.s && than.e <= child.e)) return true;
    // `if (res.headersSent)` and the like look at what has been answered.
    if (
      at.k === 'if' &&
      some(
        at.test,
        (n) => n.k === 'mem' && /headersSent|writableEnded/.test(uncast(n).k === 'mem' ? n.prop : ''),
      )
    )
      return true;
  }
  return false;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A sign-up whose account was never made',
    bad: `import express from 'express';
import { Pool } from 'pg';
const pool = new Pool();
const app = express();
app.post('/accounts', async (req, res) => {
  res.status(201).json({ created: true });
  await pool.query('INSERT INTO accounts (email) VALUES ($1)', [req.body.email]);
});
`,
    good: `import express from 'express';
import { Pool } from 'pg';
const pool = new Pool();
const app = express();
app.post('/accounts', async (req, res) => {
  await pool.query('INSERT INTO accounts (email) VALUES ($1)', [req.body.email]);
  res.status(201).json({ created: true });
});
`,
  },
];
