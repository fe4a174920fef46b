/** The table files of one root, and the unit that each is about. Owns listing, reading and finding; judges nothing. */
import type { Problem } from '../base/problem.ts';
import type { FileHost, TextEncoding } from '../host/fileHost.ts';
import { findUnit, type AnchorResult } from '../tables/anchors.ts';
import { TABLES_FOLDER } from '../tables/path.ts';
import { readTable, type TableReading } from '../tables/read.ts';
import type { Table } from '../tables/schema.ts';
import type { Analysis, Unit } from './contract.ts';

export interface TableFile {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly encoding: TextEncoding;
  /** Null when the file decides nothing. */
  readonly table: Table | null;
  readonly doc: TableReading['doc'];
  readonly problems: readonly Problem[];
}

/** All tables under the root, by path. `root` is absolute. */
export function readTableFiles(host: FileHost, root: string): readonly TableFile[] {
  const out: TableFile[] = [];
  const visit = (folder: string): void => {
    const entries = [...host.readDir(`${root}/${folder}`)].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, isFile, isDirectory } of entries) {
      const path = `${folder}/${name}`;
      if (isDirectory) visit(path);
      else if (isFile && /\.ya?ml$/.test(name)) {
        const file = readTableFile(host, root, path);
        if (file) out.push(file);
      }
    }
  };
  visit(TABLES_FOLDER);
  return out;
}

export function readTableFile(host: FileHost, root: string, path: string): TableFile | null {
  const read = host.readText(`${root}/${path}`);
  if (!read) return null;
  const { table, doc, problems } = readTable(read.text, path);
  const own = problems.filter(({ code }) => code !== 'table-row-incomplete');
  // Written back as UTF-8 it would change bytes that nobody meant to change.
  const unreadable = read.problem ? [{ ...read.problem, file: path, severity: 'error' as const }] : [];
  return {
    path,
    text: read.text,
    encoding: read.encoding,
    table: read.problem ? null : table,
    doc,
    problems: [...unreadable, ...own],
  };
}

export interface UnitSearch {
  readonly analysis: Analysis;
  readonly tables: readonly TableFile[];
  /** Old path → path now; absent without version control. */
  readonly renamed?: (file: string) => string | null;
}

/** The unit of a table, wherever it is by now. Other files are looked at only when it is not where the table says. */
export function unitOfTable(table: Table, search: UnitSearch): AnchorResult<Unit> {
  const { analysis, tables, renamed } = search;
  const { file, symbol } = table.code;
  const own = analysis.unitOf(file, symbol);
  if (own) return { found: own, by: 'place' };
  const owned = new Set(tables.flatMap((other) => (other.table ? [keyOf(other.table.code)] : [])));
  return findUnit<Unit>(
    { file, symbol, kind: table.kind, name: table.unit },
    {
      unitsOf(path) {
        const units = analysis.units([path]);
        const named = table.kind === 'function' ? analysis.unitOf(path, symbol) : null;
        return named && !units.some(({ id }) => id === named.id) ? [...units, named] : units;
      },
      ...(renamed ? { renamed } : {}),
      elsewhere: () => analysis.units(filesNaming(analysis, table)),
      likeness: (unit) => likeness(table, unit, analysis),
      taken: (unit) => owned.has(keyOf(unit)),
    },
  );
}

function keyOf({ file, symbol }: { readonly file: string; readonly symbol: string }): string {
  return `${file}\0${symbol}`;
}

/** Files whose text holds what the symbol is called, so that a search does not parse a whole project. */
function filesNaming(analysis: Analysis, { code }: Table): readonly string[] {
  const quoted = /"([^"]+)"/.exec(code.symbol)?.[1];
  const needle = quoted ?? code.symbol.replace(/#\d+$/, '').split('.').at(-1) ?? code.symbol;
  return analysis.sourceFiles().filter((path) => analysis.textOf(path)?.includes(needle) === true);
}

function likeness(table: Table, unit: Unit, analysis: Analysis): number | null {
  const recorded = Object.values(table.rows).filter(
    (row) => !row.retired && row.at !== undefined && row.seen?.code !== undefined,
  );
  if (recorded.length === 0) return null;
  const { slices } = analysis.view(unit);
  const same = recorded.filter(
    (row) => slices?.at(row.at!, row.rule, row.seen?.code)?.slice === row.seen?.code,
  );
  return same.length / recorded.length;
}

/** One sentence for a unit that was looked for in vain. */
export function lostText(table: Table, result: AnchorResult<Unit>): string | null {
  if (result.found) return null;
  const { file, symbol } = table.code;
  const like = result.proposal
    ? `; is it ${result.proposal.unit.symbol} in ${result.proposal.unit.file} now?`
    : '';
  return `there is no unit ${symbol} in ${file}${like}`;
}
