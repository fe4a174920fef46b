/** What changed between two versions of a table, in sentences. Owns their wording; says nothing that neither version holds. */
import { lensOfRow } from './rowId.ts';
import { LENSES } from '../base/vocabulary.ts';
import type { Row, Table } from './schema.ts';
import type { RowState } from './states.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `2027-05-29` as `29 May 2027`; anything else as it is. */
export function longDay(day: string): string {
  const [year, month, date] = day.split('-');
  const name = MONTHS[Number(month) - 1];
  return year && name && date ? `${Number(date)} ${name} ${year}` : day;
}

/** `before` is null for a table that was not there; `states` are those of `after`. */
export function tableDelta(
  before: Table | null,
  after: Table,
  states: ReadonlyMap<string, RowState>,
): readonly string[] {
  const out: string[] = [];
  if (!before) {
    const rows = Object.keys(after.rows).length;
    out.push(`${after.unit} has a table now, with ${rows} ${rows === 1 ? 'row' : 'rows'}`);
  } else if (before.contract.trim() !== after.contract.trim())
    out.push(
      after.contract.trim() === ''
        ? `the contract of ${after.unit} was taken out`
        : `the contract of ${after.unit} is new or reworded`,
    );
  for (const [id, row] of Object.entries(after.rows)) {
    const old = before?.rows[id];
    const said = rowSentence(old, row);
    if (said !== null) out.push(said);
    const state = states.get(id);
    if (state?.state === 'stale' && !(old?.verdict !== row.verdict && said !== null))
      out.push(
        state.because === 'accept expired'
          ? `the accept of ${quoted(row)} ran out on ${longDay(row.expires ?? '')}`
          : state.because === 'holds-while broken'
            ? `the accept of ${quoted(row)} rests on ${row['holds-while'] ?? ''}, which no longer holds`
            : state.because === 'proof old'
              ? `the proof of ${quoted(row)} went stale: its code changed`
              : state.because === 'test changed'
                ? `the proof of ${quoted(row)} went stale: its test changed`
                : `${quoted(row)} went stale: ${state.because}`,
      );
  }
  for (const [id, row] of Object.entries(before?.rows ?? {}))
    if (!Object.hasOwn(after.rows, id)) out.push(`${quoted(row)} was taken out of the table`);
  for (const lens of LENSES) {
    const [was, is] = [before?.lenses[lens], after.lenses[lens]];
    if (before && is?.exposure === 'none' && (was?.exposure !== 'none' || was.reason !== is.reason))
      out.push(`${lens}: no exposure, since ${is.reason}`);
    if (before && was?.exposure === 'none' && is?.exposure !== 'none' && !hasRow(after, lens))
      out.push(`${lens} is open again`);
  }
  const pruned = listOf(after).filter((item) => !listOf(before).includes(item));
  for (const item of pruned) out.push(`pruned: ${item}`);
  return out;
}

function rowSentence(old: Row | undefined, row: Row): string | null {
  if (row.retired && !old?.retired) return `the code of ${quoted(row)} is gone (${row.retired.why})`;
  if (row.retired) return null;
  if (!old && row.verdict === 'undecided') return `new failure mode, undecided: ${row.failure}`;
  if (!old && row.verdict === 'handle' && row.proposed)
    return `${quoted(row)} has a mechanism that nobody confirmed yet${row.how ? `: ${row.how}` : ''}`;
  const by = row.seen?.by;
  if (old?.verdict !== row.verdict || (old.proposed === true && row.proposed !== true))
    return decided(row, by);
  if (row.verdict === 'accept' && old.expires !== row.expires && row.expires !== undefined)
    return `${by ?? 'somebody'} moved the end of the accept of ${quoted(row)}${old.expires ? ` from ${longDay(old.expires)}` : ''} to ${longDay(row.expires)}`;
  const fields = (['how', 'test', 'signal', 'asserted', 'reason', 'owner', 'blocker', 'to'] as const).filter(
    (field) => old[field] !== row[field],
  );
  if (fields.length > 0) return `${quoted(row)}: ${fields.join(', ')} changed`;
  if (row.seen?.code !== undefined && old.seen?.code !== row.seen.code)
    return `${by ?? 'somebody'} read ${quoted(row)} again: it still stands`;
  return null;
}

function decided(row: Row, by: string | undefined): string {
  const who = by ?? 'somebody';
  switch (row.verdict) {
    case 'accept':
      return `${who} accepted ${quoted(row)}${row.expires ? ` until ${longDay(row.expires)}` : ' without an end'}${row.reason ? `: ${row.reason}` : ''}`;
    case 'handle':
      return `${quoted(row)} is handled now${row.how ? `: ${row.how}` : ''}`;
    case 'detect':
      return `${quoted(row)} is detected now${row.signal ? ` by ${row.signal}` : ''}${row.asserted ? '' : ' (fired, not asserted)'}`;
    case 'blocked':
      return `${quoted(row)} is blocked${row.blocker ? ` by ${row.blocker}` : ''}${row.to ? `; handed to ${row.to}` : ''}`;
    case 'undecided':
      return `${quoted(row)} is undecided again`;
  }
}

function quoted(row: Row): string {
  return `“${row.failure}”`;
}

function hasRow(table: Table, lens: string): boolean {
  return Object.entries(table.rows).some(([id, row]) => !row.retired && lensOfRow(id) === lens);
}

function listOf(table: Table | null): readonly string[] {
  return table && Array.isArray(table.pruned) ? table.pruned : [];
}
