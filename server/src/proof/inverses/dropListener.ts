/** Leaves an emitter's error to nobody. */
import { callsOf, cutLink, cutStatement, lastName, wholeStatement } from './cut.ts';
import { bodiesAround, type Edit, type Inverse } from './inverse.ts';

export const dropListener: Inverse = {
  id: 'drop-error-listener',
  what: 'the listener for errors',
  rules: ['emitter-without-error-listener', 'unhandled-stream-error', 'unobserved-job-failure'],
  words: /listen|\bon.?error|error event|emit/i,
  remove(spot) {
    const out: Edit[] = [];
    for (const body of bodiesAround(spot))
      for (const call of callsOf(body)) {
        const event = call.args[0];
        if (!/^(?:on|once|addListener)$/.test(lastName(body.file, call))) continue;
        if (event?.k !== 'lit' || event.value !== 'error') continue;
        const statement = wholeStatement(body.file, call);
        const cut = statement ? cutStatement(body.file, statement) : cutLink(body.file, call);
        if (cut) out.push(cut);
      }
    return out;
  },
};
