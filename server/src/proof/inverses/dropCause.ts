/** Forgets what went wrong first. */
import { walk } from '../../facts/walk.ts';
import { cutProperty, propertyAt } from './cut.ts';
import { bodiesAround, type Edit, type Inverse } from './inverse.ts';

export const dropCause: Inverse = {
  id: 'drop-cause',
  what: 'the cause of the error',
  rules: ['dropped-cause'],
  words: /\bcause\b/i,
  remove(spot) {
    const out: Edit[] = [];
    for (const { file, fact } of bodiesAround(spot))
      for (const st of fact.body)
        walk(st, (node) => {
          if (node.k !== 'new') return;
          const found = propertyAt(file, node.args[1], ['cause']);
          if (found) out.push(cutProperty(file, found.obj, found.prop));
        });
    return out;
  },
};
