/** The table files of one root, and the unit that each is about. Owns listing, reading and finding; judges nothing. */
import type { Problem } from '../base/problem.ts';
import type { FileHost, TextEncoding, TextRead } from '../host/fileHost.ts';
import { findUnit, type AnchorResult } from '../tables/anchors.ts';
import { evidencePath, TABLES_FOLDER } from '../tables/path.ts';
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
  /** False only when the table is about a unit of another source file; parses nothing where the text tells. */
  mayName(sources: (file: string) => boolean): boolean;
}

/** All tables under the root, by path. `root` is absolute. */
export function readTableFiles(
  host: Pick<FileHost, 'readDir' | 'readText'>,
  root: string,
): readonly TableFile[] {
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

function readTableFile(host: Pick<FileHost, 'readText'>, root: string, path: string): TableFile | null {
  const read = host.readText(`${root}/${path}`);
  return read && new LazyTableFile(path, read);
}

/** Parsing a table costs far more than reading it, and most callers want a few of many. */
class LazyTableFile implements TableFile {
  readonly path: string;
  readonly text: string;
  readonly encoding: TextEncoding;
  private readonly damage: Problem | null;
  private parsed: Pick<TableFile, 'table' | 'doc' | 'problems'> | null = null;

  constructor(path: string, { text, encoding, problem }: TextRead) {
    this.path = path;
    this.text = text;
    this.encoding = encoding;
    this.damage = problem;
  }

  get table(): TableFile['table'] {
    return this.read().table;
  }

  get doc(): TableFile['doc'] {
    return this.read().doc;
  }

  get problems(): TableFile['problems'] {
    return this.read().problems;
  }

  mayName(sources: (file: string) => boolean): boolean {
    const written = /^code:(?:\s*\{|\s*\n\s+)\s*file:\s*(["']?)([\w./@ -]+?)\1\s*(?:,|\n|$)/m.exec(
      this.text,
    )?.[2];
    // Written in some other way, it has to be read properly.
    const file = written ?? this.table?.code.file;
    return file === undefined || sources(file);
  }

  private read(): Pick<TableFile, 'table' | 'doc' | 'problems'> {
    if (this.parsed) return this.parsed;
    const { table, doc, problems } = readTable(this.text, this.path);
    const own = problems.filter(({ code }) => code !== 'table-row-incomplete');
    // Written back as UTF-8 it would change bytes that nobody meant to change.
    const damage = this.damage ? [{ ...this.damage, file: this.path, severity: 'error' as const }] : [];
    return (this.parsed = { table: this.damage ? null : table, doc, problems: [...damage, ...own] });
  }
}

/** Reads the evidence of a table's rows. */
export function evidenceOf(host: FileHost, root: string, table: string): (row: string) => string | null {
  return (row) => host.readText(`${root}/${evidencePath(table, row)}`)?.text ?? null;
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
