/** An error inside a transaction that does not reach the one who would roll back. */
import { some, type AnyNode } from '../facts/walk.ts';
import type { Stmt } from '../facts/ir.ts';
import { fateInHandler } from './_kit/detection.ts';
import { isDatabaseWrite, standingOf } from './_kit/databaseCalls.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { managedScope } from './_kit/transactionScopes.ts';

export const rule = defineRule({
  id: 'error-swallowed-in-transaction',
  lens: 'partial-failure',
  axis: 'data-consistency',
  faultClass: 'recovery',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'Inside a transaction callback a failed write is caught and not thrown on, so the callback ends as if nothing had happened and the rest is committed.',
    why: 'Half of the unit of work is stored. On PostgreSQL the failed statement has ended the transaction already: every later statement fails with "current transaction is aborted", far from the cause.',
    remedy:
      'Let the error leave the callback, or put the optional part into a savepoint (a nested transaction) of its own.',
    whenNot: 'A statement that may fail on purpose, inside a savepoint.',
  },
  incidents: ['partial-write', 'swallowed-error'],
  fixKind: 'none',
  detect(ctx) {
    for (const fn of ctx.functions) for (const st of ctx.file.index.tries[fn.id] ?? []) check(ctx, st, fn.id);
  },
});

function check(ctx: RuleContext, node: Stmt & { k: 'try' }, fn: number): void {
  const { handler } = node;
  const { file, model } = ctx;
  if (!handler) return;
  const scope = managedScope(model, file, node, fn);
  if (!scope) return;
  // The whole transaction is inside the try: what is caught outside has been rolled back.
  if (scope.opener.node.s >= node.s && scope.opener.node.e <= node.e) return;
  if (fateInHandler(model, file, node) === null || passesOn(node)) return;
  const write = model
    .sitesWithin(file, fn)
    .find(
      (s) =>
        isDatabaseWrite(s) &&
        s.node.s >= node.block.s &&
        s.node.e <= node.block.e &&
        standingOf(model, s) === 'inside' &&
        managedScope(model, file, s.node, s.fn)?.fn === scope.fn,
    );
  if (!write) return;
  // Something else must be committed for this to be half a unit of work.
  const others = model
    .sitesWithin(file, scope.fn)
    .some((s) => isDatabaseWrite(s) && (s.node.e <= node.s || s.node.s >= node.e));
  if (!others) return;
  const name = calleeName(write);
  ctx.report({
    at: { s: handler.s > 0 ? headOf(file.text, node) : node.s, e: handler.s },
    message: `When \`${name}\` fails, the error ends here and the rest of the transaction is committed without it.`,
    trigger: `\`${name}\` fails inside the transaction`,
    scenario: `At \`${name}\`, when it fails, then the callback goes on, and what the other statements wrote is committed alone, or refused because the database has already given the transaction up.`,
    detection:
      fateInHandler(model, file, node) === 'logged'
        ? 'When somebody reads the log: the error is logged and goes no further.'
        : 'When the data is compared: the error is swallowed.',
    fix: 'Throw the error on, or give the optional part a savepoint of its own.',
    anchor: name,
  });
}

/** Where `catch` begins. */
function headOf(text: string, node: Stmt & { k: 'try' }): number {
  const from = node.block.e;
  const at = text.slice(from, node.handler?.s ?? from).indexOf('catch');
  return at < 0 ? from : from + at;
}

/** The handler rolls back itself, or hands the failure out as a value. */
function passesOn(node: Stmt & { k: 'try' }): boolean {
  const { handler } = node;
  if (!handler) return true;
  return some(handler, (n: AnyNode) => {
    if (n.k === 'throw') return true;
    if (
      n.k === 'call' &&
      n.callee.k === 'mem' &&
      /^(?:rollback|abortTransaction|rollbackTransaction|reject)$/.test(n.callee.prop)
    )
      return true;
    return (
      n.k === 'ret' &&
      n.arg !== null &&
      n.arg.k === 'call' &&
      /reject|err|fail/i.test(
        n.arg.callee.k === 'mem' ? n.arg.callee.prop : n.arg.callee.k === 'id' ? n.arg.callee.name : '',
      )
    );
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A caught write in the callback',
    bad: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function pay(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: { status: 'paid' } });
    try {
      await tx.ledger.create({ data: { orderId: id } });
    } catch (error) {
      console.error(error);
    }
  });
}
`,
    good: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function pay(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: { status: 'paid' } });
    await tx.ledger.create({ data: { orderId: id } });
  });
}
`,
  },
];
