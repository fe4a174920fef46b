/** `Git` by the `git` program. Owns its arguments, output formats and limits; runs nothing that changes a repository. */
import { spawnSync } from 'node:child_process';
import type { Git, GitChange } from '../host/git.ts';

export interface NodeGitOptions {
  /** Of each call. Milliseconds. */
  readonly timeoutMs?: number;
  readonly program?: string;
}

const MAX_OUTPUT = 64 * 1024 * 1024;
/** Commits that are searched for renames. */
const MAX_COMMITS = 1000;

type Output = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: string };

export function createNodeGit({ timeoutMs = 15_000, program = 'git' }: NodeGitOptions = {}): Git {
  const run = (folder: string, args: readonly string[]): Output => {
    // Nobody's configuration may page, prompt, run a hook or take a lock here.
    const fixed = [
      '-c',
      'core.quotePath=false',
      '-c',
      'core.fsmonitor=false',
      '--no-pager',
      '--no-optional-locks',
    ];
    const result = spawnSync(program, [...fixed, '-C', folder, ...args], {
      encoding: 'utf8',
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat', LC_ALL: 'C' },
    });
    if (result.error) {
      const { code } = result.error as NodeJS.ErrnoException;
      const error =
        code === 'ENOENT'
          ? 'git was not found'
          : code === 'ETIMEDOUT'
            ? `git ${args[0]} took longer than ${timeoutMs / 1000} s`
            : `git ${args[0]} could not run (${code ?? result.error.message})`;
      return { ok: false, error };
    }
    if (result.status !== 0) {
      const said = result.stderr
        .trim()
        .split('\n')[0]
        ?.replace(/^(?:fatal|error): /, '')
        .replace(/\.$/, '');
      return { ok: false, error: said || `git ${args[0]} failed` };
    }
    return { ok: true, text: result.stdout };
  };
  const line = (folder: string, args: readonly string[]): string | null => {
    const out = run(folder, args);
    return out.ok && out.text.trim() !== '' ? out.text.trim() : null;
  };
  const commitOf = (folder: string, ref: string): string | null =>
    line(folder, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]);

  const defaultBranch = (folder: string): string | null => {
    const head = line(folder, ['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']);
    const configured = line(folder, ['config', '--get', 'init.defaultBranch']);
    const names = [
      'origin/main',
      'origin/master',
      'main',
      'master',
      ...(configured === null ? [] : [configured]),
    ];
    for (const name of [...(head === null ? [] : [head]), ...names]) if (commitOf(folder, name)) return name;
    return null;
  };

  return {
    isRepository: (folder) => line(folder, ['rev-parse', '--is-inside-work-tree']) === 'true',
    mergeBase(folder, ref) {
      if (commitOf(folder, 'HEAD') === null) {
        const tried = run(folder, ['rev-parse', '--is-inside-work-tree']);
        return { error: tried.ok ? 'the repository has no commit yet' : tried.error };
      }
      const of = ref ?? defaultBranch(folder);
      if (of === null) return { error: 'no default branch was found (origin/HEAD, main, master)' };
      const commit = commitOf(folder, of);
      if (commit === null) return { error: `there is no commit ${of}` };
      const base = run(folder, ['merge-base', 'HEAD', commit]);
      if (base.ok) return { commit: base.text.trim(), of };
      // Exit 1 without a word: no common ancestor, as in a shallow clone.
      return { error: `HEAD and ${of} have no commit in common; a shallow clone needs more history` };
    },
    changes(folder, commit) {
      const names = run(folder, [
        'diff',
        '--relative',
        '--no-ext-diff',
        '--no-color',
        '-M',
        '--name-status',
        '-z',
        commit,
        '--',
      ]);
      if (!names.ok) return { error: names.error };
      const hunks = run(folder, [
        'diff',
        '--relative',
        '--no-ext-diff',
        '--no-color',
        '--no-textconv',
        '-M',
        '-U0',
        '--src-prefix=a/',
        '--dst-prefix=b/',
        commit,
        '--',
      ]);
      if (!hunks.ok) return { error: hunks.error };
      const fresh = run(folder, ['ls-files', '--others', '--exclude-standard', '-z']);
      if (!fresh.ok) return { error: fresh.error };
      const lines = hunkLines(hunks.text);
      const changes = nameStatus(names.text).map(({ file, from, gone, added }): GitChange => ({
        file,
        from,
        gone,
        lines: added || gone ? null : (lines.get(file) ?? []),
      }));
      for (const file of fresh.text.split('\0'))
        if (file !== '') changes.push({ file, from: null, gone: false, lines: null });
      return changes;
    },
    textAt(folder, commit, file) {
      const out = run(folder, ['show', `${commit}:./${file}`]);
      return out.ok ? out.text : null;
    },
    filesAt(folder, commit, under) {
      const out = run(folder, ['ls-tree', '-r', '-z', '--name-only', commit, '--', under]);
      return out.ok ? out.text.split('\0').filter((file) => file !== '') : [];
    },
    renames(folder) {
      const out = run(folder, [
        'log',
        '--relative',
        '--no-color',
        '--diff-filter=R',
        '-M',
        '--name-status',
        '--format=',
        '-z',
        `-n${MAX_COMMITS}`,
      ]);
      const chain = new Map<string, string>();
      if (!out.ok) return chain;
      // Newest first: what a file became later is known when its older rename is read.
      for (const { file, from } of nameStatus(out.text))
        if (from !== null && !chain.has(from)) chain.set(from, chain.get(file) ?? file);
      return chain;
    },
    mergeFile(folder, { ours, base, theirs }, markerSize) {
      const labels = ['-L', 'ours', '-L', 'base', '-L', 'theirs'];
      const result = spawnSync(
        program,
        ['merge-file', '-q', `--marker-size=${markerSize}`, ...labels, ours, base, theirs],
        { cwd: folder, encoding: 'utf8', timeout: timeoutMs, killSignal: 'SIGKILL', windowsHide: true },
      );
      // The exit status is the number of conflicts, cut off below 128.
      if (result.error || result.status === null || result.status > 127)
        return { error: result.stderr?.trim().split('\n')[0] || 'git merge-file could not run' };
      return { conflicts: result.status };
    },
    person: (folder) => line(folder, ['config', '--get', 'user.name']),
  };
}

interface NamedStatus {
  readonly file: string;
  readonly from: string | null;
  readonly gone: boolean;
  readonly added: boolean;
}

/** `M\0path\0` and `R100\0old\0new\0`. */
function nameStatus(text: string): NamedStatus[] {
  const parts = text.split('\0').map((part) => part.replace(/^\n+/, ''));
  const out: NamedStatus[] = [];
  for (let at = 0; at < parts.length;) {
    const status = parts[at++]!;
    if (status === '') continue;
    const first = parts[at++] ?? '';
    if (/^[RC]/.test(status))
      out.push({ file: parts[at++] ?? '', from: first, gone: false, added: status.startsWith('C') });
    else
      out.push({
        file: first,
        from: status === 'A' ? null : first,
        gone: status === 'D',
        added: status === 'A',
      });
  }
  return out;
}

/** Lines of the new side, by file. A hunk that only takes lines away marks the lines around the gap. */
function hunkLines(diff: string): Map<string, { start: number; end: number }[]> {
  const out = new Map<string, { start: number; end: number }[]>();
  let ranges: { start: number; end: number }[] | null = null;
  let left = 0;
  for (const text of diff.split('\n')) {
    // Within a hunk a line may look like anything, a header included.
    if (left > 0 && /^[-+]/.test(text)) {
      left--;
      continue;
    }
    if (text.startsWith('\\')) continue;
    const name = /^\+\+\+ (?:"?b\/(.*?)"?|\/dev\/null)\t?$/.exec(text);
    if (name) {
      ranges = null;
      if (name[1] !== undefined) out.set(name[1], (ranges = []));
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
    if (!hunk) continue;
    const [removed, start, count] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)];
    left = removed + count;
    ranges?.push(
      count === 0 ? { start: Math.max(start, 1), end: start + 1 } : { start, end: start + count - 1 },
    );
  }
  return out;
}
