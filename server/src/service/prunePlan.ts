/**
 * What `prune` proposes and writes: code that no failure mode asks for. Owns which proposals a row licenses, the joining of
 * edits, and what is recorded in the tables. Plans only; the caller writes.
 */
import type { Position } from '../base/span.ts';
import { LineIndex } from '../base/span.ts';
import { applyEdits, type TextEdit } from '../base/textEdit.ts';
import type { FileHost, TextEncoding } from '../host/fileHost.ts';
import { patchTable } from '../tables/patch.ts';
import { readTable } from '../tables/read.ts';
import { NOTHING_TO_PRUNE } from '../tables/schema.ts';
import type { Analysis, Unit } from './contract.ts';
import type { NeedlessCode } from './needlessGuards.ts';
import { placeOfRow } from './rowSight.ts';
import { TableHomes } from './tableHomes.ts';
import type { TableFile } from './tableFiles.ts';

export interface Proposal {
  readonly rule: NeedlessCode['rule'];
  readonly what: string;
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
  /** Names of the units that run it. */
  readonly units: readonly string[];
  /** Tables that are to record it; empty where none of its units has one. */
  readonly tables: readonly string[];
}

export interface PrunePlan {
  readonly proposals: readonly Proposal[];
  /** Tables without a record of pruning, of units in which nothing was found. */
  readonly unrecorded: readonly string[];
  /** Everything that would be written, sources first. */
  readonly writes: readonly {
    readonly path: string;
    readonly text: string;
    readonly encoding: TextEncoding;
  }[];
  /** Tables that could not be changed, with why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/** Code of one file that can go, and the tables that are to say so. */
export interface Needless {
  readonly code: NeedlessCode;
  readonly start: Position;
  readonly end: Position;
  readonly units: readonly string[];
  readonly tables: readonly { readonly prefix: string; readonly table: TableFile }[];
}

/** `which`: without the type checker, as an editor asks. `text` is the file's. */
export function needlessIn(
  analysis: Analysis,
  homes: TableHomes,
  file: string,
  text: string,
  which?: 'shown',
): readonly Needless[] {
  const lines = LineIndex.of(text);
  return analysis.prunable(file, which).flatMap((code): Needless[] => {
    const units = analysis.reachedBy(file, code.startOffset);
    const start = lines.positionAt(code.startOffset);
    const end = lines.positionAt(code.endOffset);
    const tables = units.flatMap((unit) =>
      tablesOf(unit, homes).map((table) => ({ unit, table, prefix: homes.homeOf(unit.file).prefix })),
    );
    if (tables.some(({ unit, table }) => isLicensed(table, unit, analysis, { file, start, end }))) return [];
    return [{ code, start, end, units: units.map(({ name }) => name), tables }];
  });
}

/** Edits that add to what a table says was pruned; null where it cannot be changed without touching more. */
export function recordEdits(
  { table, text, path }: TableFile,
  file: string,
  what: readonly string[],
): readonly TextEdit[] | { readonly why: string } {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const before = table?.pruned;
  const old = Array.isArray(before) ? before : [];
  const items = what.map((one) => `${one} (${name})`).filter((one) => !old.includes(one));
  const patch = patchTable(text, [{ path: ['pruned'], value: [...old, ...new Set(items)] }], path);
  return patch.problems[0] ? { why: patch.problems[0].message } : patch.edits;
}

export function planPrune(host: FileHost, analysis: Analysis, files: readonly string[]): PrunePlan {
  const homes = new TableHomes(host, analysis.root);
  const proposals: Proposal[] = [];
  const texts = new Map<string, { text: string; encoding: TextEncoding }>();
  const edits = new Map<string, TextEdit[]>();
  const records = new Map<TableFile, { prefix: string; file: string; what: Set<string> }[]>();
  for (const file of files) {
    if (analysis.prunable(file).length === 0) continue;
    const read = host.readText(`${analysis.root}/${file}`);
    // Another encoding would be written back as something else.
    if (!read || read.problem) continue;
    for (const { code, start, end, units, tables } of needlessIn(analysis, homes, file, read.text)) {
      const paths = new Set(tables.map(({ prefix, table }) => prefix + table.path));
      proposals.push({ rule: code.rule, what: code.what, file, start, end, units, tables: [...paths] });
      edits.set(file, [...(edits.get(file) ?? []), ...code.edits]);
      texts.set(file, read);
      for (const { prefix, table } of tables) {
        const list = records.get(table) ?? [];
        const own = list.find((one) => one.file === file) ?? { prefix, file, what: new Set<string>() };
        own.what.add(code.what);
        records.set(table, list.includes(own) ? list : [...list, own]);
      }
    }
  }
  const writes: { path: string; text: string; encoding: TextEncoding }[] = [];
  const left: { path: string; why: string }[] = [];
  for (const [path, { text, encoding }] of texts)
    writes.push({ path, text: applyEdits(text, edits.get(path) ?? []), encoding });
  const unrecorded: string[] = [];
  for (const [table, list] of records) {
    let now: TableFile = table;
    for (const { prefix, file, what } of list) {
      const changed = recordEdits(now, file, [...what]);
      if ('why' in changed) left.push({ path: prefix + table.path, why: changed.why });
      else now = withText(now, applyEdits(now.text, changed));
    }
    if (now !== table)
      writes.push({ path: list[0]!.prefix + table.path, text: now.text, encoding: table.encoding });
  }
  for (const unit of analysis.units(files))
    for (const table of tablesOf(unit, homes)) {
      if (records.has(table) || table.table?.pruned !== undefined) continue;
      const { prefix } = homes.homeOf(unit.file);
      // Only of what was looked at in full.
      if (!analysis.reachOf(unit).every(({ file }) => files.includes(file))) continue;
      const patch = patchTable(table.text, [{ path: ['pruned'], value: NOTHING_TO_PRUNE }], table.path);
      const path = prefix + table.path;
      if (patch.problems[0]) left.push({ path, why: patch.problems[0].message });
      else {
        writes.push({ path, text: applyEdits(table.text, patch.edits), encoding: table.encoding });
        unrecorded.push(path);
      }
    }
  return { proposals, unrecorded, writes, left };
}

function withText(table: TableFile, text: string): TableFile {
  const { path, encoding } = table;
  return { ...readTable(text, path), path, encoding, text, mayName: (sources) => table.mayName(sources) };
}

function tablesOf(unit: Unit, homes: TableHomes): readonly TableFile[] {
  const { prefix } = homes.homeOf(unit.file);
  return homes
    .tablesFor(unit.file)
    .filter(
      ({ table }) => table && prefix + table.code.file === unit.file && table.code.symbol === unit.symbol,
    );
}

/** A row stands at the guard itself: somebody decided that it is wanted. */
function isLicensed(
  { table }: TableFile,
  unit: Unit,
  analysis: Analysis,
  at: { readonly file: string; readonly start: Position; readonly end: Position },
): boolean {
  const rows = Object.entries(table?.rows ?? {}).filter(([, row]) => !row.retired && row.at !== undefined);
  if (rows.length === 0) return false;
  const view = analysis.view(unit);
  return rows.some(([id, row]) => {
    const place = placeOfRow(view, id, row);
    return place?.file === at.file && at.start.line <= place.start.line && place.start.line <= at.end.line;
  });
}
