/** Tables as the editor and the command line handle them: `tables/` joined with what the analysis says. Texts in, texts out. */
import { isMap } from 'yaml';
import type { Document } from 'yaml';
import type { Problem } from '../base/problem.ts';
import type { Span } from '../base/span.ts';
import { applyEdits } from '../base/textEdit.ts';
import { LENSES, type Lens } from '../base/vocabulary.ts';
import { generateTable } from '../tables/generate.ts';
import { generateText } from '../tables/merge.ts';
import { addRow, patchTable, setTableField, type FieldChange, type PatchResult } from '../tables/patch.ts';
import { collidedSlug, evidencePath, sourceFolder, TABLES_FOLDER, unitSlug } from '../tables/path.ts';
import { readTable } from '../tables/read.ts';
import { renderMarkdown, stateText } from '../tables/render.ts';
import { lensOfRow, randomRowId } from '../tables/rowId.ts';
import { tableSchema, type LensEntry, type Row, type Table } from '../tables/schema.ts';
import { rowState, type RowState, type TableState } from '../tables/states.ts';
import { findPair, pairEnd, pairStart, rangeOf } from '../tables/yamlPlaces.ts';
import type { UnitView } from './contract.ts';
import { judge, stateOptions, type JudgeInput } from './judgedTable.ts';
import { placeOfRow, seenCodeOf, speaksFor } from './rowSight.ts';
import type {
  CodePlace,
  TableChange,
  TableContent,
  TableDocuments,
  TableLensContent,
  TableRowContent,
} from './tableContract.ts';

export interface TableDocumentsOptions {
  /** From 0 up to, not including, 1: for ids of rows that are added by hand. */
  readonly random: () => number;
  /** `yyyy-mm-dd`, for what is rendered without another day. */
  readonly today: () => string;
  /** Text of the file at the path that a table is read under, changed to that of evidence; without this nothing is proven. */
  readonly evidence?: (path: string) => string | null;
}

/** The fields of a row that belong to verdicts, all of them texts. */
const VERDICT_FIELDS = [
  'how',
  'test',
  'signal',
  'asserted',
  'because',
  'reason',
  'owner',
  'expires',
  'holds-while',
  'blocker',
  'to',
  'note',
  'ticket',
] as const;

export function createTableDocuments({ random, today, evidence }: TableDocumentsOptions): TableDocuments {
  return {
    folderOf: (sourceFile) => `${TABLES_FOLDER}/${sourceFolder(sourceFile)}`,
    nameOf(unit, taken) {
      const names = [unitSlug(unit), collidedSlug(unit)]
        .filter((slug) => slug !== '')
        .map((slug) => `${slug}.yaml`);
      for (let n = 2; ; n++) {
        const free = names.find((name) => !taken.includes(name));
        if (free !== undefined) return free;
        names.push(`${collidedSlug(unit)}-${n}.yaml`);
      }
    },
    read(text, file, view, day, lost = null) {
      const { table, doc, problems } = readTable(text, file);
      // What a row still needs is judged with everything else that may be wrong with it.
      const own = problems.filter(({ code }) => code !== 'table-row-incomplete');
      if (!table) return { content: null, problems: own, faults: [] };
      const input: JudgeInput = {
        table,
        doc,
        text,
        view,
        today: day,
        lost,
        ...(evidence ? { evidence: (row: string) => evidence(evidencePath(file, row)) } : {}),
      };
      const { state, faults } = judge(input);
      return { content: contentOf(input, state), problems: own, faults };
    },
    generate(view, existing, day) {
      const result = generateText(existing, generateTable(view), { today: day });
      const problem = result.problems[0];
      return problem ? { message: `The table was left alone: ${placed(problem)}` } : { text: result.text };
    },
    setRow(text, row, change, seen) {
      const { table, problems } = readTable(text);
      if (!table) return refusal(problems);
      const before = table.rows[row];
      if (!before) return { ok: false, message: `The table has no row ${row}.` };
      const changes: FieldChange[] = [];
      const set = (field: string, value: unknown): void => {
        changes.push({ path: ['rows', row, field], value });
      };
      if (change.verdict !== undefined) set('verdict', change.verdict);
      for (const [field, value] of Object.entries(change.fields ?? {})) {
        if (!(VERDICT_FIELDS as readonly string[]).includes(field))
          return { ok: false, message: `A row has no field \`${field}\` to set.` };
        set(field, value === null || value.trim() === '' ? undefined : value);
      }
      if (change.verdict !== undefined) {
        // A person has spoken, so it is a proposal no longer.
        if (before.proposed !== undefined) set('proposed', undefined);
        if (seen)
          set('seen', { ...(seen.code === null ? {} : { code: seen.code }), date: seen.date, by: seen.by });
      }
      return changed(text, patchTable(text, changes));
    },
    seenCode(text, row, view) {
      const found = readTable(text).table?.rows[row];
      return found ? seenCodeOf(view, row, found) : null;
    },
    setContract: (text, contract) => changed(text, setTableField(text, 'contract', contract)),
    addRow(text, lens, failure) {
      const { table, problems } = readTable(text);
      if (!table) return refusal(problems);
      if (failure.trim() === '') return { ok: false, message: 'Say what fails, in one sentence.' };
      let row = randomRowId(lens, random);
      for (let attempts = 0; Object.hasOwn(table.rows, row); attempts++) {
        if (attempts === 100) return { ok: false, message: 'No free row id was found; try again.' };
        row = randomRowId(lens, random);
      }
      const change = changed(text, addRow(text, row, { failure: failure.trim(), verdict: 'undecided' }));
      return change.ok ? { ...change, row } : change;
    },
    markdown(content, link) {
      const rows = new Map(content.lenses.flatMap((lens) => lens.rows.map((row) => [row.id, row] as const)));
      return renderMarkdown(tableOf(content), {
        today: today(),
        bare: true,
        linkOf(id) {
          const row = rows.get(id);
          return row ? link(row) : null;
        },
      });
    },
  };
}

/** An edit counts only when what it leaves can be read: a wrong date or an empty name is refused before it is written. */
function changed(text: string, patch: PatchResult): TableChange {
  if (patch.problems.length > 0) return refusal(patch.problems);
  const after = readTable(applyEdits(text, patch.edits));
  return after.table ? { ok: true, edits: patch.edits } : refusal(after.problems);
}

function refusal(problems: readonly Problem[]): TableChange {
  const problem = problems.find(({ severity }) => severity === 'error') ?? problems[0];
  return {
    ok: false,
    message: problem ? `Not changed: ${placed(problem)}` : 'Not changed: the table cannot be read.',
  };
}

function placed({ message, start }: Problem): string {
  return start ? `line ${start.line}: ${message}` : message;
}

function contentOf(input: JudgeInput, state: TableState): TableContent {
  const { table, doc, text, view } = input;
  const options = stateOptions(input);
  const rows = Object.entries(table.rows).map(([id, row]) =>
    rowContent(id, row, state.rows.get(id) ?? rowState(id, row, options), table, doc, text, view),
  );
  const live = rows.filter((row) => row.state !== 'retired');
  return {
    unit: table.unit,
    kind: table.kind,
    code: { file: table.code.file, symbol: table.code.symbol },
    domain: table.domain,
    contract: table.contract,
    owner: table.owner ?? null,
    lenses: LENSES.map((lens) =>
      lensContent(
        lens,
        table.lenses[lens],
        rows.filter((row) => row.lens === lens),
      ),
    ),
    pruned:
      table.pruned === undefined ? [] : typeof table.pruned === 'string' ? [table.pruned] : table.pruned,
    summary: {
      rows: state.total,
      decided: state.decided,
      closed: live.filter((row) => row.state === 'closed').length,
      stale: live.filter((row) => row.state === 'stale').length,
      unlooked: state.unlooked.length,
    },
  };
}

function lensContent(
  lens: Lens,
  entry: LensEntry | undefined,
  rows: readonly TableRowContent[],
): TableLensContent {
  const live = rows.some((row) => row.state !== 'retired');
  return {
    lens,
    exposure: live ? 'rows' : (entry?.exposure ?? 'unlooked'),
    text: entry?.reason ?? entry?.['looked-at'] ?? null,
    unresolved: entry?.exposure === 'open' ? entry.unresolved : [],
    rows,
  };
}

function rowContent(
  id: string,
  row: Row,
  state: RowState,
  table: Table,
  doc: Document | null,
  text: string,
  view: UnitView | null,
): TableRowContent {
  const finding = view?.findings.find((found) => speaksFor(view, table.rows, found) === id);
  const fields: Record<string, string> = {};
  for (const field of VERDICT_FIELDS) {
    const value = row[field];
    if (value !== undefined) fields[field] = value;
  }
  return {
    id,
    // The schema lets no other id pass.
    lens: lensOfRow(id)!,
    failure: row.failure,
    rule: row.rule ?? null,
    at: row.at ?? null,
    why: row.why ?? null,
    verdict: row.verdict,
    fields,
    proposed: row.proposed === true,
    state: state.state,
    stateText: stateText(state),
    place: finding
      ? { file: finding.file, start: finding.start, end: finding.end }
      : (codePlace(id, row, view) ?? mechanismPlace(row, view)),
    ...spansOf(doc, text, id),
  };
}

/** Rows of the whole unit have no place of their own. */
function codePlace(id: string, row: Row, view: UnitView | null): CodePlace | null {
  const place = view && row.at !== undefined ? placeOfRow(view, id, row) : null;
  return place && { file: place.file, start: place.start, end: place.end };
}

function mechanismPlace(row: Row, view: UnitView | null): CodePlace | null {
  const mechanism = view?.mechanisms.find(
    ({ rule, anchor }) => rule === row.rule && anchor === (row.at ?? ''),
  );
  return mechanism ? { file: mechanism.file, start: mechanism.start, end: mechanism.start } : null;
}

function spansOf(
  doc: Document | null,
  text: string,
  id: string,
): { keySpan: Span | null; span: Span | null } {
  const none = { keySpan: null, span: null };
  if (!doc || !isMap(doc.contents)) return none;
  const rows = findPair(doc, doc.contents, 'rows')?.value;
  const pair = isMap(rows) ? findPair(doc, rows, id) : undefined;
  if (!pair) return none;
  return { keySpan: rangeOf(pair.key), span: { start: pairStart(pair), end: pairEnd(text, pair) } };
}

/** Back to the table's own form, as far as the content tells: enough to render it. */
function tableOf(content: TableContent): Table {
  const rows: Record<string, unknown> = {};
  const lenses: Record<string, unknown> = {};
  for (const lens of content.lenses) {
    if (lens.exposure === 'none')
      lenses[lens.lens] = { exposure: 'none', reason: lens.text ?? 'no reason given' };
    if (lens.exposure === 'open') lenses[lens.lens] = { exposure: 'open', unresolved: lens.unresolved };
    for (const row of lens.rows)
      rows[row.id] = {
        failure: row.failure,
        ...(row.rule === null ? {} : { rule: row.rule }),
        ...(row.at === null ? {} : { at: row.at }),
        ...(row.why === null ? {} : { why: row.why }),
        verdict: row.verdict,
        ...(row.proposed ? { proposed: true } : {}),
        ...row.fields,
        ...(row.state === 'retired' ? { retired: { date: '1970-01-01', why: row.stateText } } : {}),
      };
  }
  return tableSchema.parse({
    sixlens: 1,
    unit: content.unit,
    kind: content.kind,
    code: content.code,
    domain: content.domain,
    contract: content.contract,
    rows,
    lenses,
  });
}
