/**
 * One row's proof in a scratch copy: red without the mechanism, green with it. Owns the order of runs and what they add up
 * to. The copy is as it was when this returns.
 */
import { applyEdits } from '../base/textEdit.ts';
import type { FileHost } from '../host/fileHost.ts';
import type { Processes } from '../host/processes.ts';
import type { ScratchTree } from '../host/scratch.ts';
import { shownBy, type Shown } from './assertion.ts';
import type { Removal } from './removals.ts';
import { findRunner, type FoundRunner } from './runners/findRunner.ts';
import type { TestName } from './testName.ts';

export interface ProofJob {
  readonly row: string;
  readonly test: TestName;
  /** In the order to try them. */
  readonly removals: readonly Removal[];
  /** The code before the change; null where it is not to be used. */
  readonly before: BeforeChange | { readonly error: string } | null;
}

export interface BeforeChange {
  /** `where the branch left main (1a2b3c4)` */
  readonly what: string;
  readonly commit: string;
  readonly files: readonly { readonly file: string; readonly text: string }[];
}

export interface Bench {
  readonly scratch: ScratchTree;
  readonly host: FileHost;
  readonly processes: Processes;
  /** Path of Node. */
  readonly node: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** What is being done, for whoever waits. */
  readonly tell?: (what: string) => void;
  readonly onOutput?: (text: string) => void;
}

export interface RunRecord {
  readonly command: string;
  readonly exit: number;
  readonly ms: number;
}

export interface RedRecord extends RunRecord {
  readonly how: 'mechanism-removed' | 'before-change';
  readonly without: string;
  readonly assertion: string;
}

export interface RowProof {
  readonly outcome: 'proven' | 'decoration' | 'not-proven' | 'could-not-run';
  /** One sentence without a full stop; empty when proven. */
  readonly why: string;
  readonly runner: FoundRunner | null;
  readonly red: RedRecord | null;
  readonly green: RunRecord | null;
}

interface Attempt {
  readonly how: RedRecord['how'];
  readonly what: string;
  readonly files: readonly { readonly file: string; readonly change: (text: string) => string }[];
}

export async function proveRow(job: ProofJob, bench: Bench): Promise<RowProof> {
  const { scratch, host } = bench;
  const nothing = { runner: null, red: null, green: null };
  const path = `${scratch.root}/${job.test.file}`;
  if (!host.stat(path)?.isFile)
    return { ...nothing, outcome: 'could-not-run', why: `there is no test file ${job.test.file}` };
  const runner = findRunner(host, { top: scratch.top, file: path, node: bench.node });
  if ('error' in runner) return { ...nothing, outcome: 'could-not-run', why: runner.error };

  const attempts = attemptsOf(job);
  if (attempts.length === 0) {
    const before = job.before && 'error' in job.before ? `, and ${job.before.error}` : '';
    return {
      ...nothing,
      runner,
      outcome: 'could-not-run',
      why: `no way is known to take the mechanism out at this place${before}`,
    };
  }
  let stayed: (RunRecord & { readonly what: string }) | null = null;
  let broken: string | null = null;
  for (const attempt of attempts) {
    // What an inverse of ours leaves green is settled; the code before the change is for where none could tell.
    if (attempt.how === 'before-change' && stayed) break;
    bench.tell?.(`${job.row}: without ${attempt.what}`);
    const changed = change(bench, attempt);
    if (typeof changed === 'string') {
      broken ??= changed;
      continue;
    }
    const { shown, ...record } = await run(job, runner, path, bench).finally(changed);
    if (shown.k === 'neither') {
      if (shown.cancelled) return { ...nothing, runner, outcome: 'could-not-run', why: shown.why };
      broken ??= `without ${attempt.what}, ${shown.why}`;
      continue;
    }
    if (shown.k === 'green') {
      stayed ??= { ...record, what: attempt.what };
      continue;
    }
    const red: RedRecord = { ...record, how: attempt.how, without: attempt.what, assertion: shown.assertion };
    bench.tell?.(`${job.row}: with it`);
    const { shown: after, ...green } = await run(job, runner, path, bench);
    if (after.k === 'green') return { outcome: 'proven', why: '', runner, red, green };
    const why = after.k === 'red' ? after.assertion : after.why;
    return {
      outcome: after.k === 'neither' && after.cancelled ? 'could-not-run' : 'not-proven',
      why: `its test fails with the mechanism in place too: ${why}`,
      runner,
      red,
      green,
    };
  }
  if (stayed)
    return {
      outcome: 'decoration',
      why: `its test stays green without ${stayed.what}, so it proves nothing about it`,
      runner,
      red: null,
      green: { command: stayed.command, exit: stayed.exit, ms: stayed.ms },
    };
  // Whether the test runs at all tells a broken removal from a broken project.
  bench.tell?.(`${job.row}: with it`);
  const { shown } = await run(job, runner, path, bench);
  const runs = shown.k === 'green';
  return {
    ...nothing,
    runner,
    outcome: runs ? 'not-proven' : 'could-not-run',
    why: runs ? (broken ?? 'its test showed nothing') : `with the mechanism in place, ${said(shown)}`,
  };
}

function said(shown: Shown): string {
  return shown.k === 'red' ? `its test fails: ${shown.assertion}` : shown.k === 'neither' ? shown.why : '';
}

function attemptsOf({ removals, before }: ProofJob): readonly Attempt[] {
  const out: Attempt[] = removals.map(({ what, edits }) => ({
    how: 'mechanism-removed',
    what,
    files: edits.map(({ file, edits: some }) => ({ file, change: (text) => applyEdits(text, some) })),
  }));
  if (before && !('error' in before))
    out.push({
      how: 'before-change',
      what: `the change (code as of ${before.what})`,
      files: before.files.map(({ file, text }) => ({ file, change: () => text })),
    });
  return out;
}

/** Changes the copy; answers with what puts it back, or with why it could not be done. */
function change({ host, scratch }: Bench, { files }: Attempt): (() => void) | string {
  const undo: (() => void)[] = [];
  const back = (): void => {
    for (const one of undo) one();
  };
  for (const { file, change: make } of files) {
    const path = `${scratch.root}/${file}`;
    const bytes = host.readBytes(path);
    const read = host.readText(path);
    if (!bytes || !read) {
      back();
      return `${file} is not part of the work tree that git knows`;
    }
    undo.push(() => host.writeBytes(path, bytes));
    try {
      host.writeText(path, make(read.text), read.encoding);
    } catch (error) {
      back();
      return `${file} changed while it was looked at (${error instanceof Error ? error.message : String(error)})`;
    }
  }
  return back;
}

let count = 0;

async function run(
  job: ProofJob,
  found: FoundRunner,
  path: string,
  bench: Bench,
): Promise<RunRecord & { readonly shown: Shown }> {
  const { host, scratch, processes } = bench;
  const report = `${scratch.outbox}/report-${++count}.json`;
  const file = path.slice(found.cwd.length + 1);
  const { runner, flags } = found;
  const words = runner.words({ test: job.test, file, report, flags, outbox: scratch.outbox });
  for (const [name, text] of Object.entries(words.files)) if (!host.exists(name)) host.writeText(name, text);
  const read = (): ReturnType<typeof runner.read> => {
    const text = host.readText(report)?.text;
    return text === undefined ? null : runner.read(text);
  };
  const result = await processes.run({
    command: found.program,
    args: [...found.before, ...words.args],
    cwd: found.cwd,
    env: environment(found, bench),
    timeoutMs: bench.timeoutMs,
    ...(bench.onOutput ? { onOutput: bench.onOutput } : {}),
    ...(bench.signal ? { signal: bench.signal } : {}),
    settled: () =>
      shownBy({ test: job.test, path, result: WAITING, outcomes: read(), top: scratch.top }).k !== 'neither',
  });
  const shown = shownBy({ test: job.test, path, result, outcomes: read(), top: scratch.top });
  host.remove(report);
  // Ended from outside once its result was there, the program's own exit says nothing.
  const exit = result.ended === 'settled' ? (shown.k === 'green' ? 0 : 1) : result.exit;
  return { command: [...found.shown, ...words.shown].map(quoted).join(' '), exit, ms: result.ms, shown };
}

const WAITING = { exit: 0, ended: 'itself', output: '', ms: 0 } as const;

/** All tests take longer than one. */
const SUITE_FACTOR = 5;

function isWindows(env: Bench['env']): boolean {
  return env['OS'] === 'Windows_NT';
}

/** The project's own command over all tests, once. */
export async function runSuite(
  found: FoundRunner,
  bench: Bench,
): Promise<(RunRecord & { readonly why: string | null; readonly cancelled: boolean }) | null> {
  if (!found.suite) return null;
  bench.tell?.(found.suite.shown);
  const result = await bench.processes.run({
    ...(isWindows(bench.env)
      ? { command: 'cmd', args: ['/d', '/s', '/c', found.suite.script] }
      : { command: 'sh', args: ['-c', found.suite.script] }),
    cwd: found.cwd,
    env: { ...environment(found, bench), npm_lifecycle_event: 'test' },
    timeoutMs: bench.timeoutMs * SUITE_FACTOR,
    ...(bench.onOutput ? { onOutput: bench.onOutput } : {}),
    ...(bench.signal ? { signal: bench.signal } : {}),
  });
  const why =
    result.ended === 'time'
      ? 'did not end within the time limit'
      : result.ended === 'cancelled'
        ? 'was cancelled'
        : result.exit === 0
          ? null
          : `ends with ${result.exit}`;
  return {
    command: found.suite.shown,
    exit: result.exit,
    ms: result.ms,
    why,
    cancelled: result.ended === 'cancelled',
  };
}

/** Variables of this process that would change how a test runs or reports. */
const OURS =
  /^(?:NODE_TEST_CONTEXT|NODE_V8_COVERAGE|NODE_CHANNEL_FD|VSCODE_INSPECTOR_OPTIONS|FORCE_COLOR|npm_\w+|SIXLENS_\w+|GIT_\w+)$/;

function environment({ env, bins, cwd }: FoundRunner, bench: Bench): Record<string, string | undefined> {
  const kept = Object.fromEntries(Object.entries(bench.env).filter(([name]) => !OURS.test(name)));
  return {
    ...kept,
    ...env,
    NO_COLOR: '1',
    PWD: cwd,
    INIT_CWD: cwd,
    PATH: [...bins, kept['PATH'] ?? ''].join(isWindows(bench.env) ? ';' : ':'),
  };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
