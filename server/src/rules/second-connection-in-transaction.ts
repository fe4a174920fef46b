/** A second connection asked of a pool by code that still holds the first. */
import { mayFollow, mustPrecede } from '../model/paths.ts';
import { inherited } from '../model/packIndex.ts';
import type { Site } from '../model/sites.ts';
import type { Inst } from '../model/values.ts';
import { isTransactionHandle, receiverOf, rootOfSite, sameRoot } from './_kit/databaseCalls.ts';
import { detectionWhenHeld } from './_kit/detection.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { isAwaited, managedScope } from './_kit/transactionScopes.ts';
import { nameOf, settled, takenBy } from './_kit/uses.ts';

export const rule = defineRule({
  id: 'second-connection-in-transaction',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.2.0',
  docs: {
    what: 'While a connection of a pool is checked out, or a transaction holds one, the same pool is asked for another: a query through the pool, a second checkout, a transaction opened through the outer client.',
    why: 'Each of these needs two connections at once. When as many run together as the pool has connections, each holds one and waits for another that only the rest of them could give back. Nothing fails and nothing moves until the waits run out.',
    remedy:
      'Do it through the connection that is already held, or before it is taken or after it is given back.',
    whenNot: 'A pool that is known to be larger than twice what runs at once.',
  },
  incidents: ['pool-exhaustion', 'self-deadlock'],
  fixKind: 'none',
  detect(ctx) {
    const acquired = ctx.sites.filter(isCheckout);
    for (const site of ctx.sites) {
      const ask = askOf(ctx, site);
      if (!ask || site.fn === 0 || !isAwaited(site.file, site.top)) continue;
      if (isLater(ctx, site)) continue;
      const held = heldHere(ctx, site, ask.hit, acquired) ?? inTransaction(ctx, site, ask.hit);
      if (held) report(ctx, site, ask, held);
    }
  },
});

function isCheckout(site: Site): boolean {
  return (
    site.effect?.kind === 'connection' &&
    site.effect.op === 'acquire' &&
    site.target.k === 'lib' &&
    site.target.recv !== null &&
    inherited(site.target.recv.pack, site.target.recv.type, 'role') === 'pool'
  );
}

interface Ask {
  /** What asks the pool. */
  readonly hit: Site;
  readonly path: readonly Site[];
}

/** A call that takes a connection of a pool of its own accord, itself or through local functions. */
function askOf(ctx: RuleContext, site: Site): Ask | null {
  if (asksPool(site)) return { hit: site, path: [] };
  if (site.target.k !== 'fn') return null;
  const { value } = site.target;
  for (const { site: hit, via } of ctx.model.reach(value.file, value.fn)) {
    if (via.length > 3 || !asksPool(hit) || !isAwaited(hit.file, hit.top)) continue;
    if ([...via, hit].some((s) => isLater(ctx, s))) continue;
    return { hit, path: [site, ...via, hit] };
  }
  return null;
}

function asksPool(site: Site): boolean {
  const { target, effect } = site;
  if (target.k !== 'lib' || target.recv === null || isTransactionHandle(target.recv)) return false;
  if (isCheckout(site)) return true;
  const role = inherited(target.recv.pack, target.recv.type, 'role');
  if (role === 'pool') return effect?.kind === 'db';
  return opensTransaction(site);
}

/** `prisma.$transaction(async …)`, `db.transaction(…)`: through a client, not a handle. */
function opensTransaction(site: Site): boolean {
  const { target } = site;
  return (
    target.k === 'lib' &&
    target.recv !== null &&
    !isTransactionHandle(target.recv) &&
    (target.spec.callbacks?.some((c) => c.role === 'transaction') ?? false) &&
    /^(?:prisma|drizzle|knex|kysely|typeorm|postgresJs|pgPromise)$/.test(target.pack.id)
  );
}

interface Held {
  readonly what: string;
  readonly by: Site;
}

/** Checked out in the same function, by the same pool, and not given back yet. */
function heldHere(ctx: RuleContext, site: Site, hit: Site, acquired: readonly Site[]): Held | null {
  const { file } = site;
  for (const acquire of acquired) {
    if (acquire === site || acquire.fn !== site.fn || !samePool(acquire, hit)) continue;
    if (!mustPrecede(file, acquire.node, site.node)) continue;
    const taken = takenBy(file, settled(file, acquire.top as never));
    const b = taken ? nameOf(taken.target) : -1;
    const binding = file.facts.bindings[b];
    if (!binding) continue;
    const root = { binding, index: b, field: null };
    const releases = ctx.model.sites
      .of(file, site.fn)
      .filter((s) => s.effect?.op === 'release' && sameRoot(rootOfSite(s), root));
    if (releases.length === 0 || !releases.some((r) => mayFollow(file, site.node, r.node))) continue;
    if (releases.some((r) => mustPrecede(file, r.node, site.node))) continue;
    return { what: `\`${binding.name}\``, by: acquire };
  }
  return null;
}

/** A transaction is opened inside one of the same client. */
function inTransaction(ctx: RuleContext, site: Site, hit: Site): Held | null {
  if (!opensTransaction(hit)) return null;
  const scope = managedScope(ctx.model, site.file, site.node, site.fn);
  if (!scope || scope.opener === site || scope.opener === hit || !samePool(scope.opener, hit)) return null;
  // Handed the handle, a helper may open a savepoint on it.
  if (hit !== site && site.node.k !== 'tag' && scope.handle !== null) {
    const names = site.node.args.map((a) => site.file.text.slice(a.s, a.e)).join(' ');
    if (new RegExp(`\\b${scope.handle.replace(/[.$]/g, '\\$&')}\\b|\\btx\\b|transaction`).test(names))
      return null;
  }
  return { what: 'the transaction', by: scope.opener };
}

/** The same pool or client: made by the same call, or named the same way in one file. */
function samePool(a: Site, b: Site): boolean {
  const [x, y] = [receiverOf(a), receiverOf(b)];
  if (!x || !y || x.pack !== y.pack) return false;
  const [p, q] = [originOf(x), originOf(y)];
  if (p && q) return p === q;
  if (a.file === b.file) return sameRoot(rootOfSite(a), rootOfSite(b));
  return false;
}

function originOf(inst: Inst): unknown {
  for (let at: Inst | null = inst, guard = 0; at && guard < 10; at = at.from, guard++)
    if (at.origin && inherited(at.pack, at.type, 'role') !== 'builder') return at.origin.call;
  return null;
}

/** Runs after the connection was given back, or by itself. */
function isLater(ctx: RuleContext, site: Site): boolean {
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn)) {
    if (frame.k !== 'callback') continue;
    for (const role of ['listener', 'after-commit', 'handler', 'consumer'] as const)
      if (frame.roles.has(role)) return true;
  }
  return false;
}

function report(ctx: RuleContext, site: Site, ask: Ask, held: Held): void {
  const name = calleeName(site);
  const through = ask.hit === site ? '' : ` (\`${calleeName(ask.hit)}\` in it)`;
  ctx.report({
    at: site.node.k === 'tag' ? site.node.tag : site.node.callee,
    message: `\`${name}\`${through} asks the pool for a second connection while ${held.what} holds one: as many of these at once as the pool has connections, and each waits for one that only the others could give back.`,
    trigger: 'as many of these run at once as the pool has connections',
    scenario: `At \`${name}\`, when every connection of the pool is held by a run that has come this far, then none of them gets its second one and all stand still.`,
    detection: detectionWhenHeld(ctx, site),
    fix: `Use the connection that ${held.what} holds, or do this before it is taken or after it is given back.`,
    anchor: name,
    path: ask.path.length > 0 ? [held.by, ...ask.path] : [held.by, site],
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A look-up beside the held client',
    bad: `import { Pool } from 'pg';
const pool = new Pool({ max: 10 });

export async function rename(id: string, name: string) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await pool.query('SELECT owner FROM boards WHERE id = $1', [id]);
    await client.query('UPDATE boards SET name = $1 WHERE id = $2', [name, id]);
    await client.query('COMMIT');
    return rows[0];
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool({ max: 10 });

export async function rename(id: string, name: string) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query('SELECT owner FROM boards WHERE id = $1', [id]);
    await client.query('UPDATE boards SET name = $1 WHERE id = $2', [name, id]);
    await client.query('COMMIT');
    return rows[0];
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
