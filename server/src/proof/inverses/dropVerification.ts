/** Believes whoever calls: signature and secret checks go, or let everything pass. */
import { uncast } from '../../facts/walk.ts';
import { callsOf, cutGuard, cutStatement, ifsOf, isExit, lastName, wholeStatement } from './cut.ts';
import { bodiesAround, edit, textOf, type Edit, type Inverse } from './inverse.ts';

export const dropVerification: Inverse = {
  id: 'drop-verification',
  what: 'the check of who sent it',
  rules: ['unverified-webhook', 'signature-after-parse'],
  words: /verif|signature|signed|hmac|forged|secret|authentic/i,
  remove(spot) {
    const out: Edit[] = [];
    for (const body of bodiesAround(spot)) {
      const { file } = body;
      for (const guard of ifsOf(body))
        if (isExit(guard.then) && CHECK.test(textOf(file, guard.test))) out.push(cutGuard(file, guard));
      for (const call of callsOf(body)) {
        const name = lastName(file, call);
        const payload = call.args[0];
        if (/^constructEvent(?:Async)?$/.test(name) && payload)
          out.push(edit(file, call, `JSON.parse(String(${textOf(file, payload)}))`));
        else if (CHECK.test(name)) {
          const statement = wholeStatement(file, call);
          if (statement) out.push(cutStatement(file, statement));
        }
      }
    }
    if (out.length > 0) return out;
    // A helper that only answers yes or no.
    const { node, file } = spot;
    return node.k === 'call' && CHECK.test(lastName(file, node)) && uncast(node.callee).k !== 'fn'
      ? [edit(file, node, 'true')]
      : [];
  },
};

const CHECK = /verif|signature|hmac|timingSafeEqual|isAuthentic|validSecret|isSigned|checkSecret/i;
