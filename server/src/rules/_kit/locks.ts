/** Locks that a call takes: on rows, on advisory keys, on mutexes; with the parts of its text that decide which. Owns finding them behind helpers. */
import type { Expr, FunctionFact } from '../../facts/ir.ts';
import { uncast, walk } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import { booleanOf, readOption } from '../../model/options.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Effect, Site } from '../../model/sites.ts';
import { precededBy } from './databaseCalls.ts';

export interface Lock {
  /** The call in the function that is looked at. */
  readonly site: Site;
  /** `update`: a row that is written, and held until the transaction ends. */
  readonly kind: 'row' | 'update' | 'advisory' | 'mutex';
  /** What it is a lock on: a table, an advisory key space, the name of a mutex. */
  readonly what: string;
  /** Expressions that decide which one. */
  readonly keys: readonly Expr[];
  readonly noWait: boolean;
  readonly confidence: Effect['confidence'];
}

/** The lock that a site takes, itself or through a local function it calls; null when it takes none or several. */
export function lockOf(model: Model, site: Site): Lock | null {
  const own = ownLock(model, site);
  if (own) return own;
  if (site.target.k !== 'fn' || site.node.k === 'tag') return null;
  const { value } = site.target;
  const fact = value.file.facts.functions[value.fn];
  if (!fact) return null;
  const lock = onlyLockIn(model, value.file, value.fn, fact);
  if (!lock) return null;
  const keys: Expr[] = [];
  for (const [i, param] of fact.params.entries()) {
    const target = param.target.k === 'pdef' ? param.target.target : param.target;
    const arg = site.node.args[i];
    if (target.k === 'pid' && arg && lock.keys.some((k) => mentionsBinding(k, target.b))) keys.push(arg);
  }
  return keys.length > 0 ? { ...lock, site, keys } : null;
}

const known = new WeakMap<Model, WeakMap<FunctionFact, Lock | null>>();

/** The one lock that a helper takes and leaves held. */
function onlyLockIn(model: Model, file: SourceFile, fn: number, fact: FunctionFact): Lock | null {
  const cache = known.get(model) ?? new WeakMap<FunctionFact, Lock | null>();
  known.set(model, cache);
  const before = cache.get(fact);
  if (before !== undefined) return before;
  const inner = model.sitesWithin(file, fn).flatMap((s) => ownLock(model, s) ?? []);
  const lock =
    inner.length === 1 && inner[0]?.kind !== 'update' && !released(model, file, fn)
      ? (inner[0] ?? null)
      : null;
  cache.set(fact, lock);
  return lock;
}

/** The helper gives the lock back before it returns. */
function released(model: Model, file: SourceFile, fn: number): boolean {
  return model
    .sitesWithin(file, fn)
    .some((s) => s.effect?.op === 'release' || s.effect?.op === 'commit' || s.effect?.op === 'begin');
}

function mentionsBinding(expr: Expr, b: number): boolean {
  let found = false;
  walk(expr, (n) => {
    if (n.k === 'id' && n.b === b) found = true;
    return !found;
  });
  return found;
}

export function ownLock(model: Model, site: Site): Lock | null {
  const { effect } = site;
  if (!effect) return null;
  if (effect.kind === 'lock' && effect.op === 'acquire') return mutexLock(site, effect);
  if (effect.kind !== 'db') return null;
  const base = { site, confidence: effect.confidence };
  if (effect.sql) {
    const { sql } = effect;
    if (sql.advisory)
      return {
        ...base,
        kind: 'advisory',
        what: 'advisory lock',
        keys: holes(site, sql.text, 0),
        noWait: /\btry_/.test(sql.text.toLowerCase()),
      };
    const where = Math.max(0, sql.text.toLowerCase().indexOf(' where '));
    const keys = holes(site, sql.text, where);
    if (sql.verb === 'select' && sql.forUpdate && !sql.skipLocked && sql.table)
      return oneRow(sql.text) ? { ...base, kind: 'row', what: sql.table, keys, noWait: sql.noWait } : null;
    if (sql.verb === 'update' && sql.table && where > 0)
      return oneRow(sql.text) ? { ...base, kind: 'update', what: sql.table, keys, noWait: false } : null;
    return null;
  }
  if (effect.entity === null) return null;
  if (site.chain.some((c) => c.refines === 'skip-locked') || precededBy(model, site, 'skip-locked'))
    return null;
  const locked =
    site.chain.some((c) => c.refines === 'lock') ||
    precededBy(model, site, 'lock') ||
    lockOption(model, site);
  if (locked && effect.op === 'read') {
    const keys = filterParts(model, site);
    return keys.length > 0 ? { ...base, kind: 'row', what: effect.entity, keys, noWait: false } : null;
  }
  if ((effect.op === 'update' || effect.op === 'increment') && !effect.spec.many) {
    const keys = filterParts(model, site);
    return keys.length > 0 ? { ...base, kind: 'update', what: effect.entity, keys, noWait: false } : null;
  }
  return null;
}

/** A set of rows is locked by one statement, in the database's own order. */
function oneRow(text: string): boolean {
  return !/\bin\s*\(|=\s*any\s*\(/i.test(text);
}

function lockOption(model: Model, site: Site): boolean {
  for (const at of site.effect?.spec.lockAt ?? []) {
    const read = readOption(model.values, site.file, site.node, at);
    if (read.k === 'value' && booleanOf(model.values, read.file, read.expr) !== false) return true;
  }
  return false;
}

/** The values that a call filters by. */
function filterParts(model: Model, site: Site): readonly Expr[] {
  const { node, effect } = site;
  if (node.k === 'tag') return [];
  const at = effect?.spec.filterAt;
  if (at) {
    const read = readOption(model.values, site.file, node, at);
    if (read.k === 'value' && read.file === site.file) return [read.expr];
  }
  const parts: Expr[] = [];
  if (
    /^(?:findByPk|findById|findOneById|findByIdAndUpdate)$/.test(
      node.callee.k === 'mem' ? node.callee.prop : '',
    ) &&
    node.args[0]
  )
    parts.push(node.args[0]);
  for (const link of site.chain) if (/^(?:where|andWhere|eq)$/.test(link.name)) parts.push(...link.node.args);
  let up: Expr = node.callee;
  while (up.k === 'mem' || up.k === 'call') {
    if (up.k === 'call') {
      if (up.callee.k === 'mem' && /^(?:where|andWhere)$/.test(up.callee.prop)) parts.push(...up.args);
      up = up.callee;
    } else up = up.obj;
  }
  return parts;
}

/** The expressions that fill the placeholders of a statement from an offset on. */
function holes(site: Site, text: string, from: number): readonly Expr[] {
  const { node } = site;
  const first = node.k === 'tag' ? node : uncast(node.args[0] ?? node.callee);
  const inline = first.k === 'tag' || first.k === 'tmpl' ? first.exprs : [];
  const second = node.k === 'tag' ? undefined : node.args[1];
  const list =
    second && uncast(second).k === 'arr' ? (uncast(second) as { items: readonly Expr[] }).items : [];
  const out: Expr[] = [];
  let inlineAt = 0;
  let listAt = 0;
  for (const m of text.matchAll(/\$\?|\$(\d+)|\?/g)) {
    const value = m[0] === '$?' ? inline[inlineAt++] : m[1] ? list[Number(m[1]) - 1] : list[listAt++];
    if (value && m.index >= from) out.push(value);
  }
  return out;
}

function mutexLock(site: Site, effect: Effect): Lock | null {
  const { node, file } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem') return null;
  const receiver = uncast(node.callee.obj);
  const first = node.args[0];
  // A keyed lock names its key; a keyed set of mutexes names it where the mutex is got.
  const keys =
    first && uncast(first).k !== 'fn'
      ? [first]
      : receiver.k === 'call'
        ? receiver.args
        : receiver.k === 'idx'
          ? [receiver.index]
          : [];
  const named = receiver.k === 'call' ? receiver.callee : receiver.k === 'idx' ? receiver.obj : receiver;
  return {
    site,
    kind: 'mutex',
    what: file.text.slice(named.s, named.e),
    keys,
    noWait: false,
    confidence: effect.confidence,
  };
}
