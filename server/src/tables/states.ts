/**
 * Owns what state a row and a table are in: by what the table says, and by what the caller saw of the code and of the
 * row's proof. Days are texts `2026-11-30`, so that they compare as texts and no clock is needed here.
 */
import { LENSES, type Lens } from '../base/vocabulary.ts';
import type { Proof } from './evidence.ts';
import { lensOfRow } from './rowId.ts';
import type { Row, Table } from './schema.ts';

export type RowState =
  | { readonly state: 'undecided' }
  | { readonly state: 'incomplete'; readonly missing: readonly string[] }
  /** A handle row with a test that nobody has seen red, then green. */
  | { readonly state: 'unproven' }
  | { readonly state: 'closed' }
  | { readonly state: 'stale'; readonly because: StaleCause }
  | { readonly state: 'blocked' }
  /** The code is gone; the row only waits to be pruned. */
  | { readonly state: 'retired' };

export type StaleCause =
  | 'accept expired'
  /** The check over constants that the accept rests on is false, or cannot be made any more. */
  | 'holds-while broken'
  /** The call or its arguments, or the try, transaction, loop or bound around it, are not what was looked at. */
  | 'code changed'
  /** Nothing in the unit is what `at` names, or the unit itself is not found. */
  | 'anchor lost'
  /** What a handle relied on was there and is not any more. */
  | 'mechanism gone'
  /** The test is not the one that was seen failing. */
  | 'test changed'
  /** The code is not the one that the proof ran on. */
  | 'proof old'
  | 'row says handled, code does not';

/** What the code says of a row whose place was looked for. */
export interface RowSight {
  /** Against `seen.code`; `unknown` where nobody recorded one. */
  readonly code: 'same' | 'changed' | 'lost' | 'unknown';
  /** The analysis reports the row's failure at this moment. */
  readonly finding: boolean;
  readonly mechanism: 'here' | 'gone' | 'unknown';
}

/** The keys that the verdict still needs, in the order of the file. An empty text counts as missing. */
export function missingFields(row: Row): readonly string[] {
  const absent = (
    keys: readonly (
      'how' | 'test' | 'signal' | 'because' | 'reason' | 'owner' | 'expires' | 'blocker' | 'to'
    )[],
  ) => keys.filter((key) => (row[key] ?? '').trim() === '');
  switch (row.verdict) {
    case 'handle':
      return absent(['how', 'test']);
    case 'detect':
      return absent(['signal']);
    case 'accept':
      return absent(['because', 'reason', 'owner', 'expires']);
    case 'blocked':
      return absent(['blocker', 'to']);
    case 'undecided':
      return [];
  }
}

export interface StateOptions {
  /** The day to judge expiry by, `2026-11-30`. */
  readonly today: string;
  /** What the row's evidence says of it as it is now. Without this nothing is proven. */
  readonly proof?: (rowId: string, row: Row) => Proof;
  /** What the code says of the row; without this, or with null, rows are judged by what they say alone. */
  readonly sight?: (rowId: string, row: Row) => RowSight | null;
  /** Why the row's `holds-while` does not hold; null where it does. Without this it is not looked at. */
  readonly broken?: (row: Row) => string | null;
}

/** The state of one row. An accept counts through the day it expires on. */
export function rowState(id: string, row: Row, options: StateOptions): RowState {
  if (row.retired) return { state: 'retired' };
  const sight = options.sight?.(id, row) ?? null;
  // A claim that the code contradicts is told before what the claim lacks.
  if (sight && row.verdict === 'handle' && row.proposed !== true) {
    const contradicted = contradiction(sight);
    if (contradicted) return { state: 'stale', because: contradicted };
  }
  if (row.verdict === 'undecided') return { state: 'undecided' };
  const missing = missingFields(row);
  if (missing.length > 0) return { state: 'incomplete', missing };
  if (row.verdict === 'blocked') return { state: 'blocked' };
  if (row.verdict === 'accept' && acceptExpired(row, options.today))
    return { state: 'stale', because: 'accept expired' };
  if (
    row.verdict === 'accept' &&
    row['holds-while'] !== undefined &&
    (options.broken?.(row) ?? null) !== null
  )
    return { state: 'stale', because: 'holds-while broken' };
  if (sight?.code === 'lost') return { state: 'stale', because: 'anchor lost' };
  if (sight?.code === 'changed') return { state: 'stale', because: 'code changed' };
  return row.verdict === 'handle' ? provenState(options.proof?.(id, row) ?? 'none') : { state: 'closed' };
}

function provenState(proof: Proof): RowState {
  switch (proof) {
    case 'valid':
      return { state: 'closed' };
    case 'none':
      return { state: 'unproven' };
    case 'test-changed':
      return { state: 'stale', because: 'test changed' };
    case 'old':
      return { state: 'stale', because: 'proof old' };
  }
}

/** A finding that comes back after the code changed says that the mechanism went; one in unchanged code, that there was none. */
function contradiction({ code, finding, mechanism }: RowSight): StaleCause | null {
  const changed = code === 'changed' || code === 'lost';
  if (mechanism === 'gone' || (finding && changed)) return 'mechanism gone';
  return finding ? 'row says handled, code does not' : null;
}

export function acceptExpired(row: Row, today: string): boolean {
  return row.expires !== undefined && row.expires < today;
}

/** Lenses without a row and without a conclusion: nobody looked, or the look was left open. */
export function unlookedLenses(table: Table): readonly Lens[] {
  const withRow = new Set(
    Object.entries(table.rows)
      .filter(([, row]) => !row.retired)
      .map(([id]) => lensOfRow(id)),
  );
  return LENSES.filter((lens) => !withRow.has(lens) && table.lenses[lens]?.exposure !== 'none');
}

export interface TableState {
  readonly rows: ReadonlyMap<string, RowState>;
  readonly unlooked: readonly Lens[];
  /** Live rows: all but the retired ones. */
  readonly total: number;
  /** Live rows whose verdict was taken by a person and has all it needs. */
  readonly decided: number;
  readonly stale: number;
  readonly contractMissing: boolean;
  /** `6 of 7 decided · 1 stale · 1 lens open`. */
  readonly summary: string;
}

export function tableState(table: Table, options: StateOptions): TableState {
  const rows = new Map<string, RowState>();
  let total = 0;
  let decided = 0;
  let stale = 0;
  for (const [id, row] of Object.entries(table.rows)) {
    const state = rowState(id, row, options);
    rows.set(id, state);
    if (state.state === 'retired') continue;
    total++;
    if (state.state === 'stale') stale++;
    if (state.state !== 'undecided' && state.state !== 'incomplete' && row.proposed !== true) decided++;
  }
  const unlooked = unlookedLenses(table);
  const parts = [total === 0 ? 'no rows' : `${decided} of ${total} decided`];
  if (stale > 0) parts.push(`${stale} stale`);
  if (unlooked.length > 0) parts.push(`${unlooked.length} ${unlooked.length === 1 ? 'lens' : 'lenses'} open`);
  return {
    rows,
    unlooked,
    total,
    decided,
    stale,
    contractMissing: table.contract.trim() === '',
    summary: parts.join(' · '),
  };
}
