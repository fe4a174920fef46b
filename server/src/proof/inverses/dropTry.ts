/** Lets an error out that a `try` or a `.catch()` kept in. */
import type { AnyNode } from '../../facts/walk.ts';
import { cutLink } from './cut.ts';
import { edit, framesAround, textOf, type Edit, type Inverse } from './inverse.ts';

export const dropTry: Inverse = {
  id: 'drop-try',
  what: 'what catches the error',
  rules: [
    'unguarded-parse',
    'unobserved-promise',
    'async-callback-crash',
    'late-await',
    'unguarded-cache-fill',
  ],
  words: /\btry\b|catch|guard|caught|falls? back|malformed|parse/i,
  remove(spot) {
    const out: Edit[] = [];
    for (const { name, node } of spot.site?.chain ?? []) {
      const cut = name === 'catch' ? cutLink(spot.file, node) : null;
      if (cut) out.push(cut);
    }
    if (out.length > 0) return out;
    if (spot.node.k === 'try') return uncaught(spot.file, spot.node);
    for (const { file, frame } of framesAround(spot))
      if (frame.k === 'try' && frame.node.handler) return uncaught(file, frame.node);
    return [];
  },
};

function uncaught(file: Parameters<typeof edit>[0], node: AnyNode & { readonly k: 'try' }): Edit[] {
  if (!node.handler) return [];
  if (node.final) return [edit(file, { s: node.block.e, e: node.handler.e }, '')];
  return [edit(file, node, textOf(file, node.block))];
}
