/** Catalogues of jobs: objects from job name to function, and files of a jobs folder whose export is the job. */
import type { Expr } from '../../facts/ir.ts';
import { uncast, walk } from '../../facts/walk.ts';
import { defineFinder, type FinderContext, type UnitDraft } from '../finder.ts';
import { exportedExpr } from '../exported.ts';
import { baseName } from '../names.ts';

const CATALOGUE =
  /^(?:jobs|handlers|jobHandlers|taskHandlers|workers|processors|tasks|taskList|consumers|eventHandlers|subscribers|listeners)$/;
const JOB_FOLDER =
  /(?:^|\/)(?:jobs|workers|consumers|processors|subscribers|cron|crons|cronjobs|tasks|queues)\/[^/]+\.[cm]?[jt]s$/;

export const finder = defineFinder({
  id: 'job-catalogue',
  applies: (file) =>
    JOB_FOLDER.test(file.path) ||
    /(?:jobs|handlers|tasks|taskList|workers|processors|consumers|subscribers|listeners)\s*[:=]/i.test(
      file.text,
    ),
  find(ctx) {
    const out: UnitDraft[] = [];
    for (const fn of ctx.file.facts.functions)
      for (const st of fn.body)
        walk(st, (node) => {
          if (node.k === 'obj')
            for (const p of node.props)
              if (p.key && CATALOGUE.test(p.key)) out.push(...entries(ctx, p.key, p.value));
        });
    for (const b of ctx.file.facts.bindings)
      if (b.fn === 0 && CATALOGUE.test(b.name) && b.decl?.k === 'init' && b.decl.path.length === 0)
        out.push(...entries(ctx, b.name, b.decl.init));
    if (JOB_FOLDER.test(ctx.file.path)) out.push(...wholeFile(ctx));
    return out;
  },
});

function entries(ctx: FinderContext, key: string, value: Expr): UnitDraft[] {
  const table = uncast(value);
  if (table.k !== 'obj') return [];
  const out: UnitDraft[] = [];
  for (const p of table.props) {
    const name = p.key ?? (p.computed ? ctx.file.text.slice(p.computed.s, p.computed.e) : null);
    if (!name || p.kind === 'spread') continue;
    const handler = ctx.handler(p.value, ['handler', 'run', 'execute', 'process', 'fn']);
    const fact = handler?.file.facts.functions[handler.fn];
    if (!handler || !fact?.async) continue;
    out.push({
      kind: /event|subscriber|listener/i.test(key) ? 'subscriber' : 'job',
      name,
      symbol: `${key}.${name}`,
      route: name,
      at: { ...p.value, s: p.s, e: p.e } as Expr,
      handler,
    });
  }
  return out;
}

function wholeFile(ctx: FinderContext): UnitDraft[] {
  const expr = exportedExpr(ctx.file.facts, 'default') ?? exportedExpr(ctx.file.facts, '=');
  if (!expr || uncast(expr.value).k === 'obj') return [];
  const handler = ctx.handler(expr.value, ['handler', 'run', 'execute']);
  const fact = handler?.file.facts.functions[handler.fn];
  if (!handler || handler.file !== ctx.file || !fact?.async) return [];
  const name = baseName(ctx.file.path);
  return [
    {
      kind: /cron/i.test(ctx.file.path) ? 'cron' : 'job',
      name,
      symbol: fact.name ?? 'default',
      route: name,
      at: expr.at,
      handler,
    },
  ];
}
