/**
 * Where a transaction is open: the callback of the library, or the stretch between begin and commit of one function.
 * Owns finding that stretch and the name of its handle.
 */
import type { Stmt } from '../../facts/ir.ts';
import { uncast, type AnyNode } from '../../facts/walk.ts';
import type { Frame } from '../../model/frames.ts';
import type { Model } from '../../model/model.ts';
import { mayFollow, mustPrecede } from '../../model/paths.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import type { Pack } from '../../packs/contract.ts';
import { isTransactionHandle, rootOfSite, sameRoot } from './databaseCalls.ts';

export interface TransactionScope {
  readonly pack: Pack;
  /** Name of the handle within the stretch; null where the callback takes none. */
  readonly handle: string | null;
  /** Its binding; -1 when there is none. */
  readonly binding: number;
  /** The callback, or the function that holds begin and commit. */
  readonly fn: number;
  /** The call that opens it. */
  readonly opener: Site;
  readonly managed: boolean;
}

/** The transaction callback that a place is in; null when there is none, or when the place runs later on its own. */
export function managedScope(
  model: Model,
  file: SourceFile,
  node: AnyNode,
  fn: number,
): TransactionScope | null {
  for (const frame of model.frames.around(file, node, fn)) {
    if (frame.k !== 'callback') continue;
    if (
      frame.roles.has('listener') ||
      frame.roles.has('after-commit') ||
      frame.roles.has('handler') ||
      frame.roles.has('consumer')
    )
      return null;
    if (!frame.roles.has('transaction')) continue;
    const scope = ofCallback(model, file, frame);
    if (scope) return scope;
  }
  return null;
}

function ofCallback(
  model: Model,
  file: SourceFile,
  frame: Frame & { k: 'callback' },
): TransactionScope | null {
  const opener = model.sites.at(file, frame.call);
  if (!opener) return null;
  const param = file.facts.functions[frame.fn]?.params[0];
  const target = param?.target.k === 'pdef' ? param.target.target : param?.target;
  const binding = target?.k === 'pid' ? target.b : -1;
  const declared = file.facts.bindings[binding];
  const value = declared ? model.values.binding(file, declared) : null;
  const own = value?.k === 'inst' && isTransactionHandle(value) ? value : null;
  const pack = frame.lib?.pack ?? own?.pack ?? null;
  if (!pack) return null;
  if (target?.k === 'pid') return { pack, handle: target.name, binding, fn: frame.fn, opener, managed: true };
  // `session.withTransaction(async () => …)`: the handle is what opened it.
  const callee = frame.call.callee;
  if (
    !target &&
    callee.k === 'mem' &&
    callee.obj.k === 'id' &&
    frame.lib?.recv &&
    isTransactionHandle(frame.lib.recv)
  )
    return { pack, handle: callee.obj.name, binding: callee.obj.b, fn: frame.fn, opener, managed: true };
  return { pack, handle: null, binding: -1, fn: frame.fn, opener, managed: true };
}

interface Opened {
  readonly opener: Site;
  readonly pack: Pack;
  readonly named: { readonly name: string; readonly binding: number };
  readonly ends: readonly Site[];
}

// Keyed by the list of a function's sites: it lives as long as the model that made it.
const openedIn = new WeakMap<readonly Site[], readonly Opened[]>();

function openedBy(model: Model, file: SourceFile, fn: number): readonly Opened[] {
  const sites = model.sites.of(file, fn);
  const known = openedIn.get(sites);
  if (known) return known;
  const found: Opened[] = [];
  const allEnds = sites.filter(isEnd);
  if (allEnds.length > 0)
    for (const opener of sites) {
      if (opener.target.k !== 'lib' || !opens(opener)) continue;
      const named = boundName(file, opener) ?? nameOfReceiver(opener);
      if (!named) continue;
      const ends = allEnds.filter((s) => endsSame(s, opener, named.binding));
      if (ends.length > 0) found.push({ opener, pack: opener.target.pack, named, ends });
    }
  openedIn.set(sites, found);
  return found;
}

/** A transaction that the function opens and ends by hand, still open at the place. */
export function manualScope(model: Model, site: Site): TransactionScope | null {
  const { file, fn } = site;
  for (const { opener, pack, named, ends } of openedBy(model, file, fn)) {
    if (opener === site || !mustPrecede(file, opener.node, site.node)) continue;
    if (!ends.some((e) => mayFollow(file, site.node, e.node))) continue;
    if (ends.some((e) => mustPrecede(file, e.node, site.node))) continue;
    const handle =
      pack.id === 'typeorm' && opener.effect?.op === 'begin' ? `${named.name}.manager` : named.name;
    return { pack, handle, binding: named.binding, fn, opener, managed: false };
  }
  return null;
}

/** Begins a transaction that somebody must end: `BEGIN`, `startTransaction`, `await sequelize.transaction()`. */
export function opens(site: Site): boolean {
  if (site.effect?.op === 'begin') return true;
  const { target, node } = site;
  if (target.k !== 'lib' || node.k !== 'call') return false;
  const callback = target.spec.callbacks?.find((c) => c.role === 'transaction');
  if (!callback || !target.spec.returns || target.pack.types[target.spec.returns]?.role !== 'transaction')
    return false;
  return !node.args.some(
    (a) =>
      uncast(a).k === 'fn' ||
      (uncast(a).k === 'id' &&
        /^(?:fn|callback|cb|work|handler|run)$/.test((uncast(a) as { name: string }).name)),
  );
}

export function isEnd(site: Site): boolean {
  return site.effect?.op === 'commit' || site.effect?.op === 'rollback';
}

function endsSame(end: Site, opener: Site, binding: number): boolean {
  const root = rootOfSite(end);
  if (root?.binding && root.index === binding) return true;
  return sameRoot(root, rootOfSite(opener));
}

/** `const t = await sequelize.transaction()` → `t`. */
function boundName(file: SourceFile, opener: Site): { name: string; binding: number } | null {
  if (opener.effect?.op === 'begin') return null;
  for (let at = file.index.parent(opener.top); at; at = file.index.parent(at)) {
    if (at.k === 'await' || at.k === 'as') continue;
    if (at.k === 'var') {
      const decl = at.decls.find(
        (d) => d.init !== null && d.init.s <= opener.node.s && opener.node.e <= d.init.e,
      );
      return decl?.target.k === 'pid' ? { name: decl.target.name, binding: decl.target.b } : null;
    }
    if (at.k === 'asg') return at.target.k === 'id' ? { name: at.target.name, binding: at.target.b } : null;
    return null;
  }
  return null;
}

function nameOfReceiver(opener: Site): { name: string; binding: number } | null {
  if (opener.effect?.op !== 'begin') return null;
  const { node } = opener;
  if (node.k === 'call' && node.callee.k === 'mem' && node.callee.obj.k === 'id')
    return { name: node.callee.obj.name, binding: node.callee.obj.b };
  const root = rootOfSite(opener);
  return root?.binding
    ? { name: root.binding.name, binding: root.index }
    : root?.field
      ? { name: `this.${root.field}`, binding: -1 }
      : null;
}

/** The transaction that is open where a call stands, however it was opened. */
export function openTransaction(model: Model, site: Site): TransactionScope | null {
  return managedScope(model, site.file, site.node, site.fn) ?? manualScope(model, site);
}

/** Waited for where it stands: its failure and its time are those of the code around it. */
export function isAwaited(file: SourceFile, node: AnyNode): boolean {
  for (let child = node, at = file.index.parent(node); at; child = at, at = file.index.parent(at)) {
    switch (at.k) {
      case 'await':
      case 'ret':
        return true;
      case 'as':
      case 'arr':
      case 'spread':
      case 'cond':
      case 'bin':
      case 'mem':
        continue;
      case 'call':
        // `Promise.all([…])`, `.then(…)`, `withRetry(call())`: go on from the outer call.
        continue;
      case 'var':
      case 'asg':
        return false;
      case 'un':
        return at.op !== 'void' && isAwaited(file, at);
      default:
        return !isStatement(at) && child !== node;
    }
  }
  return true;
}

function isStatement(node: AnyNode): node is Stmt {
  return node.k === 'expr' || node.k === 'if' || node.k === 'block';
}
