/** Owns what the verdict of a row does to the squiggle of its finding. Decides only; shows nothing. */
import type { Finding } from '../model/finding.ts';
import { lensOfRow } from './rowId.ts';
import type { Row } from './schema.ts';
import { rowState } from './states.ts';

export type VerdictEffect =
  | { readonly effect: 'keep' }
  /** Shown as before, with a clause about the row beside it. */
  | { readonly effect: 'keep-with-note'; readonly row: string; readonly note: string }
  | { readonly effect: 'hint'; readonly row: string; readonly note: string }
  /** Not shown in code; listed in the table and as suppressed in reports. */
  | { readonly effect: 'hidden'; readonly row: string; readonly reason: string };

export type FindingPlace = Pick<Finding, 'rule' | 'anchor' | 'lens'>;

export interface EffectOptions {
  /** A day like `2026-11-30`. */
  readonly today: string;
  /** Why the row's `holds-while` does not hold; null where it does, or where nobody looked. */
  readonly broken?: (row: Row) => string | null;
  /** Whether a numbered place (`fetch#2`) is this finding's; without it only the name is compared. */
  readonly isAt?: (id: string, row: Row) => boolean;
}

/**
 * The row that speaks for a finding: same rule and same anchor, a numbered place before the bare name; else the unit's
 * one row of that rule without `at`.
 */
export function rowOfFinding(
  rows: Readonly<Record<string, Row>>,
  finding: FindingPlace,
  isAt?: EffectOptions['isAt'],
): { readonly id: string; readonly row: Row } | null {
  let named: { id: string; row: Row } | null = null;
  let whole: { id: string; row: Row } | null = null;
  for (const [id, row] of Object.entries(rows)) {
    if (row.rule !== finding.rule || row.retired) continue;
    if (row.at === finding.anchor) named ??= { id, row };
    else if (row.at === undefined) {
      if (lensOfRow(id) === finding.lens) whole ??= { id, row };
    } else if (isAt && row.at.replace(/#\d+$/, '') === finding.anchor && isAt(id, row)) return { id, row };
  }
  return named ?? whole;
}

/** What the unit's rows do to one of its findings. */
export function verdictEffect(
  rows: Readonly<Record<string, Row>>,
  finding: FindingPlace,
  { today, broken, isAt }: EffectOptions,
): VerdictEffect {
  const match = rowOfFinding(rows, finding, isAt);
  if (!match) return { effect: 'keep' };
  const { id, row } = match;
  const state = rowState(id, row, { today, ...(broken ? { broken } : {}) });
  switch (state.state) {
    case 'undecided':
    case 'blocked':
    case 'retired':
      return { effect: 'keep' };
    case 'incomplete':
      // A handle without its test still claims what the code contradicts; a mere proposal claims nothing.
      return row.verdict === 'handle' && row.proposed !== true
        ? { effect: 'keep-with-note', row: id, note: 'the row says handled, the code does not' }
        : { effect: 'keep' };
    case 'stale':
      return {
        effect: 'keep-with-note',
        row: id,
        note:
          state.because === 'accept expired'
            ? `accepted until ${row.expires ?? ''}, which has passed; the reason was: ${row.reason ?? ''}`
            : `accepted while ${row['holds-while'] ?? ''}, and ${broken?.(row) ?? 'that no longer holds'}; the reason was: ${row.reason ?? ''}`,
      };
    case 'unproven':
    case 'closed':
      break;
  }
  if (row.verdict === 'detect') return { effect: 'hint', row: id, note: `detected by ${row.signal ?? ''}` };
  if (row.verdict === 'accept') return { effect: 'hidden', row: id, reason: row.reason ?? '' };
  return { effect: 'keep-with-note', row: id, note: 'the row says handled, the code does not' };
}

const WEIGHT: Readonly<Record<VerdictEffect['effect'], number>> = {
  keep: 0,
  'keep-with-note': 1,
  hint: 2,
  hidden: 3,
};

/** Of code that several units run: no unit's silence speaks for another, so the loudest effect holds. Empty: keep. */
export function loudest(effects: readonly VerdictEffect[]): VerdictEffect {
  return effects.reduce<VerdictEffect>(
    (best, effect) => (WEIGHT[effect.effect] < WEIGHT[best.effect] ? effect : best),
    effects[0] ?? { effect: 'keep' },
  );
}
