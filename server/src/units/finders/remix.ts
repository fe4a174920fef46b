/** Remix and React Router: `loader` and `action` of route modules. */
import { defineFinder, type UnitDraft } from '../finder.ts';
import { exportedExpr } from '../exported.ts';
import { looksLikeWebhook } from '../kinds.ts';
import { baseName } from '../names.ts';

export const finder = defineFinder({
  id: 'remix',
  applies: (file) =>
    /(?:^|\/)(?:app\/)?routes?\//.test(file.path) ||
    file.facts.specifiers.some(
      (s) => s.startsWith('@remix-run/') || s === 'react-router' || s.startsWith('@react-router/'),
    ),
  find(ctx) {
    const out: UnitDraft[] = [];
    // `routes/settings/route.tsx` goes by its folder.
    const own = baseName(ctx.file.path);
    const flat = own === 'route' ? (ctx.file.path.split('/').at(-2) ?? own) : own;
    const route = `/${flat.replace(/\$/g, ':').replaceAll('.', '/')}`;
    for (const x of ctx.file.facts.exports) {
      // `export const { action, loader } = createActionApiRoute(…, handler)` names both at once.
      if (x.name !== 'action' && x.name !== 'loader') continue;
      const binding = ctx.file.facts.bindings[x.local];
      const expr =
        exportedExpr(ctx.file.facts, x.name) ??
        (binding?.decl?.k === 'init' ? { value: binding.decl.init, at: binding.decl.init } : null);
      const handler = expr ? ctx.handler(expr.value, ['handler']) : null;
      if (!expr || !handler) continue;
      const verb = x.name === 'action' ? 'POST' : 'GET';
      out.push({
        kind: verb === 'POST' && looksLikeWebhook(route, ctx.file.path) ? 'webhook' : 'http',
        name: `${x.name} ${route}`,
        symbol: x.name,
        route,
        method: verb,
        at: expr.at,
        handler,
      });
    }
    return out;
  },
});
