/** Lets a handler keep quiet: what it throws on goes, so that the caller believes in success. */
import { walk, type AnyNode } from '../../facts/walk.ts';
import { edit, framesAround, textOf, type Edit, type Inverse } from './inverse.ts';

export const dropRethrow: Inverse = {
  id: 'drop-rethrow',
  what: 'what tells the caller of the error',
  rules: [
    'swallowed-error',
    'error-swallowed-in-transaction',
    'retry-of-permanent-error',
    'fail-open-catch',
    'default-on-failure',
  ],
  words: /rethrow|throws? (?:on|again)|passes the error|permanent|surfaces|propagat/i,
  remove(spot) {
    const tries: { readonly file: typeof spot.file; readonly node: AnyNode & { readonly k: 'try' } }[] = [];
    if (spot.node.k === 'try') tries.push({ file: spot.file, node: spot.node });
    for (const { file, frame } of framesAround(spot))
      if (frame.k === 'try' || frame.k === 'catch') tries.push({ file, node: frame.node });
    for (const { file, node } of tries) {
      const out: Edit[] = [];
      if (node.handler)
        walk(node.handler, (part) => {
          if (part.k === 'throw') out.push(edit(file, part, '{}'));
          // A rejected promise that is handed back tells as much.
          if (part.k === 'ret' && part.arg && /^Promise\.reject\b/.test(textOf(file, part.arg)))
            out.push(edit(file, part, '{}'));
        });
      if (out.length > 0) return out;
    }
    return [];
  },
};
