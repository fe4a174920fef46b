/**
 * The files of one root and their facts. Owns reading, parsing and forgetting; knows no rule. A file is read when first
 * asked for, so that checking one file costs what it reaches.
 */
import type { Problem } from '../base/problem.ts';
import { LineIndex } from '../base/span.ts';
import { FileIndex } from '../facts/fileIndex.ts';
import type { FileFacts } from '../facts/ir.ts';
import { lowerFile } from '../facts/lower.ts';
import type { FileHost } from '../host/fileHost.ts';
import { InstalledVersions } from '../resolve/installed.ts';
import { ModuleResolver, SOURCE_EXTENSIONS } from '../resolve/modules.ts';
import { joinPath } from '../resolve/paths.ts';
import { deepestPlace } from '../syntax/nesting.ts';
import { SchemaFiles } from '../schema/schemaFiles.ts';
import { parseSource, reparseSource } from '../syntax/parse.ts';

/** One parsed file. */
export class SourceFile {
  private indexed: FileIndex | null = null;
  private lined: LineIndex | null = null;

  constructor(
    readonly facts: FileFacts,
    readonly text: string,
  ) {}

  get path(): string {
    return this.facts.path;
  }

  get index(): FileIndex {
    return (this.indexed ??= new FileIndex(this.facts));
  }

  get lines(): LineIndex {
    return (this.lined ??= LineIndex.fromStarts(this.facts.lineStarts));
  }
}

type Tree = ReturnType<typeof parseSource>;

export class Project {
  readonly modules: ModuleResolver;
  readonly versions: InstalledVersions;
  readonly schema: SchemaFiles;
  private readonly files = new Map<string, SourceFile | null>();
  /** Texts that were read and not yet parsed. */
  private readonly texts = new Map<string, string | null>();
  private readonly overlays = new Map<string, string>();
  /** Trees are kept for open documents only: they make the next keystroke cheap and cost memory. */
  private readonly trees = new Map<string, Tree>();
  private readonly readProblems = new Map<string, Problem>();
  private listing: readonly string[] | null = null;
  private listingProblems: readonly Problem[] = [];

  /** `root` is absolute, with `/`, without a slash at its end. */
  constructor(
    readonly root: string,
    private readonly host: FileHost,
  ) {
    this.modules = new ModuleResolver(root, host);
    this.versions = new InstalledVersions(host, this.modules);
    this.schema = new SchemaFiles(host, root, {
      files: () => this.sourceFiles(),
      text: (file) => this.peekText(file),
      // Not kept: of a model nothing but its keys is wanted.
      parse: (file, text) =>
        this.files.get(file) ??
        this.guarded(file, text, () => new SourceFile(lowerFile(file, parseSource(file, text)), text)),
    });
  }

  absolute(file: string): string {
    return joinPath(this.root, file);
  }

  /** Null when the file does not exist or is not analysed; `problems` then says why. */
  file(path: string): SourceFile | null {
    const known = this.files.get(path);
    if (known !== undefined) return known;
    const read = this.read(path);
    this.files.set(path, read);
    return read;
  }

  private read(path: string): SourceFile | null {
    const overlay = this.overlays.get(path);
    if (overlay !== undefined) return this.parseOpen(path, overlay);
    const text = this.sourceText(path);
    this.texts.delete(path);
    return text === null
      ? null
      : this.guarded(path, text, () => new SourceFile(lowerFile(path, parseSource(path, text)), text));
  }

  /** A text that the parser cannot get through costs its own file, never the run. */
  private guarded(path: string, text: string, parse: () => SourceFile): SourceFile | null {
    try {
      return parse();
    } catch (error) {
      this.trees.delete(path);
      const tooDeep = error instanceof RangeError;
      const reason = error instanceof Error ? error.message : String(error);
      this.readProblems.set(path, {
        code: tooDeep ? 'nested-too-deep' : 'not-parsed',
        message: tooDeep
          ? 'Not analysed: the code is nested deeper here than can be read.'
          : `Not analysed: reading the file failed (${reason}).`,
        file: path,
        start: tooDeep ? LineIndex.of(text).positionAt(deepestPlace(text)) : { line: 1, column: 1 },
        severity: 'warning',
      });
      return null;
    }
  }

  /** As `sourceText`, but what is not kept already is read and let go again. */
  peekText(path: string): string | null {
    const known = this.texts.has(path) || this.files.has(path) || this.overlays.has(path);
    const text = this.sourceText(path);
    if (!known) this.texts.delete(path);
    return text;
  }

  /** The text of a source file without parsing it; null when it does not exist or is not analysed. */
  sourceText(path: string): string | null {
    const overlay = this.overlays.get(path);
    if (overlay !== undefined) return overlay;
    const parsed = this.files.get(path);
    if (parsed !== undefined) return parsed?.text ?? null;
    const known = this.texts.get(path);
    if (known !== undefined) return known;
    const read = this.host.readSource(this.absolute(path));
    if (read?.problem) this.readProblems.set(path, { ...read.problem, file: path });
    const text = read?.text ?? null;
    this.texts.set(path, text);
    return text;
  }

  private parseOpen(path: string, text: string): SourceFile | null {
    const old = this.trees.get(path);
    return this.guarded(path, text, () => {
      const tree = old ? reparseSource(old, text) : parseSource(path, text);
      this.trees.set(path, tree);
      return new SourceFile(lowerFile(path, tree), text);
    });
  }

  setOverlay(path: string, text: string | null): void {
    if (text === null) {
      this.overlays.delete(path);
      this.trees.delete(path);
    } else this.overlays.set(path, text);
    this.forget(path);
  }

  private forget(path: string): void {
    this.schema.forget(path);
    this.files.delete(path);
    this.texts.delete(path);
    this.readProblems.delete(path);
  }

  /** Marks the text that is already parsed as an open document's. */
  keepOverlay(path: string, text: string): void {
    this.overlays.set(path, text);
  }

  /** Forgets what was read of these paths; manifests and configs reset resolution as a whole. */
  invalidate(paths: readonly string[]): void {
    for (const path of paths) this.forget(path);
    this.modules.reset();
    this.versions.reset();
    this.schema.reset();
    this.listing = null;
  }

  /** Files that are in memory now. */
  loaded(): readonly SourceFile[] {
    return [...this.files.values()].filter((f): f is SourceFile => f !== null);
  }

  /** Every source file under the root, relative, sorted; declaration files are left out. */
  sourceFiles(includeAll = false): readonly string[] {
    if (this.listing) return this.listing;
    const listed = this.host.listFiles(this.root, { extensions: SOURCE_EXTENSIONS, includeAll });
    this.listingProblems = listed.problems;
    const prefix = this.root.length + 1;
    this.listing = listed.files.map((f) => f.slice(prefix)).filter((f) => !/\.d\.[cm]?ts$/.test(f));
    return this.listing;
  }

  textOf(path: string): string | null {
    const overlay = this.overlays.get(path);
    if (overlay !== undefined) return overlay;
    const known = this.files.get(path);
    if (known) return known.text;
    return this.host.readText(this.absolute(path))?.text ?? null;
  }

  get problems(): readonly Problem[] {
    return [...this.modules.problems, ...this.listingProblems, ...this.readProblems.values()];
  }
}
