/** Which root and which files a command is about. Owns paths, folders and globs as people type them. */
import picomatch from 'picomatch';
import type { FileHost } from '../host/fileHost.ts';
import type { Analysis } from '../service/contract.ts';
import { folderFiles } from '../service/folderFiles.ts';
import { CliError, type CliContext } from './context.ts';

/** Extensions of sources, lower case. */
export const SOURCE_EXTENSIONS: readonly string[] = [
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
];

export interface Targets {
  /** Absolute, links resolved. */
  readonly root: string;
  /** Absolute, as named, each a file or folder that exists. */
  readonly named: readonly { readonly path: string; readonly folder: boolean; readonly typed: string }[];
  readonly globs: readonly string[];
}

/**
 * Splits what was typed into names and globs, and chooses the root: `--root`, else the project around the working
 * folder, else (when a path lies outside of it) the project around that path.
 */
export function readTargets(
  context: CliContext,
  typed: readonly string[],
  rootOption: string | undefined,
): Targets {
  const { host, cwd } = context;
  const named: { path: string; folder: boolean; typed: string }[] = [];
  const globs: string[] = [];
  for (const word of typed) {
    const path = context.resolvePath(cwd, word);
    const stat = host.stat(path);
    if (stat) named.push({ path: host.realpath(path), folder: stat.isDirectory, typed: word });
    else if (picomatch.scan(word).isGlob) globs.push(host.realpath(cwd) + '/' + word.replace(/^\.\//, ''));
    else throw new CliError(`there is no file or folder ${word}`);
  }

  let root: string;
  if (rootOption !== undefined) {
    root = context.resolvePath(cwd, rootOption);
    if (!host.stat(root)?.isDirectory) throw new CliError(`--root ${rootOption} is no folder`);
    root = host.realpath(root);
  } else {
    const here = host.realpath(cwd);
    const own = projectAround(host, here);
    // A working folder that is no project says nothing about a path in a project below it.
    const elsewhere = named.find(({ path }) => own === null || !isWithin(own, path));
    const folder = elsewhere ? (elsewhere.folder ? elsewhere.path : parentOf(elsewhere.path)) : here;
    root = (elsewhere ? projectAround(host, folder) : own) ?? (isWithin(here, folder) ? here : folder);
  }
  for (const { path, typed: word } of named)
    if (!isWithin(root, path))
      throw new CliError(`${word} lies outside the root ${root}; name another with --root`);
  return { root, named, globs };
}

/**
 * The source files that the targets name, relative to the root and sorted; null when nothing narrows the root, so that
 * everything is meant. `listFolder` lists a folder in which the analysis itself looks for nothing. Throws a CliError
 * when a glob names nothing.
 */
export function targetFiles(
  targets: Targets,
  analysis: Pick<Analysis, 'sourceFiles'>,
  listFolder: (folder: string) => readonly string[],
): { readonly files: readonly string[] | null; readonly notSource: readonly string[] } {
  const { root, named, globs } = targets;
  if (globs.length === 0 && named.every(({ path, folder }) => folder && path === root))
    return { files: null, notSource: [] };
  const files = new Set<string>();
  const notSource: string[] = [];
  // Listing the root costs time that a check of named files need not pay.
  let all: readonly string[] | null = null;
  const sources = (): readonly string[] => (all ??= analysis.sourceFiles());
  for (const { path, folder, typed } of named) {
    if (!folder) {
      const file = relativeTo(root, path);
      if (hasSourceExtension(file)) files.add(file);
      else notSource.push(typed);
      continue;
    }
    const prefix = path === root ? '' : relativeTo(root, path) + '/';
    const inside = sources().filter((file) => file.startsWith(prefix));
    // Whoever names a folder of examples or tests wants just these.
    const wanted = inside.length > 0 || prefix === '' ? inside : listFolder(prefix.slice(0, -1));
    for (const file of wanted) files.add(file);
  }
  for (const glob of globs) {
    const matches = picomatch(glob, { dot: true });
    const found = sources().filter((file) => matches(`${root}/${file}`));
    if (found.length === 0)
      throw new CliError(
        `no source file matches ${glob.slice(glob.indexOf(root) === 0 ? root.length + 1 : 0)}`,
      );
    for (const file of found) files.add(file);
  }
  return { files: [...files].sort(), notSource };
}

export function hasSourceExtension(file: string): boolean {
  const dot = file.lastIndexOf('.');
  return dot > 0 && SOURCE_EXTENSIONS.includes(file.slice(dot).toLowerCase());
}

export function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : root + '/');
}

export function relativeTo(root: string, path: string): string {
  return path.slice(root === '/' ? 1 : root.length + 1);
}

/** Lists a named folder by what lies in it, not by where it lies. */
export function folderLister(host: FileHost, root: string): (folder: string) => readonly string[] {
  return (folder) => folderFiles(host, root, folder, SOURCE_EXTENSIONS);
}

/** The nearest folder with `.sixlens/`, else with a package.json, else null. */
function projectAround(host: FileHost, folder: string): string | null {
  for (const marker of ['.sixlens', 'package.json'])
    for (let at = folder; ; at = parentOf(at)) {
      if (host.exists(`${at === '/' ? '' : at}/${marker}`)) return at;
      if (at === parentOf(at)) break;
    }
  return null;
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  if (slash < 0) return path;
  if (slash === 0) return '/';
  const parent = path.slice(0, slash);
  // A drive keeps its slash.
  return /^[A-Za-z]:$/.test(parent) ? (path.length === slash + 1 ? path : parent + '/') : parent;
}
