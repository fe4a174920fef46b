/** Endpoint objects `{ path, method, handler }` in arrays and configs, and exported functions typed as request handlers. */
import type { Expr } from '../../facts/ir.ts';
import { walk } from '../../facts/walk.ts';
import { defineFinder, type UnitDraft } from '../finder.ts';
import { looksLikeWebhook } from '../kinds.ts';

const HANDLER_TYPE =
  /^(?:[A-Z]\w*)?(?:Request|Http|Api|Payload|Route|Next\w*|Express|Koa|Endpoint|Webhook)\w*Handler$|^RequestHandler$|^Handler$|^Middleware$/;

export const finder = defineFinder({
  id: 'endpoint-table',
  applies: (file) => /\bhandler\b|Handler\b/.test(file.text),
  find(ctx) {
    const out: UnitDraft[] = [];
    for (const fn of ctx.file.facts.functions)
      for (const st of fn.body)
        walk(st, (node) => {
          if (node.k !== 'obj') return;
          const get = (...keys: string[]): Expr | undefined =>
            node.props.find((p) => p.key !== null && keys.includes(p.key))?.value;
          const route = ctx.text(get('path', 'url', 'route'));
          const method = ctx.text(get('method'));
          const handlerExpr = get('handler', 'execute');
          if (route === null || method === null || !handlerExpr) return;
          const handler = ctx.handler(handlerExpr);
          if (!handler) return;
          const verb = method.toUpperCase();
          if (!/^(?:GET|POST|PUT|PATCH|DELETE|ALL|ANY|HEAD|OPTIONS)$/.test(verb)) return;
          out.push({
            kind: verb === 'POST' && looksLikeWebhook(route, ctx.file.path) ? 'webhook' : 'http',
            name: `${verb} ${route}`,
            symbol: `endpoint "${verb} ${route}"`,
            route,
            method: verb,
            at: node,
            handler,
          });
        });
    for (const x of ctx.file.facts.exports) {
      const binding = ctx.file.facts.bindings[x.local];
      if (binding?.decl?.k !== 'init' || !binding.decl.type || !HANDLER_TYPE.test(binding.decl.type.name))
        continue;
      const handler = ctx.handler(binding.decl.init);
      const fact = handler?.file.facts.functions[handler.fn];
      if (!handler || handler.file !== ctx.file || !fact?.async) continue;
      out.push({
        kind: 'http',
        name: x.name,
        symbol: x.name,
        at: { ...binding.decl.init, s: binding.s } as Expr,
        handler,
      });
    }
    return out;
  },
});
