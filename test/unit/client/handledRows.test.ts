import { strict as assert } from 'node:assert';
import { handledRows } from '../../../client/src/handledRows.ts';

const TABLE = `rows:
  bnd-q4t87m2x:
    failure: unknown type
    verdict: accept

  cnc-d9r3k0va: # twice
    failure: "the provider redelivers"
    verdict: handle
    note: >-
      verdict: accept is what it was
  'clk-z3c5w9tn':
    verdict: 'handle'
    failure: >-
      a call hangs
lenses:
  clock: { exposure: none, reason: verdict handle }
`;

describe('handled rows of a text', () => {
  it('are found with their lines, whatever stands between', () => {
    assert.deepEqual(handledRows(TABLE), [
      { id: 'cnc-d9r3k0va', failure: 'the provider redelivers', start: 5, end: 10 },
      { id: 'clk-z3c5w9tn', failure: 'a call hangs', start: 10, end: 14 },
    ]);
    assert.deepEqual(handledRows(TABLE.replaceAll('\n', '\r\n')), handledRows(TABLE));
    assert.deepEqual(handledRows('rows: {}'), []);
  });
});
