/** What the gate found, for every renderer. Owns the shape, order and verdict; the service fills it. */
import type { Position } from '../base/span.ts';
import type { UnitKind } from '../base/vocabulary.ts';
import type { Evidence, Table } from '../tables/schema.ts';
import type { RowState } from '../tables/states.ts';

export const GATE_LEVELS = ['fail', 'warn', 'note'] as const;
export type GateLevel = (typeof GATE_LEVELS)[number];

export interface GateItem {
  readonly level: GateLevel;
  /** Stable kebab-case name: a rule about tables, or `contract-missing`, `table-missing` and the like. */
  readonly code: string;
  readonly message: string;
  /** What people call the unit. */
  readonly unit: string;
  readonly row: string | null;
  /** Relative to the root, with `/`: the table's, or the source's where there is no table. */
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
}

/** The table of a unit that the change touches. */
export interface GateTable {
  readonly path: string;
  readonly table: Table;
  readonly kind: UnitKind;
  readonly states: ReadonlyMap<string, RowState>;
  /** What was seen of the rows whose proof stands, by row. */
  readonly proofs: ReadonlyMap<string, Evidence>;
  /** Sentences about what changed in the table since the base. */
  readonly delta: readonly string[];
}

export interface GateReport {
  readonly version: string;
  /** Where the comparison starts: a commit, and what it was found from. */
  readonly base: { readonly commit: string; readonly of: string };
  readonly items: readonly GateItem[];
  readonly tables: readonly GateTable[];
  /** Units of changed code that have no table. */
  readonly untabled: readonly { readonly name: string; readonly file: string; readonly line: number }[];
}

/** Nothing that fails: warnings and notes close no gate. */
export function isClosed(report: Pick<GateReport, 'items'>): boolean {
  return report.items.every(({ level }) => level !== 'fail');
}

export function compareItems(a: GateItem, b: GateItem): number {
  const text = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);
  return (
    text(a.file, b.file) ||
    a.start.line - b.start.line ||
    GATE_LEVELS.indexOf(a.level) - GATE_LEVELS.indexOf(b.level) ||
    text(a.code, b.code)
  );
}
