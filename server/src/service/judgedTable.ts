/**
 * The one resolver of what a table says and how it falls short: editor and command line both ask here. Owns the joining
 * of a table's text with what the code says, and the places of what is wrong, in the table and in the code.
 */
import { LineIndex } from '../base/span.ts';
import type { Position } from '../base/span.ts';
import { judgeTable, type Fault, type JudgeOptions } from '../discipline/judgeTable.ts';
import { severityOf } from '../discipline/disciplineRules.ts';
import type { TableReading } from '../tables/read.ts';
import { whyBroken, type Broken, type ConstantLookup } from '../tables/holdsWhile.ts';
import { proofOf, readEvidence, type Now } from '../tables/evidence.ts';
import { findSpot, spanOf } from '../tables/nodeLookup.ts';
import type { LensEntry, Row, Table } from '../tables/schema.ts';
import type { StateOptions, TableState } from '../tables/states.ts';
import type { UnitView } from './contract.ts';
import { placeOfRow, seenCodeOf, sightOfRow } from './rowSight.ts';
import type { CodePlace, TableFault } from './tableContract.ts';
import type { Lens } from '../base/vocabulary.ts';

export interface JudgeInput {
  readonly table: Table;
  readonly doc: TableReading['doc'];
  readonly text: string;
  /** Null when the code is not looked at. */
  readonly view: UnitView | null;
  readonly today: string;
  /** Set when the unit was looked for and not found: one sentence. */
  readonly lost?: string | null;
  /** Text of a row's evidence; null where there is none. Without this nothing is proven. */
  readonly evidence?: (rowId: string) => string | null;
  /** Where the code is not looked at otherwise; else the view's. */
  readonly constants?: ConstantLookup;
}

export interface Judged {
  readonly state: TableState;
  readonly faults: readonly TableFault[];
}

/** How rows are judged against the code; the same for every caller. */
export function stateOptions(input: JudgeInput): StateOptions & JudgeOptions {
  const { table, view, today, evidence } = input;
  const constants = input.constants ?? view?.constants;
  return {
    today,
    ...(evidence
      ? {
          proof: (id: string, row: Row) => {
            const seen = readEvidence(evidence(id));
            // Only what was proven once is held against the code and the test.
            return seen ? proofOf(seen, id, row, nowOf(view, id, row)) : 'none';
          },
        }
      : {}),
    ...(constants ? { broken: (row: Row) => brokenRow(row, constants)?.why ?? null } : {}),
    ...(view
      ? {
          sight: (id: string, row: Row) => sightOfRow(view, table.rows, id, row),
          lensSight: (lens: Lens, entry: LensEntry) => ({
            code: lensCode(view, lens, entry),
            found: [
              ...new Set(
                [...view.findings, ...view.mechanisms]
                  .filter((item) => item.lens === lens)
                  .map(({ rule }) => rule),
              ),
            ],
          }),
        }
      : {}),
  };
}

export function judge(input: JudgeInput): Judged {
  const { table, view, lost } = input;
  const { state, faults } = judgeTable(table, stateOptions(input));
  const lines = LineIndex.of(input.text);
  const out = faults.map((fault): TableFault => {
    const row = fault.row === null ? undefined : table.rows[fault.row];
    return {
      code: fault.rule === 'row-incomplete' ? 'table-row-incomplete' : fault.rule,
      severity: fault.rule === 'row-incomplete' ? 'note' : severityOf(fault.rule),
      message: fault.message,
      row: fault.row,
      lens: fault.lens,
      ...(brokenPlace(input, lines, fault, row) ?? inTable(input, lines, fault)),
      place: view ? inCode(view, fault.row, row) : null,
    };
  });
  if (lost != null)
    out.unshift({
      code: 'row-stale',
      severity: severityOf('row-stale'),
      message: `anchor lost: ${lost}`,
      row: null,
      lens: null,
      ...at(input, lines, ['code']),
      place: null,
    });
  return { state, faults: out };
}

/** Null for a row that rests on nothing, or on something that holds. */
export function brokenRow(row: Row, constants: ConstantLookup): Broken | null {
  const check = row['holds-while'];
  return check === undefined ? null : whyBroken(check, constants);
}

/** What a proof is held against. A test that is gone is one that changed. */
function nowOf(view: UnitView | null, id: string, row: Row): Now {
  return {
    slice: view?.slices ? seenCodeOf(view, id, row) : null,
    test: view?.testHash && row.test !== undefined ? (view.testHash(row.test) ?? '') : null,
  };
}

function lensCode(view: UnitView, lens: Lens, entry: LensEntry): 'same' | 'changed' | 'unknown' {
  const seen = entry.seen?.code;
  if (seen === undefined || !view.slices) return 'unknown';
  return view.slices.lens(lens) === seen ? 'same' : 'changed';
}

function inTable(
  input: JudgeInput,
  lines: LineIndex,
  { row, lens, field }: Fault,
): { start: Position; end: Position } {
  const path =
    row !== null ? ['rows', row] : lens !== null && input.table.lenses[lens] ? ['lenses', lens] : ['unit'];
  return at(input, lines, field === null ? path : [...path, field]);
}

/** The part of a check that is wrong, where the file holds the check as it is, on one line. */
function brokenPlace(
  input: JudgeInput,
  lines: LineIndex,
  { row: id, field }: Fault,
  row: Row | undefined,
): { start: Position; end: Position } | null {
  const check = row?.['holds-while'];
  const constants = input.constants ?? input.view?.constants;
  if (id === null || field !== 'holds-while' || check === undefined || !row || !constants) return null;
  const broken = brokenRow(row, constants);
  const spot = input.doc && findSpot(input.doc, ['rows', id, field]);
  if (!broken || !spot?.pair || spot.path.length < 3) return null;
  const value = spanOf(spot.pair, true);
  const from = input.text.slice(value.start, value.end).indexOf(check);
  if (from < 0) return null;
  const at = value.start + from;
  // What is missing at the end is shown at the last thing that is there.
  const start = Math.max(0, Math.min(broken.start, check.length - 1));
  return {
    start: lines.positionAt(at + start),
    end: lines.positionAt(at + Math.max(broken.end, start + 1)),
  };
}

/** The value at the path; else the nearest key above it. */
function at(
  { doc }: JudgeInput,
  lines: LineIndex,
  path: readonly string[],
): { start: Position; end: Position } {
  for (let length = path.length; doc && length > 0; length--) {
    const spot = findSpot(doc, path.slice(0, length));
    if (!spot?.pair || spot.path.length < length) continue;
    const { start, end } = spanOf(spot.pair, length === path.length && length > 2);
    return { start: lines.positionAt(start), end: lines.positionAt(end) };
  }
  const start = { line: 1, column: 1 };
  return { start, end: start };
}

/** The row's own place where it lies in the unit's file, else the registration, so that whoever opens the unit sees it. */
function inCode(view: UnitView, id: string | null, row: Row | undefined): CodePlace {
  const place = id !== null && row?.at !== undefined ? placeOfRow(view, id, row) : null;
  if (place && place.file === view.unit.file) return { file: place.file, start: place.start, end: place.end };
  return { file: view.unit.file, start: view.unit.start, end: view.unit.start };
}
