/** Says of rows that somebody read them again and that they still stand. Owns which rows that can be said of. */
import { applyEdits } from '../base/textEdit.ts';
import { LENSES } from '../base/vocabulary.ts';
import { patchTable, type FieldChange } from '../tables/patch.ts';
import type { Row, Table } from '../tables/schema.ts';
import type { RowState } from '../tables/states.ts';
import { judge } from './judgedTable.ts';
import { seenCodeOf } from './rowSight.ts';
import type { Unit, UnitView } from './contract.ts';
import type { TableFile } from './tableFiles.ts';

export interface AffirmInput {
  readonly file: TableFile;
  readonly table: Table;
  readonly view: UnitView;
  /** Where the unit is now; the table is made to say so. */
  readonly unit: Unit;
  /** Null: every row and lens whose code changed since somebody looked. */
  readonly rows: readonly string[] | null;
  readonly by: string;
  /** `yyyy-mm-dd` */
  readonly today: string;
}

export interface Affirmed {
  readonly text: string;
  /** Row ids and lenses that were recorded anew. */
  readonly done: readonly string[];
  readonly refused: readonly { readonly row: string; readonly why: string }[];
}

/** Throws an Error with one sentence when the file cannot be changed. */
export function affirm(input: AffirmInput): Affirmed {
  const { file, table, view, today, by } = input;
  const { state } = judge({ doc: file.doc, text: file.text, table, view, today });
  const changes: FieldChange[] = [];
  const done: string[] = [];
  const refused: { row: string; why: string }[] = [];
  for (const [id, row] of Object.entries(table.rows)) {
    if (input.rows && !input.rows.includes(id)) continue;
    const now = state.rows.get(id);
    const why = now ? refusal(row, now) : null;
    const code = seenCodeOf(view, id, row);
    if (why !== null) {
      if (input.rows || (now?.state === 'stale' && row.verdict !== 'undecided'))
        refused.push({ row: id, why });
      continue;
    }
    if (!input.rows && row.seen?.code === code) continue;
    changes.push({ path: ['rows', id, 'seen'], value: { ...row.seen, code, date: today, by } });
    done.push(id);
  }
  if (!input.rows && view.slices)
    for (const lens of LENSES) {
      const entry = table.lenses[lens];
      const code = view.slices.lens(lens);
      if (entry?.exposure !== 'none' || entry.seen?.code === undefined || entry.seen.code === code) continue;
      changes.push({ path: ['lenses', lens, 'seen'], value: { ...entry.seen, code, date: today, by } });
      done.push(lens);
    }
  const { unit } = input;
  if (unit.file !== table.code.file || unit.symbol !== table.code.symbol) {
    changes.push(
      { path: ['code', 'file'], value: unit.file },
      { path: ['code', 'symbol'], value: unit.symbol },
    );
  }
  const patch = patchTable(file.text, changes, file.path);
  if (patch.problems[0]) throw new Error(patch.problems[0].message);
  return { text: applyEdits(file.text, patch.edits), done, refused };
}

function refusal(row: Row, state: RowState): string | null {
  switch (state.state) {
    case 'retired':
      return 'its code is gone';
    case 'undecided':
      return 'nobody decided yet, so there is nothing to affirm';
    case 'incomplete':
      return `it still needs ${state.missing.join(', ')}`;
    case 'stale':
      switch (state.because) {
        case 'accept expired':
          return 'the accept has expired; a longer one needs another reason';
        case 'holds-while broken':
          return 'what the accept rests on no longer holds';
        case 'mechanism gone':
          return 'the mechanism is gone; put it back or decide anew';
        case 'row says handled, code does not':
          return 'the code does not show what the row says';
        default:
          return null;
      }
    default:
      return row.proposed === true ? 'the mechanism is proposed; confirm it with a verdict first' : null;
  }
}
