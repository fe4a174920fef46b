/** Which calls do the work of a unit: something outside the process is changed, by the call itself or by what it leads to. */
import type { AnyNode } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Effect, Site } from '../../model/sites.ts';

const KINDS = new Set(['db', 'http', 'sdk', 'rpc', 'mail', 'queue', 'file']);

/** A change that somebody would miss. */
export function isChange(effect: Effect | null): effect is Effect {
  return (
    effect !== null &&
    effect.write &&
    KINDS.has(effect.kind) &&
    !effect.spec.bestEffort &&
    effect.op !== 'ack' &&
    effect.op !== 'nack'
  );
}

/** The change that a call makes or leads to; null when none is known. */
export function changeOf(model: Model, site: Site): Effect | null {
  if (isChange(site.effect)) return site.effect;
  if (site.target.k !== 'fn') return null;
  return (
    model.reach(site.target.value.file, site.target.value.fn).find((r) => isChange(r.site.effect))?.site
      .effect ?? null
  );
}

/** The call is a statement of its own whose promise nobody takes (a rejection handler may be chained on). */
export function isLeftAlone(file: SourceFile, site: Site): boolean {
  let child: AnyNode = site.top;
  for (let at = file.index.parent(child); at; child = at, at = file.index.parent(at)) {
    if (at.k === 'expr') return true;
    if (at.k === 'as' || (at.k === 'un' && at.op === 'void')) continue;
    return false;
  }
  return false;
}
