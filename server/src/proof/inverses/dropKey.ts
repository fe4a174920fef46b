/** Takes the idempotency key off a call. */
import type { Obj } from '../../facts/ir.ts';
import { uncast, walk } from '../../facts/walk.ts';
import { cutProperty, propertyAt } from './cut.ts';
import type { Edit, Inverse } from './inverse.ts';

const KEY = /idempoten|dedup|clientToken|requestId/i;

export const dropKey: Inverse = {
  id: 'drop-idempotency-key',
  what: 'the idempotency key',
  rules: ['effect-without-idempotency-key', 'retry-of-unsafe-effect', 'redelivery-without-dedup'],
  words: /idempoten|\bkeyed?\b|dedup/i,
  remove({ site, file, node }) {
    if (node.k !== 'call' && node.k !== 'new') return [];
    const at = site?.effect?.spec.idempotency?.at;
    const found = at && propertyAt(file, node.args.at(at.arg === 'last' ? -1 : at.arg), at.path.split('.'));
    if (found) return [cutProperty(file, found.obj, found.prop)];
    const out: Edit[] = [];
    const visit = (obj: Obj): void => {
      for (const prop of obj.props)
        if (prop.key !== null && KEY.test(prop.key)) out.push(cutProperty(file, obj, prop));
    };
    for (const arg of node.args)
      walk(uncast(arg), (part) => {
        if (part.k === 'obj' && out.length === 0) visit(part);
      });
    return out;
  },
};
