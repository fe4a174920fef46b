/** Calls of the `git` program. Owns what every call is kept from: paging, prompting, hooks, locks that are not needed. */
import { spawnSync } from 'node:child_process';

export interface GitCall {
  readonly folder: string;
  readonly args: readonly string[];
  /** Beside this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs?: number;
}

export type GitOutput =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: string };

const MAX_OUTPUT = 64 * 1024 * 1024;
const QUIET = [
  'core.quotePath=false',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.splitIndex=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.addEmbeddedRepo=false',
].flatMap((setting) => ['-c', setting]);

export function callGit({ folder, args, env = {}, input, timeoutMs = 120_000 }: GitCall): GitOutput {
  const result = spawnSync('git', [...QUIET, '--no-pager', '-C', folder, ...args], {
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: MAX_OUTPUT,
    windowsHide: true,
    input: input ?? '',
    env: { ...cleared(process.env), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', ...env },
  });
  if (result.error) {
    const { code } = result.error as NodeJS.ErrnoException;
    return {
      ok: false,
      error: code === 'ENOENT' ? 'git was not found' : `git ${args[0]} could not run (${code})`,
    };
  }
  if (result.status === 0) return { ok: true, text: result.stdout };
  const said = result.stderr
    .trim()
    .split('\n')
    .find((text) => /^(?:fatal|error):/.test(text))
    ?.replace(/^(?:fatal|error): /, '')
    .replace(/\.$/, '');
  return { ok: false, error: said ?? `git ${args[0]} failed` };
}

/** Called from a hook, git's own variables point to another index and work tree. */
function cleared(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^GIT_(?:DIR|INDEX|WORK|OBJECT|ALTERNATE|PREFIX|COMMON)/.test(name),
    ),
  );
}
