/**
 * Which file or package a module specifier names. Owns relative paths, tsconfig aliases, workspaces and package
 * `exports`/`imports`; reads manifests, never source. A bare specifier that is no workspace package needs no disk.
 */
import { exports as resolveExports, imports as resolveImports } from 'resolve.exports';
import { parse as parseYaml } from 'yaml';
import type { Problem } from '../base/problem.ts';
import { LineIndex, type Position } from '../base/span.ts';
import type { FileHost, TsconfigPaths } from '../host/fileHost.ts';
import { dirOf, joinPath, relativeTo } from './paths.ts';

export type Resolution =
  | { readonly k: 'file'; /** Relative to the root. */ readonly path: string }
  | { readonly k: 'package'; readonly name: string; readonly sub: string }
  | { readonly k: 'none' };

export interface Manifest {
  readonly dir: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export const SOURCE_EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'] as const;
const JS_TO_TS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.js', '.jsx'],
  '.jsx': ['.tsx', '.jsx'],
  '.mjs': ['.mts', '.mjs'],
  '.cjs': ['.cts', '.cjs'],
};
const CONDITIONS = ['source', 'development', 'types', 'import', 'node', 'require', 'default'];

export class ModuleResolver {
  private readonly cache = new Map<string, Resolution>();
  private readonly dirs = new Map<string, ReadonlySet<string>>();
  private readonly manifests = new Map<string, Manifest | null>();
  private readonly tsconfigs = new Map<string, TsconfigPaths | null>();
  private readonly tsconfigFiles = new Map<string, TsconfigPaths | null>();
  private workspaces: ReadonlyMap<string, string> | null = null;
  readonly problems: Problem[] = [];

  /** `root` is absolute with `/`, without a slash at its end. */
  constructor(
    readonly root: string,
    private readonly host: FileHost,
  ) {}

  /** Forgets everything that was read of the disk. */
  reset(): void {
    this.cache.clear();
    this.dirs.clear();
    this.manifests.clear();
    this.tsconfigs.clear();
    this.tsconfigFiles.clear();
    this.workspaces = null;
    this.problems.length = 0;
  }

  /** `from` is relative to the root. */
  resolve(from: string, specifier: string): Resolution {
    const dir = dirOf(from);
    const key = `${dir}\0${specifier}`;
    const cached = this.cache.get(key);
    if (cached) return cached;
    const result = this.find(dir, specifier);
    this.cache.set(key, result);
    return result;
  }

  private find(dir: string, specifier: string): Resolution {
    const clean = specifier.replace(/[?#].*$/, (match) => (specifier.startsWith('#') ? match : ''));
    if (clean.startsWith('.')) {
      const found = this.probe(joinPath(joinPath(this.root, dir), clean));
      return found ? { k: 'file', path: found } : { k: 'none' };
    }
    if (clean.startsWith('node:')) return { k: 'package', name: clean, sub: '' };
    if (clean.startsWith('#')) {
      const found = this.packageImport(dir, clean);
      if (found) return found;
    }
    const alias = this.alias(dir, clean);
    if (alias) return { k: 'file', path: alias };
    // No package name begins so: an entry that the manifest does not have.
    if (clean.startsWith('#')) return { k: 'none' };
    const { name, sub } = splitPackage(clean);
    if (name !== '') {
      const workspace = this.workspacePackages().get(name);
      if (workspace !== undefined) {
        const found = this.inWorkspace(workspace, sub);
        if (found) return { k: 'file', path: found };
      }
    }
    if (/^[@~]\//.test(clean) || name === '') return this.guessAlias(dir, clean);
    return { k: 'package', name, sub };
  }

  private packageImport(dir: string, specifier: string): Resolution | null {
    const manifest = this.manifestOf(dir);
    if (!manifest || typeof manifest.json['imports'] !== 'object') return null;
    try {
      for (const target of resolveImports(manifest.json, specifier, { conditions: CONDITIONS }) ?? []) {
        if (!target.startsWith('.')) {
          const { name, sub } = splitPackage(target);
          return { k: 'package', name, sub };
        }
        const found = this.probeBuilt(joinPath(this.root, manifest.dir), target);
        if (found) return { k: 'file', path: found };
      }
    } catch {
      return null;
    }
    return null;
  }

  /** `@/x` and `~/x` without a readable config: the package's `src` or its own folder, as the common scaffolds have it. */
  private guessAlias(dir: string, specifier: string): Resolution {
    const rest = specifier.replace(/^[@~]\//, '');
    const manifest = this.manifestOf(dir);
    const base = manifest ? joinPath(this.root, manifest.dir) : this.root;
    for (const folder of ['src', '.', 'app', 'server']) {
      const found = this.probe(joinPath(joinPath(base, folder), rest));
      if (found) return { k: 'file', path: found };
    }
    return { k: 'none' };
  }

  // ---- tsconfig

  private alias(dir: string, specifier: string): string | null {
    const config = this.tsconfigOf(dir);
    if (!config) return null;
    let best: { prefix: number; targets: string[] } | null = null;
    for (const [pattern, targets] of Object.entries(config.paths)) {
      const star = pattern.indexOf('*');
      if (star < 0) {
        if (pattern === specifier) best = { prefix: Infinity, targets: [...targets] };
        continue;
      }
      const head = pattern.slice(0, star);
      const tail = pattern.slice(star + 1);
      if (
        !specifier.startsWith(head) ||
        !specifier.endsWith(tail) ||
        specifier.length < head.length + tail.length
      )
        continue;
      if (best && best.prefix >= head.length) continue;
      const middle = specifier.slice(head.length, specifier.length - tail.length);
      best = { prefix: head.length, targets: targets.map((t) => t.replace('*', () => middle)) };
    }
    for (const target of best?.targets ?? []) {
      const found = this.probe(target) ?? this.probe(sourceOfBuilt(target));
      if (found) return found;
    }
    if (config.baseUrl) return this.probe(joinPath(config.baseUrl, specifier));
    return null;
  }

  private tsconfigOf(dir: string): TsconfigPaths | null {
    const cached = this.tsconfigs.get(dir);
    if (cached !== undefined) return cached;
    const abs = joinPath(this.root, dir);
    let result: TsconfigPaths | null = null;
    for (const name of ['tsconfig.json', 'jsconfig.json']) {
      if (!this.entries(abs).has(name)) continue;
      result = this.readConfig(joinPath(abs, name));
      if (result && Object.keys(result.paths).length === 0 && !result.baseUrl)
        for (const reference of result.references) {
          const file = reference.endsWith('.json') ? reference : joinPath(reference, 'tsconfig.json');
          const referenced = this.readConfig(file);
          if (referenced && Object.keys(referenced.paths).length > 0) {
            result = referenced;
            break;
          }
        }
      break;
    }
    if (!result && dir !== '') result = this.tsconfigOf(dirOf(dir));
    this.tsconfigs.set(dir, result);
    return result;
  }

  private readConfig(file: string): TsconfigPaths | null {
    const cached = this.tsconfigFiles.get(file);
    if (cached !== undefined) return cached;
    const read = this.host.readTsconfig(file);
    if (read.problem)
      this.problems.push({
        ...read.problem,
        file: read.problem.file ? relativeTo(this.root, read.problem.file) : relativeTo(this.root, file),
      });
    this.tsconfigFiles.set(file, read.config);
    return read.config;
  }

  // ---- manifests and workspaces

  /** The nearest package.json at or above a folder (relative), within the root. */
  manifestOf(dir: string): Manifest | null {
    const cached = this.manifests.get(dir);
    if (cached !== undefined) return cached;
    let result: Manifest | null = null;
    if (this.entries(joinPath(this.root, dir)).has('package.json')) result = this.readManifest(dir);
    if (!result && dir !== '') result = this.manifestOf(dirOf(dir));
    this.manifests.set(dir, result);
    return result;
  }

  private readManifest(dir: string): Manifest | null {
    const file = joinPath(joinPath(this.root, dir), 'package.json');
    const read = this.host.readText(file);
    if (!read) return null;
    try {
      const json: unknown = JSON.parse(read.text);
      if (typeof json === 'object' && json !== null && !Array.isArray(json))
        return { dir, json: json as Record<string, unknown> };
      throw new SyntaxError('not an object');
    } catch (error) {
      this.problems.push({
        code: 'package-json-unreadable',
        message: `package.json is not valid JSON (${error instanceof Error ? error.message : 'unknown'}); library versions and workspaces of this package are not known.`,
        file: relativeTo(this.root, file),
        start: jsonErrorPlace(read.text),
        severity: 'warning',
      });
      return null;
    }
  }

  /** Workspace packages by name, to their folder relative to the root. */
  workspacePackages(): ReadonlyMap<string, string> {
    if (this.workspaces) return this.workspaces;
    const found = new Map<string, string>();
    this.workspaces = found;
    const rootManifest = this.entries(this.root).has('package.json') ? this.readManifest('') : null;
    const patterns: string[] = [];
    const declared = rootManifest?.json['workspaces'];
    const list = Array.isArray(declared)
      ? declared
      : typeof declared === 'object' && declared !== null
        ? (declared as { packages?: unknown }).packages
        : null;
    if (Array.isArray(list)) patterns.push(...list.filter((x): x is string => typeof x === 'string'));
    const pnpm = this.host.readText(joinPath(this.root, 'pnpm-workspace.yaml'));
    if (pnpm)
      try {
        const yaml = parseYaml(pnpm.text) as { packages?: unknown } | null;
        if (Array.isArray(yaml?.packages))
          patterns.push(...yaml.packages.filter((x): x is string => typeof x === 'string'));
      } catch {
        this.problems.push({
          code: 'pnpm-workspace-unreadable',
          message: 'pnpm-workspace.yaml is not valid YAML; workspace packages are not resolved.',
          file: 'pnpm-workspace.yaml',
          start: { line: 1, column: 1 },
          severity: 'warning',
        });
      }
    for (const pattern of patterns) {
      if (pattern.startsWith('!')) continue;
      for (const dir of this.expand('', pattern.replace(/^\.\//, '').replace(/\/$/, '').split('/'))) {
        const manifest = this.manifestAt(dir);
        const name = manifest?.json['name'];
        if (typeof name === 'string' && !found.has(name)) found.set(name, dir);
      }
    }
    const ownName = rootManifest?.json['name'];
    if (typeof ownName === 'string' && !found.has(ownName)) found.set(ownName, '');
    return found;
  }

  private manifestAt(dir: string): Manifest | null {
    const manifest = this.manifestOf(dir);
    return manifest?.dir === dir ? manifest : null;
  }

  private expand(dir: string, parts: readonly string[]): string[] {
    const [head, ...rest] = parts;
    if (head === undefined || head === '') return [dir];
    const into = (name: string): string[] => this.expand(dir === '' ? name : `${dir}/${name}`, rest);
    if (!head.includes('*')) return into(head);
    const names = this.folders(joinPath(this.root, dir));
    if (head === '**') {
      const deeper =
        dir.split('/').length < 6
          ? names.flatMap((n) => this.expand(dir === '' ? n : `${dir}/${n}`, parts))
          : [];
      return [...this.expand(dir, rest), ...deeper];
    }
    const test = new RegExp(`^${head.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*')}$`);
    return names.filter((n) => test.test(n)).flatMap(into);
  }

  private folders(abs: string): string[] {
    return this.host
      .readDir(abs)
      .filter((e) => e.isDirectory && e.name !== 'node_modules' && !e.name.startsWith('.'))
      .map((e) => e.name);
  }

  private inWorkspace(dir: string, sub: string): string | null {
    const manifest = this.manifestAt(dir);
    const abs = joinPath(this.root, dir);
    if (manifest) {
      if (manifest.json['exports'] !== undefined)
        try {
          const entry = sub === '' ? '.' : `./${sub}`;
          for (const target of resolveExports(manifest.json, entry, {
            conditions: CONDITIONS,
            unsafe: true,
          }) ?? []) {
            const found = this.probeBuilt(abs, target);
            if (found) return found;
          }
        } catch {
          // Not exported: fall through to the layout on disk.
        }
      if (sub === '')
        for (const field of ['source', 'module', 'main', 'types', 'typings']) {
          const target = manifest.json[field];
          const found = typeof target === 'string' ? this.probeBuilt(abs, target) : null;
          if (found) return found;
        }
    }
    for (const base of ['src', '.', 'lib']) {
      const found = this.probe(joinPath(joinPath(abs, base), sub === '' ? 'index' : sub));
      if (found) return found;
    }
    return null;
  }

  /** A target that a build would write: its source when that is what is there. */
  private probeBuilt(abs: string, target: string): string | null {
    const built = joinPath(abs, target);
    const source = sourceOfBuilt(built);
    return (
      (source !== built ? this.probe(source) : null) ?? (isDeclaration(built) ? null : this.probe(built))
    );
  }

  // ---- disk

  private entries(abs: string): ReadonlySet<string> {
    let set = this.dirs.get(abs);
    if (!set) {
      set = new Set(this.host.readDir(abs).map((e) => e.name));
      this.dirs.set(abs, set);
    }
    return set;
  }

  private isFile(abs: string): boolean {
    const slash = abs.lastIndexOf('/');
    return this.entries(abs.slice(0, slash)).has(abs.slice(slash + 1));
  }

  /** The source file for a path with or without extension, relative to the root; null when there is none inside it. */
  private probe(abs: string): string | null {
    if (abs !== this.root && !abs.startsWith(`${this.root}/`)) return null;
    const ext = /\.[cm]?[jt]sx?$/.exec(abs)?.[0];
    if (ext) {
      const stem = abs.slice(0, -ext.length);
      for (const candidate of JS_TO_TS[ext] ?? [ext])
        if (this.isFile(stem + candidate)) return relativeTo(this.root, stem + candidate);
    }
    for (const extension of SOURCE_EXTENSIONS)
      if (this.isFile(abs + extension)) return relativeTo(this.root, abs + extension);
    for (const extension of SOURCE_EXTENSIONS)
      if (this.isFile(`${abs}/index${extension}`)) return relativeTo(this.root, `${abs}/index${extension}`);
    return null;
  }
}

/** Where text stops being JSON. The runtime names no place for most errors, so the shortest prefix that fails is looked for. */
function jsonErrorPlace(text: string): Position {
  const startsJson = (length: number): boolean => {
    try {
      JSON.parse(text.slice(0, length));
      return true;
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      return message.includes('end of JSON') || message.includes(`at position ${length}`);
    }
  };
  let good = 0;
  let bad = text.length;
  if (startsJson(bad)) return LineIndex.of(text).positionAt(bad);
  while (bad - good > 1) {
    const mid = (good + bad) >> 1;
    if (startsJson(mid)) good = mid;
    else bad = mid;
  }
  return LineIndex.of(text).positionAt(good);
}

function isDeclaration(path: string): boolean {
  return /\.d\.[cm]?ts$/.test(path);
}

/** `dist/x.js` → `src/x`, as nearly every build lays it out. */
function sourceOfBuilt(path: string): string {
  return path
    .replace(/\/(?:dist|build|lib|out|esm|cjs)\/(?:esm\/|cjs\/|src\/|types\/)?/, '/src/')
    .replace(/\.d\.([cm]?ts)$/, '.$1');
}

/** `@scope/name/sub/path` → name and sub; name empty when it is none. */
export function splitPackage(specifier: string): { name: string; sub: string } {
  const m = /^(@[^/]+\/[^/]+|[^@/.~][^/]*)(?:\/(.*))?$/.exec(specifier);
  return m ? { name: m[1] ?? '', sub: m[2] ?? '' } : { name: '', sub: specifier };
}
