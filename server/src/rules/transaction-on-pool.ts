/** Transaction control that each statement of which may take another connection. */
import { inherited } from '../model/packIndex.ts';
import { numberOf, readPath } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import type { Inst } from '../model/values.ts';
import { handleOption, inBatch, receiverOf, rootOfSite, type Root } from './_kit/databaseCalls.ts';
import { DETECTION_BY_COMPARISON } from './_kit/detection.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { managedScope } from './_kit/transactionScopes.ts';

export const rule = defineRule({
  id: 'transaction-on-pool',
  lens: 'partial-failure',
  axis: 'data-consistency',
  faultClass: 'recovery',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'BEGIN, COMMIT, ROLLBACK, SAVEPOINT, SET LOCAL or an advisory lock is sent through a connection pool.',
    why: 'A pool gives each statement whichever connection is free. BEGIN runs on one, the writes on others and COMMIT on a third: nothing is atomic, a connection goes back to the pool with its transaction open, and the next request that gets it works inside it.',
    remedy:
      'Check one connection out and send every statement through it, or use the transaction function of the library.',
    whenNot: 'A pool that holds exactly one connection.',
  },
  incidents: ['partial-write', 'transaction-escape'],
  fixKind: 'none',
  detect(ctx) {
    const seen: { root: Root | null; fn: number }[] = [];
    for (const site of ctx.sites) check(ctx, site, seen);
  },
});

const WORDS: Readonly<Record<string, string>> = {
  begin: 'BEGIN',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT',
  'set-local': 'SET LOCAL',
  lock: 'LOCK TABLE',
};

function check(ctx: RuleContext, site: Site, seen: { root: Root | null; fn: number }[]): void {
  const { effect } = site;
  const { sql } = effect ?? {};
  if (!effect || !sql || effect.kind !== 'db') return;
  const word = sql.advisory ? 'the advisory lock' : WORDS[sql.verb];
  if (!word) return;
  const assumed = effect.confidence === 'assumed';
  if (assumed ? !namedPool(site) : !isPooled(ctx, receiverOf(site))) return;
  const option = handleOption(ctx.model, site);
  if (option === 'given' || option === 'unknown' || inBatch(site)) return;
  if (managedScope(ctx.model, site.file, site.node, site.fn) && sql.verb !== 'begin') return;
  const root = rootOfSite(site);
  const outer = ctx.model.outermost(site.file, site.fn);
  if (
    seen.some(
      (s) =>
        s.fn === outer &&
        (s.root?.binding ? s.root.binding === root?.binding : s.root?.field === root?.field),
    )
  )
    return;
  seen.push({ root, fn: outer });
  const name = calleeName(site);
  ctx.report({
    at: (site.node.k === 'tag' ? site.node.tag : site.node.callee) as { s: number; e: number },
    message: `${word === 'the advisory lock' ? 'The advisory lock' : word} goes to whichever connection of the pool is free, and the statements after it to others: nothing holds them together.`,
    trigger: 'two requests use the pool at the same time',
    scenario: `At \`${name}\`, when another request takes a connection in between, then ${sql.advisory ? 'the lock sits on a connection that somebody else now uses, and the unlock does not find it' : 'the writes run outside the transaction and another request runs inside it'}.`,
    detection: DETECTION_BY_COMPARISON,
    fix: 'Check out one connection and send every statement of the transaction through it.',
    anchor: name,
    ...(assumed ? { confidence: 'assumed' as const, severity: 'high' as const } : {}),
  });
}

/** Libraries whose client spreads statements over a pool. */
const POOLED_CLIENTS = new Set(['prisma', 'sequelize', 'typeorm', 'knex', 'drizzle', 'postgresJs']);

function isPooled(ctx: RuleContext, recv: Inst | null): boolean {
  if (!recv) return false;
  const role = inherited(recv.pack, recv.type, 'role');
  if (role !== 'pool' && !(role === 'client' && POOLED_CLIENTS.has(recv.pack.id))) return false;
  // A pool with a single connection is a connection.
  const origin = recv.origin;
  for (const arg of origin?.call.args ?? [])
    for (const key of ['max', 'connectionLimit', 'pool.max', 'poolSize', 'max_connections']) {
      const read = origin ? readPath(ctx.model.values, origin.file, arg, key.split('.')) : null;
      if (read?.k === 'value' && numberOf(ctx.model.values, read.file, read.expr) === 1) return false;
    }
  return recv.type !== 'EntityManager';
}

/** Nothing tells what it is but its name and the SQL it is given. */
function namedPool(site: Site): boolean {
  if (site.node.k !== 'call' || site.node.callee.k !== 'mem') return false;
  const { obj } = site.node.callee;
  const name = obj.k === 'id' ? obj.name : obj.k === 'mem' ? obj.prop : '';
  return /^(?:\w+[pP]|p|_p)ool$/.test(name) && !/car|whirl|tad|swim/i.test(name);
}

export const examples: readonly RuleExample[] = [
  {
    title: 'BEGIN through the pool',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export async function move(from: string, to: string) {
  await pool.query('BEGIN');
  await pool.query('UPDATE accounts SET total = total - 1 WHERE id = $1', [from]);
  await pool.query('UPDATE accounts SET total = total + 1 WHERE id = $1', [to]);
  await pool.query('COMMIT');
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();
export async function move(from: string, to: string) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('UPDATE accounts SET total = total - 1 WHERE id = $1', [from]);
    await client.query('UPDATE accounts SET total = total + 1 WHERE id = $1', [to]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
`,
  },
];
