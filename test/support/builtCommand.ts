/** Runs the built command line as people do: another process, in a folder of theirs. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const COMMAND = path.resolve('dist/cli.js');

export function runCommand(
  cwd: string,
  words: readonly string[],
): { readonly code: number | null; readonly text: string } {
  const done = spawnSync(process.execPath, [COMMAND, ...words], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, SIXLENS_CACHE_DIR: 'off', NO_COLOR: '1' },
    timeout: 8 * 60_000,
  });
  return { code: done.status, text: `${done.stdout}${done.stderr}` };
}
