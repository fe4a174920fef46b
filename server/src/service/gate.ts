/**
 * The gate: do the tables of what a change touches hold? Owns which tables are looked at, what fails, warns or is only
 * told, and the sentences about what changed. Looks at touched files alone; what is untouched is read for expired
 * accepts only.
 */
import type { Position } from '../base/span.ts';
import { LineIndex } from '../base/span.ts';
import type { UnitKind } from '../base/vocabulary.ts';
import type { FileHost } from '../host/fileHost.ts';
import type { Git, GitError } from '../host/git.ts';
import {
  compareItems,
  type GateItem,
  type GateLevel,
  type GateReport,
  type GateTable,
} from '../reports/gateReport.ts';
import { tableDelta } from '../tables/delta.ts';
import type { ConstantLookup } from '../tables/holdsWhile.ts';
import { findSpot, spanOf } from '../tables/nodeLookup.ts';
import { sourceFolder, TABLES_FOLDER } from '../tables/path.ts';
import { readEvidence } from '../tables/evidence.ts';
import { readTable } from '../tables/read.ts';
import type { Evidence, Table } from '../tables/schema.ts';
import { rowOfFinding } from '../tables/verdictEffect.ts';
import type { Analysis, Unit, UnitView } from './contract.ts';
import { judge } from './judgedTable.ts';
import { standsAt } from './rowSight.ts';
import { evidenceOf, lostText, readTableFiles, unitOfTable, type TableFile } from './tableFiles.ts';
import { ChangedLines, isTouched } from './touched.ts';

export interface GateInput {
  readonly version: string;
  readonly analysis: Analysis;
  readonly host: FileHost;
  readonly git: Git;
  /** Null: where the branch left the default branch. */
  readonly base: string | null;
  /** `yyyy-mm-dd` */
  readonly today: string;
  /** Kinds of units that must have a table when their code changes; `http-write`: every method but GET, HEAD, OPTIONS. */
  readonly require: readonly string[];
  /** What a handle without a proof is. */
  readonly unproven: 'fail' | 'warn';
}

/** Days before its end on which an accept is announced. */
const ANNOUNCED = 42;

export function runGate(input: GateInput): GateReport | GitError {
  const { analysis, git, host } = input;
  const { root } = analysis;
  const base = git.mergeBase(root, input.base);
  if ('error' in base) return base;
  const changes = git.changes(root, base.commit);
  if ('error' in changes) return changes;
  const changed = new ChangedLines(changes);
  const files = readTableFiles(host, root);
  const items: GateItem[] = [];
  const tables: GateTable[] = [];

  const movedTo = new Map(
    changes.flatMap(({ from, file, gone }) =>
      from !== null && from !== file && !gone ? [[from, file] as const] : [],
    ),
  );
  const gone = new Set(changes.filter((change) => change.gone).map(({ file }) => file));
  let history: ReadonlyMap<string, string> | null = null;
  const renamed = (file: string): string | null =>
    movedTo.get(file) ?? (history ??= git.renames(root)).get(file) ?? null;
  const cameFrom = new Map(
    changes.flatMap(({ from, file }) => (from !== null ? [[file, from] as const] : [])),
  );

  const units = analysis.units(changed.sources()).filter((unit) => isTouched(analysis, unit, changed));
  const owned = new Set<string>();
  const sources = changed.sources();
  const folders = sources.map((source) => `${TABLES_FOLDER}/${sourceFolder(source)}/`);
  const left = (source: string): boolean => gone.has(source) || movedTo.has(source);
  let leading: ReadonlySet<string> | null = null;
  const mayReach = (source: string): boolean =>
    sources.length > 0 && (changed.hasFile(source) || (leading ??= analysis.leadingTo(sources)).has(source));
  for (const file of files) {
    const own = changed.hasFile(file.path);
    // A proof is about a test as much as about code.
    const tested = sources.some((source) => file.text.includes(`${source} > `));
    const near = folders.some((folder) => file.path.startsWith(folder));
    if (!own && !near && !tested && !file.mayName((source) => left(source) || mayReach(source))) {
      items.push(...expired(input, file));
      continue;
    }
    for (const problem of file.problems)
      if (problem.severity === 'error')
        items.push({
          level: own || near ? 'fail' : 'warn',
          code: 'table-malformed',
          message: problem.message,
          unit: file.path,
          row: null,
          file: file.path,
          start: problem.start ?? { line: 1, column: 1 },
          end: problem.end ?? problem.start ?? { line: 1, column: 1 },
        });
    const { table } = file;
    if (!table) continue;
    const { code } = table;
    const moved = left(code.file);
    const inPlace = moved ? null : analysis.unitOf(code.file, code.symbol);
    const touched =
      own ||
      moved ||
      tested ||
      (inPlace ? isTouched(analysis, inPlace, changed) : changed.hasFile(code.file));
    if (!touched) {
      items.push(...expired(input, file));
      continue;
    }
    const anchor = inPlace
      ? ({ found: inPlace, by: 'place' } as const)
      : unitOfTable(table, { analysis, tables: files, renamed });
    const unit = anchor.found;
    if (unit) owned.add(unit.id);
    const view = unit && analysis.view(unit);
    const evidence = evidenceOf(host, root, file.path);
    const { state, faults } = judge({
      ...parts(file),
      table,
      view,
      today: input.today,
      lost: lostText(table, anchor),
      evidence,
    });
    const item = itemMaker(file, table, items);
    if (unit && anchor.found && anchor.by !== 'place')
      item(
        'warn',
        'table-moved',
        `the unit is ${unit.symbol} in ${unit.file} now (${anchor.by}); \`sixlens affirm\` moves the table along`,
        ['code'],
      );
    if (table.contract.trim() === '')
      item(
        'fail',
        'contract-missing',
        'the contract is missing: what may callers still assume when everything inside goes wrong?',
        ['contract'],
      );
    if (table.pruned === undefined)
      item(
        'fail',
        'pruned-missing',
        'nothing is said about what was pruned; `sixlens prune --write` looks and records it, or write: nothing to prune',
        ['pruned'],
      );
    for (const fault of faults)
      items.push({
        level: fault.code === 'handle-without-proof' ? input.unproven : 'fail',
        code: fault.code,
        message: fault.message,
        unit: table.unit,
        row: fault.row,
        file: file.path,
        start: fault.start,
        end: fault.end,
      });
    rowItems(table, input, state.rows, item);
    if (view) unasked(view, table, changed, item);
    const before = git.textAt(root, base.commit, cameFrom.get(file.path) ?? file.path);
    const old = before === null ? null : readTable(before).table;
    tables.push({
      path: file.path,
      table,
      kind: table.kind,
      states: state.rows,
      proofs: proofsOf(table, state.rows, evidence),
      delta: tableDelta(old, table, state.rows),
    });
  }

  const untabled = units.filter(
    (unit) =>
      !owned.has(unit.id) &&
      !files.some(({ table }) => table && table.code.file === unit.file && table.code.symbol === unit.symbol),
  );
  const judged = untabled.length > 0 ? new Set(analysis.sourceFiles()) : new Set<string>();
  const open = untabled.filter((unit) => judged.has(unit.file));
  for (const unit of open)
    if (isRequired(unit, input.require))
      items.push({
        level: 'fail',
        code: 'table-missing',
        message: `changed code of a unit that must have a table has none; \`sixlens table ${unit.file}\` writes it`,
        unit: unit.name,
        row: null,
        file: unit.file,
        start: unit.start,
        end: unit.start,
      });
  return {
    version: input.version,
    base,
    items: items.sort(compareItems),
    tables,
    untabled: open.map(({ name, file, start }) => ({ name, file, line: start.line })),
  };
}

function proofsOf(
  table: Table,
  states: ReadonlyMap<string, { readonly state: string }>,
  evidence: (row: string) => string | null,
): ReadonlyMap<string, Evidence> {
  const out = new Map<string, Evidence>();
  for (const [id, { verdict }] of Object.entries(table.rows)) {
    const seen =
      verdict === 'handle' && states.get(id)?.state === 'closed' ? readEvidence(evidence(id)) : null;
    if (seen) out.set(id, seen);
  }
  return out;
}

type ItemMaker = (
  level: GateLevel,
  code: string,
  message: string,
  path: readonly string[],
  row?: string,
) => void;

function itemMaker(file: TableFile, table: Table, items: GateItem[]): ItemMaker {
  const lines = LineIndex.of(file.text);
  return (level, code, message, path, row) => {
    items.push({
      level,
      code,
      message,
      unit: table.unit,
      row: row ?? null,
      file: file.path,
      ...placeOf(file, lines, path),
    });
  };
}

function placeOf(
  { doc }: TableFile,
  lines: LineIndex,
  path: readonly string[],
): { start: Position; end: Position } {
  const spot = doc && findSpot(doc, path);
  const { start, end } =
    spot?.pair && spot.path.length > 0
      ? spanOf(spot.pair, spot.path.length === path.length && path.length > 2)
      : { start: 0, end: 0 };
  return { start: lines.positionAt(start), end: lines.positionAt(end) };
}

function rowItems(
  table: Table,
  { today }: GateInput,
  states: ReadonlyMap<string, { readonly state: string }>,
  item: ItemMaker,
): void {
  const tests = new Map<string, string>();
  for (const [id, row] of Object.entries(table.rows)) {
    const at = ['rows', id];
    switch (states.get(id)?.state) {
      case 'undecided':
        item('fail', 'row-undecided', `nobody decided: ${row.failure}`, [...at, 'verdict'], id);
        break;
      case 'blocked':
        item(
          'note',
          'row-blocked',
          `blocked by ${row.blocker ?? ''}; handed to ${row.to ?? ''}: ${row.failure}`,
          [...at, 'blocker'],
          id,
        );
        break;
      case 'retired':
        item(
          'note',
          'row-retired',
          `its code is gone, so it can be taken out: ${row.failure}`,
          [...at, 'retired'],
          id,
        );
        continue;
      default:
        break;
    }
    if (
      row.verdict === 'accept' &&
      row.expires !== undefined &&
      row.expires >= today &&
      row.expires < plusDays(today, ANNOUNCED)
    )
      item(
        'note',
        'accept-expires-soon',
        `the accept ends on ${row.expires}: ${row.failure}`,
        [...at, 'expires'],
        id,
      );
    if (row.verdict !== 'handle' || row.test === undefined || row.test.trim() === '') continue;
    const test = row.test.replace(/\s+/g, ' ').trim();
    const other = tests.get(test);
    if (other !== undefined)
      item(
        'fail',
        'shared-test',
        `names the test that ${other} names; each row needs its own`,
        [...at, 'test'],
        id,
      );
    else tests.set(test, id);
  }
}

/** What the analysis sees and the table does not speak of. */
function unasked(view: UnitView, table: Table, changed: ChangedLines, item: ItemMaker): void {
  const rows = Object.values(table.rows);
  const has = (rule: string, anchor: string): boolean =>
    rows.some((row) => row.rule === rule && (row.at === undefined || row.at === anchor));
  for (const { rule, anchor, how, file, start } of view.mechanisms)
    if (!has(rule, anchor) && changed.has({ file, startLine: start.line, endLine: start.line }))
      item(
        'warn',
        'mechanism-unasked',
        `the change adds a mechanism at ${anchor} that no row asks for (${how})`,
        ['rows'],
      );
  const told = new Set<string>();
  for (const finding of view.findings) {
    const { rule, anchor, message } = finding;
    const key = `${rule} ${anchor}`;
    if (rowOfFinding(table.rows, finding, (id, row) => standsAt(view, finding, id, row)) || told.has(key))
      continue;
    told.add(key);
    item(
      'warn',
      'finding-without-row',
      `${rule} at ${anchor} has no row: ${message}; \`sixlens table\` adds it`,
      ['rows'],
    );
  }
}

/** Most tables hold no accept that is over or rests on a constant, wherever that is; the text tells without parsing. */
function expired(input: GateInput, file: TableFile): GateItem[] {
  const ends = file.text.matchAll(/expires:\s*["']?(\d{4}-\d{2}-\d{2})/g);
  const rests = file.text.includes('holds-while');
  if (!rests && ![...ends].some(([, day]) => day! < input.today)) return [];
  const { table } = file;
  if (!table) return [];
  const constants: ConstantLookup = (name, other) => input.analysis.constant(other ?? table.code.file, name);
  return judge({ ...parts(file), table, view: null, today: input.today, constants })
    .faults.filter(({ code }) => code === 'accept-expired')
    .map(({ code, message, row, start, end }) => ({
      level: 'fail',
      code,
      message,
      unit: table.unit,
      row,
      file: file.path,
      start,
      end,
    }));
}

function parts({ doc, text }: TableFile): Pick<TableFile, 'doc' | 'text'> {
  return { doc, text };
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function isRequired(unit: Unit, require: readonly string[]): boolean {
  const kind: UnitKind = unit.kind;
  if (require.includes(kind)) return true;
  return kind === 'http' && require.includes('http-write') && !READING.has((unit.method ?? '').toUpperCase());
}

function plusDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
