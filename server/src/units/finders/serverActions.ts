/** Server actions: exported async functions under `'use server'`, inline ones, and `client.action(fn)` of next-safe-action. */
import { defineFinder, type UnitDraft } from '../finder.ts';
import { exportedExpr } from '../exported.ts';
import { rootName } from '../names.ts';

export const finder = defineFinder({
  id: 'server-action',
  applies: (file) => file.text.includes('use server') || file.text.includes('.action('),
  find(ctx) {
    const out: UnitDraft[] = [];
    const { facts } = ctx.file;
    const moduleWide = facts.directives.includes('use server');
    if (moduleWide)
      for (const x of facts.exports) {
        const expr = exportedExpr(facts, x.name);
        const handler = expr ? ctx.handler(expr.value) : null;
        const fact = handler?.file.facts.functions[handler.fn];
        if (expr && handler && fact?.async)
          out.push({ kind: 'server-action', name: x.name, symbol: x.name, at: expr.at, handler });
      }
    for (const fn of facts.functions)
      if (fn.directives.includes('use server') && fn.id !== 0)
        out.push({
          kind: 'server-action',
          name: fn.name ?? 'action',
          symbol: fn.name ?? 'action',
          at: fn,
          handler: { file: ctx.file, fn: fn.id },
        });
    for (const { node } of ctx.sites) {
      if (node.k !== 'call' || node.callee.k !== 'mem' || node.callee.prop !== 'action') continue;
      // Command-line parsers have an `action` too.
      if (
        facts.specifiers.some((s) =>
          /^(?:commander|yargs|cac|sade|@oclif\/|@commander-js\/|citty|clipanion)/.test(s),
        )
      )
        continue;
      if (!/action|client|safe|procedure/i.test(rootName(node.callee.obj))) continue;
      const arg = node.args[0];
      const handler = arg ? ctx.handler(arg) : null;
      const fact = handler?.file.facts.functions[handler.fn];
      if (!handler || !fact?.async) continue;
      const binding = facts.bindings.find((b) => b.decl?.k === 'init' && b.decl.init === node);
      const name = binding?.name ?? 'action';
      out.push({ kind: 'server-action', name, symbol: name, at: node, handler });
    }
    return out;
  },
});
