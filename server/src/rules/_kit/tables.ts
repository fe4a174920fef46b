/** The table that a database call works on, for comparing and naming. */
import type { Site } from '../../model/sites.ts';

/** Lower case; null when unknown. A model class names its table better than the library class it inherits from. */
export function tableOf(site: Site): string | null {
  const { node, effect } = site;
  if (effect?.kind !== 'db') return null;
  if (
    node.k === 'call' &&
    node.callee.k === 'mem' &&
    node.callee.obj.k === 'id' &&
    /^[A-Z]/.test(node.callee.obj.name)
  )
    return node.callee.obj.name.toLowerCase();
  return effect.entity;
}
