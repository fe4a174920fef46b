/**
 * Values that whoever sends a request decides, followed across functions and files. Owns the way from a place where a
 * value is used back to the request, and what a schema on that way says of it.
 */
import type { Call, Expr } from '../../facts/ir.ts';
import { bare, uncast } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import { externalSource } from './external.ts';
import type { UnitRef } from '../../units/discover.ts';
import type { RuleContext } from './rule.ts';
import { fieldOf, type SchemaField } from './schemaField.ts';

/** A name that the value goes by on its way. */
interface Hop {
  readonly file: SourceFile;
  readonly fn: number;
  readonly name: string;
}

export interface RequestValue {
  /** Set where a schema has judged it and says what it may be; null: it is as it came. */
  readonly field: SchemaField | null;
  /** From the place of use outwards. */
  readonly hops: readonly Hop[];
  /** Calls that hand it on, innermost first. */
  readonly via: readonly Site[];
  /** `Number`, `parseInt` … applied on the way. */
  readonly conversions: readonly Call[];
  readonly assumed: boolean;
}

const PARSES = /^(?:parse|parseAsync)$/;
const SAFE = /^(?:safeParse|safeParseAsync|spa)$/;
const NUMBERS = /^(?:Number|parseInt|parseFloat|Number\.parseInt|Number\.parseFloat)$/;
const MAX_DEPTH = 14;

const NOTHING = { hops: [], via: [], conversions: [] } as const;

export function requestValue(
  ctx: RuleContext,
  file: SourceFile,
  expr: Expr,
  path: readonly string[] = [],
  depth = 0,
): RequestValue | null {
  if (depth > MAX_DEPTH) return null;
  const inner = bare(uncast(bare(expr)));
  const next = (e: Expr, p: readonly string[] = path): RequestValue | null =>
    requestValue(ctx, file, e, p, depth + 1);
  switch (inner.k) {
    case 'mem':
      return next(inner.obj, [inner.prop, ...path]) ?? raw(ctx, file, inner);
    case 'obj': {
      const key = path[0];
      if (key === undefined) return null;
      for (let i = inner.props.length - 1; i >= 0; i--) {
        const prop = inner.props[i];
        if (prop?.key === key) return next(prop.value, path.slice(1));
        if (prop?.kind !== 'spread') continue;
        const found = next(prop.value);
        if (found) return found;
      }
      return null;
    }
    case 'bin':
      return inner.op === '??' || inner.op === '||' ? next(inner.l) : null;
    case 'un':
      return inner.op === '+' ? next(inner.arg) : null;
    case 'cond':
      return next(inner.yes) ?? next(inner.no);
    case 'call':
      return ofCall(ctx, file, inner, path, depth);
    case 'id': {
      const binding = file.facts.bindings[inner.b];
      const decl = binding?.decl;
      if (!binding || !decl) return null;
      const hop: Hop = { file, fn: binding.fn, name: binding.name };
      if (decl.k === 'init') {
        if (binding.writes.length > 0 || decl.path.some((s) => typeof s !== 'string' || s === '...'))
          return null;
        const found = next(decl.init, [...decl.path.map(String), ...path]);
        return found ? { ...found, hops: [hop, ...found.hops] } : raw(ctx, file, inner);
      }
      if (decl.k !== 'param' || decl.path.some((s) => typeof s !== 'string' || s === '...')) return null;
      if (binding.writes.length > 0) return null;
      const found = ofParameter(ctx, file, decl.fn, decl.index, [...decl.path.map(String), ...path], depth);
      return found ? { ...found, hops: [hop, ...found.hops] } : raw(ctx, file, inner);
    }
    default:
      return raw(ctx, file, inner);
  }
}

function raw(ctx: RuleContext, file: SourceFile, expr: Expr): RequestValue | null {
  const found = externalSource(ctx, file, expr);
  return found?.kind === 'request'
    ? { ...NOTHING, field: null, via: found.via, assumed: found.assumed === true }
    : null;
}

function ofCall(
  ctx: RuleContext,
  file: SourceFile,
  call: Call,
  path: readonly string[],
  depth: number,
): RequestValue | null {
  const callee = uncast(call.callee);
  const first = call.args[0];
  const text = file.text.slice(callee.s, callee.e);
  if (NUMBERS.test(text) && first) {
    const found = requestValue(ctx, file, first, path, depth + 1);
    return found ? { ...found, conversions: [call, ...found.conversions] } : null;
  }
  if (callee.k === 'mem' && first && (PARSES.test(callee.prop) || SAFE.test(callee.prop))) {
    if (/^(?:JSON|Date|path|url|qs|querystring|ms)$/.test(file.text.slice(callee.obj.s, callee.obj.e)))
      return null;
    const keys = SAFE.test(callee.prop) ? (path[0] === 'data' ? path.slice(1) : null) : path;
    if (!keys || !comesFromRequest(ctx, file, first, depth)) return null;
    const field = fieldOf(ctx.model, file, callee.obj, keys);
    return field ? { ...NOTHING, field, assumed: false } : null;
  }
  if (callee.k === 'mem' && callee.prop === 'valid' && first?.k === 'lit') {
    const schema = validatorOf(ctx, file, call, String(first.value));
    const field = schema ? fieldOf(ctx.model, file, schema, path) : null;
    return field ? { ...NOTHING, field, assumed: false } : null;
  }
  return raw(ctx, file, call) ?? judgedBy(ctx, file, call, path);
}

const PARTS = /^(?:body|query|params|data|json|parsedInput|value|output)$/;

/** `const { query } = await parseRequest(req, schema)`: a function of the project that judges a request by a schema. */
function judgedBy(
  ctx: RuleContext,
  file: SourceFile,
  call: Call,
  path: readonly string[],
): RequestValue | null {
  const [part, ...rest] = path;
  if (part === undefined || rest.length === 0 || !PARTS.test(part) || call.args.length < 2) return null;
  if (!/parse|valid/i.test(file.text.slice(call.callee.s, call.callee.e))) return null;
  if (!call.args.some((a) => /^(?:c|ctx|req|request|event)\b/.test(file.text.slice(a.s, a.e)))) return null;
  for (const arg of call.args.slice(1)) {
    const field = fieldOf(ctx.model, file, arg, rest);
    if (field) return { ...NOTHING, field, assumed: false };
  }
  return null;
}

function comesFromRequest(ctx: RuleContext, file: SourceFile, expr: Expr, depth: number): boolean {
  if (externalSource(ctx, file, expr)?.kind === 'request') return true;
  if (requestValue(ctx, file, expr, [], depth + 2)) return true;
  const text = file.text.slice(expr.s, expr.e);
  return (
    ctx.units.some((u) => u.file === file && u.unit.kind !== 'cron' && u.unit.kind !== 'job') &&
    /\b(?:searchParams|query|body|req|request|params|json|rawInput|formData)\b/.test(text)
  );
}

/** `app.post('/x', zValidator('json', schema), c => c.req.valid('json'))`: the schema of that part. */
function validatorOf(ctx: RuleContext, file: SourceFile, at: Call, part: string): Expr | null {
  let fn = file.index.functionOf(at);
  for (let guard = 0; guard < 8 && fn > 0; guard++) {
    const site = file.index.argumentSite(fn);
    for (const arg of site?.call.args ?? []) {
      const inner = uncast(arg);
      const named = inner.k === 'call' ? inner.args[0] : undefined;
      if (
        inner.k === 'call' &&
        named?.k === 'lit' &&
        named.value === part &&
        /validator$/i.test(file.text.slice(inner.callee.s, inner.callee.e))
      )
        return inner.args[1] ?? null;
    }
    fn = file.facts.functions[fn]?.parent ?? 0;
  }
  return null;
}

const INPUT = /^(?:input|parsedInput|clientInput)$/;

function ofParameter(
  ctx: RuleContext,
  file: SourceFile,
  fn: number,
  index: number,
  path: readonly string[],
  depth: number,
): RequestValue | null {
  const site = file.index.argumentSite(fn);
  if (site) {
    const key = path[0];
    if (index !== 0 || key === undefined || !INPUT.test(key) || site.call.callee.k !== 'mem') return null;
    for (let at: Expr = site.call.callee.obj; at.k === 'call' || at.k === 'mem';) {
      if (at.k === 'call' && at.callee.k === 'mem' && /^(?:input|schema|inputSchema)$/.test(at.callee.prop)) {
        const schema = at.args[0];
        const field = schema ? fieldOf(ctx.model, file, schema, path.slice(1)) : null;
        if (field) return { ...NOTHING, field, assumed: false };
      }
      at = at.k === 'call' ? at.callee : at.obj;
    }
    return null;
  }
  for (const caller of callersOf(ctx, file, fn)) {
    const arg = caller.site.node.k === 'tag' ? undefined : caller.site.node.args[index];
    if (!arg) continue;
    const found = requestValue(caller.ctx, caller.site.file, arg, path, depth + 2);
    if (found) return { ...found, via: [caller.site, ...found.via] };
  }
  return null;
}

/** The calls of a function on the way from the units that reach it, as seen from the file they are in. */
function callersOf(
  ctx: RuleContext,
  file: SourceFile,
  fn: number,
): readonly { readonly site: Site; readonly ctx: RuleContext }[] {
  const out: { site: Site; ctx: RuleContext }[] = [];
  const seen = new Set<unknown>();
  for (const unit of ctx.unitsReaching(ctx.model.outermost(file, fn)).slice(0, 6)) {
    if (!ASKED.has(unit.unit.kind)) continue;
    for (const { site } of ctx.model.reach(unit.file, unit.fn)) {
      if (site.target.k !== 'fn' || site.target.value.file !== file || site.target.value.fn !== fn) continue;
      if (seen.has(site.node)) continue;
      seen.add(site.node);
      out.push({ site, ctx: site.file === ctx.file ? ctx : seenFrom(ctx, unit, site.file) });
      if (out.length >= 6) return out;
    }
  }
  return out;
}

const ASKED: ReadonlySet<string> = new Set([
  'http',
  'webhook',
  'rpc',
  'graphql',
  'server-action',
  'socket',
  'lambda',
]);

const views = new WeakMap<Model, WeakMap<UnitRef, Map<SourceFile, RuleContext>>>();
/** Another file on the way from a unit: only that unit is known to lead there. */
function seenFrom(ctx: RuleContext, unit: UnitRef, file: SourceFile): RuleContext {
  let byUnit = views.get(ctx.model);
  if (!byUnit) views.set(ctx.model, (byUnit = new WeakMap()));
  let known = byUnit.get(unit);
  if (!known) byUnit.set(unit, (known = new Map()));
  const before = known.get(file);
  if (before) return before;
  const made: RuleContext = {
    model: ctx.model,
    file,
    functions: file.facts.functions,
    sites: ctx.model.sites.all(file),
    units: [unit],
    unitsReaching: () => [unit],
    report: () => undefined,
  };
  known.set(file, made);
  return made;
}
