/** Judges one table by the rules about tables. Owns which rule speaks for which state, and its sentence. Pure. */
import { LENSES, type Lens } from '../base/vocabulary.ts';
import { lensOfRow } from '../tables/rowId.ts';
import type { LensEntry, Row, Table } from '../tables/schema.ts';
import { tableState, type RowState, type StateOptions, type TableState } from '../tables/states.ts';
import type { DisciplineId } from './disciplineRules.ts';

export interface Fault {
  readonly rule: DisciplineId | 'row-incomplete';
  readonly row: string | null;
  readonly lens: Lens | null;
  /** The field of the row or lens that the sentence is about; null for the whole of it. */
  readonly field: string | null;
  readonly message: string;
}

/** What the code says of a conclusion without rows. */
export interface LensSight {
  /** Against the lens's `seen.code`; `unknown` where nobody recorded one. */
  readonly code: 'same' | 'changed' | 'unknown';
  /** What the analysis finds under this lens now, by rule id; empty when nothing. */
  readonly found: readonly string[];
}

export interface JudgeOptions extends StateOptions {
  readonly lensSight?: (lens: Lens, entry: LensEntry) => LensSight | null;
}

export function judgeTable(
  table: Table,
  options: JudgeOptions,
): { readonly state: TableState; readonly faults: readonly Fault[] } {
  const state = tableState(table, options);
  const faults: Fault[] = [];
  for (const [id, row] of Object.entries(table.rows)) {
    const now = state.rows.get(id);
    const fault = now && rowFault(row, now, options);
    if (fault) faults.push({ row: id, lens: lensOfRow(id), ...fault });
  }
  for (const lens of LENSES) {
    const fault = lensFault(table, lens, state.unlooked.includes(lens), options);
    if (fault !== null)
      faults.push({ rule: 'lens-unlooked', row: null, lens, field: fault.field, message: fault.message });
  }
  return { state, faults };
}

function rowFault(
  row: Row,
  state: RowState,
  options: JudgeOptions,
): Pick<Fault, 'rule' | 'field' | 'message'> | null {
  if (state.state === 'incomplete') {
    const needs = state.missing.join(', ');
    switch (row.verdict) {
      case 'handle':
        return {
          rule: 'handle-without-test',
          field: 'verdict',
          message: row.proposed
            ? `a mechanism was found; it still needs ${needs}`
            : `handle still needs ${needs}`,
        };
      case 'detect':
        return { rule: 'detect-without-signal', field: 'verdict', message: `detect still needs ${needs}` };
      case 'accept':
        return { rule: 'accept-without-reason', field: 'verdict', message: `accept still needs ${needs}` };
      default:
        return { rule: 'row-incomplete', field: 'verdict', message: `${row.verdict} still needs ${needs}` };
    }
  }
  if (state.state === 'unproven')
    return {
      rule: 'handle-without-proof',
      field: 'test',
      message: `nobody saw its test fail without the mechanism: ${row.failure}`,
    };
  if (state.state !== 'stale') return null;
  const at = row.at ?? 'the unit';
  switch (state.because) {
    case 'accept expired':
      return {
        rule: 'accept-expired',
        field: 'expires',
        message: `accepted until ${row.expires ?? ''}, which has passed; the reason was: ${row.reason ?? ''}`,
      };
    case 'holds-while broken':
      return {
        rule: 'accept-expired',
        field: 'holds-while',
        message: `accepted while ${row['holds-while'] ?? ''}, and ${options.broken?.(row) ?? 'that no longer holds'}; the reason was: ${row.reason ?? ''}`,
      };
    case 'mechanism gone':
      return {
        rule: 'mechanism-gone',
        field: row.how === undefined ? 'verdict' : 'how',
        message: `mechanism gone: ${at} no longer has what handled this (${row.how ?? 'not named'})`,
      };
    case 'test changed':
      return {
        rule: 'row-stale',
        field: 'test',
        message: `test changed: ${row.test ?? ''} is not the test that was seen failing`,
      };
    case 'proof old':
      return {
        rule: 'row-stale',
        field: 'test',
        message: `proof old: ${at} is not the code that its test was seen failing for`,
      };
    case 'code changed':
      return {
        rule: 'row-stale',
        field: row.at === undefined ? null : 'at',
        message: `code changed: ${at} is not what was looked at${seenText(row)}`,
      };
    case 'anchor lost':
      return {
        rule: 'row-stale',
        field: row.at === undefined ? null : 'at',
        message: `anchor lost: ${at} is not found in the unit`,
      };
    case 'row says handled, code does not':
      return {
        rule: 'row-stale',
        field: 'verdict',
        message: `row says handled, code does not: ${row.failure}`,
      };
  }
}

function seenText({ seen }: Row): string {
  if (!seen || (seen.date === undefined && seen.by === undefined)) return '';
  return ` (${[seen.by && `by ${seen.by}`, seen.date && `on ${seen.date}`].filter(Boolean).join(' ')})`;
}

function lensFault(
  table: Table,
  lens: Lens,
  unlooked: boolean,
  options: JudgeOptions,
): { readonly field: string | null; readonly message: string } | null {
  const entry = table.lenses[lens];
  if (unlooked) {
    if (entry?.exposure !== 'open') return { field: null, message: `nobody looked through ${lens} yet` };
    const calls = entry.unresolved.length > 0 ? `: could not follow ${entry.unresolved.join(', ')}` : '';
    return { field: 'exposure', message: `${lens} is still open${calls}` };
  }
  // A lens with rows is judged by its rows.
  if (!entry || Object.entries(table.rows).some(([id, row]) => !row.retired && lensOfRow(id) === lens))
    return null;
  const sight = options.lensSight?.(lens, entry) ?? null;
  if (!sight) return null;
  if (sight.found.length > 0)
    return {
      field: 'exposure',
      message: `${lens} says no exposure, but the code now shows ${sight.found.join(', ')}`,
    };
  if (sight.code === 'changed')
    return { field: 'exposure', message: `${lens} was looked through before the code changed` };
  return null;
}
