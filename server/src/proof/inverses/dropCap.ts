/** Takes a number as it comes: upper bounds on it go. */
import { uncast } from '../../facts/walk.ts';
import { callsOf, cutLink, lastName } from './cut.ts';
import { bodiesAround, edit, textOf, type Edit, type Inverse } from './inverse.ts';

export const dropCap: Inverse = {
  id: 'drop-cap',
  what: 'the upper bound',
  rules: ['request-controlled-size', 'unbounded-query', 'unbounded-retry', 'unbounded-collection'],
  words: /at most|\bcap(?:s|ped)?\b|upper bound|\bmax(?:imum)?\b|no more than|Math\.min/i,
  remove(spot) {
    const out: Edit[] = [];
    for (const body of bodiesAround(spot))
      for (const call of callsOf(body)) {
        const { file } = body;
        const callee = uncast(call.callee);
        if (/^Math\.min$/.test(textOf(file, callee)) && call.args.length === 2) {
          // The bound is what is written down, the number what comes in.
          const given = call.args.find((arg) => !isBound(textOf(file, arg))) ?? call.args[0];
          if (given) out.push(edit(file, call, `(${textOf(file, given)})`));
        } else if (
          /^(?:max|lte|lt)$/.test(lastName(file, call)) &&
          callee.k === 'mem' &&
          /\bz\b|schema/i.test(textOf(file, callee.obj))
        ) {
          const cut = cutLink(file, call);
          if (cut) out.push(cut);
        }
      }
    return out;
  },
};

function isBound(text: string): boolean {
  return /^[\d_.]+$|^[A-Z][A-Z\d_]*$|\.[A-Z][A-Z\d_]*$/.test(text);
}
