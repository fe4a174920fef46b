/** One cause, one finding: drops the weaker of two findings on the same place. Owns which rule beats which. */
import type { LiveFinding } from './runRules.ts';

/** Rule → rules whose finding on an overlapping place says the same thing less well. */
const BEATS: Readonly<Record<string, readonly string[]>> = {
  'call-without-timeout': ['weak-timeout', 'deadline-not-propagated'],
  'retry-of-unsafe-effect': ['effect-without-idempotency-key'],
  'ack-before-work': ['unobserved-promise', 'respond-before-work'],
  'redelivery-without-dedup': ['check-then-write'],
  'dedup-outside-transaction': ['writes-without-transaction', 'redelivery-without-dedup', 'check-then-write'],
  'claim-without-lock': ['check-then-write', 'read-modify-write'],
  'read-modify-write': ['check-then-write'],
  'outer-handle-in-transaction': [
    'writes-without-transaction',
    'second-connection-in-transaction',
    'commit-then-publish',
  ],
  'effect-in-rerunnable-callback': ['external-call-in-transaction', 'commit-then-publish'],
  'retry-key-minted-inside': ['retry-of-unsafe-effect', 'effect-without-idempotency-key'],
  'lease-without-expiry': ['non-atomic-redis'],
  'transaction-on-pool': ['writes-without-transaction', 'outer-handle-in-transaction'],
  'error-swallowed-in-transaction': ['swallowed-error', 'default-on-failure'],
  'fail-open-catch': ['swallowed-error', 'default-on-failure'],
  'swallowed-error': ['default-on-failure', 'log-without-context'],
  'poison-message': ['unguarded-parse', 'async-callback-crash'],
  'unbounded-concurrency': ['query-in-loop'],
};

export function mergeRootCauses(found: readonly LiveFinding[]): readonly LiveFinding[] {
  const dropped = new Set<LiveFinding>();
  for (const strong of found) {
    const weaker = BEATS[strong.finding.rule];
    if (!weaker) continue;
    for (const weak of found)
      if (
        weaker.includes(weak.finding.rule) &&
        weak.finding.startOffset < strong.finding.endOffset &&
        strong.finding.startOffset < weak.finding.endOffset
      )
        dropped.add(weak);
  }
  const seen = new Set<string>();
  return found
    .filter((f) => {
      if (dropped.has(f)) return false;
      const key = `${f.finding.rule}:${f.finding.startOffset}:${f.finding.endOffset}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .sort(
      (a, b) => a.finding.startOffset - b.finding.startOffset || a.finding.rule.localeCompare(b.finding.rule),
    );
}
