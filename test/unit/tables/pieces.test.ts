import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { applyEdits } from '../../../server/src/base/textEdit.ts';
import { PieceText } from '../../../server/src/tables/pieces.ts';

describe('tables/pieces', () => {
  it('composes edits of edits into one set that leaves the rest alone', () => {
    const pieces = new PieceText('one two three');
    pieces.apply([{ start: 4, end: 7, newText: 'zwei' }]);
    pieces.apply([{ start: 0, end: 3, newText: 'eins' }]);
    pieces.apply([{ start: 6, end: 7, newText: 'W' }]);
    assert.equal(pieces.text, 'eins zWei three');
    assert.deepEqual(pieces.edits(), [
      { start: 0, end: 3, newText: 'eins' },
      { start: 4, end: 7, newText: 'zWei' },
    ]);
  });

  it('gives no edit for what was undone', () => {
    const pieces = new PieceText('abc');
    pieces.apply([{ start: 1, end: 2, newText: 'X' }]);
    pieces.apply([{ start: 1, end: 2, newText: 'b' }]);
    assert.deepEqual(pieces.edits(), []);
  });

  it('always gives edits that lead to its text', () => {
    const change = fc.record({ at: fc.nat(), drop: fc.nat(4), put: fc.string({ maxLength: 3 }) });
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.array(change, { maxLength: 8 }), (text, changes) => {
        const pieces = new PieceText(text);
        for (const { at, drop, put } of changes) {
          const start = at % (pieces.text.length + 1);
          pieces.apply([{ start, end: Math.min(start + drop, pieces.text.length), newText: put }]);
        }
        assert.equal(applyEdits(text, pieces.edits()), pieces.text);
      }),
    );
  });
});
