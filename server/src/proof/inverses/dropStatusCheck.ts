/** Lets an answer that says "failed" pass as one that says "done". */
import type { Stmt } from '../../facts/ir.ts';
import { some } from '../../facts/walk.ts';
import { namesOf } from '../../rules/_kit/decisions.ts';
import { callsOf, cutGuard, cutStatement, ifsOf, isExit, lastName, wholeStatement } from './cut.ts';
import { bodiesAround, textOf, type Edit, type Inverse, type Spot } from './inverse.ts';

export const dropStatusCheck: Inverse = {
  id: 'drop-status-check',
  what: 'the check of the answer',
  rules: ['unchecked-response-status', 'ignored-batch-failures', 'dropped-settled-failures'],
  words: /status|\bok\b|\bnon-?2xx\b|\b[45]xx\b|answer(?:s|ed)?\b|response|failed (?:items|entries)/i,
  remove(spot) {
    const names = namesOf(spot.file, spot.site?.top ?? (spot.node as never), spot.fn);
    const own = checks(spot, (st) => some(st, (node) => node.k === 'id' && names.has(node.b)));
    return own.length > 0 ? own : checks(spot, () => true);
  },
};

const STATUS =
  /\.(?:ok|status|statusCode|statusText|FailedPutCount|FailedRecordCount|UnprocessedItems|Failed|failed|errors?)\b|['"]rejected['"]/;
const HELPER =
  /(?:assert|check|ensure|throw|raise|expect)\w*(?:ok|status|success|answer|error)|raiseForStatus/i;

function checks(spot: Spot, about: (part: Stmt) => boolean): Edit[] {
  return bodiesAround(spot).flatMap((body) => [
    ...ifsOf(body)
      .filter((guard) => isExit(guard.then) && STATUS.test(textOf(body.file, guard.test)) && about(guard))
      .map((guard) => cutGuard(body.file, guard)),
    ...callsOf(body).flatMap((call) => {
      const statement = HELPER.test(lastName(body.file, call)) ? wholeStatement(body.file, call) : null;
      return statement && about(statement) ? [cutStatement(body.file, statement)] : [];
    }),
  ]);
}
