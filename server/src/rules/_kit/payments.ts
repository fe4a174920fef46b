/** Whether a provider's call moves money by itself. Owns what the parameters of such calls say about that. */
import type { Model } from '../../model/model.ts';
import { booleanOf, readOption } from '../../model/options.ts';
import type { Site } from '../../model/sites.ts';

/** False for a payment intent that is made and not confirmed: until then nothing is taken. */
export function movesMoney(model: Model, site: Site): boolean {
  if (site.effect?.entity !== 'paymentintents' || site.node.k !== 'call') return site.effect?.op === 'charge';
  if (site.node.callee.k === 'mem' && site.node.callee.prop !== 'create') return site.effect.op === 'charge';
  const confirm = readOption(model.values, site.file, site.node, { arg: 0, path: 'confirm' });
  return confirm.k === 'value' && booleanOf(model.values, confirm.file, confirm.expr) !== false;
}
