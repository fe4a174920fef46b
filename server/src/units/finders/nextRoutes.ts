/** Routes by file: Next.js `route.ts` and `pages/api`, and the frameworks that do it alike (Medusa, SvelteKit, Astro). */
import { uncast } from '../../facts/walk.ts';
import type { Expr, FileFacts } from '../../facts/ir.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import { defineFinder, type FinderContext, type UnitDraft } from '../finder.ts';
import { exportedExpr } from '../exported.ts';
import { looksLikeWebhook } from '../kinds.ts';
import { routeOfPath } from '../names.ts';

const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const ROUTE_FILE = /(?:^|\/)(?:route|\+server)\.[cm]?[jt]sx?$/;
const SVELTE_PAGE = /(?:^|\/)\+(?:page|layout)\.server\.[jt]s$/;
const ASTRO = /(?:^|\/)src\/pages\/.*\.[cm]?[jt]s$/;
const PAGES_API = /(?:^|\/)pages\/api\//;
const NITRO = /(?:^|\/)server\/(?:api|routes)\//;

export const finder = defineFinder({
  id: 'file-route',
  applies: (file) =>
    ROUTE_FILE.test(file.path) ||
    SVELTE_PAGE.test(file.path) ||
    PAGES_API.test(file.path) ||
    ASTRO.test(file.path) ||
    NITRO.test(file.path),
  find(ctx) {
    const { path } = ctx.file;
    if (PAGES_API.test(path) && !ROUTE_FILE.test(path)) return pagesApi(ctx);
    if (ROUTE_FILE.test(path))
      return verbExports(ctx, routeOfPath(path, /(?:^|\/)(?:(?:src\/)?app|src\/routes|src)\//));
    if (SVELTE_PAGE.test(path)) return sveltePage(ctx);
    if (ASTRO.test(path)) return verbExports(ctx, routeOfPath(path, /(?:^|\/)src\/pages\//));
    return nitro(ctx);
  },
});

function verbExports(ctx: FinderContext, route: string): UnitDraft[] {
  const out: UnitDraft[] = [];
  for (const x of ctx.file.facts.exports) {
    if (!VERBS.includes(x.name)) continue;
    const found = handlerOfExport(ctx, x.name);
    if (!found) continue;
    out.push({
      kind: x.name === 'POST' && looksLikeWebhook(route, ctx.file.path) ? 'webhook' : 'http',
      name: `${x.name} ${route}`,
      symbol: x.name,
      route,
      method: x.name,
      at: found.at,
      handler: found.handler,
    });
  }
  return out;
}

function handlerOfExport(
  ctx: FinderContext,
  name: string,
): {
  at: Expr | { s: number; e: number; k: 'id'; name: string; b: number };
  handler: { file: SourceFile; fn: number };
} | null {
  const expr = exportedExpr(ctx.file.facts, name);
  if (!expr) {
    // `export { handler as GET } from './shared'`
    const value = ctx.model.values.export(ctx.file, name);
    return value.k === 'fn'
      ? { at: whole(ctx.file.facts), handler: { file: value.file, fn: value.fn } }
      : null;
  }
  const handler = ctx.handler(expr.value, ['handler', 'fn', 'run', name]);
  return handler ? { at: expr.at, handler } : null;
}

function whole(facts: FileFacts): { s: number; e: number; k: 'id'; name: string; b: number } {
  const fn = facts.functions[0];
  return { k: 'id', name: '', b: -1, s: fn?.s ?? 0, e: fn?.e ?? 0 };
}

function pagesApi(ctx: FinderContext): UnitDraft[] {
  const route = routeOfPath(ctx.file.path, /(?:^|\/)pages\//);
  const expr = exportedExpr(ctx.file.facts, 'default') ?? exportedExpr(ctx.file.facts, '=');
  if (!expr) return [];
  const table = methodTable(ctx.model, ctx.file, expr.value, 0);
  if (table.length > 0) {
    const out: UnitDraft[] = [];
    for (const { method, value, at } of table) {
      const handler = ctx.handler(value, ['fn', 'handler', 'run']);
      if (!handler) continue;
      out.push({
        kind: method === 'POST' && looksLikeWebhook(route, ctx.file.path) ? 'webhook' : 'http',
        name: `${method} ${route}`,
        symbol: method,
        route,
        method,
        at,
        handler,
      });
    }
    return out;
  }
  const handler = ctx.handler(expr.value, ['handler']);
  if (!handler) return [];
  return [
    {
      kind: looksLikeWebhook(route, ctx.file.path) ? 'webhook' : 'http',
      name: `ANY ${route}`,
      symbol: handler.file.facts.functions[handler.fn]?.name ?? 'default',
      route,
      method: null,
      at: expr.at,
      handler,
    },
  ];
}

/** `withMiddlewares({ GET: …, POST: … })`: an object of verbs among the arguments. */
function methodTable(
  model: Model,
  file: SourceFile,
  expr: Expr,
  depth: number,
): { method: string; value: Expr; at: Expr }[] {
  const inner = uncast(expr);
  if (depth > 4) return [];
  if (inner.k === 'obj') {
    const out: { method: string; value: Expr; at: Expr }[] = [];
    for (const p of inner.props)
      if (p.key && VERBS.includes(p.key.toUpperCase()))
        out.push({ method: p.key.toUpperCase(), value: p.value, at: { ...p.value, s: p.s } as Expr });
    return out;
  }
  if (inner.k === 'call') {
    for (const arg of inner.args) {
      const found = methodTable(model, file, arg, depth + 1);
      if (found.length > 0) return found;
    }
    return [];
  }
  if (inner.k === 'id') {
    const decl = file.facts.bindings[inner.b]?.decl;
    if (decl?.k === 'init' && decl.path.length === 0) return methodTable(model, file, decl.init, depth + 1);
  }
  return [];
}

/** SvelteKit's `load` and form `actions`. */
function sveltePage(ctx: FinderContext): UnitDraft[] {
  const route = routeOfPath(ctx.file.path, /(?:^|\/)src\/routes\//);
  const out: UnitDraft[] = [];
  const load = exportedExpr(ctx.file.facts, 'load');
  const loader = load ? ctx.handler(load.value) : null;
  if (load && loader)
    out.push({
      kind: 'http',
      name: `load ${route}`,
      symbol: 'load',
      route,
      method: 'GET',
      at: load.at,
      handler: loader,
    });
  const actions = exportedExpr(ctx.file.facts, 'actions');
  const table = actions ? uncast(actions.value) : null;
  for (const p of table?.k === 'obj' ? table.props : []) {
    const handler = p.key ? ctx.handler(p.value) : null;
    if (p.key && handler)
      out.push({
        kind: 'http',
        name: `action ${p.key} ${route}`,
        symbol: `actions.${p.key}`,
        route,
        method: 'POST',
        at: { ...p.value, s: p.s, e: p.e } as Expr,
        handler,
      });
  }
  return out;
}

function nitro(ctx: FinderContext): UnitDraft[] {
  const expr = exportedExpr(ctx.file.facts, 'default');
  const inner = expr ? uncast(expr.value) : null;
  if (
    !expr ||
    inner?.k !== 'call' ||
    inner.callee.k !== 'id' ||
    !/^(?:eventHandler|(?:define|cached)\w*(?:Event)?Handler)$/.test(inner.callee.name)
  )
    return [];
  const handler = ctx.handler(inner, ['handler']);
  if (!handler) return [];
  const [, stem = '', suffix] =
    /^(.*?)(?:\.(get|post|put|patch|delete))?\.[cm]?[jt]sx?$/.exec(ctx.file.path) ?? [];
  const verb = suffix?.toUpperCase() ?? null;
  const route = routeOfPath(stem, /(?:^|\/)server\/(?=api\/|routes\/)/).replace(/^\/routes(?=\/)/, '');
  return [
    {
      kind: looksLikeWebhook(route, ctx.file.path) ? 'webhook' : 'http',
      name: `${verb ?? 'ANY'} ${route}`,
      symbol: 'default',
      route,
      method: verb,
      at: expr.at,
      handler,
    },
  ];
}
