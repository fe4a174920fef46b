/**
 * Scratch copies of a work tree by `git worktree`. Owns where they lie, whose they are, and taking them away: each folder's
 * name holds the process it belongs to from the moment it exists, so that what a killed run left can be told from what is
 * in use, whenever the kill came. Writes to the repository: objects, and one entry under its `worktrees`.
 */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  copyFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import type { ScratchError, Scratches, ScratchTree } from '../host/scratch.ts';
import { copyIgnored } from './copyIgnored.ts';
import { callGit, type GitOutput } from './gitProgram.ts';
import { linkDependencies } from './linkDependencies.ts';
import { toSlashes } from './slashes.ts';

export const nodeScratches: Scratches = { create };

const PERSON = {
  GIT_AUTHOR_NAME: 'sixlens',
  GIT_AUTHOR_EMAIL: 'sixlens@localhost',
  GIT_COMMITTER_NAME: 'sixlens',
  GIT_COMMITTER_EMAIL: 'sixlens@localhost',
};

function create(root: string): ScratchTree | ScratchError {
  const said = callGit({ folder: root, args: ['rev-parse', '--show-toplevel', '--absolute-git-dir'] });
  if (!said.ok) return { error: notARepository(said.error) };
  const [top, gitDir] = said.text.trim().split('\n');
  if (top === undefined || gitDir === undefined || top === '')
    return { error: 'the repository has no work tree' };
  const base = baseFolder();
  sweep(base, top);
  const dirty = dirtySubmodule(top);
  if (dirty !== null)
    return { error: `the submodule ${dirty} has changes of its own; commit or undo them first` };

  const own = path.join(
    base,
    `${process.pid}-${startOf(process.pid) ?? 0}-${randomBytes(5).toString('hex')}`,
  );
  const copy = path.join(own, path.basename(top) || 'tree');
  const outbox = path.join(own, 'outbox');
  const dispose = (): void => take(own, top);
  try {
    mkdirSync(outbox, { recursive: true, mode: 0o700 });
    const made = snapshot(top, gitDir, own, copy);
    if ('error' in made) {
      dispose();
      return made;
    }
    copySubmodules(top, copy);
    const { left } = copyIgnored(top, copy);
    linkDependencies(top, copy, own);
    const inside = path.relative(top, realpathSync(root));
    return {
      top: toSlashes(copy),
      root: toSlashes(path.join(copy, inside)),
      outbox: toSlashes(outbox),
      tree: made.tree,
      left,
      dispose,
    };
  } catch (error) {
    dispose();
    return {
      error: `the work tree could not be copied: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function notARepository(error: string): string {
  return /not a git repository/.test(error)
    ? 'this is no git repository; a proof runs in a copy that git makes'
    : error.replace(/\.$/, '');
}

/** The work tree as a tree and a commit that nothing refers to, checked out under `copy`. */
function snapshot(top: string, gitDir: string, own: string, copy: string): { tree: string } | ScratchError {
  const index = path.join(own, 'index');
  const env = { GIT_INDEX_FILE: index, GIT_OPTIONAL_LOCKS: '0', ...PERSON };
  // With what the real index remembers of unchanged files only changed ones are read.
  const real = path.join(gitDir, 'index');
  if (existsSync(real)) copyFileSync(real, index);
  const git = (...args: string[]): GitOutput => callGit({ folder: top, args, env });
  const added = git('add', '-A', '--ignore-errors', '--', '.');
  if (!added.ok) return { error: `the work tree could not be read: ${added.error}` };
  const tree = git('write-tree');
  if (!tree.ok) return tree;
  const head = git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  const parent = head.ok ? ['-p', head.text.trim()] : [];
  const commit = git('commit-tree', tree.text.trim(), ...parent, '-m', 'work tree as it stands');
  if (!commit.ok) return commit;
  const out = callGit({
    folder: top,
    args: ['worktree', 'add', '--quiet', '--force', '--detach', copy, commit.text.trim()],
  });
  rmSync(index, { force: true });
  return out.ok ? { tree: tree.text.trim() } : out;
}

// ---- whose they are

/** A folder of this user's alone, in the system's folder for temporary files. */
function baseFolder(): string {
  const parent = realpathSync(tmpdir());
  const user = process.getuid?.() ?? userInfo().username;
  const folder = path.join(parent, `sixlens-${user}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  const safe =
    stat.isDirectory() &&
    (process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0));
  // Somebody else made it first: what they could read or change is no place to run in.
  return safe ? folder : mkdtempSync(path.join(parent, 'sixlens-'));
}

const OWNED = /^(\d+)-(\d+)-[0-9a-f]{10}$/;

/** Takes away what runs left that are no longer alive: of this repository's entries, and of folders, all. */
function sweep(base: string, top: string): void {
  for (const name of entries(base)) if (isDead(name)) take(path.join(base, name), top);
  // A cleaner of temporary files may have taken the folder and left the entry.
  const list = callGit({ folder: top, args: ['worktree', 'list', '--porcelain'] });
  if (!list.ok) return;
  for (const [, found] of list.text.matchAll(/^worktree (.+)$/gm)) {
    const name = path.basename(path.dirname(found!));
    if (path.dirname(path.dirname(found!)) === base && isDead(name)) forget(found!, top);
  }
}

function isDead(name: string): boolean {
  const owner = OWNED.exec(name);
  if (!owner) return false;
  const [pid, start] = [Number(owner[1]), Number(owner[2])];
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const now = startOf(pid);
  return now !== null && start !== 0 && now !== start;
}

/** When the process began, in the system's own count; null where the system does not tell. Numbers of processes are used again. */
function startOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  } catch {
    return null;
  }
}

/** One run's folder and the entry of the work tree in it. */
function take(own: string, top: string): void {
  for (const name of entries(own)) {
    const copy = path.join(own, name);
    const link = path.join(copy, '.git');
    if (!existsSync(link)) continue;
    // The copy may be of another repository than the one that asks.
    forget(copy, repositoryOf(link) ?? top);
  }
  try {
    rmSync(own, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A program of the killed run is still writing; what is left goes with the next run.
  }
}

function forget(copy: string, folder: string): void {
  callGit({ folder, args: ['worktree', 'remove', '--force', '--force', copy] });
}

/** `gitdir: /repo/.git/worktrees/x` → `/repo/.git` */
function repositoryOf(link: string): string | null {
  try {
    const found = /^gitdir: (.+?)[\\/]worktrees[\\/][^\\/]+\s*$/.exec(readFileSync(link, 'utf8'));
    return found && existsSync(found[1]!) ? found[1]! : null;
  } catch {
    return null;
  }
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

// ---- submodules

function submodules(top: string): readonly string[] {
  if (!existsSync(path.join(top, '.gitmodules'))) return [];
  const list = callGit({ folder: top, args: ['ls-files', '--stage', '-z'] });
  if (!list.ok) return [];
  return list.text
    .split('\0')
    .filter((text) => text.startsWith('160000 '))
    .map((text) => text.slice(text.indexOf('\t') + 1));
}

function dirtySubmodule(top: string): string | null {
  for (const name of submodules(top)) {
    if (!existsSync(path.join(top, name, '.git'))) continue;
    const status = callGit({
      folder: path.join(top, name),
      args: ['--no-optional-locks', 'status', '--porcelain', '-uall'],
    });
    if (!status.ok || status.text.trim() !== '') return name;
  }
  return null;
}

function copySubmodules(top: string, copy: string): void {
  for (const name of submodules(top))
    if (existsSync(path.join(top, name, '.git')))
      cpSync(path.join(top, name), path.join(copy, name), {
        recursive: true,
        filter: (from) => !/[\\/](?:\.git|node_modules)$/.test(from),
      });
}
