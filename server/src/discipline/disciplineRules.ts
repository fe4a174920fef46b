/** The rules about tables: their ids, and what each means. Owns words; judging lives beside it. */

export interface DisciplineRule {
  readonly id: string;
  /** How it is shown while somebody works; the gate has its own say. */
  readonly severity: 'warning' | 'note';
  readonly what: string;
  readonly remedy: string;
}

export const DISCIPLINE_RULES = [
  {
    id: 'handle-without-test',
    severity: 'note',
    what: 'A row claims a mechanism and does not name it, or names no test of its own.',
    remedy: 'Name the mechanism in `how` and the test in `test`, as `path > title`.',
  },
  {
    id: 'handle-without-proof',
    severity: 'note',
    what: 'The test of a handled row was not seen failing without the mechanism.',
    remedy:
      'Run `sixlens prove` on the row: the test has to fail on its own assertion without the mechanism.',
  },
  {
    id: 'detect-without-signal',
    severity: 'note',
    what: 'A row relies on being noticed and does not say by what.',
    remedy: 'Name the alert, metric or log message in `signal`.',
  },
  {
    id: 'accept-without-reason',
    severity: 'note',
    what: 'A risk is accepted without a reason, an owner or an end.',
    remedy: 'Fill in `because`, `reason`, `owner` and `expires`.',
  },
  {
    id: 'accept-expired',
    severity: 'warning',
    what: 'The day on which an accept was to be looked at again has passed, or what it rests on no longer holds.',
    remedy: 'Decide anew; a longer accept needs another reason.',
  },
  {
    id: 'lens-unlooked',
    severity: 'note',
    what: 'A lens has neither a row nor a conclusion that still holds.',
    remedy: 'Add a row, or conclude `exposure: none` with a reason.',
  },
  {
    id: 'row-stale',
    severity: 'warning',
    what: 'What the row was decided on is not there any more, or says something else.',
    remedy: 'Read the row again: decide anew, or affirm that it still stands.',
  },
  {
    id: 'mechanism-gone',
    severity: 'warning',
    what: 'The mechanism that a handled row names was there and is not any more.',
    remedy: 'Put it back, or decide anew.',
  },
] as const satisfies readonly DisciplineRule[];

export type DisciplineId = (typeof DISCIPLINE_RULES)[number]['id'];

export function severityOf(id: DisciplineId): 'warning' | 'note' {
  return DISCIPLINE_RULES.find((rule) => rule.id === id)?.severity ?? 'warning';
}
