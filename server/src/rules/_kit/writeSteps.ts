/**
 * The database writes of one flow of control, in order: direct ones, those behind local calls, and whole transactions.
 * Owns what a write is about (its keys and the names it uses), by which two writes are told to belong together.
 */
import type { Call, Expr } from '../../facts/ir.ts';
import { uncast, walk, type AnyNode } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import { isDatabaseWrite, isSideTable, precededBy, rootOf, standingOf } from './databaseCalls.ts';
import { managedScope } from './transactionScopes.ts';

export interface Step {
  /** The call in the flow. */
  readonly site: Site;
  /** The part of the flow function's own body that holds it. */
  readonly node: AnyNode;
  /** The write itself. */
  readonly write: Site;
  readonly how: 'direct' | 'helper' | 'transaction';
  /** It also waits for somebody else, so it cannot move into a transaction as it is. */
  readonly external: boolean;
  readonly entity: string | null;
  /** Texts of the ids it uses. */
  readonly ids: ReadonlySet<string>;
  /** Ids that name the row it changes. */
  readonly own: ReadonlySet<string>;
  /** Local names it uses. */
  readonly names: ReadonlySet<number>;
  /** Names its result is bound to. */
  readonly results: ReadonlySet<number>;
}

/** The function in whose flow a site runs: callbacks that run at once count as part of the function around them. */
export function flowOf(model: Model, site: Site): { fn: number; node: AnyNode } | null {
  let node: AnyNode = site.node;
  let fn = site.fn;
  for (let guard = 0; guard < 12; guard++) {
    const callback = model.frames.callbackOf(site.file, fn);
    if (!callback) return { fn, node };
    const { roles } = callback;
    if (
      roles.has('listener') ||
      roles.has('after-commit') ||
      roles.has('handler') ||
      roles.has('consumer') ||
      roles.has('step')
    )
      return { fn, node };
    if (
      !roles.has('sync') &&
      !roles.has('limit') &&
      !roles.has('timeout') &&
      !roles.has('lock') &&
      !roles.has('transaction')
    )
      return { fn, node };
    const outer = site.file.index.functionOf(callback.call);
    // A module that wraps its handlers (`export const GET = guarded(async () => …)`) runs none of them in one flow.
    if (outer === 0) return { fn, node };
    node = callback.call;
    fn = outer;
  }
  return null;
}

/** Write steps by flow function. */
export function stepsByFlow(
  model: Model,
  file: SourceFile,
  sites: readonly Site[],
): ReadonlyMap<number, readonly Step[]> {
  const found = new Map<number, Step[]>();
  for (const site of sites) {
    const step = stepOf(model, file, site);
    if (!step) continue;
    const list = found.get(step.fn) ?? [];
    list.push(step.step);
    found.set(step.fn, list);
  }
  for (const list of found.values()) list.sort((a, b) => a.site.node.s - b.site.node.s);
  return found;
}

function stepOf(model: Model, file: SourceFile, site: Site): { fn: number; step: Step } | null {
  if (isDatabaseWrite(site) || makesTable(site)) {
    if (standingOf(model, site) !== 'outside' || managedScope(model, file, site.node, site.fn)) return null;
    return make(model, site, site, 'direct');
  }
  const { target } = site;
  if (target.k === 'lib' && target.spec.callbacks?.some((c) => c.role === 'transaction')) {
    const written = writesInside(model, site);
    return written ? make(model, site, written, 'transaction') : null;
  }
  if (target.k !== 'fn' || managedScope(model, file, site.node, site.fn)) return null;
  const hit = firstWriteBehind(model, site);
  return hit ? make(model, site, hit.write, hit.how, hit.external) : null;
}

const TRANSACTIONAL_DDL = new Set(['pg', 'pgPromise', 'postgresJs', 'sqlite']);

/** Makes or drops a table whose name comes from the caller, on a server that can do so in a transaction. */
export function makesTable(site: Site): boolean {
  const { effect, target } = site;
  if (
    target.k !== 'lib' ||
    effect?.kind !== 'db' ||
    effect.sql?.verb !== 'ddl' ||
    !TRANSACTIONAL_DDL.has(effect.pack?.id ?? '')
  )
    return false;
  return /^\s*(?:create|drop)\s+table\s+(?:if\s+(?:not\s+)?exists\s+)?"?\$/i.test(effect.sql.text);
}

function writesInside(model: Model, site: Site): Site | null {
  const { node, file } = site;
  if (node.k !== 'call') return null;
  const fn = node.args.map((a) => uncast(a)).find((a) => a.k === 'fn');
  if (fn?.k !== 'fn') return null;
  return (
    model
      .sitesWithin(file, fn.fn)
      .find((s) => isDatabaseWrite(s) && !isSideTable(s.effect?.entity ?? null)) ?? null
  );
}

interface Behind {
  readonly write: Site;
  readonly how: 'helper' | 'transaction';
  readonly external: boolean;
}

// What a function leads to is known to one model only.
const behindByModel = new WeakMap<Model, WeakMap<object, Behind | null>>();
function firstWriteBehind(model: Model, site: Site): Behind | null {
  if (site.target.k !== 'fn') return null;
  const { value } = site.target;
  const fact = value.file.facts.functions[value.fn];
  if (!fact) return null;
  let behind = behindByModel.get(model);
  if (!behind) behindByModel.set(model, (behind = new WeakMap()));
  const known = behind.get(fact);
  if (known !== undefined) return known;
  let best: Behind | null = null;
  let external = false;
  for (const { site: hit, via } of model.reach(value.file, value.fn)) {
    if (via.length < 3 && /^(?:http|sdk|rpc|mail)$/.test(hit.effect?.kind ?? '')) external = true;
    if (
      via.length > 2 ||
      !(isDatabaseWrite(hit) || makesTable(hit)) ||
      isSideTable(hit.effect?.entity ?? null)
    )
      continue;
    const standing = standingOf(model, hit);
    if (managedScope(model, hit.file, hit.node, hit.fn)) {
      best ??= { write: hit, how: 'transaction', external };
      continue;
    }
    if (standing === 'outside')
      best = best?.how === 'helper' ? best : { write: hit, how: 'helper', external };
    if (standing === 'unknown') {
      best = null;
      break;
    }
  }
  if (best) best = { ...best, external };
  behind.set(fact, best);
  return best;
}

function make(
  model: Model,
  site: Site,
  write: Site,
  how: Step['how'],
  external = false,
): { fn: number; step: Step } | null {
  const flow = flowOf(model, site);
  if (!flow) return null;
  const ids = new Set<string>();
  const own = new Set<string>();
  const names = new Set<number>();
  const results = new Set<number>();
  for (const part of partsOf(site)) gather(site.file, part, ids, own, names);
  if (site.node.k === 'call' && site.target.k === 'lib') ownKeys(site, own);
  // What a name was read by stands for it: `const link = await find({ where: { id } })`.
  for (const b of [...names]) through(model, site.file, b, ids);
  bindings(site, results);
  return {
    fn: flow.fn,
    step: {
      site,
      node: flow.node,
      write,
      how,
      external,
      entity: write.effect?.entity ?? null,
      ids,
      own,
      names,
      results,
    },
  };
}

/** Arguments of the call, of what is chained on it and of what comes before it in the chain. */
function partsOf(site: Site): AnyNode[] {
  const parts: AnyNode[] = [];
  if (site.node.k === 'tag') parts.push(...site.node.exprs);
  else {
    parts.push(...site.node.args);
    let at: Expr = site.node.callee;
    for (let guard = 0; guard < 40; guard++) {
      if (at.k === 'mem') at = at.obj;
      else if (at.k === 'call') {
        parts.push(...at.args);
        at = at.callee;
      } else break;
    }
  }
  for (const c of site.chain) parts.push(...c.node.args);
  return parts;
}

const ID_NAME = /(?:^|[a-z0-9_])(?:Ids?|ID|_id|_ids|[uU]uid|Key|Slug|Token)$|^(?:id|_id|uuid|ids|key|slug)$/;

export function idText(file: SourceFile, expr: Expr): string | null {
  const inner = uncast(expr);
  if (inner.k === 'id') return ID_NAME.test(inner.name) ? inner.name : null;
  if (inner.k === 'mem')
    return ID_NAME.test(inner.prop) ? file.text.slice(inner.s, inner.e).replace(/[!?\s]/g, '') : null;
  return null;
}

function gather(
  file: SourceFile,
  part: AnyNode,
  ids: Set<string>,
  own: Set<string>,
  names: Set<number>,
): void {
  walk(part, (n) => {
    if (n.k === 'fn') {
      for (const st of file.facts.functions[n.fn]?.body ?? []) gather(file, st, ids, own, names);
      return;
    }
    if (n.k === 'id') {
      const binding = file.facts.bindings[n.b];
      if (binding && binding.fn !== 0) names.add(n.b);
      const text = idText(file, n);
      if (text && n.b >= 0) ids.add(text);
      return;
    }
    if (n.k === 'mem') {
      const text = idText(file, n);
      if (text && rootOf(file, n)?.binding?.kind !== 'import') ids.add(text);
      return;
    }
    if (n.k === 'obj')
      for (const p of n.props)
        if (p.key === 'id' || p.key === '_id' || p.key === 'uuid') {
          const text = idText(file, p.value);
          if (text) own.add(text);
        }
    if (n.k === 'call' && (calleeProp(n) === 'eq' || calleeProp(n) === 'where')) {
      const [a, b] = [n.args[0], n.args.at(-1)];
      const names = a?.k === 'mem' ? a.prop : a?.k === 'lit' && typeof a.value === 'string' ? a.value : '';
      const text = b ? idText(file, b) : null;
      if (/^(?:\w+\.)?(?:id|uuid|_id)$/.test(names) && text) own.add(text);
    }
    return;
  });
}

function calleeProp(call: Call): string {
  return call.callee.k === 'id' ? call.callee.name : call.callee.k === 'mem' ? call.callee.prop : '';
}

/** `findByIdAndUpdate(id)`, `user.save()`: the row is named by the argument or by the receiver. */
function ownKeys(site: Site, own: Set<string>): void {
  if (site.node.k !== 'call' || site.node.callee.k !== 'mem') return;
  const { prop, obj } = site.node.callee;
  if (/ById|ByPk/.test(prop) && site.node.args[0]) {
    const text = idText(site.file, site.node.args[0]);
    if (text) own.add(text);
  }
  const type = site.target.k === 'lib' ? site.target.recv?.type : undefined;
  if (type === 'Model' || type === 'Document' || type === 'Entity') {
    const text = site.file.text.slice(obj.s, obj.e).replace(/[!?\s]/g, '');
    own.add(`${text}.id`);
    own.add(`${text}._id`);
  }
}

function through(model: Model, file: SourceFile, b: number, ids: Set<string>): void {
  const binding = file.facts.bindings[b];
  if (binding?.decl?.k !== 'init') return;
  const init = uncast(binding.decl.init.k === 'await' ? binding.decl.init.arg : binding.decl.init);
  if (init.k !== 'call') return;
  const read = model.sites.at(file, init);
  if (read?.effect?.kind !== 'db' || read.effect.op !== 'read') return;
  for (const arg of init.args) gather(file, arg, ids, new Set(), new Set());
}

/** Names that hold what the call gave back. */
function bindings(site: Site, results: Set<number>): void {
  const { file } = site;
  for (
    let at = file.index.parent(site.top), child: AnyNode = site.top;
    at;
    child = at, at = file.index.parent(at)
  ) {
    if (at.k === 'await' || at.k === 'as' || at.k === 'arr' || at.k === 'bin' || at.k === 'cond') continue;
    if (at.k === 'call' && child.k === 'arr') continue;
    if (at.k === 'var') {
      for (const d of at.decls)
        if (d.init && d.init.s <= site.node.s && site.node.e <= d.init.e)
          walk(d.target, (n) => {
            if (n.k === 'pid' && !/count|affected|changes|rowCount/i.test(n.name)) results.add(n.b);
          });
      return;
    }
    if (at.k === 'asg') {
      if (at.target.k === 'id') results.add(at.target.b);
      return;
    }
    return;
  }
}

/** `ON CONFLICT`, `findOrCreate`, `upsert`: doing it again changes nothing. */
export function isGetOrCreate(model: Model, step: Step): boolean {
  const { write, site } = step;
  if (step.how === 'helper' && site.node.k === 'call')
    return /(?:get|find|fetch|create)\w*Or|upsert|ensure|sync/i.test(calleeProp(site.node));
  if (write.effect?.op !== 'upsert') return false;
  if (
    write.chain.some((c) => c.refines === 'upsert') ||
    precededBy(model, write, 'upsert') ||
    write.effect.sql?.onConflict
  )
    return true;
  const name = write.node.k === 'call' && write.node.callee.k === 'mem' ? write.node.callee.prop : '';
  return /upsert|OrCreate|CreateFind/i.test(name);
}
