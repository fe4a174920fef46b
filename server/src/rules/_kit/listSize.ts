/**
 * How long a list can get, as far as code shows. Owns the tracing from a list back to where its elements come from:
 * literals and slices are bounded, queries without a limit, requests and parameters are not.
 */
import type { Binding, Call, Expr } from '../../facts/ir.ts';
import { bare, uncast } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import { numberOf, readOption } from '../../model/options.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import { returnsOf } from '../../model/values.ts';
import { tableName } from './tables.ts';
import { exprName } from './text.ts';

export type ListSize =
  | { readonly k: 'bounded' }
  | { readonly k: 'unknown' }
  | {
      readonly k: 'unbounded';
      /** `shown`: a query without limit, request data, a parameter. `assumed`: what a call that cannot be read gave. */
      readonly confidence: 'shown' | 'assumed';
      /** Ends the sentence "its length is set by …". */
      readonly by: string;
      /** Rows of one parent (`where: { recipientId }`): many only where a single thing has many. */
      readonly small?: boolean;
      /** The list is a parameter, whose callers elsewhere may know more. */
      readonly param?: { readonly fn: number; readonly index: number };
    };

const BOUNDED: ListSize = { k: 'bounded' };
const UNKNOWN: ListSize = { k: 'unknown' };
const SAME_LENGTH = new Set([
  'filter',
  'map',
  'flatMap',
  'sort',
  'reverse',
  'concat',
  'flat',
  'toSorted',
  'toReversed',
  'values',
  'entries',
  'keys',
  'toArray',
  'slice',
  'then',
  'catch',
  'split',
]);
const SAME_LENGTH_FUNCTIONS =
  /^(?:uniq|uniqBy|unique|compact|flatten|sortBy|orderBy|shuffle|dedupe|filter|map|Array\.from|Object\.(?:keys|values|entries)|Set)$/;
/** A part of a list that was cut to size elsewhere. */
const PART = /chunk|batch|page|slice|subset|window|group|(?:^|[a-z])Part$|^top[A-Z0-9]|bucket/i;
const CHUNKERS = /chunk|batch|partition|splitEvery|paginate/i;
const CONFIGURED =
  /^(?:config|conf|settings|options|opts|env|constants?|process|defaults?|props|schema|definition|plugins?|providers?|handlers?|hooks?|strategies|adapters?|modules?|middlewares?|listeners?|columns?|fields?|types?|roles?|regions?|tabs?|locales?|languages?)$/i;

export function listSize(model: Model, file: SourceFile, expr: Expr, depth = 0): ListSize {
  if (depth > 10) return UNKNOWN;
  const inner = bare(expr);
  switch (inner.k) {
    case 'arr': {
      const spreads = inner.items.filter((item) => item.k === 'spread');
      return worst(
        spreads.map((item) => (item.k === 'spread' ? listSize(model, file, item.arg, depth + 1) : UNKNOWN)),
      );
    }
    case 'obj':
    case 'lit':
      return BOUNDED;
    case 'bin':
      if (inner.op === '??' || inner.op === '||')
        return worst([listSize(model, file, inner.l, depth + 1), listSize(model, file, inner.r, depth + 1)]);
      return UNKNOWN;
    case 'cond':
      return worst([listSize(model, file, inner.yes, depth + 1), listSize(model, file, inner.no, depth + 1)]);
    case 'new':
      return inner.callee.k === 'id' && inner.callee.name === 'Set' && inner.args[0]
        ? listSize(model, file, inner.args[0], depth + 1)
        : UNKNOWN;
    case 'call':
      return ofCall(model, file, inner, expr.k === 'await', depth);
    case 'mem':
      return ofMember(model, file, inner, depth);
    case 'id':
      if (PART.test(inner.name)) return BOUNDED;
      return ofBinding(model, file, file.facts.bindings[inner.b], inner.name, depth);
    default:
      return UNKNOWN;
  }
}

function worst(sizes: readonly ListSize[]): ListSize {
  return (
    sizes.find((s) => s.k === 'unbounded' && s.confidence === 'shown') ??
    sizes.find((s) => s.k === 'unbounded') ??
    sizes.find((s) => s.k === 'unknown') ??
    BOUNDED
  );
}

function ofCall(model: Model, file: SourceFile, call: Call, awaited: boolean, depth: number): ListSize {
  const site = model.sites.at(file, call);
  const query = site ? ofQuery(model, file, call) : null;
  if (query) return query;
  const { callee } = call;
  const name = exprName(file, callee);
  if (callee.k === 'mem') {
    if ((callee.prop === 'slice' || callee.prop === 'splice') && call.args.length > 1) return BOUNDED;
    if (callee.prop === 'splice' || callee.prop === 'limit' || callee.prop === 'take') return BOUNDED;
    if (SAME_LENGTH.has(callee.prop)) return listSize(model, file, callee.obj, depth + 1);
  }
  const last = name.split('.').at(-1) ?? name;
  if (CHUNKERS.test(last)) return BOUNDED;
  if (SAME_LENGTH_FUNCTIONS.test(name) || SAME_LENGTH_FUNCTIONS.test(last)) {
    const arg = call.args[0];
    if (!arg) return UNKNOWN;
    const source = uncast(arg);
    if (name === 'Array.from' && source.k === 'obj') {
      const length = source.props.find((p) => p.key === 'length');
      return length && numberOf(model.values, file, length.value) !== null ? BOUNDED : UNKNOWN;
    }
    const value = model.values.of(file, source);
    if (value.k === 'node' && value.expr.k === 'obj') return BOUNDED;
    return listSize(model, file, arg, depth + 1);
  }
  const value = model.values.of(file, call);
  if (value.k === 'inst' && isInput(value.type))
    return { k: 'unbounded', confidence: 'shown', by: 'the request' };
  // Stripe gives at most a hundred to a page, ten unless asked.
  if (site?.target.k === 'lib' && site.target.pack.id === 'stripe' && /\.?list\w*$/.test(last))
    return BOUNDED;
  if (site?.target.k === 'lib' && site.target.name === 'parse' && site.target.pack.id === 'zod')
    return UNKNOWN;
  if (site?.target.k === 'fn') {
    const { value: fn } = site.target;
    const fact = fn.file.facts.functions[fn.fn];
    const sizes = returnsOf(fn.file, fn.fn).map((returned) => listSize(model, fn.file, returned, depth + 1));
    const shown = sizes.find(
      (s) => s.k === 'unbounded' && s.confidence === 'shown' && s.by.startsWith('a query'),
    );
    if (shown) return shown;
    if (sizes.length > 0 && sizes.every((s) => s.k === 'bounded')) return BOUNDED;
    return awaited && fact?.async
      ? { k: 'unbounded', confidence: 'assumed', by: `what \`${name}\` gives back` }
      : UNKNOWN;
  }
  return UNKNOWN;
}

/** A database read that may give many rows. */
function ofQuery(model: Model, file: SourceFile, call: Call): ListSize | null {
  const found = chainSites(model, file, call).find((s) => s.effect?.kind === 'db' && s.effect.op === 'read');
  const effect = found?.effect;
  if (!found || !effect) return null;
  if (found.chain.some((c) => c.refines === 'limit' || /^(?:limit|take|first|top)$/.test(c.name)))
    return BOUNDED;
  if (effect.sql)
    return /\blimit\b|\bfetch\s+first\b|\btop\s*\(/i.test(sqlTextOf(file, found))
      ? BOUNDED
      : byQuery(nameOf(found));
  for (const at of effect.spec.limitAt ?? []) {
    const read = readOption(model.values, file, found.node, at);
    if (read.k === 'value' || read.k === 'unknown') return BOUNDED;
  }
  if (effect.spec.many !== true) return UNKNOWN;
  const filter = effect.spec.filterAt
    ? readOption(model.values, file, found.node, effect.spec.filterAt)
    : null;
  const where = filter?.k === 'value' ? uncast(filter.expr) : null;
  const keys = where?.k === 'obj' && filter?.k === 'value' ? keysIn(where) : null;
  if (keys && filter?.k === 'value') {
    const asked = listSize(model, filter.file, keys, 1);
    if (asked.k === 'bounded') return BOUNDED;
    return { ...(asked.k === 'unbounded' ? asked : byQuery(nameOf(found))), small: true };
  }
  const named = where?.k === 'obj' && filter?.k === 'value' ? namedBy(model, filter.file, where) : null;
  if (named === 'constants') return BOUNDED;
  return { ...byQuery(nameOf(found)), ...(named === 'parent' ? { small: true } : {}) };
}

/** Keys that a whole tenant's rows share: they bound nothing. */
const TENANT =
  /^(?:workspace|team|org|organi[sz]ation|tenant|project|account|user|owner|company|customer|environment|channel|space|site|shop|store|app)s?_?id$/i;

/** The list of `{ id: In(list) }`, `{ id: { in: list } }`, `{ [Op.in]: list }`: no more rows than it has keys. */
function keysIn(where: Expr & { k: 'obj' }): Expr | null {
  for (const p of where.props) {
    const value = uncast(p.value);
    if (value.k === 'call' && value.callee.k === 'id' && value.callee.name === 'In')
      return value.args[0] ?? null;
    if (value.k !== 'obj') continue;
    const list = value.props.find(
      (q) => q.key === 'in' || q.key === '$in' || (q.computed?.k === 'mem' && q.computed.prop === 'in'),
    );
    if (list && p.key !== null && /id$/i.test(p.key)) return list.value;
  }
  return null;
}

/** Rows asked for by a fixed list of values, or by one parent's id. Rows asked for by a list of keys are as many as the keys. */
function namedBy(model: Model, file: SourceFile, where: Expr & { k: 'obj' }): 'constants' | 'parent' | null {
  let parent = false;
  for (const p of where.props) {
    const value = uncast(p.value);
    if (value.k === 'obj') {
      const list = value.props.find((q) => q.key === 'in');
      const known = list ? model.values.of(file, list.value) : null;
      if (known?.k === 'node' && known.expr.k === 'arr' && known.expr.items.every((i) => i.k !== 'spread'))
        return 'constants';
    } else if (p.key && /[a-z]_?id$/i.test(p.key) && !TENANT.test(p.key) && value.k !== 'arr') parent = true;
  }
  return parent ? 'parent' : null;
}

function nameOf(site: Site): string | null {
  return tableName(site) ?? site.effect?.entity ?? null;
}

function byQuery(entity: string | null): ListSize & { k: 'unbounded' } {
  return {
    k: 'unbounded',
    confidence: 'shown',
    by:
      entity && !/^(?:entity|model|table|type|target)$/i.test(entity)
        ? `a query on \`${entity}\` with no limit`
        : 'a query with no limit',
  };
}

function sqlTextOf(file: SourceFile, site: Site): string {
  return file.text.slice(site.node.s, site.node.e);
}

/** The sites of the calls that a chain is made of. */
function chainSites(model: Model, file: SourceFile, call: Call): Site[] {
  const out: Site[] = [];
  for (let at: Expr = call; ;) {
    const inner = bare(at);
    if (inner.k === 'call') {
      const site = model.sites.at(file, inner);
      if (site) out.push(site);
      at = inner.callee;
    } else if (inner.k === 'mem') at = inner.obj;
    else return out;
  }
}

function ofMember(model: Model, file: SourceFile, expr: Expr & { k: 'mem' }, depth: number): ListSize {
  if (PART.test(expr.prop) || CONFIGURED.test(expr.prop)) return BOUNDED;
  // Brokers bound what they deliver at once.
  if (expr.prop === 'Records' || expr.prop === 'messages') return BOUNDED;
  const answer = answerOf(model, file, expr);
  if (answer) return { k: 'unbounded', confidence: 'assumed', by: `what \`${answer}\` gives back` };
  if (hasSchemaMax(file, expr.prop)) return BOUNDED;
  const value = model.values.of(file, expr);
  if (value.k === 'inst' && isInput(value.type))
    return { k: 'unbounded', confidence: 'shown', by: 'the request' };
  if (value.k === 'node' && (value.expr.k === 'arr' || value.expr.k === 'obj'))
    return listSize(model, value.file, value.expr, depth + 1);
  const root = rootOf(expr);
  if (root && CONFIGURED.test(root)) return BOUNDED;
  if (expr.prop === 'rows' || expr.prop === 'data' || expr.prop === 'items' || expr.prop === 'Items')
    return listSize(model, file, expr.obj, depth + 1);
  return UNKNOWN;
}

/** `ids: z.array(z.string()).max(50)` in the same file. */
function hasSchemaMax(file: SourceFile, prop: string): boolean {
  const at = file.text.search(new RegExp(`\\b${prop}\\??\\s*:\\s*(?:z|Joi|joi|yup|v)\\.array\\(`));
  if (at < 0) return false;
  const rest = file.text.slice(at, at + 400);
  return /\)\s*\.(?:max|length|maxLength)\(/.test(rest.split(/,\s*\n\s*\w+\??\s*:/)[0] ?? '');
}

/** `answer.items` where `answer` is what an awaited function of the project gave: its name. */
function answerOf(model: Model, file: SourceFile, expr: Expr): string | null {
  const root = bare(expr);
  if (root.k === 'mem') return answerOf(model, file, root.obj);
  const binding = root.k === 'id' ? file.facts.bindings[root.b] : undefined;
  if (binding?.decl?.k !== 'init') return null;
  for (const given of [binding.decl.init, ...binding.writes]) {
    const awaited = given ? uncast(given) : null;
    const call = awaited?.k === 'await' ? bare(awaited) : null;
    if (call?.k === 'call' && model.sites.target(file, call).k === 'fn') {
      // The work that answers leaves the process; what only reads the request gives the request.
      const target = model.sites.target(file, call);
      if (
        target.k === 'fn' &&
        model.reach(target.value.file, target.value.fn).some((r) => r.site.effect?.kind === 'http')
      )
        return exprName(file, call.callee);
    }
  }
  return null;
}

function isInput(type: string): boolean {
  return type === 'Input';
}

function rootOf(expr: Expr): string | null {
  const inner = bare(expr);
  if (inner.k === 'id') return inner.name;
  if (inner.k === 'mem') return inner.obj.k === 'this' ? inner.prop : rootOf(inner.obj);
  return null;
}

function ofBinding(
  model: Model,
  file: SourceFile,
  binding: Binding | undefined,
  name: string,
  depth: number,
): ListSize {
  const decl = binding?.decl;
  if (!binding || !decl) return UNKNOWN;
  if (binding.writes.length > 0) return worst([UNKNOWN]);
  switch (decl.k) {
    case 'init': {
      const head = decl.path[0];
      if (decl.path.length === 0) {
        const inner = bare(decl.init);
        if (inner.k === 'arr' && inner.items.length === 0) return UNKNOWN;
        return listSize(model, file, decl.init, depth + 1);
      }
      const value = model.values.binding(file, binding);
      if (value.k === 'inst' && isInput(value.type))
        return { k: 'unbounded', confidence: 'shown', by: 'the request' };
      // `const { rows } = await pool.query(…)`, `const [rows] = await db.query(…)`
      if (decl.path.length === 1 && (head === 'rows' || head === 0 || head === 'data' || head === 'items'))
        return listSize(model, file, decl.init, depth + 1);
      return UNKNOWN;
    }
    case 'param':
      return ofParameter(model, file, decl, name, depth);
    case 'each':
      return UNKNOWN;
    case 'import': {
      const value = model.values.binding(file, binding);
      return value.k === 'node' ? listSize(model, value.file, value.expr, depth + 1) : UNKNOWN;
    }
    default:
      return UNKNOWN;
  }
}

/** A parameter of a named function: what its callers in the file hand over, else whatever any caller has. */
function ofParameter(
  model: Model,
  file: SourceFile,
  decl: {
    readonly fn: number;
    readonly index: number;
    readonly path: readonly (string | number)[];
    readonly type: { readonly name: string } | null;
  },
  name: string,
  depth: number,
): ListSize {
  if (CONFIGURED.test(name)) return BOUNDED;
  const fact = file.facts.functions[decl.fn];
  if (!fact || file.index.argumentSite(decl.fn)) return UNKNOWN;
  if (decl.type?.name === '[,]' || decl.type?.name === 'tuple') return BOUNDED;
  if (decl.path.length > 0 && decl.path.some((step) => typeof step !== 'string')) return UNKNOWN;
  const given = model.sites
    .callersIn(file, file, decl.fn)
    .flatMap(({ node }) =>
      node.k === 'call' ? [decl.path.length === 0 ? node.args[decl.index] : undefined] : [],
    );
  if (given.length > 0 && !fact.exported && given.every((arg) => arg !== undefined)) {
    const sizes = given.map((arg) => (arg ? listSize(model, file, arg, depth + 1) : UNKNOWN));
    if (sizes.every((s) => s.k === 'bounded')) return BOUNDED;
    return worst(sizes);
  }
  // A list inside an object argument is as often part of one record as it is a batch.
  return {
    k: 'unbounded',
    confidence: decl.path.length > 0 ? 'assumed' : 'shown',
    by: `the caller of \`${fact.name ?? 'this function'}\``,
    ...(decl.path.length === 0 ? { param: { fn: decl.fn, index: decl.index } } : {}),
  };
}
