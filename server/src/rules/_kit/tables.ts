/** The table that a database call works on, for comparing and naming. */
import type { Expr } from '../../facts/ir.ts';
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

/** The table as the code writes it, for messages. */
export function tableName(site: Site): string | null {
  const table = tableOf(site);
  const { node, effect } = site;
  if (table === null) return null;
  if (node.k !== 'tag' && node.callee.k === 'mem') {
    let at: Expr = node.callee.obj;
    for (let hops = 0; hops < 4; hops++) {
      const name = at.k === 'id' ? at.name : at.k === 'mem' ? at.prop : '';
      if (name.toLowerCase() === table) return name;
      if (at.k !== 'mem' && at.k !== 'call') break;
      at = at.k === 'mem' ? at.obj : at.callee;
    }
  }
  const text = effect?.sql?.text ?? site.file.text.slice(site.top.s, site.top.e);
  return new RegExp(`\\b${table.replace(/[^\w]/g, '.')}\\b`, 'i').exec(text)?.[0] ?? table;
}
