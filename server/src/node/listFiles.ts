/** Walks a folder for source files. Owns what is left out: `.gitignore` rules, dependencies, build output, vendored code. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import createIgnore from 'ignore';
import type { Ignore } from 'ignore';
import type { Problem } from '../base/problem.ts';
import type { FileListing, ListOptions } from '../host/fileHost.ts';
import { toSlashes } from './slashes.ts';

/** Never entered, whatever is asked for. */
const NEVER = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  'bower_components',
  '.pnpm-store',
  '.yarn',
  '.sixlens',
]);

/** Made by tools wherever they lie. */
const MADE = new Set([
  '.next',
  '.nuxt',
  '.output',
  '.svelte-kit',
  '.turbo',
  '.cache',
  '.parcel-cache',
  '.vercel',
  '.netlify',
  '.serverless',
  '.aws-sam',
  '.docusaurus',
  '.nyc_output',
  '.vscode-test',
  'coverage',
  'vendor',
  'vendored',
  'third_party',
]);

/** Output beside a package.json, but a fair name for a folder of sources elsewhere (`src/build`). */
const MADE_IN_PACKAGE = new Set(['dist', 'build', 'out']);

const MADE_FILE = /\.(?:min|bundle|chunk)\.[cm]?jsx?$/i;

/** The rules of one `.gitignore`, for paths below `prefixLength` characters of the absolute path. */
interface IgnoreScope {
  readonly prefixLength: number;
  readonly rules: Ignore;
}

export function listFiles(root: string, options: ListOptions): FileListing {
  const start = toSlashes(root).replace(/\/+$/, '') || '/';
  const extensions = options.extensions;
  const files: string[] = [];
  const problems: Problem[] = [];

  const walk = (folder: string, scopes: readonly IgnoreScope[]): void => {
    let entries;
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      problems.push({
        code: 'folder-unreadable',
        message: `The folder cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}); what is in it was left out.`,
        file: folder,
        severity: 'warning',
      });
      return;
    }
    let inPackage = folder === start;
    let here = scopes;
    for (const entry of entries) {
      if (entry.name === 'package.json') inPackage = true;
      else if (entry.name === '.gitignore') {
        const scope = readScope(folder);
        if (scope) here = [...scopes, scope];
      }
    }
    const prefix = folder === '/' ? '/' : folder + '/';
    for (const entry of entries) {
      const name = entry.name;
      const path = prefix + name;
      if (entry.isDirectory()) {
        if (NEVER.has(name)) continue;
        if (!options.includeAll && (MADE.has(name) || (inPackage && MADE_IN_PACKAGE.has(name)))) continue;
        if (here.length > 0 && isIgnored(path + '/', here)) continue;
        walk(path, here);
      } else {
        if (!hasExtension(name, extensions)) continue;
        if (!options.includeAll && MADE_FILE.test(name)) continue;
        if (!entry.isFile() && !(entry.isSymbolicLink() && linksToFileOutside(path, start))) continue;
        if (here.length > 0 && isIgnored(path, here)) continue;
        files.push(path);
      }
    }
  };

  walk(start, outerScopes(start));
  files.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return { files, problems };
}

function hasExtension(name: string, extensions: readonly string[]): boolean {
  const dot = name.lastIndexOf('.');
  return dot > 0 && extensions.includes(name.slice(dot).toLowerCase());
}

function readScope(folder: string): IgnoreScope | null {
  try {
    const text = readFileSync(folder + '/.gitignore', 'utf8');
    return {
      prefixLength: folder === '/' ? 1 : folder.length + 1,
      rules: createIgnore({ allowRelativePaths: true }).add(text),
    };
  } catch {
    // An unreadable ignore file hides nothing.
    return null;
  }
}

/** The nearest rules decide, as in git. A folder's path ends with `/`. */
function isIgnored(path: string, scopes: readonly IgnoreScope[]): boolean {
  for (let i = scopes.length - 1; i >= 0; i--) {
    const scope = scopes[i]!;
    const verdict = scope.rules.test(path.slice(scope.prefixLength));
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/**
 * Rules of the folders above the root, up to the repository's top. Where they ignore the root itself, somebody asked for
 * an ignored folder by name, and they are left aside.
 */
function outerScopes(root: string): IgnoreScope[] {
  const scopes: IgnoreScope[] = [];
  let folder = root;
  while (!existsSync(folder + '/.git')) {
    const parent = toSlashes(dirname(folder));
    if (parent === folder) return [];
    folder = parent;
    const scope = existsSync(folder + '/.gitignore') ? readScope(folder) : null;
    if (scope) scopes.unshift(scope);
  }
  // Each folder on the way down must be let through.
  for (let at = root; at !== folder; at = toSlashes(dirname(at)))
    if (
      isIgnored(
        at + '/',
        scopes.filter((scope) => scope.prefixLength <= at.length),
      )
    )
      return [];
  return scopes;
}

/** A link to a file inside the root would name that file twice. */
function linksToFileOutside(path: string, root: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    const real = toSlashes(realpathSync.native(path));
    return !real.startsWith(toSlashes(realpathSync.native(root)) + '/');
  } catch {
    return false;
  }
}
