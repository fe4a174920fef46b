/** Columns that say how far a row has come. Owns reading them from the filter and from the values of a database call. */
import type { Expr } from '../../facts/ir.ts';
import { uncast, walk } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import { readOption } from '../../model/options.ts';
import type { Site } from '../../model/sites.ts';

const STATE =
  /^(?:(?:job|task|run|process|delivery|sync|send|sending|processing|email|import|export|publish)?_?(?:status|state)|(?:is_?)?(?:processed|sent|handled|done|claimed|locked|delivered|published|dispatched|notified|executed|queued|synced|completed|picked_?up)(?:_?(?:at|by|on|until))?|started_?at|finished_?at)$/i;

export function isStateColumn(name: string): boolean {
  return STATE.test(name);
}

export interface Column {
  /** As written, without a table in front. */
  readonly name: string;
  /** Text of the value; null where it cannot be read. */
  readonly value: string | null;
}

/** The filter of a call: its state columns, and the names of all columns it asks for; null when it cannot be read. */
export function filterOf(
  model: Model,
  site: Site,
): {
  readonly state: readonly Column[];
  readonly all: readonly string[];
  readonly exprs: readonly Expr[];
} | null {
  const { effect, node, file } = site;
  if (!effect) return null;
  if (effect.sql) {
    const text = effect.sql.whereText.split(/\b(?:order by|limit|for update|returning|group by)\b/)[0] ?? '';
    const all: string[] = [];
    const state: Column[] = [];
    for (const m of text.matchAll(/(?:\w+\.)?["`]?(\w+)["`]?\s*(=|<>|!=|<=?|>=?|is\b|in\b)\s*(\S+)?/g)) {
      const name = m[1] ?? '';
      if (/^(?:and|or|not)$/.test(name)) continue;
      all.push(name);
      if (isStateColumn(name)) state.push({ name, value: writtenValue(site, name, 'last') });
    }
    const exprs = node.k === 'tag' ? node.exprs : node.args.slice(1);
    return { state, all, exprs };
  }
  const exprs: Expr[] = [];
  if (effect.spec.filterAt) {
    const read = readOption(model.values, file, node, effect.spec.filterAt);
    if (read.k !== 'value' || read.file !== file) return null;
    exprs.push(read.expr);
  }
  for (const link of site.chain) if (/^(?:where|andWhere)$/.test(link.name)) exprs.push(...link.node.args);
  if (node.k === 'call') {
    // Builders whose effect is the last call: `knex('jobs').where({ status }).update(…)`.
    let up: Expr = node.callee;
    while (up.k === 'mem' || up.k === 'call') {
      if (up.k === 'call') {
        if (up.callee.k === 'mem' && /^(?:where|andWhere)$/.test(up.callee.prop)) exprs.push(...up.args);
        up = up.callee;
      } else up = up.obj;
    }
  }
  if (exprs.length === 0) return null;
  const columns = exprs.flatMap((e, i) => columnsIn(site, e, exprs[i + 1] ?? null));
  return { state: columns.filter((c) => isStateColumn(c.name)), all: columns.map((c) => c.name), exprs };
}

/** The literal that a statement compares a column with or sets it to; string contents are not part of the parsed text. */
function writtenValue(site: Site, column: string, which: 'first' | 'last'): string | null {
  const { node, file } = site;
  const text = node.k === 'tag' ? node : node.args[0];
  if (!text) return null;
  const found = [
    ...file.text
      .slice(text.s, text.e)
      .matchAll(new RegExp(`\\b${column}["\`]?\\s*(?:=|is)\\s*('[^']*'|[\\w.()$]+)`, 'gi')),
  ];
  return found.at(which === 'first' ? 0 : -1)?.[1] ?? null;
}

const PLUMBING = /^(?:AND|OR|NOT|and|or|not|is|in|equals|some|every|none|gt|gte|lt|lte|\$\w+|where|mode)$/;

/** `{ status: 'new' }`, `eq(jobs.status, 'new')`, `'status', 'new'`. */
function columnsIn(site: Site, expr: Expr, next: Expr | null): Column[] {
  const { file } = site;
  const textOf = (e: Expr): string => file.text.slice(e.s, e.e);
  const out: Column[] = [];
  const inner = uncast(expr);
  if (inner.k === 'lit' && typeof inner.value === 'string')
    return [{ name: inner.value.split('.').at(-1) ?? '', value: next ? textOf(next) : null }];
  walk(inner, (n) => {
    if (n.k === 'obj') {
      for (const p of n.props)
        if (p.key !== null && !PLUMBING.test(p.key)) out.push({ name: p.key, value: textOf(p.value) });
    } else if (n.k === 'call') {
      const [first, second] = n.args;
      const name = n.callee.k === 'id' ? n.callee.name : n.callee.k === 'mem' ? n.callee.prop : '';
      if (first?.k === 'mem' && /^(?:eq|ne|lte?|gte?|isNull|isNotNull|inArray|like)$/.test(name)) {
        out.push({ name: first.prop, value: second ? textOf(second) : null });
        return false;
      }
    }
    return true;
  });
  return out;
}

/** The columns that an update sets; null when they cannot be read. */
export function valuesOf(model: Model, site: Site): readonly Column[] | null {
  const { effect, node, file } = site;
  if (!effect) return null;
  if (effect.sql) {
    const set = /\bset\b(.*?)(?:\bwhere\b|\breturning\b|$)/i.exec(effect.sql.text)?.[1];
    if (set === undefined) return null;
    return [...set.matchAll(/["`]?(\w+)["`]?\s*=\s*([^,]+)/g)].map((m) => ({
      name: m[1] ?? '',
      value: writtenValue(site, m[1] ?? '', 'first'),
    }));
  }
  const exprs: Expr[] = [];
  if (effect.spec.dataAt) {
    const read = readOption(model.values, file, node, effect.spec.dataAt);
    if (read.k === 'value' && read.file === file) exprs.push(read.expr);
  }
  for (const link of site.chain)
    if ((link.name === 'set' || link.name === 'values') && link.node.args[0]) exprs.push(link.node.args[0]);
  if (exprs.length === 0 && node.k === 'call' && node.args[0]) exprs.push(node.args[0]);
  const out: Column[] = [];
  for (const e of exprs) {
    const inner = uncast(e);
    if (inner.k !== 'obj') continue;
    for (const p of inner.props) {
      const nested = uncast(p.value);
      // MongoDB names the operator first.
      if (p.key === '$set' && nested.k === 'obj')
        for (const q of nested.props)
          out.push({ name: q.key ?? '', value: file.text.slice(q.value.s, q.value.e) });
      else if (p.key !== null) out.push({ name: p.key, value: file.text.slice(p.value.s, p.value.e) });
    }
  }
  return out.length > 0 ? out : null;
}
