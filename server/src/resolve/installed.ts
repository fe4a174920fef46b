/**
 * Which version of a package a file gets. Owns reading `node_modules`, lockfiles (npm, pnpm, yarn, bun) and manifests.
 * Lockfiles are searched as text: parsing a large one costs more than a whole analysis.
 */
import type { FileHost } from '../host/fileHost.ts';
import type { ModuleResolver } from './modules.ts';
import { dirOf, joinPath } from './paths.ts';
import { compareVersions, satisfies, type InstalledVersion } from './versions.ts';

const LOCKFILES = [
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'npm-shrinkwrap.json',
] as const;

export class InstalledVersions {
  private readonly cache = new Map<string, InstalledVersion | null>();
  private readonly locks = new Map<string, string | null>();

  constructor(
    private readonly host: FileHost,
    private readonly modules: ModuleResolver,
  ) {}

  reset(): void {
    this.cache.clear();
    this.locks.clear();
  }

  /** `dir` is relative to the root; null when the project does not mention the package. */
  of(dir: string, name: string): InstalledVersion | null {
    const manifest = this.modules.manifestOf(dir);
    const base = manifest?.dir ?? '';
    const key = `${base}\0${name}`;
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const result = this.find(base, name);
    this.cache.set(key, result);
    return result;
  }

  /** The version that a file gets when it is of the range (in the language of `satisfies`); null otherwise. */
  within(file: string, name: string, range: string): string | null {
    const installed = this.of(dirOf(file), name);
    return installed && satisfies(installed.version, range) ? installed.version : null;
  }

  private find(base: string, name: string): InstalledVersion | null {
    for (let dir = base; ; dir = dirOf(dir)) {
      const file = joinPath(joinPath(this.modules.root, dir), `node_modules/${name}/package.json`);
      const read = this.host.readText(file);
      const version = read ? /"version"\s*:\s*"([^"]+)"/.exec(read.text)?.[1] : undefined;
      if (version) return { version, from: 'node_modules' };
      if (dir === '') break;
    }
    const range = this.rangeOf(base, name);
    for (let dir = base; ; dir = dirOf(dir)) {
      for (const lock of LOCKFILES) {
        const text = this.lock(joinPath(joinPath(this.modules.root, dir), lock));
        if (!text) continue;
        const version =
          (range === null ? placedFor(text, lock, dir, base, name) : null) ??
          pick(versionsIn(text, lock, name), range);
        if (version) return { version, from: 'lockfile' };
      }
      if (dir === '') break;
    }
    const number = range ? /\d+(?:\.\d+){0,2}/.exec(range)?.[0] : undefined;
    return number ? { version: number, from: 'package.json' } : null;
  }

  private rangeOf(base: string, name: string): string | null {
    for (let dir = base; ; dir = dirOf(dir)) {
      const manifest = this.modules.manifestOf(dir);
      for (const field of ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']) {
        const list = manifest?.json[field];
        const range =
          typeof list === 'object' && list !== null ? (list as Record<string, unknown>)[name] : undefined;
        if (typeof range === 'string') return range;
      }
      if (dir === '') return null;
    }
  }

  private lock(file: string): string | null {
    let text = this.locks.get(file);
    if (text === undefined) {
      text = this.host.readText(file)?.text ?? null;
      this.locks.set(file, text);
    }
    return text;
  }
}

function versionsIn(text: string, lock: string, name: string): string[] {
  const n = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const pattern =
    lock === 'pnpm-lock.yaml'
      ? new RegExp(`^ {2}['"]?/?${n}[@/](\\d[\\w.+-]*)`, 'gm')
      : lock === 'yarn.lock'
        ? new RegExp(`^"?${n}@[^\\n]*:\\n\\s+version:? "?([^"\\n]+)"?`, 'gm')
        : lock === 'bun.lock'
          ? new RegExp(`\\["${n}@(\\d[\\w.+-]*)"`, 'g')
          : new RegExp(
              `"(?:[^"]*/)?node_modules/${n}"\\s*:\\s*\\{\\s*(?:"name"[^\\n]*\\n\\s*)?"version"\\s*:\\s*"([^"]+)"`,
              'g',
            );
  const out: string[] = [];
  for (const m of text.matchAll(pattern)) if (m[1]) out.push(m[1]);
  return out;
}

/** npm's lockfiles name the folder of each copy: the one that a package finds first, from its own folder upwards. */
function placedFor(text: string, lock: string, dir: string, base: string, name: string): string | null {
  if (lock !== 'package-lock.json' && lock !== 'npm-shrinkwrap.json') return null;
  const within = dir === '' ? base : base.slice(dir.length + 1);
  for (let at = within; ; at = dirOf(at)) {
    const key = `"${at === '' ? '' : `${at}/`}node_modules/${name}"`;
    for (let from = text.indexOf(key); from >= 0; from = text.indexOf(key, from + 1)) {
      const version = /^\s*:\s*\{\s*(?:"name"[^\n]*\n\s*)?"version"\s*:\s*"([^"]+)"/.exec(
        text.slice(from + key.length, from + key.length + 400),
      )?.[1];
      if (version) return version;
    }
    if (at === '') return null;
  }
}

/** Of several locked versions the newest that shares the range's major version, else the newest. */
function pick(versions: readonly string[], range: string | null): string | null {
  const sorted = [...versions].sort((a, b) => compareVersions(b, a));
  const major = range ? /\d+/.exec(range)?.[0] : undefined;
  return sorted.find((v) => major !== undefined && v.split('.')[0] === major) ?? sorted[0] ?? null;
}
