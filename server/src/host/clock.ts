/** Time as a dependency, so that expiry and measuring can be tested. */
export interface Clock {
  /** Milliseconds since the epoch, wall clock: for dates that people read. */
  now(): number;
  /** Milliseconds on a clock that never goes back: for durations. */
  monotonic(): number;
}
