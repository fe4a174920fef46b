/** tRPC procedures: `publicProcedure.input(…).mutation(fn)`, named by the router key that holds them. */
import type { Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { defineFinder, type UnitDraft } from '../finder.ts';
import { baseName, rootName } from '../names.ts';

const KINDS = new Set(['query', 'mutation', 'subscription']);

export const finder = defineFinder({
  id: 'trpc',
  applies: (file) =>
    /rocedure\b/.test(file.text) ||
    file.facts.specifiers.some((s) => s.startsWith('@trpc/server') || s === '@orpc/server'),
  find(ctx) {
    const out: UnitDraft[] = [];
    const keys = keysOfValues([
      ...ctx.file.facts.functions.flatMap((f) =>
        (ctx.file.index.calls[f.id] ?? []).flatMap((c) => (c.k === 'tag' ? [] : c.args)),
      ),
      ...ctx.file.facts.bindings.flatMap((b) => (b.decl?.k === 'init' ? [b.decl.init] : [])),
    ]);
    for (const { node } of ctx.sites) {
      if (
        node.k !== 'call' ||
        node.callee.k !== 'mem' ||
        !(KINDS.has(node.callee.prop) || node.callee.prop === 'handler')
      )
        continue;
      if (
        !/procedure/i.test(rootName(node.callee.obj)) &&
        !/procedure/i.test(
          ctx.file.text.slice(node.callee.obj.s, Math.min(node.callee.obj.e, node.callee.obj.s + 60)),
        )
      )
        continue;
      const arg = node.args[0];
      const handler = arg ? ctx.handler(arg) : null;
      if (!handler) continue;
      const key =
        keys.get(node) ??
        ctx.file.facts.bindings.find((b) => b.decl?.k === 'init' && b.decl.init === node)?.name ??
        node.callee.prop;
      const name = `${routerName(ctx.file.path)}.${key}`;
      out.push({ kind: 'rpc', name, symbol: name, route: name, method: node.callee.prop, at: node, handler });
    }
    return out;
  },
});

/** `post-router.ts` → `post`; a file that is only called `router` goes by its folder. */
function routerName(path: string): string {
  const bare = (name: string): string => name.replace(/[-_.]?routers?$/i, '');
  const folder = path.split('/').at(-2) ?? '';
  return bare(baseName(path).replace(/^index$/, '')) || bare(folder) || 'router';
}

/** Values of the object literals among these expressions, to their keys. */
function keysOfValues(roots: readonly Expr[]): Map<Expr, string> {
  const out = new Map<Expr, string>();
  const add = (expr: Expr): void => {
    const inner = uncast(expr);
    if (inner.k !== 'obj') return;
    for (const p of inner.props) {
      if (!p.key) continue;
      out.set(uncast(p.value), p.key);
      add(p.value);
    }
  };
  for (const root of roots) add(root);
  return out;
}
