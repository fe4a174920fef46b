/**
 * Who imports a file, over all sources of the root. Built from texts when first asked for, without parsing. Tells code
 * that only browser modules use: its calls wait in a browser, not in a service.
 */
import { isStronglyBrowser, placeOfPath } from '../model/place.ts';
import type { Project, SourceFile } from '../model/project.ts';
import { dirOf } from '../resolve/paths.ts';

const IMPORT = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*['"]([^'"\n]+)['"]/g;
const MAX_HOPS = 4;
/** Folders and names that frameworks load by themselves. */
const TAKEN_UP =
  /(?:^|\/)(?:app|pages|routes|api|functions|server|plugins|middleware|commands|events|jobs|tasks|workers?|cron|handlers|controllers|resolvers|subscribers|listeners|workflows|hooks|trigger|processors|queues|loaders|policies|services|models)\/|(?:^|\/)(?:instrumentation|middleware|entry|root|main|server|worker|app)[^/]*$/i;
const ENTRY_NAME =
  /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|loader|action|handler|handle|config|configure|register|up|down|run|main|setup|start|init|plugin|middleware|activate|deactivate|onRequest)$/;
const SERVER_MODULE = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*['"]use server['"]/;

/** Every module specifier of a text, comments and strings not told apart: this only ever narrows a search. */
export function specifiersOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((m) => m[1] ?? '');
}

interface Import {
  readonly file: string;
  readonly specifier: string;
  /** Gone when the code runs. */
  readonly types: boolean;
}

/** `import type … from` and `import { type A, type B } from`, by the text before `from`. */
function isTypeOnly(text: string, from: number): boolean {
  const clause = /\b(?:import|export)\s+([^'"`;=()]*)$/.exec(text.slice(Math.max(0, from - 600), from))?.[1];
  if (clause === undefined) return false;
  if (/^type\s+(?!,|from\b)/.test(clause)) return true;
  const names = /^\{([^{}]*)\}\s*$/
    .exec(clause)?.[1]
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return names !== undefined && names.length > 0 && names.every((name) => /^type\s/.test(name));
}

export class Importers {
  private bySegment: Map<string, Import[]> | null = null;
  private readonly verdicts = new Map<string, boolean>();

  constructor(private readonly project: Project) {}

  /** True when at least one module imports the file and every one that does runs in browsers. */
  onlyBrowser(path: string, hops = 0): boolean {
    const known = this.verdicts.get(path);
    if (known !== undefined) return known;
    this.verdicts.set(path, false);
    // Server actions are called by browser code and run on the server, and so does all that they import.
    if (SERVER_MODULE.test((this.project.peekText(path) ?? '').slice(0, 1000))) return false;
    const importers = this.of(path).filter((f) => placeOfPath(f) !== 'test');
    const verdict =
      importers.length > 0 &&
      importers.every((f) => {
        const text = this.project.peekText(f) ?? '';
        return isStronglyBrowser(f, text) || (hops < MAX_HOPS && this.onlyBrowser(f, hops + 1));
      });
    this.verdicts.set(path, verdict);
    return verdict;
  }

  /**
   * No source names the module in an import, whatever it resolves to, and nothing else takes it up: it gives away
   * functions only, under names that no framework looks for, and its package neither names it nor is made for others.
   */
  isUnused(file: SourceFile): boolean {
    const { path, facts } = file;
    const stem = (path.split('/').at(-1) ?? '').replace(/\.[cm]?[jt]sx?$/, '');
    if (stem === 'index' || TAKEN_UP.test(path) || facts.exports.length === 0) return false;
    const functions = facts.exports.every(
      (e) => e.from === null && e.name !== 'default' && !ENTRY_NAME.test(e.name) && e.local >= 0,
    );
    if (!functions || facts.classes.length > 0 || runsItself(file)) return false;
    const manifest = this.project.modules.manifestOf(dirOf(path))?.json;
    if (!manifest || !isPrivate(manifest) || JSON.stringify(manifest).includes(stem)) return false;
    return !(this.index().get(stem) ?? []).some(({ file: importer, specifier }) => {
      if (importer === path) return false;
      const resolved = this.project.modules.resolve(importer, specifier);
      return resolved.k !== 'file' || resolved.path === path;
    });
  }

  /** The files themselves and every module that leads to one of them by imports of values, over any number of steps. */
  leadingTo(paths: readonly string[]): ReadonlySet<string> {
    const found = new Set(paths);
    for (const path of found) for (const importer of this.of(path, true)) found.add(importer);
    return found;
  }

  private of(path: string, values = false): string[] {
    const stem = path.replace(/\.[cm]?[jt]sx?$/, '');
    const parts = stem.split('/');
    const last = parts.at(-1) ?? '';
    const segments = last === 'index' ? [last, parts.at(-2) ?? ''] : [last];
    const found = new Set<string>();
    for (const segment of segments)
      for (const { file, specifier, types } of this.index().get(segment) ?? []) {
        if (values && types) continue;
        if (file === path || found.has(file)) continue;
        const resolved = this.project.modules.resolve(file, specifier);
        if (resolved.k === 'file' && resolved.path === path) found.add(file);
      }
    return [...found];
  }

  private index(): Map<string, Import[]> {
    if (this.bySegment) return this.bySegment;
    const index = new Map<string, Import[]>();
    for (const file of this.project.sourceFiles()) {
      const text = this.project.peekText(file);
      if (text === null) continue;
      for (const match of text.matchAll(IMPORT)) {
        const specifier = match[1] ?? '';
        const segment = (specifier.split('/').at(-1) ?? '').replace(/\.[cm]?[jt]sx?$/, '');
        const list = index.get(segment);
        const entry = { file, specifier, types: isTypeOnly(text, match.index) };
        if (list) list.push(entry);
        else index.set(segment, [entry]);
      }
    }
    this.bySegment = index;
    return index;
  }
}

/** Loading the module does something: it may be what is started. */
function runsItself(file: SourceFile): boolean {
  return (file.facts.functions[0]?.body ?? []).some(
    (st) => st.k !== 'var' && st.k !== 'fndecl' && st.k !== 'empty' && st.k !== 'clsdecl',
  );
}

/** Never published, so that nobody outside can import its modules. */
function isPrivate(manifest: Readonly<Record<string, unknown>>): boolean {
  const version = manifest['version'];
  return manifest['private'] === true || version === '0.0.0';
}
