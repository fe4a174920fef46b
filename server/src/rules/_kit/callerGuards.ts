/** What the callers of a place have done before it: a lock or a claim further out makes the place safe. Owns the walk up the known ways in. */
import { some, uncast } from '../../facts/walk.ts';
import { readOption } from '../../model/options.ts';
import type { Site } from '../../model/sites.ts';
import { isSerialised } from './guards.ts';
import type { RuleContext } from './rule.ts';

/** Every way in that is known passes a lock, or a claim that lets one caller through. False when no way in is known. */
export function guardedByCallers(ctx: RuleContext, site: Site): boolean {
  const { model } = ctx;
  const outer = model.outermost(site.file, site.fn);
  const ways: (readonly Site[])[] = [];
  for (const unit of ctx.unitsReaching(outer)) {
    const hit = model.reach(unit.file, unit.fn).find((r) => r.site.node === site.node);
    if (!hit) return false;
    ways.push(hit.via);
  }
  for (const call of model.sites.callersIn(ctx.file, site.file, outer))
    if (
      model.outermost(call.file, call.fn) !== outer &&
      !ways.some((w) => w.some((v) => v.node === call.node))
    )
      ways.push([call]);
  return (
    ways.length > 0 &&
    ways.every((via) => via.some((v) => isSerialised(model, v.file, v.fn, v.node) || isClaimed(ctx, v)))
  );
}

const STATE = /^(?:status|state|claimed\w*|locked\w*|processed\w*|processing\w*|version)$/i;

/** Before the call stands an update that asks for the old state and whose answer decides. */
function isClaimed(ctx: RuleContext, call: Site): boolean {
  const { model } = ctx;
  return model.sitesWithin(call.file, model.outermost(call.file, call.fn)).some((s) => {
    const { effect, node } = s;
    if (effect?.kind !== 'db' || effect.op !== 'update' || node.s >= call.node.s || node.k === 'tag')
      return false;
    if (effect.sql) return /\bwhere\b[\s\S]*\b(?:status|state|claimed\w*|locked\w*)\b/i.test(effect.sql.text);
    const at = effect.spec.filterAt;
    const where = at ? readOption(model.values, s.file, node, at) : null;
    const filter = where?.k === 'value' ? uncast(where.expr) : null;
    return (
      filter?.k === 'obj' &&
      some(filter, (n) => n.k === 'obj' && n.props.some((p) => p.key !== null && STATE.test(p.key)))
    );
  });
}
