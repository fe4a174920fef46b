/** Lets a value through that a guard stopped: early exits about it go, schemas pass on what they are given. */
import { some, uncast } from '../../facts/walk.ts';
import { namesOf } from '../../rules/_kit/decisions.ts';
import { cutGuard, ifsOf, isExit, lastName } from './cut.ts';
import { bodiesAround, edit, textOf, type Edit, type Inverse } from './inverse.ts';

export const dropGuard: Inverse = {
  id: 'drop-guard',
  what: 'the guard',
  rules: [
    'mutation-without-filter',
    'unbounded-collection',
    'unguarded-parse',
    'request-controlled-size',
    'request-controlled-url',
    'unbounded-body',
    'replay-without-window',
    'undefined-filter',
    'poison-message',
  ],
  words: /guard|check|valid|refus|reject|schema|stops?\b|range|bounds?\b|at most|limit|ignored?\b|skips?\b/i,
  remove(spot) {
    const { file, fn, node, site } = spot;
    if (node.k === 'if') return isExit(node.then) || !node.else ? [cutGuard(file, node)] : [];
    if (node.k === 'call') {
      const name = lastName(file, node);
      const given = node.args[0];
      if (given && uncast(node.callee).k === 'mem') {
        if (
          /^(?:parse|parseAsync|validate|validateAsync|validateSync)$/.test(name) &&
          !/^JSON\./.test(textOf(file, node))
        )
          return [edit(file, node, `(${textOf(file, given)})`)];
        if (/^(?:safeParse|safeParseAsync)$/.test(name))
          return [edit(file, node, `({ success: true, data: ${textOf(file, given)} })`)];
      }
    }
    const names = site ? namesOf(file, site.top, fn) : new Set<number>();
    const about = (part: { readonly s: number; readonly e: number }): boolean =>
      part.s <= node.s && node.e <= part.e;
    const out: Edit[] = [];
    for (const body of bodiesAround(spot))
      for (const guard of ifsOf(body))
        if (
          isExit(guard.then) &&
          ((body.file === file && about(guard.test)) ||
            some(guard.test, (part) => part.k === 'id' && body.file === file && names.has(part.b)))
        )
          out.push(cutGuard(body.file, guard));
    return out;
  },
};
