/** Resolver maps: `{ Query: { user: fn }, Mutation: { … } }`. */
import type { Expr, Obj } from '../../facts/ir.ts';
import { uncast, walk, type AnyNode } from '../../facts/walk.ts';
import { defineFinder, type UnitDraft } from '../finder.ts';

const ROOTS = new Set(['Query', 'Mutation', 'Subscription']);

export const finder = defineFinder({
  id: 'graphql-map',
  applies: (file) =>
    /\b(?:Query|Mutation|Subscription)\s*:/.test(file.text) &&
    /resolver|graphql|apollo|yoga|pothos/i.test(file.text + file.path),
  find(ctx) {
    const out: UnitDraft[] = [];
    const visit = (node: AnyNode): void => {
      if (node.k !== 'obj') return;
      for (const p of node.props) {
        if (!p.key || !ROOTS.has(p.key)) continue;
        const fields = uncast(p.value);
        if (fields.k === 'obj') out.push(...fieldsOf(p.key, fields));
      }
    };
    const fieldsOf = (root: string, fields: Obj): UnitDraft[] => {
      const drafts: UnitDraft[] = [];
      for (const f of fields.props) {
        if (!f.key) continue;
        const handler = ctx.handler(f.value, ['resolve', 'subscribe']);
        if (!handler) continue;
        const at = { ...f.value, s: f.s } as Expr;
        drafts.push({
          kind: 'graphql',
          name: `${root} ${f.key}`,
          symbol: `${root}.${f.key}`,
          route: f.key,
          at,
          handler,
        });
      }
      return drafts;
    };
    for (const fn of ctx.file.facts.functions) for (const st of fn.body) walk(st, visit);
    return out;
  },
});
