/** Tidying up that puts its own result or error in the place of the first one. */
import type { Block, Stmt, Try } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { canFail } from '../model/paths.ts';
import type { Site } from '../model/sites.ts';
import { isLogCall } from './_kit/detection.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'cleanup-masks-error',
  lens: 'partial-failure',
  axis: 'operational-visibility',
  faultClass: 'observability',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A `return` or `throw` in a `finally` block, or a rollback in a `catch` block that can fail itself, takes the place of the error that was on its way out.',
    why: 'The first error says what went wrong; what comes out says only that tidying up failed too, or that all went well. With `return` in `finally` the caller gets a success for work that failed.',
    remedy:
      'Return after the `finally` block; catch and log what tidying up throws, then rethrow the first error.',
    whenNot:
      'The `finally` block throws only what it has found to be worse than the first error, and keeps that as `cause`.',
  },
  incidents: ['swallowed-error', 'lost-error'],
  fixKind: 'previewed',
  detect(ctx) {
    for (const fn of ctx.functions)
      for (const node of ctx.file.index.tries[fn.id] ?? []) {
        if (node.final) leavesFinally(ctx, node, node.final);
        if (node.handler) undoes(ctx, node, node.handler, fn.id);
      }
  },
});

// ---- finally

function leavesFinally(ctx: RuleContext, node: Try, final: Block): void {
  if (!canFail(node.block)) return;
  // A handler that lets nothing out leaves nothing to be masked.
  if (node.handler && !some(node.handler, (n) => n.k === 'throw') && !canFail(node.handler)) return;
  const exit = exitIn(final);
  if (!exit) return;
  const throws = exit.k === 'throw';
  if (throws && /\bcause\b/.test(ctx.file.text.slice(exit.s, exit.e))) return;
  const word = exit.k === 'ret' ? 'return' : exit.k;
  ctx.report({
    at: { s: exit.s, e: exit.s + word.length },
    message: throws
      ? 'When the work fails, its error is lost: this throw in `finally` takes its place.'
      : 'When the work fails, nobody hears of it: leaving `finally` by this drops the error and the caller goes on as after a success.',
    trigger: 'something in the `try` block throws',
    scenario: throws
      ? 'At the end of `finally`, when an error is on its way out, then the new one takes its place and the cause is gone from the log.'
      : `At \`${word}\`, when an error is on its way out, then it is dropped and the function ends normally.`,
    detection: throws
      ? 'With the wrong cause: the log names the second error.'
      : 'When a user complains or the data is compared: the error is dropped.',
    fix: throws
      ? 'Throw in `finally` only where no error is on its way, or keep that as `cause`.'
      : `Move the \`${word}\` out of \`finally\`.`,
    anchor: `finally ${word}`,
    severity: throws ? 'medium' : 'high',
  });
}

/** The first way out of a `finally` block that is not on a nested `try` or loop of its own. */
function exitIn(block: Block): Stmt | null {
  let found: Stmt | null = null;
  const visit = (node: AnyNode, inLoop: boolean): void => {
    if (found) return;
    if (node.k === 'ret' || node.k === 'throw') found = node;
    else if ((node.k === 'break' || node.k === 'continue') && !inLoop) found = node;
    else if (node.k === 'try') {
      // What is thrown inside is caught inside; a return goes out all the same.
      walk(node.block, (n) => {
        if (n.k === 'ret') found ??= n;
      });
    } else if (node.k === 'block') for (const st of node.body) visit(st, inLoop);
    else if (node.k === 'if') {
      visit(node.then, inLoop);
      if (node.else) visit(node.else, inLoop);
    } else if (node.k === 'switch') for (const c of node.cases) for (const st of c.body) visit(st, true);
    else if (
      node.k === 'for' ||
      node.k === 'forof' ||
      node.k === 'forin' ||
      node.k === 'while' ||
      node.k === 'do'
    )
      visit(node.body, true);
  };
  visit(block, false);
  return found;
}

// ---- catch

const UNDOES =
  /^(?:rollback|rollbackTransaction|abortTransaction|abort|close|disconnect|destroy|release|unlock|end)$/;

/** `catch (error) { await tx.rollback(); throw error; }`: when the rollback fails, its error goes out instead. */
function undoes(ctx: RuleContext, node: Try, handler: Block, fn: number): void {
  const { file, model } = ctx;
  if (node.param?.k !== 'pid') return;
  const error = node.param.b;
  const last = handler.body.at(-1);
  if (last?.k !== 'throw' || !some(last, (n) => n.k === 'id' && n.b === error)) return;
  for (const site of model.sites.of(file, fn)) {
    if (site.node.s < handler.s || site.node.e > handler.e || site.node.k !== 'call') continue;
    if (!isUndoing(site) || file.index.parent(site.top)?.k !== 'await') continue;
    if (!guardedBy(ctx, site, handler)) continue;
    // A log line before it keeps the first error.
    if (loggedBefore(ctx, handler, site, error)) return;
    const name = calleeName(site);
    ctx.report({
      at: site.node.callee,
      message: `When \`${name}\` fails too, the first error is lost: its own goes out instead.`,
      trigger: 'the connection is gone: the work fails, and undoing it fails as well',
      scenario: `At \`${name}\`, when the connection is what failed, then it throws and the error of the work never reaches a log.`,
      detection: 'With the wrong cause: the log names the failure of the undoing.',
      fix: `Catch and log what \`${name}\` throws, then rethrow the first error.`,
      anchor: name,
      severity: 'low',
      fixes: guardFix(ctx, site, name),
    });
    return;
  }
}

function isUndoing(site: Site): boolean {
  const { effect, node, target } = site;
  if (effect?.op === 'rollback') return true;
  if (effect && effect.op !== 'release') return false;
  if (node.k !== 'call' || node.callee.k !== 'mem') return false;
  return (
    (target.k === 'lib' || target.k === 'unresolved') &&
    /^(?:rollback|rollbackTransaction|abortTransaction)$/.test(node.callee.prop) &&
    UNDOES.test(node.callee.prop)
  );
}

/** Nothing between the call and the handler catches what it throws. */
function guardedBy(ctx: RuleContext, site: Site, handler: Block): boolean {
  for (let at = ctx.file.index.parent(site.node); at && at !== handler; at = ctx.file.index.parent(at)) {
    if (at.k === 'try' && at.handler) return false;
    if (at.k === 'call' && at.callee.k === 'mem' && at.callee.prop === 'catch') return false;
  }
  return true;
}

function loggedBefore(ctx: RuleContext, handler: Block, site: Site, error: number): boolean {
  return handler.body.some(
    (st) =>
      st.e <= site.node.s &&
      some(
        st,
        (n) =>
          n.k === 'call' &&
          (isLogCall(ctx.model, ctx.file, n) || n.args.length > 0) &&
          n.args.some((a) => some(a, (m) => m.k === 'id' && m.b === error)),
      ),
  );
}

function guardFix(ctx: RuleContext, site: Site, name: string) {
  const { file } = site;
  const st = file.index.statementOf(site.node);
  if (st?.k !== 'expr' || uncast(st.expr).k !== 'await') return [];
  const typed = /\.[cm]?tsx?$/.test(file.path) ? '(failed: unknown)' : 'failed';
  return [
    {
      id: 'guard-undo',
      title: `Log it when \`${name}\` fails, and rethrow the first error`,
      kind: 'previewed' as const,
      edits: () => [
        {
          file: file.path,
          edits: [
            {
              start: site.top.e,
              end: site.top.e,
              newText: `.catch(${typed} => console.error('${name.replace(/[^\w.]/g, '')} failed', failed))`,
            },
          ],
        },
      ],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A failed import that reports success',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export async function importRows(rows: string[]) {
  let done = 0;
  try {
    for (const row of rows) {
      await pool.query('INSERT INTO imported (body) VALUES ($1)', [row]);
      done++;
    }
  } finally {
    return done;
  }
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();
export async function importRows(rows: string[]) {
  let done = 0;
  try {
    for (const row of rows) {
      await pool.query('INSERT INTO imported (body) VALUES ($1)', [row]);
      done++;
    }
  } finally {
    console.info('imported', done);
  }
  return done;
}
`,
  },
];
