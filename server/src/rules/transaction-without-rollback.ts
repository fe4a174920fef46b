/** A transaction begun by hand that some way out neither commits nor rolls back. */
import { some, type AnyNode } from '../facts/walk.ts';
import { releasedOnAllExits } from '../model/paths.ts';
import type { Site } from '../model/sites.ts';
import { rootOfSite, sameRoot } from './_kit/databaseCalls.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { opens } from './_kit/transactionScopes.ts';

export const rule = defineRule({
  id: 'transaction-without-rollback',
  lens: 'partial-failure',
  axis: 'data-consistency',
  faultClass: 'recovery',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A transaction is begun by hand and some way out of the function (an error, an early return) neither commits it nor rolls it back.',
    why: 'The transaction stays open on its connection: its row locks block everybody else, and where the connection goes back to the pool the next request continues the half-done transaction.',
    remedy:
      'Roll back in `catch` and give the connection back in `finally`, or use the callback form of the library, which does both.',
    whenNot: 'The transaction is handed to somebody who ends it.',
  },
  incidents: ['long-transaction', 'partial-write'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) if (opens(site) && site.target.k === 'lib') check(ctx, site);
  },
});

function check(ctx: RuleContext, site: Site): void {
  const { file } = site;
  const handle = handleOf(site);
  if (!handle) return;
  const binding = file.facts.bindings[handle];
  // A handle that came from outside is ended by whoever began it, or by a sibling function.
  if (!binding || (binding.decl?.k === 'param' && !endsHere(ctx, site, handle))) return;
  if (binding.fn !== site.fn || givenAway(ctx, site, handle)) return;
  const statement = file.index.statementOf(site.node);
  if (!statement) return;
  const ends = (node: AnyNode): boolean => isEnding(ctx, site, node, handle);
  const rollbacks = ctx.model
    .sitesWithin(file, site.fn)
    .filter((s) => endsWith(s, handle, 'rollback') || endsByCall(s, handle, /^(?:rollback|abort)/i));
  const commits = ctx.model
    .sitesWithin(file, site.fn)
    .filter((s) => endsWith(s, handle, 'commit') || endsByCall(s, handle, /^commit/i));
  if (commits.length === 0 && rollbacks.length === 0) return;
  if (releasedEitherWay(ctx, site, handle)) return;
  let child: AnyNode = statement;
  for (const at of file.index.ancestors(statement)) {
    // Begun inside the try whose handler rolls back.
    if (
      at.k === 'try' &&
      child === at.block &&
      ((at.handler && some(at.handler, ends)) || (at.final && some(at.final, ends)))
    )
      return;
    child = at;
  }
  const result = releasedOnAllExits(file, statement, site.fn, ends, (node) =>
    some(node, (n) => n.k === 'await' || n.k === 'throw'),
  );
  if (result.ok) return;
  const name = calleeName(site);
  const never = rollbacks.length === 0;
  ctx.report({
    at: (site.node.k === 'tag' ? site.node.tag : site.node.callee) as { s: number; e: number },
    message: never
      ? `When a statement after \`${name}\` fails, nothing rolls back: the transaction stays open with its locks.`
      : `Some way out after \`${name}\` neither commits nor rolls back: the transaction stays open with its locks.`,
    trigger: 'a statement inside the transaction fails',
    scenario: `At \`${name}\`, when a later statement fails${result.leak === statement ? '' : ` (line ${file.lines.positionAt(result.leak.s).line})`}, then the transaction stays open, its locks block others, and the next user of the connection continues it.`,
    detection: 'When other requests time out on the locks: the open transaction raises no error.',
    fix: 'Roll back in `catch`, or use the callback form of the library.',
    anchor: name,
  });
}

/** The name that the transaction or its connection is kept in. */
function handleOf(site: Site): number | null {
  const { file } = site;
  if (site.effect?.op === 'begin') {
    const root = rootOfSite(site);
    const role =
      site.target.k === 'lib' ? site.target.recv?.pack.types[site.target.recv.type]?.role : undefined;
    // BEGIN through a pool is another matter.
    return root?.binding && role !== 'pool' && role !== 'client' ? root.index : null;
  }
  for (let at = file.index.parent(site.top); at; at = file.index.parent(at)) {
    if (at.k === 'await' || at.k === 'as') continue;
    if (at.k !== 'var') return null;
    const target = at.decls.find((d) => d.init && d.init.s <= site.node.s && site.node.e <= d.init.e)?.target;
    return target?.k === 'pid' ? target.b : null;
  }
  return null;
}

function endsWith(s: Site, handle: number, op: 'commit' | 'rollback'): boolean {
  return s.effect?.op === op && rootOfSite(s)?.index === handle;
}

function endsByCall(s: Site, handle: number, name: RegExp): boolean {
  return (
    s.node.k === 'call' &&
    s.node.callee.k === 'mem' &&
    name.test(s.node.callee.prop) &&
    s.node.callee.obj.k === 'id' &&
    s.node.callee.obj.b === handle
  );
}

function isEnding(ctx: RuleContext, site: Site, node: AnyNode, handle: number): boolean {
  if (node.k !== 'call' && node.k !== 'tag') return false;
  const found = ctx.model.sites.at(site.file, node);
  if (!found) return false;
  if (
    endsWith(found, handle, 'commit') ||
    endsWith(found, handle, 'rollback') ||
    endsByCall(found, handle, /^(?:commit|rollback|abort|destroy|endSession)/i)
  )
    return true;
  // A helper that gets the handle may end it.
  return (
    node.k === 'call' &&
    found.target.k === 'fn' &&
    node.args.some((a) => a.k === 'id' && a.b === handle) &&
    /roll|abort|commit|close|cleanup|finish|end/i.test(calleeName(found))
  );
}

/** `release(true)`, `release(error)`: the connection is thrown away with its transaction; `endSession` aborts. */
function releasedEitherWay(ctx: RuleContext, site: Site, handle: number): boolean {
  return ctx.model.sitesWithin(site.file, site.fn).some((s) => {
    if (s.effect?.op !== 'release' || !sameRoot(rootOfSite(s), rootOf(site, handle)) || s.node.k !== 'call')
      return false;
    const name = s.node.callee.k === 'mem' ? s.node.callee.prop : '';
    if (name !== 'endSession' && name !== 'destroy' && s.node.args.length === 0) return false;
    for (const at of site.file.index.ancestors(s.node))
      if (at.k === 'try' && at.final && at.final.s <= s.node.s && s.node.e <= at.final.e) return true;
    return false;
  });
}

function rootOf(site: Site, handle: number): ReturnType<typeof rootOfSite> {
  const binding = site.file.facts.bindings[handle];
  return binding ? { binding, index: handle, field: null } : null;
}

function endsHere(ctx: RuleContext, site: Site, handle: number): boolean {
  return ctx.model
    .sitesWithin(site.file, site.fn)
    .some((s) => endsWith(s, handle, 'commit') || endsWith(s, handle, 'rollback'));
}

/** Returned, stored or put into an object that leaves: somebody else ends it. */
function givenAway(ctx: RuleContext, site: Site, handle: number): boolean {
  const { file } = site;
  const top = file.facts.functions[site.fn];
  if (!top) return true;
  for (const fn of ctx.model.within(file, site.fn)) {
    let away = false;
    for (const st of fn.body)
      some(st, (n) => {
        if (n.k !== 'id' || n.b !== handle) return false;
        const parent = file.index.parent(n);
        if (parent?.k === 'ret' || (parent?.k === 'asg' && parent.value === n) || parent?.k === 'arr')
          away = true;
        if (parent?.k === 'obj') {
          const holder = file.index.parent(parent);
          if (holder?.k === 'ret' || holder?.k === 'asg') away = true;
        }
        return away;
      });
    if (away) return true;
  }
  return false;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Commit without a rollback',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export async function move(from: string, to: string) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('UPDATE accounts SET total = total - 1 WHERE id = $1', [from]);
    await client.query('UPDATE accounts SET total = total + 1 WHERE id = $1', [to]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
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
