/** Express (and routers with its shape): `app.get('/x', …middleware, handler)`, `router.route('/x').post(handler)`. */
import { uncast } from '../../facts/walk.ts';
import type { Expr } from '../../facts/ir.ts';
import { defineFinder, type FinderContext, type UnitDraft } from '../finder.ts';
import { looksLikeWebhook } from '../kinds.ts';

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'all', 'head', 'options']);

export const finder = defineFinder({
  id: 'express',
  applies: file => file.facts.specifiers.length > 0 || file.text.includes('router.') || file.text.includes('app.'),
  find(ctx) {
    const out: UnitDraft[] = [];
    for (const { node } of ctx.sites) {
      if (node.k !== 'call' || node.callee.k !== 'mem' || !METHODS.has(node.callee.prop)) continue;
      if (!isRouter(ctx, node.callee.obj)) continue;
      const route = routeOf(ctx, node.callee.obj, node.args);
      const last = node.args.at(-1);
      if (route === null || !last) continue;
      const handler = ctx.handler(last);
      if (!handler) continue;
      const verb = node.callee.prop.toUpperCase();
      const name = verb === 'ALL' ? `ANY ${route}` : `${verb} ${route}`;
      out.push({
        kind: looksLikeWebhook(route, ctx.file.path) && verb === 'POST' ? 'webhook' : 'http',
        name,
        symbol: `${rootName(node.callee.obj)}.${node.callee.prop} "${route}"`,
        route,
        method: verb === 'ALL' ? null : verb,
        at: node,
        handler,
      });
    }
    return out;
  },
});

function routeOf(ctx: FinderContext, receiver: Expr, args: readonly Expr[]): string | null {
  const inner = uncast(receiver);
  // router.route('/x').get(handler): walk down the chain to `.route`.
  for (let at: Expr = inner; at.k === 'call' && at.callee.k === 'mem'; at = at.callee.obj)
    if (at.callee.prop === 'route') return ctx.text(at.args[0]);
  if (args.length < 2) return null;
  const first = args[0];
  if (first && uncast(first).k === 'arr') {
    const list = uncast(first) as Expr & { k: 'arr' };
    return ctx.text(list.items[0]);
  }
  return ctx.text(first);
}

/** By binding; a receiver that nothing resolves must be called like a router and be used with a path that begins with a slash. */
function isRouter(ctx: FinderContext, receiver: Expr): boolean {
  const inner = uncast(receiver);
  const value = ctx.model.values.of(ctx.file, inner);
  if (value.k === 'inst') return value.pack.id === 'express' && (value.type === 'App' || value.type === 'Router' || value.type === 'Route');
  if (value.k === 'ext' || value.k === 'self' || value.k === 'node' || value.k === 'method') return false;
  const name = rootName(inner);
  return /^(?:app|router|routes?|server|api|expressApp|[a-z]\w*Router|[a-z]\w*Routes|[a-z]\w*App)$/.test(name) && isUntyped(value.k);
}

function isUntyped(kind: string): boolean {
  return kind === 'param' || kind === 'ret' || kind === 'unknown' || kind === 'global' || kind === 'of';
}

function rootName(expr: Expr): string {
  const inner = uncast(expr);
  if (inner.k === 'id') return inner.name;
  if (inner.k === 'mem') return inner.obj.k === 'this' ? inner.prop : rootName(inner.obj);
  if (inner.k === 'call' && inner.callee.k === 'mem') return rootName(inner.callee.obj);
  return 'router';
}
