import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { whyBroken, type ConstantLookup } from '../../../server/src/tables/holdsWhile.ts';
import { fuzzRuns } from '../../support/fuzzRuns.ts';

const CONSTANTS: Readonly<Record<string, number | boolean>> = {
  RETRY_DAYS: 5,
  REFUND_DAYS: 7,
  'LIMITS.batch': 100,
  'src/config.ts:MAX_ROWS': 500,
  'my dir/a.ts:DÉLAI': 900_000,
  FAST: true,
};
const lookup: ConstantLookup = (name, file) => {
  const key = file === null ? name : `${file}:${name}`;
  const value = CONSTANTS[key];
  return value === undefined ? { problem: `${name} is no constant in ${file ?? 'src/a.ts'}` } : { value };
};
/** What is wrong, with the part of the check that it is about. */
const broken = (check: string): string | null => {
  const found = whyBroken(check, lookup);
  return found && `${check.slice(found.start, found.end)} | ${found.why}`;
};

describe('tables/holdsWhile', () => {
  for (const check of [
    'RETRY_DAYS < REFUND_DAYS',
    'RETRY_DAYS+2<=REFUND_DAYS',
    '!(REFUND_DAYS < RETRY_DAYS) && LIMITS.batch * 5 == src/config.ts:MAX_ROWS',
    'RETRY_DAYS * 1d < 1w',
    '"my dir/a.ts":DÉLAI == 15min && 15 minutes == 900s && 1_000ms == 1s && 0x10 == 16 && 1.5h == 90min',
    'RETRY_DAYS > 9 || FAST',
    'FAST == true && -RETRY_DAYS < 0',
    '1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 7 % 4 == 3 && 10 - 4 - 3 == 3 && 8 / 4 / 2 == 1',
    '(src/config.ts:MAX_ROWS) > 3',
  ])
    it(`holds: ${check}`, () => assert.equal(broken(check), null));

  for (const [check, expected] of [
    ['RETRY_DAYS > REFUND_DAYS', 'RETRY_DAYS > REFUND_DAYS | RETRY_DAYS is 5, REFUND_DAYS is 7'],
    ['1 > 2', '1 > 2 | that is false'],
    ['RETRY_DAYS < GONE', 'GONE | GONE is no constant in src/a.ts'],
    ['FAST || GONE < 1', 'GONE | GONE is no constant in src/a.ts'],
    ['1 < src/config.ts:GONE', 'src/config.ts:GONE | GONE is no constant in src/config.ts'],
    ['RETRY_DAYS', 'RETRY_DAYS | it compares nothing; write such as A < B'],
    ['RETRY_DAYS <', ' | it ends too early'],
    ['', ' | it ends too early'],
    ['RETRY_DAYS = 5', '= | constants are compared by =='],
    ['(RETRY_DAYS < 6', ' | a bracket is not closed'],
    ['1 < 2 < 3', '< | comparisons do not chain; join two by &&'],
    ['1 < 2 3', '3 | `3` is not expected here'],
    ['1 < > 2', '> | a number or a name is expected instead of `>`'],
    ['5 fortnights < 1', 'fortnights | `fortnights` is no unit of time; there are ms, s, min, h, d and w'],
    ['1 / 0 > 1', '1 / 0 | it divides by zero'],
    ['FAST < 1', 'FAST | a number is expected here'],
    ['1 && FAST', '1 | a comparison is expected here'],
    ['FAST == 1', 'FAST == 1 | a number is compared with a yes or no'],
    ['process.exit(1) > 0', '( | `(` is not expected here'],
    ['1 < 2; x', '; | `;` is not part of a check'],
    ['😀 < 1', '😀 | `😀` is not part of a check'],
  ] as const)
    it(`breaks: ${check || 'nothing'}`, () => assert.equal(broken(check), expected));

  it('never throws, and places what is wrong within the text', () => {
    const piece = fc.constantFrom(
      'A',
      'a.b',
      'x/y.ts:Z',
      '1',
      '2d',
      '(',
      ')',
      '<',
      '==',
      '&&',
      '||',
      '-',
      '!',
      ' ',
      '"',
      '\n',
      '=',
      '%',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (text) => {
          const found = whyBroken(text, () => ({ value: 1 }));
          if (found)
            assert.ok(
              0 <= found.start && found.start <= found.end && found.end <= text.length,
              JSON.stringify(found),
            );
        },
      ),
      { numRuns: fuzzRuns(500) },
    );
  });

  it('calculates as the language itself does', () => {
    const { sum } = fc.letrec<{ sum: string }>((tie) => ({
      sum: fc.oneof(
        { depthSize: 'small' },
        fc.integer({ min: 1, max: 9 }).map(String),
        fc.tuple(tie('sum'), fc.constantFrom('+', '-', '*'), tie('sum')).map((parts) => parts.join(' ')),
        tie('sum').map((inner) => `(${String(inner)})`),
      ),
    }));
    fc.assert(
      fc.property(sum, sum, fc.constantFrom('<', '<=', '>', '>=', '==', '!='), (l, r, op) => {
        const text = `${l} ${op} ${r}`;
        const expected = new Function(`return ${text}`)() as boolean;
        assert.equal(whyBroken(text, lookup) === null, expected, text);
      }),
      { numRuns: fuzzRuns(300) },
    );
  });
});
