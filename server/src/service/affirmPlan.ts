/** Which tables and rows the words of a person mean, and what affirming them writes. Plans only; the caller writes. */
import type { FileHost, TextEncoding } from '../host/fileHost.ts';
import type { Git } from '../host/git.ts';
import { ROW_ID } from '../tables/rowId.ts';
import { evidencePath, tablePath } from '../tables/path.ts';
import { affirm } from './affirm.ts';
import type { Analysis } from './contract.ts';
import { lostText, readTableFiles, unitOfTable, type TableFile } from './tableFiles.ts';

export interface AffirmWish {
  readonly host: FileHost;
  readonly analysis: Analysis;
  readonly git: Git;
  /** Row ids, unit names, `FILE#SYMBOL`, or paths of tables relative to the root. */
  readonly words: readonly string[];
  readonly by: string;
  /** `yyyy-mm-dd` */
  readonly today: string;
}

export interface AffirmStep {
  readonly path: string;
  /** Where the table goes when its unit moved; else the same path. */
  readonly to: string;
  /** Evidence files that move along: from → to. */
  readonly evidence: readonly (readonly [string, string])[];
  readonly text: string;
  readonly changed: boolean;
  readonly encoding: TextEncoding;
  readonly done: readonly string[];
  readonly refused: readonly { readonly row: string; readonly why: string }[];
}

/** Either every step, or one sentence why there is none. */
export function planAffirm(wish: AffirmWish): readonly AffirmStep[] | { readonly error: string } {
  const { host, analysis, git, by, today } = wish;
  const files = readTableFiles(host, analysis.root);
  const wanted = new Map<TableFile, Set<string> | null>();
  for (const word of wish.words) {
    const rows = ROW_ID.test(word);
    const found = files.filter((file) =>
      rows ? file.table && Object.hasOwn(file.table.rows, word) : names(file, word),
    );
    if (found.length === 0) return { error: `no table has ${rows ? `the row ${word}` : `the unit ${word}`}` };
    if (found.length > 1)
      return {
        error: `${word} is in ${found.map(({ path }) => path).join(' and in ')}; name the table's path`,
      };
    const file = found[0]!;
    if (!rows) wanted.set(file, null);
    else if (wanted.get(file) !== null) wanted.set(file, (wanted.get(file) ?? new Set()).add(word));
  }
  let history: ReadonlyMap<string, string> | null = null;
  const renamed = (path: string): string | null => (history ??= git.renames(analysis.root)).get(path) ?? null;
  const steps: AffirmStep[] = [];
  for (const [file, rows] of wanted) {
    const { table, path } = file;
    if (!table) return { error: `${path} cannot be read; repair it first` };
    const anchor = unitOfTable(table, { analysis, tables: files, renamed });
    if (!anchor.found)
      return { error: `${path}: ${lostText(table, anchor)}; write the right one into \`code\` first` };
    const unit = anchor.found;
    const view = analysis.view(unit);
    const moved = anchor.by !== 'place';
    const to = moved
      ? tablePath({ kind: table.kind, name: table.unit, file: unit.file, symbol: unit.symbol })
      : path;
    if (to !== path && host.exists(`${analysis.root}/${to}`))
      return { error: `${path} would move to ${to}, which exists` };
    const { text, done, refused } = affirm({ file, table, view, unit, rows: rows && [...rows], by, today });
    steps.push({
      path,
      to,
      evidence:
        to === path
          ? []
          : Object.keys(table.rows)
              .map((row) => [evidencePath(path, row), evidencePath(to, row)] as const)
              .filter(([from]) => host.exists(`${analysis.root}/${from}`)),
      text,
      changed: text !== file.text || to !== path,
      encoding: file.encoding,
      done,
      refused,
    });
  }
  return steps;
}

function names({ path, table }: TableFile, word: string): boolean {
  if (path === word) return true;
  return table !== null && (table.unit === word || `${table.code.file}#${table.code.symbol}` === word);
}
