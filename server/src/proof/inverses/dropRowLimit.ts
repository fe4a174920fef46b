/** Reads everything: a query's limit goes. */
import { callsOf, cutLink, cutProperty, cutText, lastName, propertyAt, textsOf } from './cut.ts';
import { bodiesAround, type Edit, type Inverse } from './inverse.ts';

export const dropRowLimit: Inverse = {
  id: 'drop-row-limit',
  what: 'the limit on rows',
  rules: ['unbounded-query'],
  words: /\blimit|\btake\b|page|pagin|at most|\bcap/i,
  remove(spot) {
    const out: Edit[] = [];
    const { site, file, node } = spot;
    if (site && node.k === 'call')
      for (const { arg, path } of site.effect?.spec.limitAt ?? []) {
        const option = propertyAt(file, node.args.at(arg === 'last' ? -1 : arg), path.split('.'));
        if (option) out.push(cutProperty(file, option.obj, option.prop));
      }
    for (const link of site?.chain ?? [])
      if (link.refines === 'limit') {
        const cut = cutLink(file, link.node);
        if (cut) out.push(cut);
      }
    for (const literal of textsOf(node, node)) {
      const cut = cutText(file, literal, /\s+limit\s+(?:\$\{[^}]*\}|\$?\w+|\?)/i);
      if (cut) out.push(cut);
    }
    if (out.length > 0) return out;
    for (const body of bodiesAround(spot))
      for (const call of callsOf(body)) {
        const cut = /^(?:limit|take)$/.test(lastName(body.file, call)) ? cutLink(body.file, call) : null;
        if (cut) out.push(cut);
      }
    return out;
  },
};
