/** The panel's words. English is the key; the page carries the translations of the editor's language. */
import type { LensName, RowField, RowState, Verdict } from '../../../server/src/protocol/messages.ts';

let bundle: Readonly<Record<string, string>> = {};

/** Reads the translations that the page carries, if any. */
export function loadTexts(page: Document): void {
  try {
    const parsed: unknown = JSON.parse(page.getElementById('sixlens-texts')?.textContent ?? '{}');
    if (parsed !== null && typeof parsed === 'object') bundle = parsed as Record<string, string>;
  } catch {
    bundle = {};
  }
}

/** Translates, then puts the arguments in place of `{0}`, `{1}` … */
export function t(text: string, ...values: readonly (string | number)[]): string {
  const translated = bundle[text];
  return (typeof translated === 'string' ? translated : text).replace(/\{(\d+)\}/g, (whole, n: string) =>
    String(values[Number(n)] ?? whole),
  );
}

export const lensTitle = (lens: LensName): string =>
  ({
    boundaries: t('Boundaries'),
    'hostile-input': t('Hostile input'),
    'partial-failure': t('Partial failure'),
    concurrency: t('Concurrency'),
    'resource-exhaustion': t('Resource exhaustion'),
    clock: t('Clock'),
  })[lens];

export const lensQuestion = (lens: LensName): string =>
  ({
    boundaries: t('What if the input is malformed, empty or huge?'),
    'hostile-input': t('What if somebody forged it?'),
    'partial-failure': t('What if it stops halfway?'),
    concurrency: t('What if it runs twice at once?'),
    'resource-exhaustion': t('What runs out first?'),
    clock: t('What if the answer comes late, or never?'),
  })[lens];

export const verdictTitle = (verdict: Verdict): string =>
  ({
    undecided: t('Undecided'),
    detect: t('Detect'),
    handle: t('Handle'),
    accept: t('Accept'),
    blocked: t('Blocked'),
  })[verdict];

export const stateTitle = (state: RowState): string =>
  ({
    undecided: t('Undecided'),
    incomplete: t('Incomplete'),
    unproven: t('Unproven'),
    closed: t('Closed'),
    stale: t('Stale'),
    blocked: t('Blocked'),
    retired: t('Retired'),
  })[state];

export const becauseTitle = (because: string): string =>
  ({
    rate: t('Rate: too seldom to matter'),
    'blast-radius': t('Blast radius: little can break'),
    'upstream-guarantee': t('Upstream guarantee: ruled out before'),
    cost: t('Cost: handling it costs more'),
    temporary: t('Temporary: until the date'),
  })[because] ?? because;

export const fieldTitle = (field: RowField): string =>
  ({
    how: t('Mechanism'),
    test: t('Test'),
    signal: t('Signal'),
    asserted: t('Asserted by'),
    because: t('Because'),
    reason: t('Reason'),
    owner: t('Owner'),
    expires: t('Expires'),
    'holds-while': t('Holds while'),
    blocker: t('Blocker'),
    to: t('Handed to'),
    note: t('Note'),
    ticket: t('Ticket'),
  })[field];

export const fieldHint = (field: RowField): string =>
  ({
    how: t('What in the code takes care of it'),
    test: t('path/to.test.ts > title'),
    signal: t('Alert, metric or log line a person acts on'),
    asserted: t('path/to.test.ts > title, where one fires it'),
    because: '',
    reason: t('Why this is all right'),
    owner: t('Who answers for it'),
    expires: t('yyyy-mm-dd, within a year'),
    'holds-while': t('RETRY_DAYS < REFUND_DAYS'),
    blocker: t('What stands in the way'),
    to: t('Person or team'),
    note: t('Anything worth keeping'),
    ticket: t('Where the work is tracked'),
  })[field];
