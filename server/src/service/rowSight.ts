/** What the code says about one row now. Owns which hash a row's `seen.code` is, and when its mechanism counts as gone. */
import type { Row } from '../tables/schema.ts';
import type { RowSight } from '../tables/states.ts';
import { bornRowId, lensOfRow } from '../tables/rowId.ts';
import { rowOfFinding } from '../tables/verdictEffect.ts';
import type { Finding, RowPlace, UnitView } from './contract.ts';

/** Rules whose rows stand at the mechanism itself, so that with the call the mechanism is gone too. */
const AT_THE_MECHANISM: ReadonlySet<string> = new Set([
  'check-then-write',
  'redelivery-without-dedup',
  'timing-unsafe-compare',
  'unbounded-concurrency',
  'unverified-webhook',
]);

/** Where the row's `at` is; the unit itself where it names the whole unit; null when it is not found. */
export function placeOfRow(view: UnitView, id: string, row: Row): RowPlace | null {
  const { unit, slices } = view;
  if (!slices) return null;
  if (row.at === undefined || row.at === unit.name || row.at === unit.symbol) {
    const lens = lensOfRow(id);
    return lens === null
      ? null
      : { slice: slices.lens(lens), file: unit.file, start: unit.start, end: unit.end };
  }
  return slices.at(row.at, row.rule, row.seen?.code);
}

/** What to record in `seen.code`. A place that is not found is covered by what its lens looks at. */
export function seenCodeOf(view: UnitView, id: string, row: Row): string {
  const lens = lensOfRow(id);
  return (
    placeOfRow(view, id, row)?.slice ?? (lens === null ? undefined : view.slices?.lens(lens)) ?? view.slice
  );
}

/** Whether the finding lies at the place that the row's `at` names. */
export function standsAt(view: UnitView, finding: Finding, id: string, row: Row): boolean {
  const place = placeOfRow(view, id, row);
  if (place?.file !== finding.file) return false;
  const from = finding.start.line - place.start.line || finding.start.column - place.start.column;
  const to = place.end.line - finding.end.line || place.end.column - finding.end.column;
  return from >= 0 && to >= 0;
}

/** The id of the row that speaks for a finding of the unit; null when none does. */
export function speaksFor(
  view: UnitView,
  rows: Readonly<Record<string, Row>>,
  finding: Finding,
): string | null {
  return rowOfFinding(rows, finding, (id, row) => standsAt(view, finding, id, row))?.id ?? null;
}

export function sightOfRow(
  view: UnitView,
  rows: Readonly<Record<string, Row>>,
  id: string,
  row: Row,
): RowSight {
  const stands = view.findings.some((finding) => speaksFor(view, rows, finding) === id);
  const place = placeOfRow(view, id, row);
  const lens = lensOfRow(id);
  const seen = row.seen?.code;
  if (!view.slices || seen === undefined) return { code: 'unknown', finding: stands, mechanism: 'unknown' };
  if (place ? place.slice === seen : lens !== null && view.slices.lens(lens) === seen)
    return { code: 'same', finding: stands, mechanism: 'unknown' };
  const code = place ? 'changed' : 'lost';
  return { code, finding: stands, mechanism: mechanismNow(view, id, row, code) };
}

/** `gone` only for what the analysis itself once saw, or what stood where nothing stands now. */
function mechanismNow(view: UnitView, id: string, row: Row, code: 'changed' | 'lost'): RowSight['mechanism'] {
  const { rule } = row;
  if (row.verdict !== 'handle' || rule === undefined) return 'unknown';
  const at = row.at ?? '';
  if (view.mechanisms.some((found) => found.rule === rule && (code === 'lost' || found.anchor === at)))
    return 'here';
  if (code === 'lost' && AT_THE_MECHANISM.has(rule)) return 'gone';
  const lens = lensOfRow(id);
  const born =
    lens !== null &&
    bornRowId(lens, { file: view.unit.file, symbol: view.unit.symbol, rule, anchor: at }) === id;
  return born && row.how !== undefined && TOOL_WORDS.test(row.how) ? 'gone' : 'unknown';
}

/** How the analysis words a mechanism that it found; a person's own words may name one that it cannot see. */
const TOOL_WORDS =
  /^(?:ends after .+, by |compared in constant time$|limited by |one statement that inserts or updates$|idempotency key |one transaction \(line )/;
