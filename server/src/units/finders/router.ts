/**
 * Verb routers: `app.get('/x', …middleware, handler)`, `router.route('/x').post(handler)`, `fastify.route({…})`. Express,
 * Fastify, Koa, Hono and what has their shape.
 */
import type { Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { inherited } from '../../model/packIndex.ts';
import type { Value } from '../../model/values.ts';
import { defineFinder, type FinderContext, type UnitDraft } from '../finder.ts';
import { looksLikeWebhook } from '../kinds.ts';
import { rootName } from '../names.ts';

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'del', 'all', 'head', 'options']);
const ROUTER_NAME =
  /^(?:app|router|routes?|server|api|fastify|instance|hono|elysia|expressApp|koa|[a-zA-Z]\w*(?:Router|Routes|Route|App|Api|Server))$/;

export const finder = defineFinder({
  id: 'router',
  applies: () => true,
  find(ctx) {
    const out: UnitDraft[] = [];
    for (const { node } of ctx.sites) {
      if (node.k !== 'call' || node.callee.k !== 'mem') continue;
      const { prop, obj } = node.callee;
      if (METHODS.has(prop)) {
        const draft = verb(ctx, node, prop, obj, node.args);
        if (draft) out.push(draft);
      } else if (prop === 'route' && node.args.length === 1) {
        out.push(...routeObject(ctx, node, obj, node.args[0]));
      } else if (prop === 'on' && node.args.length > 2) {
        const draft = anyVerb(ctx, node, obj, node.args);
        if (draft) out.push(draft);
      } else if (prop === 'openapi' && node.args.length > 1) {
        const draft = described(ctx, node, obj, node.args);
        if (draft) out.push(draft);
      }
    }
    return out;
  },
});

function verb(
  ctx: FinderContext,
  node: Expr & { k: 'call' },
  prop: string,
  receiver: Expr,
  args: readonly Expr[],
): UnitDraft | null {
  const last = args.at(-1);
  if (!last) return null;
  const inner = uncast(last);
  if (inner.k === 'lit' || inner.k === 'tmpl') return null;
  const route = routeOf(ctx, receiver, args);
  if (route === null || !isRouter(ctx, receiver, route)) return null;
  const handler = ctx.handler(last, ['handler']);
  if (!handler) return null;
  const method = prop === 'del' ? 'DELETE' : prop.toUpperCase();
  const name = method === 'ALL' ? `ANY ${route}` : `${method} ${route}`;
  return {
    kind:
      (method === 'POST' || method === 'ALL') && looksLikeWebhook(route, ctx.file.path) ? 'webhook' : 'http',
    name,
    symbol: `${rootName(receiver)}.${prop} "${route}"`,
    route,
    method: method === 'ALL' ? null : method,
    at: fromOwnName(node, receiver),
    handler,
  };
}

/** In a chain of registrations each begins at its own verb, so that their spans do not hold the ones before. */
function fromOwnName(node: Expr & { k: 'call' }, receiver: Expr): Expr {
  const before = uncast(receiver);
  return before.k === 'call' && before.callee.k === 'mem' && node.callee.k === 'mem'
    ? { ...node, s: node.callee.ps }
    : node;
}

/** Hono's `app.on('PURGE', '/cache', handler)`. */
function anyVerb(
  ctx: FinderContext,
  node: Expr & { k: 'call' },
  receiver: Expr,
  args: readonly Expr[],
): UnitDraft | null {
  const [verbs, path] = args;
  const first = verbs && uncast(verbs).k === 'arr' ? (uncast(verbs) as Expr & { k: 'arr' }).items[0] : verbs;
  const method = ctx.text(first);
  const route = ctx.text(path);
  const last = args.at(-1);
  if (!method || !/^[A-Z]{3,}$/.test(method) || !route?.startsWith('/') || !last) return null;
  const handler = ctx.handler(last);
  if (!handler || !isRouter(ctx, receiver, route)) return null;
  return {
    kind: 'http',
    name: `${method} ${route}`,
    symbol: `${rootName(receiver)}.on "${method} ${route}"`,
    route,
    method,
    at: fromOwnName(node, receiver),
    handler,
  };
}

/** `app.openapi(createRoute({ method, path }), handler)`. */
function described(
  ctx: FinderContext,
  node: Expr & { k: 'call' },
  receiver: Expr,
  args: readonly Expr[],
): UnitDraft | null {
  const [first, second] = args;
  if (!first || !second) return null;
  let made = uncast(first);
  if (made.k === 'id') {
    const decl = ctx.file.facts.bindings[made.b]?.decl;
    if (decl?.k !== 'init' || decl.path.length > 0) return null;
    made = uncast(decl.init);
  }
  const spec = made.k === 'call' && made.args[0] ? uncast(made.args[0]) : made;
  if (spec.k !== 'obj') return null;
  const route = ctx.text(spec.props.find((p) => p.key === 'path')?.value);
  const method = ctx.text(spec.props.find((p) => p.key === 'method')?.value)?.toUpperCase();
  const handler = ctx.handler(second);
  if (!route || !method || !handler) return null;
  return {
    kind: method === 'POST' && looksLikeWebhook(route, ctx.file.path) ? 'webhook' : 'http',
    name: `${method} ${route}`,
    symbol: `${rootName(receiver)}.openapi "${method} ${route}"`,
    route,
    method,
    at: fromOwnName(node, receiver),
    handler,
  };
}

function routeObject(ctx: FinderContext, node: Expr, receiver: Expr, arg: Expr | undefined): UnitDraft[] {
  const inner = arg ? uncast(arg) : null;
  if (inner?.k !== 'obj') return [];
  const get = (key: string): Expr | undefined => inner.props.find((p) => p.key === key)?.value;
  const route = ctx.text(get('url') ?? get('path'));
  const handler = ctx.handler(inner, ['handler']);
  if (route === null || !handler) return [];
  const methods = get('method');
  const list =
    methods && uncast(methods).k === 'arr' ? (uncast(methods) as Expr & { k: 'arr' }).items : [methods];
  const named = [...new Set(list.map((m) => (ctx.text(m) ?? 'ANY').toUpperCase()))];
  // HEAD and OPTIONS beside other verbs are answered by the same code and are no unit of their own.
  const telling = named.filter((m) => m !== 'HEAD' && m !== 'OPTIONS');
  return (telling.length > 0 ? telling : named).map((method) => ({
    kind: looksLikeWebhook(route, ctx.file.path) && method !== 'GET' ? 'webhook' : 'http',
    name: `${method} ${route}`,
    symbol: `${rootName(receiver)}.route "${method} ${route}"`,
    route,
    method: method === 'ANY' ? null : method,
    at: node,
    handler,
  }));
}

function routeOf(ctx: FinderContext, receiver: Expr, args: readonly Expr[]): string | null {
  // router.route('/x').get(handler): down the chain to `.route`.
  for (let at: Expr = uncast(receiver); at.k === 'call' && at.callee.k === 'mem'; at = uncast(at.callee.obj))
    if (at.callee.prop === 'route') return ctx.text(at.args[0]);
  if (args.length < 2) return null;
  const first = args[0] ? uncast(args[0]) : undefined;
  if (first?.k === 'arr') return ctx.text(first.items[0]);
  if (first?.k === 'lit' && first.kind === 'regex') return String(first.value);
  const text = ctx.text(first);
  // Koa's named routes: `router.get('user', '/users/:id', handler)`.
  const second = text !== null && !text.startsWith('/') && args.length > 2 ? ctx.text(args[1]) : null;
  if (second?.startsWith('/')) return second;
  if (text !== null) return text;
  return first?.k === 'mem' && /route|path|url/i.test(ctx.file.text.slice(first.s, first.e))
    ? `{${ctx.file.text.slice(first.s, first.e)}}`
    : null;
}

/** By binding; a receiver that nothing resolves must be called like a router and be given a path. */
function isRouter(ctx: FinderContext, receiver: Expr, route: string): boolean {
  let inner = uncast(receiver);
  const value = ctx.model.values.of(ctx.file, inner);
  if (value.k === 'inst') return inherited(value.pack, value.type, 'role') === 'router';
  if (
    value.k === 'ext' ||
    value.k === 'self' ||
    value.k === 'node' ||
    value.k === 'method' ||
    value.k === 'fn'
  )
    return false;
  // Chained registrations: look at where the chain begins.
  while (inner.k === 'call' && inner.callee.k === 'mem') inner = uncast(inner.callee.obj);
  if (inner.k === 'new') {
    const made = uncast(inner.callee);
    return made.k === 'id' && /^(?:Hono|OpenAPIHono|Elysia|Router|Koa\w*|H3)$/.test(made.name);
  }
  if (isPluginScope(value) && /^[/*]/.test(route)) return true;
  const name = rootName(inner);
  if (!ROUTER_NAME.test(name)) return false;
  return /^[/*{]|:param|^[a-z][\w]*[.:][\w.:]+$/.test(route) || /rout/i.test(name);
}

/** The scope that a Fastify plugin is given: `fp(async scope => …)`, `server.register(async scope => …)`. */
function isPluginScope(value: Value): boolean {
  if (value.k !== 'param' || value.index !== 0 || value.path.length > 0) return false;
  const site = value.file.index.argumentSite(value.fn);
  if (!site || site.arg !== 0) return false;
  const callee = uncast(site.call.callee);
  if (callee.k === 'mem') return callee.prop === 'register';
  const decl = callee.k === 'id' ? value.file.facts.bindings[callee.b]?.decl : undefined;
  return decl?.k === 'import' && decl.from === 'fastify-plugin';
}
