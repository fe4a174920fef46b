/** A lock that some way out of the function leaves taken. */
import type { Stmt } from '../facts/ir.ts';
import { some, uncast, type AnyNode } from '../facts/walk.ts';
import { exitsAt } from '../model/frames.ts';
import { blockAround, releasedOnAllExits } from '../model/paths.ts';
import type { Site } from '../model/sites.ts';
import { namesOf } from './_kit/decisions.ts';
import { isDatabaseCall, rootOf, rootOfSite, sameRoot } from './_kit/databaseCalls.ts';
import { leaseOf } from './_kit/redisLease.ts';
import { releaseInFinally } from './_kit/releaseInFinally.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, exprName } from './_kit/text.ts';
import { settled, takenBy, usesOf } from './_kit/uses.ts';

export const rule = defineRule({
  id: 'lock-not-released',
  lens: 'concurrency',
  axis: 'load-saturation',
  faultClass: 'partition',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.2.0',
  docs: {
    what: 'A mutex, a lease or an advisory lock is taken, and some way out of the function (an error, an early return) does not give it back.',
    why: 'The first error under the lock is the last thing that runs there: every later caller waits for a holder that is gone. A mutex stays taken until the process is restarted, an advisory lock as long as its pooled connection lives, a lease until it runs out.',
    remedy:
      'Give it back in `finally`, begun directly after it was taken, or use the form that takes the work as a callback.',
    whenNot: 'Where the lock is handed to somebody who gives it back.',
  },
  incidents: ['stuck-lock'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) {
      if (site.fn === 0) continue;
      const taken = takenLock(ctx, site);
      if (taken) check(ctx, site, taken);
    }
  },
});

interface Taken {
  readonly kind: 'mutex' | 'lease' | 'advisory';
  readonly name: string;
  /** Gives this lock back. */
  readonly releases: (node: AnyNode) => boolean;
  /** The release as it is written. */
  readonly call: string;
}

function takenLock(ctx: RuleContext, site: Site): Taken | null {
  const { effect, node, file } = site;
  if (node.k === 'new') return null;
  if (effect?.kind === 'lock' && effect.op === 'acquire') return ofLibrary(ctx, site);
  if (effect?.sql?.advisory === 'session' && isDatabaseCall(site)) return advisory(ctx, site);
  if (
    site.target.k === 'fn' &&
    node.k === 'call' &&
    /^_?(?:acquire|take|obtain|lock$)/i.test(exprName(file, node.callee).split('.').at(-1) ?? '')
  )
    return ofHelper(ctx, site);
  return null;
}

function ofLibrary(ctx: RuleContext, site: Site): Taken | null {
  const { node, file, target } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem' || target.k !== 'lib') return null;
  // The form that runs the work itself gives the lock back.
  if (node.args.some((a) => isFunction(ctx, site, a))) return null;
  const receiver = file.text.slice(node.callee.obj.s, node.callee.obj.e);
  const kind = target.spec.returns === 'Lease' ? 'lease' : 'mutex';
  const held = takenBy(file, settled(file, node));
  const onReceiver = (n: AnyNode): boolean =>
    n.k === 'call' &&
    n.callee.k === 'mem' &&
    /^(?:release|unlock)$/.test(n.callee.prop) &&
    file.text.slice(n.callee.obj.s, n.callee.obj.e) === receiver;
  if (!held) {
    if (kind === 'lease' || file.index.parent(settled(file, node))?.k !== 'expr') return null;
    return { kind, name: receiver, releases: onReceiver, call: `${receiver}.release()` };
  }
  // `const [value, release] = await semaphore.acquire()`
  const pattern = held.target.k === 'parr' ? (held.target.items[1] ?? null) : held.target;
  if (pattern?.k !== 'pid') return null;
  const { b, name } = pattern;
  if (!staysHere(site, b)) return null;
  const releases = (n: AnyNode): boolean => {
    if (n.k !== 'call') return false;
    const callee = uncast(n.callee);
    if (callee.k === 'id') return callee.b === b;
    if (callee.k !== 'mem' || !/^(?:release|unlock)$/.test(callee.prop)) return false;
    const on = uncast(callee.obj);
    return (on.k === 'id' && on.b === b) || n.args.some((a) => a.k === 'id' && a.b === b) || onReceiver(n);
  };
  return {
    kind,
    name: kind === 'lease' ? name : receiver,
    releases,
    call: kind === 'lease' ? `await ${name}.release()` : `${name}()`,
  };
}

function isFunction(ctx: RuleContext, site: Site, arg: AnyNode): boolean {
  const inner = uncast(arg as never);
  return inner.k === 'fn' || ctx.model.values.of(site.file, inner).k === 'fn';
}

/** The release is called here, or written into a function that runs here; it is given to nobody. */
function staysHere(site: Site, binding: number): boolean {
  const { file } = site;
  const { index } = file;
  if (file.facts.bindings[binding]?.fn !== site.fn) return false;
  return usesOf(file, binding).every((use) => {
    if (index.innermost(use.s) !== site.fn) return false;
    const parent = index.parent(use);
    if (parent?.k === 'call') return parent.callee === use || isReleaseCall(parent.callee);
    return parent?.k === 'mem' || parent?.k === 'un' || parent?.k === 'if' || parent?.k === 'bin';
  });
}

function isReleaseCall(callee: AnyNode): boolean {
  return callee.k === 'mem' && /^(?:release|unlock)$/.test(callee.prop);
}

function advisory(ctx: RuleContext, site: Site): Taken | null {
  const { file } = site;
  const root = rootOfSite(site);
  if (!root) return null;
  const unlocks = ctx.model
    .sitesWithin(file, ctx.model.outermost(file, site.fn))
    .filter(
      (s) => /advisory_unlock|release_lock/i.test(s.effect?.sql?.text ?? '') && sameRoot(rootOfSite(s), root),
    );
  // A connection of its own ends with its session, and the lock with it.
  const ends = (n: AnyNode): boolean =>
    n.k === 'call' &&
    n.callee.k === 'mem' &&
    (/^(?:end|destroy|close)$/.test(n.callee.prop) || (n.callee.prop === 'release' && n.args.length > 0)) &&
    sameRoot(rootOf(file, n.callee.obj), root);
  if (unlocks.length === 0) return null;
  return {
    kind: 'advisory',
    name: 'the advisory lock',
    releases: (n) => unlocks.some((u) => u.node === n) || ends(n),
    call: '',
  };
}

/** A helper that takes a lock and leaves it taken, with another one in the same function that gives it back. */
function ofHelper(ctx: RuleContext, site: Site): Taken | null {
  const { file, node, target } = site;
  if (target.k !== 'fn' || node.k !== 'call') return null;
  if (node.args.some((a) => isFunction(ctx, site, a))) return null;
  const takes = ctx.model
    .reach(target.value.file, target.value.fn)
    .some(
      (r) =>
        r.via.length < 3 &&
        (leaseOf(ctx.model, r.site) !== null ||
          (r.site.effect?.kind === 'lock' && r.site.effect.op === 'acquire')),
    );
  if (!takes) return null;
  const held = takenBy(file, settled(file, node));
  const b = held?.target.k === 'pid' ? held.target.b : -1;
  const key = node.args[0] ? file.text.slice(node.args[0].s, node.args[0].e) : null;
  const releases = (n: AnyNode): boolean => {
    if (n.k !== 'call') return false;
    const name = exprName(file, n.callee).split('.').at(-1) ?? '';
    if (!/^_?(?:release|free|unlock|drop|giveBack)/i.test(name)) return false;
    if (n.args.some((a) => a.k === 'id' && a.b === b && b >= 0)) return true;
    if (
      n.callee.k === 'mem' &&
      uncast(n.callee.obj).k === 'id' &&
      (uncast(n.callee.obj) as { b: number }).b === b
    )
      return true;
    return key !== null && n.args[0] !== undefined && file.text.slice(n.args[0].s, n.args[0].e) === key;
  };
  const own = (file.facts.functions[site.fn]?.body ?? []).some((st) => some(st, releases));
  if (!own) return null;
  return { kind: 'lease', name: calleeName(site), releases, call: '' };
}

function check(ctx: RuleContext, site: Site, taken: Taken): void {
  const { file } = site;
  const stmt = outwards(site);
  if (!stmt || isCovered(site, taken.releases)) return;
  const fact = file.facts.functions[site.fn];
  const inBody = (fact?.body ?? []).some((st) => some(st, taken.releases));
  // Given back from another function: whether that always comes cannot be told here.
  if (!inBody && (releasedElsewhere(ctx, site, taken) || taken.kind === 'advisory')) return;
  const result = releasedOnAllExits(file, stmt, site.fn, taken.releases, fails);
  if (result.ok) return;
  const name = calleeName(site);
  const line = result.leak === stmt ? null : file.lines.positionAt(result.leak.s).line;
  const what = taken.kind === 'advisory' ? taken.name : `\`${taken.name}\``;
  const after =
    taken.kind === 'mutex'
      ? 'every later caller waits until the process is restarted'
      : taken.kind === 'advisory'
        ? 'everybody else waits as long as its connection lives in the pool'
        : 'nobody gets it until it runs out';
  ctx.report({
    at: site.node.k === 'tag' ? site.node.tag : site.node.callee,
    message: inBody
      ? `A failure or early return after \`${name}\` leaves ${what} taken: ${after}.`
      : `Nothing gives ${what} back after \`${name}\`: ${after}.`,
    trigger: inBody
      ? `what runs under the lock fails${line === null ? '' : ` at line ${line}`}`
      : 'every call',
    scenario: `At \`${name}\`, when ${inBody ? 'what runs under the lock fails' : 'it has been called once'}, then the lock stays taken and ${after}.`,
    detection: 'When the work behind the lock is missed: one that waits for it raises no error.',
    fix: `Give ${what} back in \`finally\`.`,
    anchor: name,
    severity: taken.kind === 'lease' ? 'medium' : 'high',
    fixes: fixesFor(site, stmt, taken),
  });
}

/** The statement after which the lock is held: that of the call, or the `if (!got) return` about its answer. */
function outwards(site: Site): Stmt | null {
  const { file } = site;
  const stmt = file.index.statementOf(site.top);
  if (!stmt) return null;
  if (stmt.k === 'if')
    return stmt.test.s <= site.node.s && site.node.e <= stmt.test.e && exitsAt(stmt.then) ? stmt : null;
  if (stmt.k !== 'var' && stmt.k !== 'expr') return null;
  const names = namesOf(file, site.top, site.fn);
  const { body, at } = blockAround(file, stmt, site.fn);
  let held: Stmt = stmt;
  for (const next of at >= 0 ? body.slice(at + 1) : []) {
    const about = (n: AnyNode): boolean => n.k === 'id' && names.has(n.b);
    if (next.k === 'if' && some(next.test, about) && (exitsAt(next.then) || !next.else)) {
      if (!exitsAt(next.then)) return null;
      held = next;
    } else if (next.k !== 'var' || !some(next, about)) break;
  }
  return held;
}

/** `let release; try { release = await mutex.acquire(); … } finally { release?.() }` */
function isCovered(site: Site, releases: (node: AnyNode) => boolean): boolean {
  let child: AnyNode = site.node;
  for (const at of site.file.index.ancestors(site.node)) {
    if (at.k === 'try' && child === at.block && at.final && some(at.final, releases)) return true;
    child = at;
  }
  return false;
}

function releasedElsewhere(ctx: RuleContext, site: Site, taken: Taken): boolean {
  for (const fn of ctx.file.facts.functions)
    if (fn.id !== site.fn && fn.body.some((st) => some(st, taken.releases))) return true;
  return false;
}

/** What waits or throws; a plain call rarely does. */
function fails(node: AnyNode): boolean {
  return some(
    node,
    (n) => n.k === 'await' || n.k === 'throw' || n.k === 'yield' || (n.k === 'forof' && n.await),
  );
}

function fixesFor(site: Site, stmt: Stmt, taken: Taken): FixDraft[] {
  if (
    taken.call === '' &&
    !(site.file.facts.functions[site.fn]?.body ?? []).some((st) => some(st, taken.releases))
  )
    return [];
  const edits = releaseInFinally(site.file, site.fn, stmt, taken.releases, taken.call);
  if (!edits) return [];
  return [
    {
      id: 'release-in-finally',
      title: 'Release in `finally`',
      kind: 'safe',
      edits: () => [{ file: site.file.path, edits }],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A mutex around a refresh',
    bad: `import { Mutex } from 'async-mutex';
const mutex = new Mutex();

export async function refresh(load: () => Promise<string>) {
  const release = await mutex.acquire();
  const value = await load();
  release();
  return value;
}
`,
    good: `import { Mutex } from 'async-mutex';
const mutex = new Mutex();

export async function refresh(load: () => Promise<string>) {
  return mutex.runExclusive(() => load());
}
`,
    fixed: `import { Mutex } from 'async-mutex';
const mutex = new Mutex();

export async function refresh(load: () => Promise<string>) {
  const release = await mutex.acquire();
  try {
    const value = await load();
    return value;
  } finally {
    release();
  }
}
`,
  },
];
