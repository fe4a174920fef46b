/**
 * Who imports a file, over all sources of the root. Built from texts when first asked for, without parsing. Tells code
 * that only browser modules use: its calls wait in a browser, not in a service.
 */
import { isStronglyBrowser, placeOfPath } from '../model/place.ts';
import type { Project } from '../model/project.ts';

const IMPORT = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*['"]([^'"\n]+)['"]/g;
const MAX_HOPS = 4;
const SERVER_MODULE = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*['"]use server['"]/;

/** Every module specifier of a text, comments and strings not told apart: this only ever narrows a search. */
export function specifiersOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((m) => m[1] ?? '');
}

export class Importers {
  private bySegment: Map<string, { file: string; specifier: string }[]> | null = null;
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

  private of(path: string): string[] {
    const stem = path.replace(/\.[cm]?[jt]sx?$/, '');
    const parts = stem.split('/');
    const last = parts.at(-1) ?? '';
    const segments = last === 'index' ? [last, parts.at(-2) ?? ''] : [last];
    const found = new Set<string>();
    for (const segment of segments)
      for (const { file, specifier } of this.index().get(segment) ?? []) {
        if (file === path || found.has(file)) continue;
        const resolved = this.project.modules.resolve(file, specifier);
        if (resolved.k === 'file' && resolved.path === path) found.add(file);
      }
    return [...found];
  }

  private index(): Map<string, { file: string; specifier: string }[]> {
    if (this.bySegment) return this.bySegment;
    const index = new Map<string, { file: string; specifier: string }[]>();
    for (const file of this.project.sourceFiles()) {
      const text = this.project.peekText(file);
      if (text === null) continue;
      for (const specifier of specifiersOf(text)) {
        const segment = (specifier.split('/').at(-1) ?? '').replace(/\.[cm]?[jt]sx?$/, '');
        const list = index.get(segment);
        if (list) list.push({ file, specifier });
        else index.set(segment, [{ file, specifier }]);
      }
    }
    this.bySegment = index;
    return index;
  }
}
