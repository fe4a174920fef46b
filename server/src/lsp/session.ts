/**
 * The server's state: folders with their analysis, open documents, settings, and what was computed for them.
 *
 * Invariants: every answer is computed from the documents as they are when it is computed, never from a remembered
 * text; `generation` grows with anything that can change an answer, and a remembered answer of an older one is not used.
 */
import type { CancellationToken, Connection } from 'vscode-languageserver';
import { LSPErrorCodes, ResponseError } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Problem } from '../base/problem.ts';
import type { Settings } from '../protocol/messages.ts';
import type {
  Analysis,
  CancelToken,
  CheckResult,
  Finding,
  RuleInfo,
  Unit,
  UnitSlices,
  UnitView,
} from '../service/contract.ts';
import { TableHomes, type TableTexts } from '../service/tableHomes.ts';
import type { TableContent, TableDocuments } from '../service/tableContract.ts';
import { applyVerdicts } from '../service/verdicts.ts';
import type { ClientAbilities } from './capabilities.ts';
import { joinPath, pathOfUri, relativeTo, uriOfPath } from './convert.ts';

/** The few things the server asks of the disk itself; the rest goes through the analysis. */
export interface ServerFiles {
  readText(path: string): { readonly text: string } | null;
  exists(path: string): boolean;
  readDir(
    path: string,
  ): readonly { readonly name: string; readonly isFile: boolean; readonly isDirectory: boolean }[];
}

export interface ServerParts {
  createAnalysis(root: string, settings: Settings): Analysis;
  readonly tables: TableDocuments;
  readonly files: ServerFiles;
  rules(): readonly RuleInfo[];
  /** Absolute folder of the rule pages, or null when they are not shipped. */
  readonly ruleDocs: string | null;
  /** `yyyy-mm-dd`. */
  today(): string;
  /** Name for `seen.by` where the client gives none. */
  readonly person: string;
  readonly version: string;
}

/** A file as an analysis knows it. */
export interface Located {
  readonly analysis: Analysis;
  /** Relative to the analysis's root. */
  readonly file: string;
  readonly path: string;
}

export interface TableHome {
  /** Absolute folder that holds `.sixlens/`. */
  readonly root: string;
  /** What to put before a table-root path to get one below the analysis's root: empty or ending in `/`. */
  readonly prefix: string;
  readonly analysis: Analysis;
}

export interface UnitTable {
  readonly path: string;
  readonly uri: string;
  /** Null while there is no such file. */
  readonly text: string | null;
  readonly content: TableContent | null;
  readonly version: number | null;
}

interface Remembered {
  readonly generation: number;
  readonly result: CheckResult;
}

/** One debounce for everything that follows typing. Milliseconds. */
export const SETTLE = 120;

const SOURCE = /\.(?:[cm]?[jt]sx?)$/;
const TABLE = /\/\.sixlens\/tables\/.+\.ya?ml$/;

export function isSourcePath(path: string): boolean {
  return SOURCE.test(path) && !path.endsWith('.d.ts');
}

/** Of dependencies only their versions count; an install would otherwise restart the analysis a thousand times. */
function isNoise(path: string): boolean {
  if (path.includes('/.git/')) return true;
  const inside = path.lastIndexOf('/node_modules/');
  return inside >= 0 && !/^\/node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path.slice(inside));
}

export function isTablePath(path: string): boolean {
  return TABLE.test(path);
}

export class Session {
  private folders: string[] = [];
  private readonly analyses = new Map<string, Analysis>();
  private readonly checks = new Map<string, Remembered>();
  /** Tables by analysed root, as they are on disk and in editors. */
  private readonly homes = new Map<string, TableHomes>();
  private readonly open = new Map<string, TextDocument>();
  private readonly listeners = new Set<() => void>();
  generation = 0;
  /** Set once somebody asked for the whole workspace; from then on all files are reported. */
  wholeWorkspace = false;
  readonly crashes: string[] = [];
  /** Settings that could not be used, as sentences. */
  settingProblems: readonly string[] = [];

  constructor(
    readonly connection: Connection,
    readonly parts: ServerParts,
    readonly client: ClientAbilities,
    public settings: Settings,
  ) {}

  // ------------------------------------------------------------------------------------------ change

  /** Calls back after anything that can change an answer. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  touch(): void {
    this.generation++;
    for (const listener of [...this.listeners]) listener();
  }

  setFolders(paths: readonly string[]): void {
    this.folders = [...new Set(paths.map((path) => path.replace(/(?<=.)\/$/, '')))].sort(
      (a, b) => b.length - a.length,
    );
    for (const root of this.analyses.keys()) if (!this.folders.includes(root)) this.analyses.delete(root);
    this.homes.clear();
    this.checks.clear();
    this.touch();
  }

  get roots(): readonly string[] {
    return this.folders;
  }

  /** Starts every analysis anew, for a setting that goes into it. */
  resetAnalyses(): void {
    this.analyses.clear();
    this.checks.clear();
    this.touch();
  }

  documentChanged(document: TextDocument): void {
    const path = pathOfUri(document.uri);
    if (path === null) return;
    this.open.set(path, document);
    if (isTablePath(path)) this.homes.clear();
    if (isSourcePath(path)) this.overlay(path, document.getText());
    this.touch();
  }

  documentClosed(document: TextDocument): void {
    const path = pathOfUri(document.uri);
    if (path === null) return;
    this.open.delete(path);
    if (isTablePath(path)) this.homes.clear();
    if (isSourcePath(path)) this.overlay(path, null);
    this.touch();
  }

  /** Files changed on disk; what is open is already known better. */
  filesChanged(paths: readonly string[]): boolean {
    const news = paths.filter((path) => !this.open.has(path) && !isNoise(path));
    if (news.length === 0) return false;
    if (news.some((path) => /\/\.sixlens(?:\/|$)/.test(path))) this.homes.clear();
    for (const [root, analysis] of this.analyses) {
      const inside = news.map((path) => relativeTo(root, path)).filter((file) => file !== null);
      if (inside.length > 0) analysis.invalidate(inside);
    }
    this.touch();
    return true;
  }

  private overlay(path: string, text: string | null): void {
    // An analysis that does not exist yet takes its overlays when it is made.
    const root = this.rootOf(path);
    const analysis = root === null ? undefined : this.analyses.get(root);
    const file = root === null ? null : relativeTo(root, path);
    if (analysis && file !== null) analysis.setOverlay(file, text);
  }

  // ------------------------------------------------------------------------------------------ lookup

  private rootOf(path: string): string | null {
    for (const folder of this.folders) if (relativeTo(folder, path) !== null) return folder;
    // A file opened on its own: the package around it.
    let at = path;
    for (;;) {
      const slash = at.lastIndexOf('/');
      if (slash <= 0) return null;
      at = at.slice(0, slash);
      if (this.parts.files.exists(`${at}/package.json`) || this.parts.files.exists(`${at}/.sixlens`))
        return at;
    }
  }

  analysisOf(root: string): Analysis {
    let analysis = this.analyses.get(root);
    if (!analysis) {
      analysis = this.parts.createAnalysis(root, this.settings);
      for (const [path, document] of this.open) {
        const file = relativeTo(root, path);
        if (file !== null && isSourcePath(path) && this.rootOf(path) === root)
          analysis.setOverlay(file, document.getText());
      }
      this.analyses.set(root, analysis);
    }
    return analysis;
  }

  /** Null for anything that is not a source file on disk, and while the extension is off. */
  source(uri: string): Located | null {
    if (!this.settings.enable) return null;
    const path = pathOfUri(uri);
    if (path === null || !isSourcePath(path)) return null;
    return this.locate(path);
  }

  locate(path: string): Located | null {
    const root = this.rootOf(path);
    const file = root === null ? null : relativeTo(root, path);
    return root === null || file === null ? null : { analysis: this.analysisOf(root), file, path };
  }

  document(path: string): TextDocument | null {
    return this.open.get(path) ?? null;
  }

  openPaths(): readonly string[] {
    return [...this.open.keys()];
  }

  /** The URI by which the client knows the file. */
  uriOf(path: string): string {
    return this.open.get(path)?.uri ?? uriOfPath(path);
  }

  textOf(path: string): string | null {
    return this.open.get(path)?.getText() ?? this.parts.files.readText(path)?.text ?? null;
  }

  // ------------------------------------------------------------------------------------------ analysis

  check(located: Located, token?: CancellationToken): CheckResult {
    const known = this.checks.get(located.path);
    if (known?.generation === this.generation) return known.result;
    const generation = this.generation;
    const found = located.analysis.check([located.file], token && cancelOf(token));
    const result = this.judged(located.analysis, found);
    if (token?.isCancellationRequested) throw cancelled();
    this.checks.set(located.path, { generation, result });
    return result;
  }

  /** The findings after what the tables' rows say of them. */
  judged(analysis: Analysis, result: CheckResult): CheckResult {
    return applyVerdicts(result, { analysis, homes: this.homesIn(analysis), today: this.parts.today() });
  }

  homesIn(analysis: Analysis): TableHomes {
    const root = analysis.root.replace(/\/$/, '');
    let homes = this.homes.get(root);
    if (!homes) this.homes.set(root, (homes = new TableHomes(this.tableTexts(), root)));
    return homes;
  }

  /** The disk as the editor sees it: open documents first. */
  private tableTexts(): TableTexts {
    const { files } = this.parts;
    const openBelow = (folder: string): string[] =>
      [...this.open.keys()].flatMap((path) => relativeTo(folder, path) ?? []);
    return {
      exists: (path) => files.exists(path) || openBelow(path).length > 0,
      readDir(folder) {
        const entries = files.readDir(folder);
        const names = new Set(entries.map(({ name }) => name));
        const fresh = openBelow(folder).flatMap((inner) => {
          const [name = '', ...rest] = inner.split('/');
          if (names.has(name)) return [];
          names.add(name);
          return [{ name, isFile: rest.length === 0, isDirectory: rest.length > 0 }];
        });
        return [...entries, ...fresh];
      },
      readText: (path) => {
        const text = this.textOf(path);
        return text === null ? null : { text, encoding: 'utf8', problem: null };
      },
    };
  }

  /** What is computed and still holds. */
  *known(): Iterable<{ readonly path: string; readonly result: CheckResult }> {
    for (const [path, { generation, result }] of this.checks)
      if (generation === this.generation) yield { path, result };
  }

  findings(located: Located, token?: CancellationToken): readonly Finding[] {
    return this.check(located, token).findings.filter((finding) => finding.file === located.file);
  }

  problems(located: Located, token?: CancellationToken): readonly Problem[] {
    return this.check(located, token).problems.filter((problem) => problem.file === located.file);
  }

  /** The unit of that id in the file, else the innermost around the offset, else an exported function there. */
  unit(located: Located, offset: number | undefined, id?: string): Unit | null {
    const units = located.analysis.units([located.file]);
    if (id !== undefined) return units.find((unit) => unit.id === id) ?? null;
    if (offset === undefined) return units.length === 1 ? units[0]! : null;
    let best: Unit | null = null;
    for (const unit of units)
      if (unit.file === located.file && unit.startOffset <= offset && offset <= unit.endOffset)
        if (!best || unit.endOffset - unit.startOffset < best.endOffset - best.startOffset) best = unit;
    return best ?? located.analysis.unitAt(located.file, offset);
  }

  // ------------------------------------------------------------------------------------------ tables

  /** The nearest folder at or above the file, within its analysis, that holds `.sixlens/`; else the analysis's own root. */
  tableHome(located: Located): TableHome {
    const base = located.analysis.root.replace(/\/$/, '');
    let folder = located.path.slice(0, located.path.lastIndexOf('/'));
    const table = located.path.indexOf('/.sixlens/');
    if (table >= 0) folder = located.path.slice(0, table);
    for (let at = folder; at.length > base.length; at = at.slice(0, at.lastIndexOf('/')))
      if (table >= 0 || this.parts.files.exists(`${at}/.sixlens`))
        return { root: at, prefix: `${relativeTo(base, at)!}/`, analysis: located.analysis };
    return { root: base, prefix: '', analysis: located.analysis };
  }

  /** The unit's table, or the place where a new one would go. */
  tableOf(located: Located, unit: Unit): UnitTable {
    const home = this.tableHome(located);
    const inHome = rebaseUnit(unit, home.prefix);
    const folder = joinPath(home.root, this.parts.tables.folderOf(inHome.file));
    const names = new Set(
      this.parts.files
        .readDir(folder)
        .filter((entry) => entry.isFile && /\.ya?ml$/.test(entry.name))
        .map((entry) => entry.name),
    );
    // A table that was just generated may live in an editor only.
    for (const path of this.open.keys()) {
      const name = relativeTo(folder, path);
      if (name !== null && !name.includes('/') && /\.ya?ml$/.test(name)) names.add(name);
    }
    for (const name of [...names].sort()) {
      const path = joinPath(folder, name);
      const text = this.textOf(path);
      if (text === null) continue;
      const read = this.parts.tables.read(text, path, null, this.parts.today());
      if (read.content?.code.symbol === inHome.symbol && read.content.code.file === inHome.file)
        return {
          path,
          uri: this.uriOf(path),
          text,
          content: read.content,
          version: this.open.get(path)?.version ?? null,
        };
      // A malformed file in this unit's own place still is its table: it must be mended, not shadowed.
      if (read.content === null && name === this.parts.tables.nameOf(inHome, []))
        return {
          path,
          uri: this.uriOf(path),
          text,
          content: null,
          version: this.open.get(path)?.version ?? null,
        };
    }
    const path = joinPath(folder, this.parts.tables.nameOf(inHome, [...names]));
    return { path, uri: this.uriOf(path), text: null, content: null, version: null };
  }

  /** The view with its paths relative to the table's root, as they are written into tables. */
  viewFor(located: Located, unit: Unit): UnitView {
    return rebaseView(located.analysis.view(unit), this.tableHome(located).prefix);
  }

  /** Paths of the tables that name this source file. */
  tablesOf(located: Located): readonly string[] {
    const home = this.tableHome(located);
    const file = rebase(located.file, home.prefix);
    const folder = joinPath(home.root, this.parts.tables.folderOf(file));
    const names = new Set(
      this.parts.files
        .readDir(folder)
        .filter((entry) => entry.isFile)
        .map(({ name }) => name),
    );
    for (const path of this.open.keys()) {
      const name = relativeTo(folder, path);
      if (name !== null && !name.includes('/')) names.add(name);
    }
    return [...names]
      .filter((name) => /\.ya?ml$/.test(name))
      .sort()
      .map((name) => joinPath(folder, name));
  }

  /** What the code says now about the unit of a table; null when the file or the unit is gone. */
  viewOfTable(path: string, content: TableContent): { readonly view: UnitView; readonly unit: Unit } | null {
    const table = this.locate(path);
    if (!table) return null;
    const home = this.tableHome(table);
    const source = this.locate(joinPath(home.root, content.code.file));
    if (!source) return null;
    const unit = source.analysis.unitOf(source.file, content.code.symbol);
    if (!unit) return null;
    return { view: rebaseView(source.analysis.view(unit), home.prefix), unit };
  }
}

function rebase(file: string, prefix: string): string {
  return file.startsWith(prefix) ? file.slice(prefix.length) : file;
}

function rebaseUnit(unit: Unit, prefix: string): Unit {
  if (prefix === '') return unit;
  return {
    ...unit,
    file: rebase(unit.file, prefix),
    handler: { ...unit.handler, file: rebase(unit.handler.file, prefix) },
  };
}

function rebaseView(view: UnitView, prefix: string): UnitView {
  if (prefix === '') return view;
  return {
    ...view,
    unit: rebaseUnit(view.unit, prefix),
    findings: view.findings.map((finding) => ({ ...finding, file: rebase(finding.file, prefix) })),
    mechanisms: view.mechanisms.map((mechanism) => ({ ...mechanism, file: rebase(mechanism.file, prefix) })),
    ...(view.slices ? { slices: rebaseSlices(view.slices, prefix) } : {}),
    ...(view.testHash ? { testHash: (test: string) => view.testHash!(prefix + test) } : {}),
    ...(view.constants
      ? {
          constants: (name: string, file: string | null) =>
            view.constants!(name, file === null ? null : prefix + file),
        }
      : {}),
  };
}

function rebaseSlices(slices: UnitSlices, prefix: string): UnitSlices {
  return {
    lens: (lens) => slices.lens(lens),
    at(at, rule, seen) {
      const place = slices.at(at, rule, seen);
      return place && { ...place, file: rebase(place.file, prefix) };
    },
  };
}

export function cancelOf(token: CancellationToken): CancelToken {
  return {
    get cancelled() {
      return token.isCancellationRequested;
    },
  };
}

export function cancelled(): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestCancelled, 'The request was cancelled.');
}

/** Lets waiting messages in, a cancellation among them, before work that cannot be interrupted. */
export async function breathe(token?: CancellationToken): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (token?.isCancellationRequested) throw cancelled();
}

/** Runs one request. A fault of ours is logged and answered with `fallback`; errors meant for the client pass through. */
export async function guarded<T>(
  session: Session,
  name: string,
  fallback: T,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ResponseError) throw error;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    session.connection.console.error(`${name}: ${text}`);
    session.crashes.push(name);
    return fallback;
  }
}
