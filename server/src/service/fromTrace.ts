/**
 * From a stack trace or a log to the tables: which unit crashed, which row that is, and all six lenses over the unit again.
 * Owns the choice of unit and row and what is written; a row that is opened again keeps every word. Plans only.
 */
import { LineIndex } from '../base/span.ts';
import { applyEdits } from '../base/textEdit.ts';
import { LENSES, type Lens } from '../base/vocabulary.ts';
import type { FileHost, TextEncoding } from '../host/fileHost.ts';
import { kindOfError } from '../incidents/errorKind.ts';
import { parseTraces, type Frame, type StackTrace } from '../incidents/stackTrace.ts';
import { generateTable } from '../tables/generate.ts';
import { generateText } from '../tables/merge.ts';
import { patchTable, type FieldChange } from '../tables/patch.ts';
import { collidedSlug, sourceFolder, TABLES_FOLDER, unitSlug } from '../tables/path.ts';
import { readTable } from '../tables/read.ts';
import { bornRowId, lensOfRow } from '../tables/rowId.ts';
import type { Row, Table } from '../tables/schema.ts';
import type { Analysis, Unit, UnitView } from './contract.ts';
import { placeOfRow } from './rowSight.ts';
import { readTableFiles, type TableFile } from './tableFiles.ts';
import { placeOfFrame, type SourcePlace } from './traceFrames.ts';

export interface TraceInput {
  readonly host: FileHost;
  readonly analysis: Analysis;
  readonly text: string;
  /** Name, id or symbol of the unit, where several run the code. */
  readonly unit: string | null;
  /** `yyyy-mm-dd` */
  readonly today: string;
}

export interface TraceAnswer {
  readonly incidents: readonly Incident[];
  /** What no unit could be told for, each with why. */
  readonly unmapped: readonly { readonly error: string; readonly why: string }[];
  /** The tables as they are to be written, by path. */
  readonly writes: readonly {
    readonly path: string;
    readonly text: string;
    readonly encoding: TextEncoding;
  }[];
}

export interface Incident {
  readonly error: string;
  readonly place: SourcePlace;
  /** As the trace writes it. */
  readonly frame: string;
  readonly unit: { readonly id: string; readonly name: string };
  readonly table: string;
  readonly row: {
    readonly id: string;
    readonly failure: string;
    /** `noted`: it happened again to a row that was open, or that only detects; `known`: this very trace was noted before. */
    readonly action: 'added' | 'reopened' | 'noted' | 'known';
    /** The verdict it had. */
    readonly was: string | null;
  };
  /** Each lens over the unit as it is now. */
  readonly lenses: readonly {
    readonly lens: Lens;
    readonly rows: number;
    readonly findings: number;
    /** Rows that this look added, the incident's own left out. */
    readonly added: readonly string[];
  }[];
}

interface Located {
  readonly frame: Frame;
  readonly place: SourcePlace;
}

export function planFromTrace(input: TraceInput): TraceAnswer {
  const tables = new Tables(input);
  const incidents: Incident[] = [];
  const unmapped: { error: string; why: string }[] = [];
  for (const trace of parseTraces(input.text)) {
    const error = errorText(trace);
    const located = locate(trace, input);
    if ('why' in located) {
      unmapped.push({ error, why: located.why });
      continue;
    }
    const unit = unitOf(located.frames, input);
    if ('why' in unit) unmapped.push({ error, why: unit.why });
    else {
      const incident = tables.enter(unit.unit, trace, unit.at);
      if ('why' in incident) unmapped.push({ error, why: incident.why });
      else incidents.push(incident);
    }
  }
  return { incidents, unmapped, writes: tables.writes() };
}

function errorText({ name, message }: StackTrace): string {
  const first = message.split('\n').find((line) => line.trim() !== '') ?? '';
  const text = first === '' ? name : `${name}: ${masked(first.replace(/\s+/g, ' ').trim())}`;
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

/** Tables are committed: what a log says of a person or a session does not belong there. */
function masked(text: string): string {
  return text
    .replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<address>')
    .replace(/\b(?=[\w-]*\d)[\w-]{20,}\b/g, '<id>')
    .replace(/\d{6,}/g, '<number>');
}

/** The frames in this project's sources, innermost first. */
function locate(
  trace: StackTrace,
  { host, analysis }: TraceInput,
): { frames: readonly Located[] } | { why: string } {
  const frames: Located[] = [];
  let lost: string | null = null;
  for (const frame of trace.frames) {
    const place = placeOfFrame(frame, {
      host,
      root: analysis.root,
      sourceFiles: () => analysis.sourceFiles(),
    });
    if (place === 'library') continue;
    if ('lost' in place) lost ??= place.lost;
    else frames.push({ frame, place });
  }
  if (frames.length > 0) return { frames };
  return { why: lost ?? 'every frame lies in libraries; none is in this project' };
}

/** The unit that ran: the only one that runs the innermost frame, or the one whose code holds most of the frames. */
function unitOf(
  frames: readonly Located[],
  { analysis, unit: named }: TraceInput,
): { readonly unit: Unit; readonly at: Located } | { readonly why: string } {
  for (const at of frames) {
    const offset = offsetOf(analysis, at.place);
    let units = offset === null ? [] : analysis.reachedBy(at.place.file, offset);
    if (named !== null) units = units.filter(({ id, name, symbol }) => [id, name, symbol].includes(named));
    if (units.length === 0) continue;
    if (units.length === 1) return { unit: units[0]!, at };
    const scored = units
      .map((unit) => ({ unit, score: coverage(unit, frames, analysis) }))
      .sort((a, b) => b.score - a.score);
    if (scored[0]!.score > scored[1]!.score) return { unit: scored[0]!.unit, at };
    const names = units.map(({ name }) => name);
    return {
      why: `${at.place.file}:${at.place.line} is run by ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}, and no frame tells which; name it with --unit`,
    };
  }
  if (named !== null) return { why: `no frame lies in what ${named} runs` };
  for (const at of [...frames].reverse()) {
    const offset = offsetOf(analysis, at.place);
    const unit = offset === null ? null : analysis.unitAt(at.place.file, offset);
    if (unit) return { unit, at: frames[0]! };
  }
  const { file, line } = frames[0]!.place;
  return { why: `${file}:${line} is in no handler, job, consumer or function` };
}

/** How many frames lie in the unit's own handler, then in what it runs. */
function coverage(unit: Unit, frames: readonly Located[], analysis: Analysis): number {
  const within = ({ place }: Located, file: string, from: number, to: number): boolean =>
    place.file === file && from <= place.line && place.line <= to;
  const { handler } = unit;
  const own = frames.filter((frame) =>
    within(frame, handler.file, handler.start.line, handler.end.line),
  ).length;
  const reach = analysis.reachOf(unit);
  const all = frames.filter((frame) =>
    reach.some(({ file, startLine, endLine }) => within(frame, file, startLine, endLine)),
  ).length;
  return own * 1000 + all;
}

function offsetOf(analysis: Analysis, { file, line, column }: SourcePlace): number | null {
  const text = analysis.textOf(file);
  if (text === null) return null;
  const lines = LineIndex.of(text);
  return line > lines.lineCount ? null : lines.offsetAt({ line, column });
}

interface OpenTable {
  readonly path: string;
  readonly encoding: TextEncoding;
  /** Null: a new file. */
  readonly before: string | null;
  text: string;
}

class Tables {
  private readonly files: readonly TableFile[];
  private readonly open = new Map<string, OpenTable>();

  constructor(private readonly input: TraceInput) {
    this.files = readTableFiles(input.host, input.analysis.root);
  }

  writes(): TraceAnswer['writes'] {
    return [...this.open.values()]
      .filter(({ before, text }) => before !== text)
      .map(({ path, text, encoding }) => ({ path, text, encoding }));
  }

  enter(unit: Unit, trace: StackTrace, at: Located): Incident | { why: string } {
    const { analysis, today } = this.input;
    const view = analysis.view(unit);
    const table = this.tableOf(unit);
    if ('why' in table) return table;
    const generated = generateText(
      table.before === null && table.text === '' ? null : table.text,
      generateTable(view),
      { today },
    );
    if (generated.problems[0])
      return { why: `${table.path} was left alone: ${generated.problems[0].message}` };
    const read = readTable(generated.text).table;
    if (!read) return { why: `${table.path} cannot be read` };
    const row = this.row(read, view, trace, at);
    const patch = patchTable(generated.text, row.changes, table.path);
    if (patch.problems[0]) return { why: `${table.path} was left alone: ${patch.problems[0].message}` };
    table.text = applyEdits(generated.text, patch.edits);
    const rows = Object.entries(readTable(table.text).table?.rows ?? {}).filter(([, one]) => !one.retired);
    return {
      error: errorText(trace),
      place: at.place,
      frame: at.frame.raw,
      unit: { id: unit.id, name: unit.name },
      table: table.path,
      row: { id: row.id, failure: row.failure, action: row.action, was: row.was },
      lenses: LENSES.map((lens) => ({
        lens,
        rows: rows.filter(([id]) => lensOfRow(id) === lens).length,
        findings: view.findings.filter((finding) => finding.lens === lens).length,
        added:
          table.before === null
            ? []
            : generated.added.filter((id) => lensOfRow(id) === lens && id !== row.id),
      })),
    };
  }

  private tableOf(unit: Unit): OpenTable | { why: string } {
    const known = this.open.get(unit.id);
    if (known) return known;
    const own = this.files.filter((file) => file.mayName((source) => source === unit.file));
    const found = own.find(
      ({ table }) => table?.code.file === unit.file && table.code.symbol === unit.symbol,
    );
    const folder = `${TABLES_FOLDER}/${sourceFolder(unit.file)}`;
    const names = [unitSlug(unit), collidedSlug(unit)].map((slug) => `${folder}/${slug}.yaml`);
    const broken = this.files.find(({ path, table }) => !table && names.includes(path));
    if (!found && broken)
      return {
        why: `the table ${broken.path} cannot be read: ${broken.problems[0]?.message ?? 'repair it first'}`,
      };
    const path =
      found?.path ?? names.find((name) => !this.files.some((file) => file.path === name)) ?? names[1]!;
    const table: OpenTable = {
      path,
      encoding: found?.encoding ?? 'utf8',
      before: found?.text ?? null,
      text: found?.text ?? '',
    };
    this.open.set(unit.id, table);
    return table;
  }

  private row(
    table: Table,
    view: UnitView,
    trace: StackTrace,
    at: Located,
  ): {
    id: string;
    failure: string;
    action: Incident['row']['action'];
    was: string | null;
    changes: FieldChange[];
  } {
    const kind = kindOfError(trace.name, trace.message);
    const lens: Lens = kind?.lens ?? 'partial-failure';
    const { unit } = view;
    const birth = bornRowId(lens, {
      file: unit.file,
      symbol: unit.symbol,
      rule: `incident:${trace.name}`,
      anchor: `${at.place.file} ${at.frame.fn ?? ''}`,
    });
    const said = `happened ${this.input.today}: ${errorText(trace)} at ${at.place.file}:${at.place.line}`;
    const found = Object.hasOwn(table.rows, birth) ? birth : this.match(table, view, trace, at, kind);
    if (found === null) {
      const row: Partial<Row> = {
        failure: errorText(trace),
        why: said,
        verdict: 'undecided',
      };
      return {
        id: birth,
        failure: row.failure!,
        action: 'added',
        was: null,
        changes: [{ path: ['rows', birth], value: row }],
      };
    }
    const row = table.rows[found]!;
    // The day may be another one when the same trace is read again.
    const tail = said.slice(said.indexOf(':'));
    if (row.why?.includes(tail) || row.note?.includes(tail))
      return { id: found, failure: row.failure, action: 'known', was: row.verdict, changes: [] };
    const reopen = row.verdict === 'handle' || row.verdict === 'accept' || row.retired !== undefined;
    const note = reopen
      ? `${said}; was ${row.retired ? 'retired' : row.proposed ? 'a proposed handle' : row.verdict}`
      : said;
    const set = (field: string, value: unknown): FieldChange => ({ path: ['rows', found, field], value });
    return {
      id: found,
      failure: row.failure,
      action: reopen ? 'reopened' : 'noted',
      was: row.verdict,
      changes: [
        ...(reopen ? [set('verdict', 'undecided')] : []),
        ...(reopen && row.proposed !== undefined ? [set('proposed', undefined)] : []),
        ...(row.retired ? [set('retired', undefined)] : []),
        set('note', row.note === undefined ? note : `${row.note.trimEnd()}\n${note}`),
      ],
    };
  }

  /** The row whose failure this is: at this place, and of the lens or rule that the error speaks of. */
  private match(
    table: Table,
    view: UnitView,
    trace: StackTrace,
    { place }: Located,
    kind: ReturnType<typeof kindOfError>,
  ): string | null {
    let best: { id: string; score: number } | null = null;
    for (const [id, row] of Object.entries(table.rows)) {
      const here = row.at === undefined ? null : placeOfRow(view, id, row);
      const finding = view.findings.find(({ rule, anchor }) => rule === row.rule && anchor === row.at);
      const spot = finding ?? here;
      const stands =
        spot !== null &&
        spot.file === place.file &&
        spot.start.line <= place.line &&
        place.line <= spot.end.line;
      const rule = kind && row.rule !== undefined ? kind.rules.indexOf(row.rule) : -1;
      const words = row.failure.includes(errorText(trace).slice(0, 60));
      // Another place is another row, unless the row is about the whole unit and says the same.
      if (row.at !== undefined ? !stands : !words) continue;
      if (kind && rule < 0 && lensOfRow(id) !== kind.lens && !words) continue;
      if (!kind && row.rule === undefined && !words) continue;
      const score =
        (words ? 100 : 0) +
        (rule >= 0 ? 50 - rule : 0) +
        (kind && lensOfRow(id) === kind.lens ? 5 : 0) +
        (row.verdict === 'handle' ? 1 : 0);
      if (!best || score > best.score) best = { id, score };
    }
    return best?.id ?? null;
  }
}
