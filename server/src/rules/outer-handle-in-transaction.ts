/** A query inside a transaction that does not take part in it. */
import type { TextEdit } from '../base/textEdit.ts';
import type { Binding } from '../facts/ir.ts';
import { some, uncast, walk } from '../facts/walk.ts';
import { readOption } from '../model/options.ts';
import { exclusive, mustPrecede } from '../model/paths.ts';
import type { Site } from '../model/sites.ts';
import {
  isAmbient,
  isDatabaseWrite,
  isSideTable,
  isTransactionHandle,
  handleOption,
  mentions,
  receiverOf,
  rootOfSite,
  sameRoot,
  standingOf,
  touchesRows,
} from './_kit/databaseCalls.ts';
import { DETECTION_BY_COMPARISON } from './_kit/detection.ts';
import { takesNoHandle } from './_kit/emptyTransactions.ts';
import { neverTaken } from './_kit/optionGuards.ts';
import { leftOutHandle } from './_kit/optionalHandle.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { retarget } from './_kit/transactionHandle.ts';
import { isEnd, managedScope, manualScope, type TransactionScope } from './_kit/transactionScopes.ts';

export const rule = defineRule({
  id: 'outer-handle-in-transaction',
  lens: 'partial-failure',
  axis: 'data-consistency',
  faultClass: 'recovery',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'Inside a transaction a query goes through the outer client, a repository of its own, or without the transaction or session option, so it runs on another connection. The same holds for a function that takes the handle and is called without it.',
    why: 'When the transaction rolls back, that query stays. Until then it does not see what the transaction wrote, and it waits for rows the transaction has locked, which waits for it. Under load every transaction asks the pool for a second connection while it holds the first, and the pool runs dry.',
    remedy:
      'Send the query through the handle of the transaction: the callback parameter, `{ transaction }`, `{ session }`. Hand it on to the functions that the transaction calls.',
    whenNot:
      'A record that must survive a rollback, such as an audit row of the attempt: then say so with a reason.',
  },
  incidents: ['transaction-escape', 'pool-exhaustion'],
  fixKind: 'safe',
  detect(ctx) {
    const empty = new Map<TransactionScope['opener'], Empty>();
    for (const site of ctx.sites) {
      if (touchesRows(site)) direct(ctx, site, empty);
      else if (site.target.k === 'fn' && !throughCall(ctx, site)) leavesHandleOut(ctx, site);
    }
    for (const { scope, sites } of empty.values()) reportEmpty(ctx, scope, sites);
  },
});

/** A transaction whose callback takes no handle, with the statements written in it. */
interface Empty {
  readonly scope: TransactionScope;
  readonly sites: Site[];
}

const SAME_SERVER = new Map([
  ['mongoose', 'mongo'],
  ['mongodb', 'mongo'],
  ['knex', 'knex'],
]);
function sameLibrary(a: string | undefined, b: string): boolean {
  return a !== undefined && (a === b || (SAME_SERVER.get(a) ?? a) === (SAME_SERVER.get(b) ?? b));
}

function direct(ctx: RuleContext, site: Site, empty: Map<Site, Empty>): void {
  const { model } = ctx;
  const standing = standingOf(model, site);
  if (standing === 'inside' || isTransactionHandle(receiverOf(site)) || isAmbient(model, site)) return;
  const option = handleOption(model, site);
  if (option === 'given' || option === 'unknown') return;
  const scope =
    managedScope(model, site.file, site.node, site.fn) ?? manualScope(model, site) ?? handedScope(ctx, site);
  if (!scope || !sameLibrary(site.effect?.pack?.id, scope.pack.id)) return;
  const root = rootOfSite(site);
  if (root?.binding && root.index === scope.binding) return;
  if (standing === 'unknown') {
    // A parameter of the enclosing function escapes only where it is what opened the transaction.
    if (!scope.managed || !sameRoot(root, rootOfSite(scope.opener))) return;
  }
  // A row read within the transaction still needs the option in each of its calls.
  if (option === 'not-taken' && root?.binding && madeFrom(root.binding, scope.binding)) return;
  if (takesNoHandle(model, scope)) {
    const before = empty.get(scope.opener);
    if (before) before.sites.push(site);
    else empty.set(scope.opener, { scope, sites: [site] });
    return;
  }
  report(ctx, site, site, scope, isDatabaseWrite(site));
}

/** `const repo = new Repo(tx)`: made from the handle, however. A row that was read or written through it (`await tx.order.create()`) is not. */
function madeFrom(binding: Binding | undefined, handle: number): boolean {
  if (handle < 0 || binding?.decl?.k !== 'init' || !mentions(binding.decl.init, handle)) return false;
  return uncast(binding.decl.init).k !== 'await' || CARRIES.test(binding.name);
}

const CARRIES =
  /(?:ctx|context|repo|repository|service|store|dao|manager|client|scope|options|opts|config|uow|db)$/i;

/** A handle that other calls of the function use: a parameter that is one, or a name given as `{ transaction }`. */
function handedScope(ctx: RuleContext, site: Site): TransactionScope | null {
  const { file } = site;
  const { model } = ctx;
  const outer = model.outermost(file, site.fn);
  const peers = model.sitesWithin(file, outer).filter((s) => s !== site && s.effect?.kind === 'db');
  const option = handleOption(model, site) === 'absent';
  for (const peer of peers) {
    if (peer.target.k !== 'lib' || exclusive(file, peer.node, site.node)) continue;
    const root = option ? handleNamed(peer) : handleReceiver(ctx, peer);
    const binding = root === null ? undefined : file.facts.bindings[root];
    if (root === null || !binding || binding.s > site.node.s || binding.fn === 0) continue;
    // A handle that lives in an inner callback is open only there.
    const home = file.facts.functions[binding.fn];
    if (!home || site.node.s < home.s || site.node.e > home.e) continue;
    if (binding.decl?.k !== 'param' && !mustPrecede(file, peer.node, site.node)) continue;
    if (isOptional(ctx, site, root)) continue;
    if (peers.some((p) => isEnd(p) && rootOfSite(p)?.index === root && mustPrecede(file, p.node, site.node)))
      continue;
    return {
      pack: peer.target.pack,
      handle: binding.name,
      binding: root,
      fn: site.fn,
      opener: peer,
      managed: false,
    };
  }
  return null;
}

function handleReceiver(ctx: RuleContext, peer: Site): number | null {
  if (!isTransactionHandle(receiverOf(peer))) return null;
  const root = rootOfSite(peer);
  if (root?.binding?.decl?.k !== 'param') return null;
  const value = ctx.model.values.binding(peer.file, root.binding);
  return value.k === 'inst' && isTransactionHandle(value) && root.binding.decl.type ? root.index : null;
}

function handleNamed(peer: Site): number | null {
  if (peer.node.k !== 'call') return null;
  for (const at of peer.effect?.spec.handleAt ?? []) {
    const arg = at.arg === 'last' ? peer.node.args.at(-1) : peer.node.args[at.arg];
    if (arg?.k !== 'obj') continue;
    const given = arg.props.find((p) => p.key === at.path)?.value;
    if (given?.k === 'id' && given.b >= 0) return given.b;
  }
  return null;
}

/** The code reckons with there being no transaction. */
function isOptional(ctx: RuleContext, site: Site, handle: number): boolean {
  const { file } = site;
  const binding = file.facts.bindings[handle];
  const outer = ctx.model.outermost(file, site.fn);
  const fact = file.facts.functions[outer];
  if (!binding || !fact) return true;
  if (binding.decl?.k === 'param') {
    const param = file.facts.functions[binding.decl.fn]?.params[binding.decl.index];
    if (!param || param.target.k === 'pdef') return true;
    if (
      /^\s*\?|\|\s*(?:undefined|null)\b|(?:undefined|null)\s*\|/.test(
        file.text.slice(param.target.e, param.e),
      )
    )
      return true;
  }
  for (const frame of ctx.model.frames.around(file, site.node, site.fn))
    if (frame.k === 'if' && some(frame.test, (n) => n.k === 'id' && n.b === handle)) return true;
  return false;
}

/** A local function that is called inside the transaction and does not get its handle. */
function throughCall(ctx: RuleContext, site: Site): boolean {
  if (site.target.k !== 'fn' || site.node.k === 'tag') return false;
  const { model } = ctx;
  const scope = managedScope(model, site.file, site.node, site.fn) ?? manualScope(model, site);
  if (!scope) return false;
  if (handsOver(ctx, site, scope)) return true;
  const { value } = site.target;
  if (value.file === site.file && insideScope(site, scope, value.fn)) return true;
  let read: Site | null = null;
  for (const { site: hit, via } of model.reach(value.file, value.fn)) {
    if (!touchesRows(hit) || !sameLibrary(hit.effect?.pack?.id, scope.pack.id)) continue;
    if (via.length > 3 || standingOf(model, hit) !== 'outside') continue;
    if (isDetached(ctx, hit) || managedScope(model, hit.file, hit.node, hit.fn)) continue;
    if (neverTaken(model, [site, ...via], hit)) continue;
    if (isDatabaseWrite(hit)) {
      report(ctx, site, hit, scope, true);
      return true;
    }
    read ??= hit;
  }
  if (read) report(ctx, site, read, scope, false);
  return read !== null;
}

const CHANGES =
  /^[_#]?(?:add|append|apply|archive|assign|attach|cancel|charge|claim|clear|complete|create|credit|deactivate|debit|delete|destroy|detach|emit|enqueue|expire|grant|increment|insert|link|mark|move|patch|persist|publish|push|put|record|register|release|remove|replace|reschedule|reserve|revoke|save|schedule|set|store|sync|transfer|unlink|update|upsert|write)(?:[A-Z_].*)?$/;

/** The called function takes the handle of a transaction where it is given one; this call, inside a transaction, gives none. */
function leavesHandleOut(ctx: RuleContext, site: Site): void {
  const { file, target, node } = site;
  if (target.k !== 'fn' || node.k === 'tag') return;
  const name = leftOutHandle(site);
  if (name === null) return;
  const open = openHandle(ctx, site);
  if (
    !open ||
    [node.callee, ...node.args].some(
      (part) =>
        mentions(part, open.binding) ||
        some(part, (n) => n.k === 'id' && n.b >= 0 && madeFrom(file.facts.bindings[n.b], open.binding)),
    )
  )
    return;
  if (isDetachedCall(site) || isAmbient(ctx.model, site)) return;
  const { value } = target;
  const home = file.facts.functions[open.fn];
  const callee = value.file.facts.functions[value.fn];
  if (!callee || (value.file === file && home && callee.s >= home.s && callee.e <= home.e)) return;
  const effects = ctx.model.reach(value.file, value.fn).filter((r) => r.via.length < 4);
  const writes = effects.some(
    (r) => isDatabaseWrite(r.site) || (r.site.effect?.kind === 'queue' && r.site.effect.write),
  );
  const called = calleeName(site);
  if (!writes && !CHANGES.test(callee.name ?? '')) return;
  ctx.report({
    at: node.callee as { s: number; e: number },
    message: `\`${called}\` takes a \`${name}\` and gets none here: what it does happens outside the open transaction, before the commit and in spite of a rollback.`,
    trigger: 'a later statement of the transaction fails, or somebody acts on the result before the commit',
    scenario: `At \`${called}\`, when the transaction is rolled back or not committed yet, then its work is done for rows that are not there.`,
    detection: DETECTION_BY_COMPARISON,
    fix: `Hand \`${open.name}\` on to \`${called}\`.`,
    anchor: called,
    severity: writes ? 'critical' : 'high',
  });
}

const HANDLE_NAME =
  /^_?(?:tx|trx|txn|t|transaction|prismaTx|dbTx|txClient|manager|transactionalEntityManager|em|entityManager|session|client)$/;

/** The handle of the transaction that is open at a call: that of a callback, or a parameter that must be given. */
function openHandle(
  ctx: RuleContext,
  site: Site,
): { readonly name: string; readonly binding: number; readonly fn: number } | null {
  const { model } = ctx;
  const { file } = site;
  for (const frame of model.frames.around(file, site.node, site.fn)) {
    if (frame.k === 'catch') return null;
    if (frame.k !== 'callback') continue;
    if (
      frame.roles.has('listener') ||
      frame.roles.has('after-commit') ||
      frame.roles.has('handler') ||
      frame.roles.has('consumer')
    )
      return null;
    const { callee } = frame.call;
    const opener = callee.k === 'mem' ? callee.prop : callee.k === 'id' ? callee.name : '';
    if (
      !frame.roles.has('transaction') &&
      !/^\$?(?:transaction|withTransaction|runInTransaction|inTransaction|runTransaction|withTx|inTx)$/.test(
        opener,
      )
    )
      continue;
    const param = file.facts.functions[frame.fn]?.params[0];
    const target = param?.target;
    if (target?.k !== 'pid' || !HANDLE_NAME.test(target.name)) return null;
    return { name: target.name, binding: target.b, fn: frame.fn };
  }
  const manual = manualScope(model, site);
  return manual && manual.binding >= 0 && manual.handle
    ? { name: manual.handle, binding: manual.binding, fn: -1 }
    : null;
}

/** Nobody waits for it here. */
function isDetachedCall(site: Site): boolean {
  for (const at of site.file.index.ancestors(site.node)) {
    if (at.k === 'await' || at.k === 'ret') return false;
    if (at.k === 'un' && at.op === 'void') return true;
    if (at.k === 'expr') return true;
  }
  return false;
}

function isDetached(ctx: RuleContext, hit: Site): boolean {
  for (const frame of ctx.model.frames.around(hit.file, hit.node, hit.fn))
    if (frame.k === 'callback' && (frame.roles.has('listener') || frame.roles.has('after-commit')))
      return true;
  return false;
}

/** The callee sees the handle anyway: it is written inside the transaction's callback. */
function insideScope(site: Site, scope: TransactionScope, fn: number): boolean {
  const home = site.file.facts.functions[scope.fn];
  const fact = site.file.facts.functions[fn];
  return home !== undefined && fact !== undefined && home.id !== 0 && fact.s >= home.s && fact.e <= home.e;
}

function handsOver(ctx: RuleContext, site: Site, scope: TransactionScope): boolean {
  if (site.node.k === 'tag') return true;
  const { file } = site;
  const { callee, args } = site.node;
  const carriers = carriersOf(file, scope);
  for (const part of [callee, ...args]) {
    const found = some(part, (n) => {
      if (n.k !== 'id' || n.b < 0) return n.k === 'this' && part !== callee;
      if (n.b === scope.binding || carriers.has(n.b)) return true;
      const binding = file.facts.bindings[n.b];
      if (!binding) return false;
      const value = ctx.model.values.binding(file, binding);
      if (value.k === 'inst' && isTransactionHandle(value)) return true;
      return madeFrom(binding, scope.binding);
    });
    if (found) return true;
  }
  return scope.handle === null;
}

/** Objects that the handle is put into: `ctx.state.transaction = transaction`. */
function carriersOf(file: Site['file'], scope: TransactionScope): ReadonlySet<number> {
  const found = new Set<number>();
  if (scope.binding < 0) return found;
  for (const st of file.facts.functions[scope.fn]?.body ?? [])
    walk(st, (n) => {
      if (n.k !== 'asg' || n.target.k !== 'mem' || !mentions(n.value, scope.binding)) return;
      let at = n.target.obj;
      while (at.k === 'mem') at = at.obj;
      if (at.k === 'id' && at.b >= 0) found.add(at.b);
    });
  return found;
}

function report(ctx: RuleContext, site: Site, query: Site, scope: TransactionScope, write: boolean): void {
  const name = calleeName(site);
  const through = site === query ? '' : ` (\`${calleeName(query)}\` in it)`;
  const fixes: FixDraft[] = [];
  const { handle } = scope;
  if (site === query && handle)
    fixes.push({
      id: 'use-transaction-handle',
      title: `Use the transaction handle \`${handle}\``,
      kind: 'safe',
      edits: () => {
        const edits = retarget(ctx.model, site, handle);
        return edits ? [{ file: site.file.path, edits }] : null;
      },
    });
  if (fixes[0] && retarget(ctx.model, site, handle ?? '') === null) fixes.length = 0;
  const locks = !write && asksForLock(ctx, query);
  ctx.report({
    at: (site.node.k === 'tag' ? site.node.tag : site.node.callee) as { s: number; e: number },
    message: write
      ? `\`${name}\`${through} runs outside the open transaction: it stays when the transaction rolls back${query.effect?.op === 'insert' ? '' : ', and waits where the transaction has locked the row'}.`
      : locks
        ? `\`${name}\`${through} runs outside the open transaction: the rows it locks are free again before the next statement.`
        : `\`${name}\`${through} runs outside the open transaction: it takes a second connection and does not see what the transaction wrote.`,
    trigger: write
      ? 'a later statement of the transaction fails, or many of these run at once'
      : locks
        ? 'two of these run at once for the same rows'
        : 'as many of these transactions run at once as the pool has connections',
    scenario: write
      ? `At \`${name}\`, when the transaction is rolled back afterwards, then this write remains and those of the transaction are gone.`
      : locks
        ? `At \`${name}\`, when a second transaction reads the same rows before this one writes them, then neither waits for the other and one overwrites what the other wrote.`
        : `At \`${name}\`, when every pooled connection is held by such a transaction, then each waits for a second one while it keeps its own.`,
    detection:
      write || locks
        ? DETECTION_BY_COMPARISON
        : 'When the pool runs dry under load: until then nothing fails.',
    fix: handle ? `Send it through \`${handle}\`.` : 'Send it through the handle of the transaction.',
    anchor: name,
    // A record of what happened may outlive a rollback; it still takes a second connection.
    severity: write && !isSideTable(query.effect?.entity ?? null) ? 'critical' : locks ? 'high' : 'medium',
    fixes,
  });
}

/** `SELECT … FOR UPDATE` in whatever form the library has for it. */
function asksForLock(ctx: RuleContext, query: Site): boolean {
  if (query.node.k === 'tag') return /\bfor\s+update\b/i.test(query.effect?.sql?.text ?? '');
  const { node, effect, file } = query;
  return (
    query.chain.some((c) => c.refines === 'lock') ||
    /\bfor\s+update\b/i.test(effect?.sql?.text ?? '') ||
    (effect?.spec.lockAt ?? []).some((at) => readOption(ctx.model.values, file, node, at).k === 'value')
  );
}

/** One finding for the whole transaction: it holds nothing, so nothing of it is locked, waited for or rolled back. */
function reportEmpty(ctx: RuleContext, scope: TransactionScope, sites: readonly Site[]): void {
  const { opener } = scope;
  const name = calleeName(opener);
  const writes = sites.filter(isDatabaseWrite);
  const [first] = writes;
  const names = [...new Set(sites.map((s) => `\`${calleeName(s)}\``))];
  const shown =
    names.length > 2 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(' and ');
  // Something that comes after the first write can fail.
  const more =
    first !== undefined &&
    ctx.model
      .sitesWithin(opener.file, scope.fn)
      .some((s) => s.node.s > first.node.e && (s.target.k === 'fn' || s.effect?.network === true));
  ctx.report({
    at: opener.node.k === 'tag' ? opener.node.tag : opener.node.callee,
    message: more
      ? `The callback of \`${name}\` takes no handle, so ${shown} run outside its transaction: when a later step fails, what was written before stays.`
      : `The callback of \`${name}\` takes no handle, so ${shown} ${names.length > 1 ? 'run' : 'runs'} outside its transaction: the transaction holds a connection and contains no statement.`,
    trigger: more
      ? 'a step of the callback fails after the first write'
      : 'as many of these transactions run at once as the pool has connections',
    scenario: more
      ? `At \`${name}\`, when a step fails after \`${calleeName(first)}\`, then that write stays, though it stands in the transaction.`
      : `At \`${name}\`, when every pooled connection is held by such a transaction, then each waits for a second one for its statements.`,
    detection: more
      ? 'When a user complains or the data is compared: the failed step raises an error, what stays behind raises none.'
      : 'When the pool runs dry under load: until then nothing fails.',
    fix: `Take the handle as the parameter of the callback and send each statement through it.`,
    anchor: name,
    severity: more ? 'critical' : 'medium',
    fixes: takeHandle(ctx, scope, sites),
  });
}

/** Where every statement that strays is written in the callback itself, and each can be sent through the handle. */
function takeHandle(ctx: RuleContext, scope: TransactionScope, sites: readonly Site[]): FixDraft[] {
  const { file } = scope.opener;
  const added = addParameter(scope);
  const direct = new Set(sites);
  const elsewhere = ctx.model
    .reach(file, scope.fn)
    .some((r) => r.via.length < 4 && touchesRows(r.site) && !direct.has(r.site));
  if (!added || elsewhere || sites.some((s) => retarget(ctx.model, s, added.name) === null)) return [];
  return [
    {
      id: 'take-transaction-handle',
      title: `Take the transaction handle as \`${added.name}\` and use it`,
      kind: 'safe',
      edits: () => {
        const edits = sites.map((s) => retarget(ctx.model, s, added.name));
        return edits.some((e) => e === null)
          ? null
          : [{ file: file.path, edits: [added.edit, ...edits.flatMap((e) => e ?? [])] }];
      },
    },
  ];
}

const PARAMETERS: Readonly<Record<string, string>> = {
  knex: 'trx',
  kysely: 'trx',
  sequelize: 'transaction',
  typeorm: 'manager',
  mongoose: 'session',
};

/** `$transaction(async () => …)`: the callback does not take its handle yet. */
function addParameter(scope: TransactionScope): { name: string; edit: TextEdit } | null {
  const { file } = scope.opener;
  const fact = file.facts.functions[scope.fn];
  if (!scope.managed || !fact || fact.params.length > 0) return null;
  const name = PARAMETERS[scope.pack.id] ?? 'tx';
  // The name must not hide, or be hidden by, another one.
  const taken = file.facts.bindings.some((b) => {
    const home = file.facts.functions[b.fn];
    return (
      b.name === name &&
      home !== undefined &&
      ((home.s <= fact.s && fact.e <= home.e) || (fact.s <= home.s && home.e <= fact.e))
    );
  });
  if (taken) return null;
  const head = /^(?:async\s+)?(?:function\s*)?\(\s*\)/.exec(file.text.slice(fact.s, fact.bs));
  if (!head) return null;
  const at = fact.s + head[0].indexOf('(') + 1;
  return { name, edit: { start: at, end: at, newText: name } };
}

export const examples: readonly RuleExample[] = [
  {
    title: 'The outer client inside the callback',
    bad: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function ship(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: { status: 'shipped' } });
    await prisma.parcel.create({ data: { orderId: id } });
  });
}
`,
    good: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function ship(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: { status: 'shipped' } });
    await tx.parcel.create({ data: { orderId: id } });
  });
}
`,
    fixed: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function ship(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.order.update({ where: { id }, data: { status: 'shipped' } });
    await tx.parcel.create({ data: { orderId: id } });
  });
}
`,
  },
];
