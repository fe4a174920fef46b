/** Which rows the words of a person mean, and what each row's proof needs. Plans only: nothing is run or written. */
import { nearestName } from '../config/nearestName.ts';
import type { FileHost } from '../host/fileHost.ts';
import type { Git } from '../host/git.ts';
import type { BeforeChange, ProofJob } from '../proof/proveRow.ts';
import { parseTestName } from '../proof/testName.ts';
import { evidencePath } from '../tables/path.ts';
import { ROW_ID } from '../tables/rowId.ts';
import type { Row, Table } from '../tables/schema.ts';
import type { Analysis, UnitView } from './contract.ts';
import { placeOfRow, seenCodeOf } from './rowSight.ts';
import { lostText, readTableFiles, unitOfTable, type TableFile } from './tableFiles.ts';

export interface ProveWish {
  readonly host: FileHost;
  readonly analysis: Analysis;
  readonly git: Git;
  /** A row's id, the path of a table, or that of a source file; paths relative to the root. */
  readonly word: string;
  readonly how: 'mechanism' | 'before-change' | null;
  /** Where the code before the change is; null: where the branch left the default branch. */
  readonly base: string | null;
}

/** One row: what to run, or why nothing can be. */
export interface ProveStep {
  readonly row: string;
  readonly failure: string;
  readonly unit: string;
  /** Path of the table. */
  readonly table: string;
  /** The row's `test`. */
  readonly named: string;
  /** Path of the evidence. */
  readonly evidence: string;
  readonly plan:
    { readonly job: ProofJob; readonly slice: string; readonly test: string } | { readonly error: string };
}

export function planProof(wish: ProveWish): readonly ProveStep[] | { readonly error: string } {
  const { host, analysis, git, word } = wish;
  const files = readTableFiles(host, analysis.root);
  const found = wanted(files, word, host, analysis.root);
  if ('error' in found) return found;
  let history: ReadonlyMap<string, string> | null = null;
  const renamed = (path: string): string | null => (history ??= git.renames(analysis.root)).get(path) ?? null;
  const base = baseOf(wish);
  return found.flatMap(({ file, table, rows }) => {
    const anchor = unitOfTable(table, { analysis, tables: files, renamed });
    const lost = lostText(table, anchor);
    const view = anchor.found && analysis.view(anchor.found);
    return rows.map(([row, entry]): ProveStep => ({
      row,
      failure: entry.failure,
      unit: table.unit,
      table: file.path,
      named: entry.test ?? '',
      evidence: evidencePath(file.path, row),
      plan: view ? planRow(wish, base, table, view, row, entry) : { error: lost ?? 'its unit is not found' },
    }));
  });
}

interface Wanted {
  readonly file: TableFile;
  readonly table: Table;
  readonly rows: readonly (readonly [string, Row])[];
}

function wanted(
  files: readonly TableFile[],
  word: string,
  host: FileHost,
  root: string,
): readonly Wanted[] | { readonly error: string } {
  const handled = ({ table }: TableFile): (readonly [string, Row])[] =>
    Object.entries(table?.rows ?? {}).filter(([, row]) => row.verdict === 'handle' && !row.retired);
  const readable = (file: TableFile): Wanted[] =>
    file.table ? [{ file, table: file.table, rows: handled(file) }] : [];
  const named = files.find(({ path }) => path === word);
  if (named) {
    const problem = named.problems.find(({ severity }) => severity === 'error');
    if (!named.table)
      return { error: `${word} cannot be read: ${problem?.message.replace(/\.$/, '') ?? ''}` };
    const rows = handled(named);
    return rows.length > 0
      ? readable(named)
      : { error: `${word} has no row with the verdict handle, so there is nothing to prove` };
  }
  if (!ROW_ID.test(word) && host.stat(`${root}/${word}`)?.isFile) {
    const about = files.filter((file) => file.table?.code.file === word);
    if (about.length === 0)
      return { error: `no table is about ${word}; \`sixlens table ${word}\` writes one` };
    const all = about.flatMap(readable).filter(({ rows }) => rows.length > 0);
    return all.length > 0
      ? all
      : { error: `the tables of ${word} have no row with the verdict handle, so there is nothing to prove` };
  }
  const holders = files.filter(({ table }) => table && Object.hasOwn(table.rows, word));
  if (holders.length > 1)
    return {
      error: `${word} is in ${holders.map(({ path }) => path).join(' and in ')}; name the table's path`,
    };
  const holder = holders[0];
  const row = holder?.table?.rows[word];
  if (!holder?.table || !row) {
    const ids = files.flatMap(({ table }) => Object.keys(table?.rows ?? {}));
    return { error: unknownRow(word, ids) };
  }
  return [{ file: holder, table: holder.table, rows: [[word, row]] }];
}

function unknownRow(word: string, ids: readonly string[]): string {
  const near = nearestName(word, ids);
  const alike = near === null ? ids.filter((id) => id.startsWith(word.slice(0, 4))).slice(0, 5) : [near];
  const hint =
    alike.length > 0 ? `; there is ${alike.join(', ')}` : ids.length === 0 ? '; there are no tables yet' : '';
  return `there is no row, table or file ${word}${hint}`;
}

function planRow(
  { host, git, analysis, how }: ProveWish,
  base: { readonly commit: string; readonly of: string } | { readonly error: string },
  table: Table,
  view: UnitView,
  id: string,
  row: Row,
): ProveStep['plan'] {
  if (row.retired) return { error: 'its code is gone' };
  if (row.verdict !== 'handle')
    return { error: `its verdict is ${row.verdict}; only a handled row has a test to prove` };
  if (row.test === undefined || row.test.trim() === '')
    return { error: 'it names no test; write `test: path > title` into the row' };
  const test = parseTestName(row.test);
  if (!test) return { error: `its test is not written as \`path > title\`: ${row.test}` };
  if (!host.stat(`${analysis.root}/${test.file}`)?.isFile)
    return { error: `there is no test file ${test.file}` };
  const shared = Object.entries(table.rows).find(
    ([other, { test: its, verdict, retired }]) =>
      other !== id &&
      verdict === 'handle' &&
      !retired &&
      its !== undefined &&
      flat(its) === flat(row.test ?? ''),
  );
  if (shared) return { error: `it names the test that ${shared[0]} names; each row needs its own` };
  const hash = view.testHash?.(row.test);
  if (hash == null) return { error: `${test.file} cannot be read` };
  const place = placeOfRow(view, id, row);
  const before = (): BeforeChange | { readonly error: string } => {
    if ('error' in base) return { error: `there is no code before the change: ${base.error}` };
    const names = [...new Set([place?.file ?? view.unit.file, view.unit.file])].filter(
      (file) => file !== test.file,
    );
    const texts = names.map((file) => ({ file, text: git.textAt(analysis.root, base.commit, file) }));
    const gone = texts.find(({ text }) => text === null);
    if (gone) return { error: `${gone.file} was not there where the branch left ${base.of}` };
    const files = texts.flatMap(({ file, text }) =>
      text === null || text === host.readText(`${analysis.root}/${file}`)?.text ? [] : [{ file, text }],
    );
    if (files.length === 0)
      return { error: `${names.join(' and ')} did not change since the branch left ${base.of}` };
    return { what: `${base.of}, ${base.commit.slice(0, 8)}`, commit: base.commit, files };
  };
  const removals = how === 'before-change' ? [] : (view.removals?.(row) ?? []);
  return {
    job: { row: id, test, removals, before: how === 'mechanism' ? null : before() },
    slice: seenCodeOf(view, id, row),
    test: hash,
  };
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function baseOf({ git, analysis, base, how }: ProveWish): ReturnType<Git['mergeBase']> {
  return how === 'mechanism' ? { error: 'it was not asked for' } : git.mergeBase(analysis.root, base);
}
