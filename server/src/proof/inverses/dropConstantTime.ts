/** Compares secrets byte by byte with an early end, as `===` does. */
import { lastName } from './cut.ts';
import { edit, textOf, type Inverse } from './inverse.ts';

export const dropConstantTime: Inverse = {
  id: 'drop-constant-time',
  what: 'the comparison in constant time',
  rules: ['timing-unsafe-compare'],
  words: /constant.?time|timing/i,
  remove({ node, file }) {
    if (node.k !== 'call' || lastName(file, node) !== 'timingSafeEqual' || node.args.length < 2) return [];
    const [a, b] = node.args.map((arg) => textOf(file, arg));
    return [edit(file, node, `(String(${a}) === String(${b}))`)];
  },
};
