/** Call sites gathered by the named function they are part of. */
import type { Site } from '../../model/sites.ts';
import type { RuleContext } from './rule.ts';

/** One list a function, callbacks included, in source order; code of the module body is left out. */
export function sitesByFunction(ctx: RuleContext): readonly (readonly Site[])[] {
  const byFunction = new Map<number, Site[]>();
  for (const site of ctx.sites) {
    if (site.fn === 0) continue;
    const outer = ctx.model.outermost(ctx.file, site.fn);
    const list = byFunction.get(outer) ?? [];
    list.push(site);
    byFunction.set(outer, list);
  }
  return [...byFunction.values()];
}
