/** What the editor asks of failure-mode tables. Owns the shapes only; texts go in, texts and edits come out, no disk. */
import type { Problem } from '../base/problem.ts';
import type { Position, Span } from '../base/span.ts';
import type { TextEdit } from '../base/textEdit.ts';
import type { Lens } from '../base/vocabulary.ts';
import type { Unit } from '../units/unit.ts';
import type { UnitView } from './contract.ts';

export type RowVerdict = 'undecided' | 'detect' | 'handle' | 'accept' | 'blocked';
export type RowStateName =
  'undecided' | 'incomplete' | 'unproven' | 'closed' | 'stale' | 'blocked' | 'retired';

/** A place in code, file relative to the folder that holds `.sixlens/`. */
export interface CodePlace {
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
}

export interface TableRowContent {
  readonly id: string;
  readonly lens: Lens;
  readonly failure: string;
  readonly rule: string | null;
  readonly at: string | null;
  readonly why: string | null;
  readonly verdict: RowVerdict;
  /** The text fields of the row that belong to verdicts: `how`, `reason`, `note` and so on. */
  readonly fields: Readonly<Record<string, string>>;
  readonly proposed: boolean;
  readonly state: RowStateName;
  readonly stateText: string;
  readonly place: CodePlace | null;
  /** Where the row's key stands in the table's text. */
  readonly keySpan: Span | null;
  /** The whole row in the table's text. */
  readonly span: Span | null;
}

export interface TableLensContent {
  readonly lens: Lens;
  readonly exposure: 'rows' | 'none' | 'open' | 'unlooked';
  readonly text: string | null;
  readonly unresolved: readonly string[];
  readonly rows: readonly TableRowContent[];
}

export interface TableContent {
  readonly unit: string;
  readonly kind: string;
  readonly code: { readonly file: string; readonly symbol: string };
  readonly domain: readonly string[];
  readonly contract: string;
  readonly owner: string | null;
  readonly lenses: readonly TableLensContent[];
  readonly pruned: readonly string[];
  readonly summary: {
    readonly rows: number;
    readonly decided: number;
    readonly closed: number;
    readonly stale: number;
    readonly unlooked: number;
  };
}

/** One way in which a table falls short, by the rules about tables. */
export interface TableFault {
  /** Id of the rule, for example `row-stale`; `table-row-incomplete` for a blocked row without hand-off. */
  readonly code: string;
  readonly severity: 'warning' | 'note';
  readonly message: string;
  readonly row: string | null;
  readonly lens: Lens | null;
  /** In the table's text. */
  readonly start: Position;
  readonly end: Position;
  /** In the code; null when the code was not looked at. */
  readonly place: CodePlace | null;
}

export interface TableRead {
  /** Null when the file decides nothing: malformed, or of a newer format. */
  readonly content: TableContent | null;
  readonly problems: readonly Problem[];
  /** Empty while the file cannot be read. */
  readonly faults: readonly TableFault[];
}

/** Either edits against the text that was handed in, or one sentence why there are none. */
export type TableChange =
  | { readonly ok: true; readonly edits: readonly TextEdit[]; readonly row?: string }
  | { readonly ok: false; readonly message: string };

export interface TableDocuments {
  /** Folder of the tables of one source file, relative to the table root: `.sixlens/tables/src/pay`. */
  folderOf(sourceFile: string): string;
  /** File name of a new table of the unit; `taken` are the names that are in use in its folder. */
  nameOf(unit: Unit, taken: readonly string[]): string;
  /**
   * `view` lets row states see the code; without it rows are judged by what they say alone. `file` is named in problems;
   * `lost` says in one sentence that the unit was looked for and not found.
   */
  read(text: string, file: string, view: UnitView | null, today: string, lost?: string | null): TableRead;
  /** The text of a new table, or of `existing` with what is new in the code merged in. */
  generate(
    view: UnitView,
    existing: string | null,
    today: string,
  ): { readonly text: string } | { readonly message: string };
  /** `null` removes a field. A changed verdict also records `seen`. */
  setRow(
    text: string,
    row: string,
    change: { readonly verdict?: RowVerdict; readonly fields?: Readonly<Record<string, string | null>> },
    seen: { readonly code: string | null; readonly date: string; readonly by: string } | null,
  ): TableChange;
  /** What `seen.code` of the row is to be when somebody looks at it now; null when there is no such row. */
  seenCode(text: string, row: string, view: UnitView): string | null;
  setContract(text: string, contract: string): TableChange;
  addRow(text: string, lens: Lens, failure: string): TableChange;
  /** The six lenses as one Markdown table; `link` gives the target of a row's verdict, or null. */
  markdown(content: TableContent, link: (row: TableRowContent) => string | null): string;
}
