/**
 * Moving about the grid: one tab stop for all of it, arrows between stops, and the stop that keeps the focus.
 * A stop is a row, its code link, or one of its verdicts; each carries `data-row` and `data-stop`.
 */

/** Left to right as they stand in a row; `row` is the row itself. */
export const STOPS = ['row', 'place', 'detect', 'handle', 'accept', 'blocked', 'undecided'] as const;
export type Stop = (typeof STOPS)[number];

export interface Cursor {
  readonly row: string;
  readonly stop: Stop;
}

/** Where a key leads from `at`; null when the key is not one that moves. `has` tells whether a row has a stop. */
export function move(
  key: string,
  at: Cursor,
  rows: readonly string[],
  has: (row: string, stop: Stop) => boolean,
  whole: boolean,
): Cursor | null {
  const index = rows.indexOf(at.row);
  const to = (next: number): Cursor | null => {
    const row = rows[Math.min(Math.max(next, 0), rows.length - 1)];
    return row === undefined ? null : { row, stop: has(row, at.stop) ? at.stop : 'row' };
  };
  const along = (step: number): Cursor => {
    for (let i = STOPS.indexOf(at.stop) + step; i >= 0 && i < STOPS.length; i += step)
      if (has(at.row, STOPS[i]!)) return { row: at.row, stop: STOPS[i]! };
    return at;
  };
  switch (key) {
    case 'ArrowDown':
      return to(index + 1);
    case 'ArrowUp':
      return to(index - 1);
    case 'PageDown':
      return to(index + 8);
    case 'PageUp':
      return to(index - 8);
    case 'ArrowRight':
      return along(1);
    case 'ArrowLeft':
      return along(-1);
    case 'Home':
      return whole ? to(0) : { row: at.row, stop: 'row' };
    case 'End':
      return whole ? to(rows.length - 1) : { row: at.row, stop: 'undecided' };
    default:
      return null;
  }
}
