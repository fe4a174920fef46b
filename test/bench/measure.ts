/** Runs one command and says how long it took and how much memory its whole process tree held at the worst moment. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Run {
  readonly exitCode: number;
  readonly seconds: number;
  /** 10^6 bytes of resident memory; null where the system has no /proc, or when it was not asked for. */
  readonly megabytes: number | null;
  /** User and system seconds of all processes of the tree, as far as the last look at them; null where there is no /proc. */
  readonly cpuSeconds: number | null;
  readonly stderr: string;
}

export interface MeasureOptions {
  /** Polling costs a little of one core: leave it off where milliseconds count. */
  readonly memory: boolean;
  /** File that receives standard output; thrown away without it. */
  readonly stdoutFile?: string;
  readonly timeoutSeconds: number;
}

const POLL_MS = 20;

/** Rejects when the command cannot be started or does not end in time; any exit code is an answer. */
export function measure(command: Command, options: MeasureOptions): Promise<Run> {
  return new Promise((resolve, reject) => {
    const out = options.stdoutFile === undefined ? 'ignore' : openSync(options.stdoutFile, 'w');
    const begun = process.hrtime.bigint();
    const child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: { ...process.env, ...command.env },
      stdio: ['ignore', out, 'pipe'],
    });
    if (typeof out === 'number') closeSync(out);
    const chunks: Buffer[] = [];
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
    let peak = 0;
    let cpu = 0;
    const look = (): void => {
      peak = Math.max(peak, treeBytes(child.pid!));
      cpu = Math.max(cpu, treeCpuSeconds(child.pid!));
    };
    const poll = options.memory ? setInterval(look, POLL_MS) : null;
    const limit = setTimeout(() => child.kill('SIGKILL'), options.timeoutSeconds * 1000);
    const stop = (): void => {
      if (poll) clearInterval(poll);
      clearTimeout(limit);
    };
    child.on('error', (error) => {
      stop();
      reject(error);
    });
    let ended = begun;
    child.on('exit', () => (ended = process.hrtime.bigint()));
    child.on('close', (code, signal) => {
      stop();
      if (signal)
        return reject(
          new Error(
            `${command.args[0] ?? command.file} was ended by ${signal} (limit ${options.timeoutSeconds} s).`,
          ),
        );
      resolve({
        exitCode: code ?? -1,
        seconds: Number(ended - begun) / 1e9,
        megabytes: peak > 0 ? peak / 1e6 : null,
        cpuSeconds: peak > 0 ? cpu : null,
        stderr: Buffer.concat(chunks).toString('utf8'),
      });
    });
  });
}

/**
 * Resident bytes of a process and all its descendants; 0 when it has ended or the system has no /proc. For a process without
 * children the kernel's own high-water mark is taken, which no poll can miss.
 */
export function treeBytes(pid: number): number {
  const status = readOrEmpty(`/proc/${pid}/status`);
  if (!status) return 0;
  const children = childrenOf(pid);
  if (children.length === 0) return kilobytes(status, 'VmHWM') * 1024;
  return children.reduce((sum, child) => sum + treeBytes(child), kilobytes(status, 'VmRSS') * 1024);
}

/** Linux counts in ticks of a hundredth of a second whatever the kernel's own rate. Ended children count with their parent. */
const TICKS_PER_SECOND = 100;

function treeCpuSeconds(pid: number): number {
  // The name in parentheses may hold spaces; the numbered fields start behind it, with the third.
  const fields = readOrEmpty(`/proc/${pid}/stat`).split(') ').at(-1)!.split(' ');
  const own = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) / TICKS_PER_SECOND;
  return childrenOf(pid).reduce((sum, child) => sum + treeCpuSeconds(child), own);
}

function childrenOf(pid: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) =>
    readOrEmpty(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

function kilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
