/** The system's clocks. */
import type { Clock } from '../host/clock.ts';

export const nodeClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
