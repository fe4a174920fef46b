/**
 * Links installed dependencies into a copy of a work tree. Owns that a workspace's own packages lead to their copies, and
 * that what tools write under `node_modules` stays in the copy: each `node_modules` is a folder of its own, of links.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { callGit } from './gitProgram.ts';

export function linkDependencies(top: string, copy: string, own: string): void {
  for (const folder of packageFolders(top)) {
    const from = path.join(top, folder, 'node_modules');
    if (existsSync(from)) linkAll(from, path.join(copy, folder, 'node_modules'), top, copy);
  }
  // Dependencies may be installed above the repository.
  for (let at = path.dirname(top); ; at = path.dirname(at)) {
    const from = path.join(at, 'node_modules');
    if (existsSync(from)) {
      linkAll(from, path.join(own, 'node_modules'), top, copy);
      break;
    }
    if (at === path.dirname(at)) break;
  }
}

/** Folders with a package.json, the top always among them. */
function packageFolders(top: string): readonly string[] {
  const list = callGit({
    folder: top,
    args: [
      '--no-optional-locks',
      'ls-files',
      '--cached',
      '--others',
      '--exclude-standard',
      '-z',
      '--',
      'package.json',
      '*/package.json',
    ],
  });
  const found = list.ok ? list.text.split('\0').filter((name) => name !== '') : [];
  return [...new Set(['', ...found.map((name) => name.slice(0, -'package.json'.length))])];
}

/** Of what begins with a dot only programs and package managers' stores are needed; the rest are caches. */
const HIDDEN = /^\.(?!bin$|pnpm$|prisma$|store$|package-lock\.json$|modules\.yaml$|yarn-state\.yml$)/;

function linkAll(from: string, to: string, top: string, copy: string): void {
  if (existsSync(to)) return;
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (HIDDEN.test(name)) continue;
    const entry = path.join(from, name);
    if (name.startsWith('@') && lstatSync(entry).isDirectory()) {
      mkdirSync(path.join(to, name), { recursive: true });
      for (const inner of readdirSync(entry))
        link(path.join(entry, inner), path.join(to, name, inner), top, copy);
    } else link(entry, path.join(to, name), top, copy);
  }
}

function link(entry: string, to: string, top: string, copy: string): void {
  symlinkSync(targetOf(entry, top, copy), to, process.platform === 'win32' ? 'junction' : undefined);
}

function targetOf(entry: string, top: string, copy: string): string {
  if (!lstatSync(entry).isSymbolicLink()) return entry;
  let real: string;
  try {
    real = realpathSync(entry);
  } catch {
    return path.resolve(path.dirname(entry), readlinkSync(entry));
  }
  const inside = path.relative(realpathSync(top), real);
  const isOwn =
    !inside.startsWith('..') && !path.isAbsolute(inside) && !inside.split(path.sep).includes('node_modules');
  return isOwn ? path.join(copy, inside) : real;
}
