/** Measures time with the clock that people set. */
import { callsOf, calleeText } from './cut.ts';
import { bodiesAround, edit, type Inverse } from './inverse.ts';

export const dropMonotonicClock: Inverse = {
  id: 'drop-monotonic-clock',
  what: 'the clock that never goes back',
  rules: ['wall-clock-duration'],
  words: /monotonic|performance\.now|hrtime|never goes back/i,
  remove: (spot) =>
    bodiesAround(spot).flatMap((body) =>
      callsOf(body)
        .filter((call) => /^(?:globalThis\.)?performance\.now$/.test(calleeText(body.file, call)))
        .map((call) => edit(body.file, call, 'Date.now()')),
    ),
};
