/** Tries again at once and in step with everybody else: waits between attempts and their jitter go. */
import { callsOf, cutProperty, cutStatement, lastName, propertyAt, wholeStatement } from './cut.ts';
import { bodiesAround, edit, type Edit, type Inverse } from './inverse.ts';

export const dropBackoff: Inverse = {
  id: 'drop-backoff',
  what: 'the wait between attempts',
  rules: ['retry-without-backoff', 'retry-without-jitter', 'unbounded-retry'],
  words: /back.?off|jitter|retr|waits? between|spread/i,
  remove(spot) {
    const jitter: Edit[] = [];
    const waits: Edit[] = [];
    for (const body of bodiesAround(spot))
      for (const call of callsOf(body)) {
        const { file } = body;
        const name = lastName(file, call);
        if (name === 'random' && /^Math\.random\(/.test(file.text.slice(call.s)))
          jitter.push(edit(file, call, '0.5'));
        const statement = /^(?:sleep|delay|wait|pause|setTimeout|backoff)\w*$/i.test(name)
          ? wholeStatement(file, call)
          : null;
        if (statement) waits.push(cutStatement(file, statement));
        for (const key of ['jitter', 'randomize', 'factor', 'minTimeout', 'backoff', 'retryDelay']) {
          const option = call.args.map((arg) => propertyAt(file, arg, [key])).find((found) => found !== null);
          if (option) waits.push(cutProperty(file, option.obj, option.prop));
        }
      }
    return jitter.length > 0 && waits.length === 0 ? jitter : waits;
  },
};
