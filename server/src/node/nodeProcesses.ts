/**
 * `Processes` by child processes. Owns ending them: each program runs in a group of its own under a small supervisor that
 * ends the whole group when its input closes, which is what happens when this process is killed.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Processes, ProcessResult } from '../host/processes.ts';

/** Runs the words it is given as a program; its own group goes when the other end of its input does. */
const SUPERVISOR = `
const { spawn } = require('node:child_process');
const { signals } = require('node:os').constants;
const [command, ...args] = process.argv.slice(1);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
const all = () => { try { process.kill(-process.pid, 'SIGKILL'); } catch { child.kill('SIGKILL'); process.exit(137); } };
process.stdin.on('end', all).on('error', all).resume();
child.on('error', (error) => { console.error(error.message); process.exit(127); });
child.on('exit', (code, signal) => process.exit(signal ? 128 + signals[signal] : code));
`;

const MAX_OUTPUT = 1024 * 1024;
/** What a program gets to end by itself. Milliseconds. */
const GRACE = 2000;
const LOOK_EVERY = 100;

export const nodeProcesses: Processes = {
  run({ command, args, cwd, env, timeoutMs, onOutput, settled, signal }) {
    const started = performance.now();
    return new Promise<ProcessResult>((resolve) => {
      let output = '';
      let ended: ProcessResult['ended'] = 'itself';
      if (signal?.aborted) {
        resolve({ exit: 130, ended: 'cancelled', output, ms: 0 });
        return;
      }
      const child = spawn(process.execPath, ['-e', SUPERVISOR, '--', command, ...args], {
        cwd,
        env: env as NodeJS.ProcessEnv,
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const timers = new Set<NodeJS.Timeout>();
      const after = (ms: number, work: () => void): void => {
        timers.add(setTimeout(work, ms));
      };
      const stop = (why: ProcessResult['ended']): void => {
        if (ended !== 'itself') return;
        ended = why;
        end(child, 'SIGTERM');
        after(GRACE, () => end(child, 'SIGKILL'));
      };
      const onAbort = (): void => stop('cancelled');
      const take = (chunk: string): void => {
        output = (output + chunk).slice(-MAX_OUTPUT);
        onOutput?.(chunk);
      };
      const finish = (exit: number): void => {
        for (const timer of timers) clearTimeout(timer);
        clearInterval(looking);
        signal?.removeEventListener('abort', onAbort);
        // What it left running in the background goes with it.
        end(child, 'SIGKILL');
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ exit, ended, output, ms: Math.round(performance.now() - started) });
      };
      const looking = setInterval(() => {
        if (!settled?.()) return;
        clearInterval(looking);
        after(GRACE, () => stop('settled'));
      }, LOOK_EVERY);
      after(timeoutMs, () => stop('time'));
      signal?.addEventListener('abort', onAbort, { once: true });
      child.stdin.on('error', () => {});
      child.stdout.setEncoding('utf8').on('data', take);
      child.stderr.setEncoding('utf8').on('data', take);
      child.on('error', (error) => {
        ended = 'not-started';
        take(error.message);
        finish(127);
      });
      child.on('exit', (code, killedBy) => {
        const exit = killedBy === null ? (code ?? 1) : 128 + (constants.signals[killedBy] ?? 0);
        // Output may still be on its way; something in the background may hold the pipes open for ever.
        let done = false;
        const once = (): void => {
          if (!done) finish(exit);
          done = true;
        };
        child.on('close', once);
        after(200, once);
      });
    });
  },
};

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}
