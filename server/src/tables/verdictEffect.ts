/** Owns what the verdict of a row does to the squiggle of its finding. Decides only; shows nothing. */
import type { Finding } from '../model/finding.ts';
import { lensOfRow } from './rowId.ts';
import type { Row } from './schema.ts';
import { rowState } from './states.ts';

export type VerdictEffect =
  | { readonly effect: 'keep' }
  /** Shown as before, with a sentence about the row beside it. */
  | { readonly effect: 'keep-with-note'; readonly row: string; readonly note: string }
  | { readonly effect: 'hint'; readonly row: string; readonly note: string }
  /** Not shown in code; listed in the table and as suppressed in reports. */
  | { readonly effect: 'hidden'; readonly row: string; readonly reason: string };

type FindingPlace = Pick<Finding, 'rule' | 'anchor' | 'lens'>;

/** The row that speaks for a finding: same rule and same anchor; else the unit's one row of that rule without `at`. */
export function rowOfFinding(
  rows: Readonly<Record<string, Row>>,
  finding: FindingPlace,
): { readonly id: string; readonly row: Row } | null {
  let whole: { id: string; row: Row } | null = null;
  for (const [id, row] of Object.entries(rows)) {
    if (row.rule !== finding.rule || row.retired) continue;
    if (row.at === finding.anchor) return { id, row };
    if (row.at === undefined && lensOfRow(id) === finding.lens) whole ??= { id, row };
  }
  return whole;
}

/** What the unit's rows do to one of its findings. `today` is a day like `2026-11-30`. */
export function verdictEffect(
  rows: Readonly<Record<string, Row>>,
  finding: FindingPlace,
  today: string,
): VerdictEffect {
  const match = rowOfFinding(rows, finding);
  if (!match) return { effect: 'keep' };
  const { id, row } = match;
  const state = rowState(id, row, { today });
  switch (state.state) {
    case 'undecided':
    case 'blocked':
    case 'retired':
      return { effect: 'keep' };
    case 'incomplete':
      // A handle without its test still claims what the code contradicts.
      return row.verdict === 'handle'
        ? { effect: 'keep-with-note', row: id, note: 'the row says handled, the code does not' }
        : { effect: 'keep' };
    case 'stale':
      return {
        effect: 'keep-with-note',
        row: id,
        note: `accepted until ${row.expires ?? ''}, which has passed: ${row.reason ?? ''}`,
      };
    case 'unproven':
    case 'closed':
      break;
  }
  if (row.verdict === 'detect') return { effect: 'hint', row: id, note: `detected by ${row.signal ?? ''}` };
  if (row.verdict === 'accept') return { effect: 'hidden', row: id, reason: row.reason ?? '' };
  return { effect: 'keep-with-note', row: id, note: 'the row says handled, the code does not' };
}

/** The effect on each finding, in the order given. */
export function verdictEffects<F extends FindingPlace>(
  rows: Readonly<Record<string, Row>>,
  findings: readonly F[],
  today: string,
): readonly { readonly finding: F; readonly effect: VerdictEffect }[] {
  return findings.map((finding) => ({ finding, effect: verdictEffect(rows, finding, today) }));
}
