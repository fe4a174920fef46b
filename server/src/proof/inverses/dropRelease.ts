/** Keeps what was taken: connections, locks and timers are not given back, a failed transaction is not rolled back. */
import { callsOf, cutStatement, lastName, wholeStatement } from './cut.ts';
import { bodiesAround, type Edit, type Inverse } from './inverse.ts';

export const dropRelease: Inverse = {
  id: 'drop-release',
  what: 'what gives it back',
  rules: [
    'unreleased-connection',
    'transaction-without-rollback',
    'listener-per-request',
    'abandoned-work',
    'no-graceful-shutdown',
    'lock-not-released',
  ],
  words: /releas|finally|given? back|clos|clean|roll.?back|\bends? the connection|removed?\b/i,
  remove(spot) {
    const out: Edit[] = [];
    for (const body of bodiesAround(spot))
      for (const call of callsOf(body)) {
        const op = spot.model.sites.at(body.file, call)?.effect?.op;
        if (op !== 'release' && op !== 'rollback' && !GIVES_BACK.test(lastName(body.file, call))) continue;
        const statement = wholeStatement(body.file, call);
        if (statement) out.push(cutStatement(body.file, statement));
      }
    return out;
  },
};

const GIVES_BACK =
  /^(?:release|unlock|close|end|destroy|disconnect|rollback|off|removeListener|removeEventListener|clearTimeout|clearInterval|abort|unsubscribe|dispose)$/;
