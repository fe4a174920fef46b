/** Takes locks in the order of the arguments: sorting before them goes. */
import { uncast, walk } from '../../facts/walk.ts';
import { callsOf, cutText, lastName, textsOf } from './cut.ts';
import { bodiesAround, edit, textOf, type Edit, type Inverse } from './inverse.ts';

export const dropOrdering: Inverse = {
  id: 'drop-ordering',
  what: 'the order in which locks are taken',
  rules: ['locks-in-argument-order'],
  words: /\border|sort/i,
  remove(spot) {
    const out: Edit[] = [];
    for (const body of bodiesAround(spot)) {
      const { file, fact } = body;
      for (const call of callsOf(body)) {
        const callee = uncast(call.callee);
        const name = lastName(file, call);
        if (/^(?:sort|toSorted)$/.test(name) && callee.k === 'mem')
          out.push(edit(file, { s: callee.obj.e, e: call.e }, ''));
        else if (/^(?:sortBy|orderBy|sorted|inOrder)$/.test(name) && call.args[0] && callee.k === 'id')
          out.push(edit(file, call, textOf(file, call.args[0])));
        else
          for (const literal of textsOf(call, call)) {
            const cut = cutText(
              file,
              literal,
              /\s+order\s+by\s+[\w".]+(?:\s+(?:asc|desc))?(?=\s+for\s+update)/i,
            );
            if (cut) out.push(cut);
          }
      }
      for (const st of fact.body)
        walk(st, (node) => {
          // `a < b ? [a, b] : [b, a]`
          if (node.k === 'cond' && uncast(node.yes).k === 'arr' && uncast(node.no).k === 'arr')
            out.push(edit(file, node, textOf(file, node.yes)));
          // `if (b < a) [a, b] = [b, a]`
          if (node.k === 'if' && /\[[\s\S]+\]\s*=\s*\[[\s\S]+\]/.test(textOf(file, node.then)))
            out.push(edit(file, node, '{}'));
        });
    }
    return out;
  },
};
