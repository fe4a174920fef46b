/**
 * What a database call goes through: the handle of an open transaction, a plain client, or something that cannot be
 * told. Owns that judgement for every library; rules ask it and never look at handles themselves.
 */
import type { Binding, Expr } from '../../facts/ir.ts';
import { some, uncast, type AnyNode } from '../../facts/walk.ts';
import { inherited } from '../../model/packIndex.ts';
import { readOption } from '../../model/options.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import type { Inst } from '../../model/values.ts';

export type Standing =
  | 'inside' /* takes part in a transaction by its own handle or option */
  | 'outside' /* goes through a plain client, pool or model */
  | 'unknown';

/** Where the receiver of a call begins: a name, or a field of `this`. */
export interface Root {
  readonly binding: Binding | null;
  readonly index: number;
  readonly field: string | null;
}

/** Strips members, calls and indexes down to what a chain starts with. */
export function rootOf(file: SourceFile, expr: Expr, depth = 0): Root | null {
  let at: Expr = expr;
  let field: string | null = null;
  for (let guard = 0; guard < 60; guard++) {
    switch (at.k) {
      case 'mem':
        field = at.prop;
        at = at.obj;
        continue;
      case 'idx':
        at = at.obj;
        continue;
      case 'call':
      case 'new':
        at = at.callee;
        continue;
      case 'tag':
        at = at.tag;
        continue;
      case 'await':
      case 'as':
        at = at.arg;
        continue;
      case 'this':
        return { binding: null, index: -1, field };
      case 'id': {
        const binding = file.facts.bindings[at.b];
        if (!binding) return null;
        // A name that only renames another handle: `const db = this.db`, `const repo = manager.getRepository(X)`.
        if (
          depth < 6 &&
          binding.decl?.k === 'init' &&
          (binding.kind === 'const' || binding.writes.length === 0)
        ) {
          const init = uncast(binding.decl.init);
          if (init.k === 'mem' || init.k === 'id' || init.k === 'this' || init.k === 'call') {
            const further = rootOf(file, init, depth + 1);
            if (further) return further;
          }
        }
        return { binding, index: at.b, field: null };
      }
      default:
        return null;
    }
  }
  return null;
}

export function rootOfSite(site: Site): Root | null {
  const { node, file } = site;
  return rootOf(file, node.k === 'tag' ? node.tag : node.callee);
}

/** True for a call that a pack knows as one on a database. */
export function isDatabaseCall(site: Site): boolean {
  return site.effect?.kind === 'db' && site.effect.confidence === 'shown' && site.target.k === 'lib';
}

/** Reads or writes rows; `BEGIN`, `COMMIT` and the like do not. */
export function touchesRows(site: Site): boolean {
  const op = site.effect?.op;
  if (!isDatabaseCall(site)) return false;
  if (op === 'raw') return site.effect?.sql?.verb === 'other' && /\w/.test(site.effect.sql.text);
  return op !== 'begin' && op !== 'commit' && op !== 'rollback' && op !== 'publish';
}

export function isDatabaseWrite(site: Site): boolean {
  return (
    isDatabaseCall(site) &&
    site.effect?.write === true &&
    site.effect.op !== 'publish' &&
    site.effect.sql?.verb !== 'ddl'
  );
}

export function receiverOf(site: Site): Inst | null {
  return site.target.k === 'lib' ? site.target.recv : null;
}

function hasRole(inst: Inst | null, role: string): boolean {
  for (let at = inst, guard = 0; at && guard < 20; at = at.from, guard++)
    if (inherited(at.pack, at.type, 'role') === role) return true;
  return false;
}

/** The handle is one that only a transaction gives: `tx`, `manager`, `trx`. */
export function isTransactionHandle(inst: Inst | null): boolean {
  return hasRole(inst, 'transaction');
}

/** The call names a transaction or session in its options or chain. */
export function handleOption(model: Model, site: Site): 'given' | 'absent' | 'unknown' | 'not-taken' {
  const { effect, node } = site;
  if (site.chain.some((c) => c.refines === 'handle') || precededBy(model, site, 'handle')) return 'given';
  const places = effect?.spec.handleAt;
  if (!places) return 'not-taken';
  let state: 'absent' | 'unknown' = 'absent';
  for (const at of places) {
    const read = readOption(model.values, site.file, node, at);
    if (read.k === 'value') return 'given';
    if (read.k === 'unknown') state = 'unknown';
  }
  return state;
}

/** A call earlier in the same chain refines this one: `knex('a').transacting(trx).insert(x)`. */
export function precededBy(model: Model, site: Site, refines: string): boolean {
  if (site.node.k === 'tag') return false;
  let at: Expr = site.node.callee;
  for (let guard = 0; guard < 60; guard++) {
    if (at.k === 'mem') at = at.obj;
    else if (at.k === 'call') {
      const spec = model.values.callSpec(model.values.of(site.file, at.callee));
      if (spec?.spec.refines === refines) return true;
      at = at.callee;
    } else return false;
  }
  return false;
}

const AMBIENT_PACKAGES =
  /^(?:typeorm-transactional|typeorm-transactional-cls-hooked|@nestjs-cls\/transactional|@transactional\/|cls-hooked|cls-proxify|@mikro-orm\/)/;
const ambientByProject = new WeakMap<object, Map<string, boolean>>();

/** Calls find their transaction by themselves: a decorator, CLS, or a unit of work. */
export function isAmbient(model: Model, site: Site): boolean {
  const { file } = site;
  const pack = site.effect?.pack?.id;
  if (pack === 'mikroOrm') return true;
  for (let fn = file.facts.functions[site.fn]; fn; fn = file.facts.functions[fn.parent]) {
    if (fn.decorators.some((d) => isTransactional(file, d))) return true;
    const cls = fn.cls >= 0 ? file.facts.classes[fn.cls] : undefined;
    if (cls?.decorators.some((d) => isTransactional(file, d))) return true;
    if (fn.parent < 0) break;
  }
  return file.facts.specifiers.some((s) => AMBIENT_PACKAGES.test(s)) || usesCls(model, pack ?? '');
}

function isTransactional(file: SourceFile, decorator: Expr): boolean {
  return /^@?\s*(?:[\w.]*\.)?(?:\w*Transaction(?:al|ed)?|InTransaction|UseTransaction|Atomic|UnitOfWork)\b/.test(
    file.text.slice(decorator.s, decorator.e),
  );
}

/** `Sequelize.useCLS(…)`, `transactionAsyncLocalStorage` anywhere in what has been read. */
function usesCls(model: Model, pack: string): boolean {
  if (pack !== 'sequelize' && pack !== 'mongoose') return false;
  let known = ambientByProject.get(model.project);
  if (!known) ambientByProject.set(model.project, (known = new Map()));
  const before = known.get(pack);
  if (before !== undefined) return before;
  const mark = pack === 'sequelize' ? 'useCLS(' : 'transactionAsyncLocalStorage';
  const found = model.project.loaded().some((f) => f.text.includes(mark));
  known.set(pack, found);
  return found;
}

/** Whether a database call is part of a transaction, by its own handle. What surrounds it is not looked at. */
export function standingOf(model: Model, site: Site): Standing {
  const recv = receiverOf(site);
  if (isTransactionHandle(recv)) return 'inside';
  const option = handleOption(model, site);
  if (option === 'given') return 'inside';
  if (option === 'unknown') return 'unknown';
  if (isAmbient(model, site)) return 'inside';
  if (inBatch(site)) return 'inside';
  if (chosenByContext(model, site)) return 'unknown';
  if (hasRole(recv, 'connection')) return onOpenConnection(model, site);
  const root = rootOfSite(site);
  const binding = root?.binding;
  if (binding?.decl?.k === 'param') {
    const { type } = binding.decl;
    if (hasRole(recv, 'pool')) return 'outside';
    if (recv?.pack.id === 'prisma' && type && /^(?:\w+\.)?\w*Prisma(?:Client|Service)$/.test(type.name))
      return 'outside';
    if (option === 'absent' && recv && inherited(recv.pack, recv.type, 'role') === 'repository')
      return 'outside';
    return 'unknown';
  }
  if (binding && /^(?:tx|trx|t|transaction|queryRunner|manager)$/.test(binding.name)) return 'unknown';
  // A manager kept in a field may be the one of a transaction unless a container put it there.
  if (root && !binding && hasRole(recv, 'client') && recv?.pack.id === 'typeorm' && !isInjectable(site))
    return 'unknown';
  return 'outside';
}

const CARRIER =
  /^_?(?:ctx|context|c|req|request|tx|trx|transaction|manager|session|scope|uow|sharedContext|sharedContext_|container|opts|options|env)$/i;

/** `this.connection.getRepository(ctx, User)`: a local function picks the handle by what it is given. */
function chosenByContext(model: Model, site: Site): boolean {
  let at: Expr = site.node.k === 'tag' ? site.node.tag : site.node.callee;
  for (let guard = 0; guard < 40; guard++) {
    if (at.k === 'mem' || at.k === 'idx') at = at.obj;
    else if (at.k === 'as' || at.k === 'await') at = at.arg;
    else if (at.k === 'id') {
      const binding = site.file.facts.bindings[at.b];
      const init = binding?.decl?.k === 'init' ? uncast(binding.decl.init) : null;
      if (!init || (init.k !== 'call' && init.k !== 'await')) return false;
      at = init;
    } else if (at.k === 'call') {
      if (
        at.args.some((a) => a.k === 'id' && CARRIER.test(a.name)) &&
        model.sites.target(site.file, at).k === 'fn'
      )
        return true;
      at = at.callee;
    } else return false;
  }
  return false;
}

function isInjectable(site: Site): boolean {
  const { file } = site;
  for (const cls of file.facts.classes)
    if (cls.s <= site.node.s && site.node.e <= cls.e)
      return cls.decorators.some((d) =>
        /Injectable|Controller|Resolver|Service|Processor|EventSubscriber/.test(file.text.slice(d.s, d.e)),
      );
  return false;
}

/** `prisma.$transaction([prisma.a.create(…), …])`, `db.batch([…])`. */
export function inBatch(site: Site): boolean {
  const { file } = site;
  let child: AnyNode = site.top;
  for (let at = file.index.parent(child); at; child = at, at = file.index.parent(at)) {
    if (at.k === 'arr' || at.k === 'spread' || at.k === 'as') continue;
    if (at.k === 'call' && at.callee.k === 'mem' && /^(?:\$transaction|batch)$/.test(at.callee.prop))
      return at.args.includes(child as Expr);
    if (
      at.k === 'call' &&
      at.callee.k === 'mem' &&
      (at.callee.prop === 'push' || at.callee.prop === 'concat')
    )
      return true;
    // A query that is kept, not awaited, is run by whoever takes it.
    return (at.k === 'var' || at.k === 'obj' || at.k === 'asg') && site.effect?.pack?.id === 'prisma';
  }
  return false;
}

/** A checked-out connection is in a transaction when `BEGIN` goes through it in the same function. */
function onOpenConnection(model: Model, site: Site): Standing {
  const root = rootOfSite(site);
  if (!root) return 'unknown';
  if (root.binding?.decl?.k === 'param' || root.field !== null) return 'unknown';
  const outer = model.outermost(site.file, site.fn);
  for (const other of model.sitesWithin(site.file, outer))
    if (other.effect?.op === 'begin' && sameRoot(rootOfSite(other), root)) return 'inside';
  // Somebody else may begin it: the connection is handed on, or came from a helper.
  return root.binding && handedOn(site.file, root.index, outer) ? 'unknown' : 'outside';
}

export function sameRoot(a: Root | null, b: Root | null): boolean {
  return (
    a !== null &&
    b !== null &&
    (a.binding ? a.binding === b.binding : b.binding === null && a.field === b.field)
  );
}

function handedOn(file: SourceFile, binding: number, outer: number): boolean {
  for (const fn of file.index.within(outer)) {
    for (const call of file.index.calls[fn.id] ?? [])
      if (
        call.k !== 'tag' &&
        call.args.some((a) => uncast(a).k === 'id' && (uncast(a) as { b: number }).b === binding)
      )
        return true;
  }
  return false;
}

/** Some part of the node names the binding. */
export function mentions(node: AnyNode, binding: number): boolean {
  return some(node, (n) => n.k === 'id' && n.b === binding);
}

const SIDE_TABLE =
  /(?:audit|logs?$|_log|logentry|event|metric|stats?$|statistic|analytic|activit|histor|telemetry|visit|impression|usage|tracking|trail|snapshot|cache|attempt|heartbeat|counter|notification|outbox|webhook_?deliver|breadcrumb|journal|changelog|view(?:s|ed|log)?$)/i;

/** Tables that record what happened: losing a row of theirs leaves nothing half done. */
export function isSideTable(entity: string | null): boolean {
  return entity !== null && SIDE_TABLE.test(entity);
}
