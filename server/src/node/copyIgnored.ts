/** Copies what git ignores and tests may need: generated clients, environment files, built packages. Owns what is left out. */
import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { callGit } from './gitProgram.ts';

/** Dependencies are linked, and what tools write for themselves they write again. */
const LEFT_OUT =
  /^(?:node_modules|\.git|\.sixlens|coverage|\.nyc_output|\.cache|\.turbo|\.next|\.nuxt|\.parcel-cache|\.vite|\.vitest|\.idea|\.vscode|logs?|tmp|temp)$|\.(?:log|tsbuildinfo|tmp)$/;
/** Bytes. Larger files are data or archives. */
const MAX_FILE = 16 * 1024 * 1024;
const MAX_ALL = 256 * 1024 * 1024;

/** Links would let a run write into the work tree, and resolve imports there: so these are copies. */
export function copyIgnored(top: string, copy: string): { readonly left: readonly string[] } {
  const list = callGit({
    folder: top,
    args: [
      '--no-optional-locks',
      'ls-files',
      '--others',
      '--ignored',
      '--exclude-standard',
      '--directory',
      '-z',
    ],
  });
  const left: string[] = [];
  let bytes = 0;
  const visit = (name: string): void => {
    if (LEFT_OUT.test(path.basename(name))) return;
    const from = path.join(top, name);
    const to = path.join(copy, name);
    const stat = lstatSync(from, { throwIfNoEntry: false });
    if (!stat) return;
    if (stat.isDirectory()) {
      mkdirSync(to, { recursive: true });
      for (const entry of readdirSync(from)) visit(path.join(name, entry));
    } else if (stat.isSymbolicLink()) {
      mkdirSync(path.dirname(to), { recursive: true });
      symlinkSync(readlinkSync(from), to);
    } else if (stat.isFile()) {
      if (stat.size > MAX_FILE || bytes + stat.size > MAX_ALL) {
        left.push(name);
        return;
      }
      bytes += stat.size;
      mkdirSync(path.dirname(to), { recursive: true });
      copyFileSync(from, to, constants.COPYFILE_FICLONE);
    }
  };
  for (const name of list.ok ? list.text.split('\0') : [])
    if (name !== '' && !name.split('/').some((part) => part === 'node_modules'))
      visit(name.replace(/\/$/, ''));
  return { left };
}
