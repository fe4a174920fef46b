/** What a test runner is to a proof: how it is called for one test, and how its report is read. */
import type { TestName } from '../testName.ts';

export const RUNNERS = ['vitest', 'jest', 'mocha', 'node:test'] as const;
export type RunnerName = (typeof RUNNERS)[number];

/** One test as a report tells it. */
export interface TestOutcome {
  readonly title: string;
  /** Titles of its suites and its own, joined by spaces. */
  readonly full: string;
  /** Absolute; null where the report does not say. */
  readonly file: string | null;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly failure: Failure | null;
}

export interface Failure {
  /** `hook`: something around the test failed, not the test; `hung`: the runner's own limit, or nothing was left to wait for. */
  readonly kind: 'assertion' | 'error' | 'hung' | 'hook';
  /** First line of the message, or a few where the message needs them. */
  readonly message: string;
  readonly stack: string;
}

export interface RunRequest {
  readonly test: TestName;
  /** The test's file as the runner is to be given it, relative to the folder it runs in. */
  readonly file: string;
  /** Where the report goes. Absolute. */
  readonly report: string;
  /** Words that the project's own script gives the runner, without files and reporters. */
  readonly flags: readonly string[];
  /** Folder for files of ours. Absolute. */
  readonly outbox: string;
}

export interface RunnerWords {
  readonly args: readonly string[];
  /** What people would type. */
  readonly shown: readonly string[];
  /** Files that must be there, by absolute path. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Runner {
  readonly name: RunnerName;
  /** npm package and the name of its program; null for what Node brings. */
  readonly program: { readonly pkg: string; readonly bin: string } | null;
  /** Options of a script that have a value as the next word. */
  readonly valued: readonly string[];
  /** Options of a script that would run something else or report in another way; with a value where `valued` says so. */
  readonly dropped: RegExp;
  /** Words of a script that are neither options nor files. */
  readonly verbs: readonly string[];
  words(request: RunRequest): RunnerWords;
  /** Null when the text is no report of this runner: it did not come to run tests. */
  read(report: string): readonly TestOutcome[] | null;
}

const ASSERTION =
  /^(?:Uncaught )?(?:[\w.]*AssertionError\b|Error: expect[.(]|expect[.(]|JestAssertionError|(?:Error: )?assert[.(])/;
const HUNG =
  /^(?:Error: )?(?:STACK_TRACE_ERROR|Test timed out|Hook timed out|Timeout of \d+ ?ms exceeded|thrown: "Exceeded timeout|Exceeded timeout)|ERR_MOCHA_TIMEOUT/;
const HOOK = /_callCircusHook|callSuiteHook|callFixtureCleanup/;

/** Reads what went wrong from a stack or message, as the runners print it. */
export function failureOf(stack: string, code?: string): Failure {
  const text = stack.replace(ANSI, '');
  const kind = HUNG.test(text)
    ? 'hung'
    : HOOK.test(text)
      ? 'hook'
      : code === 'ERR_ASSERTION' || ASSERTION.test(text) || text.includes('[ERR_ASSERTION]')
        ? 'assertion'
        : 'error';
  return { kind, message: kind === 'hung' ? 'it did not end in time' : headOf(text), stack: text };
}
const ANSI = /\u001b\[[0-9;]*m/g;
const MAX_MESSAGE = 400;

/** The message before the frames, on one line. */
function headOf(text: string): string {
  const at = text.search(/\n\s+at /);
  const head = (at < 0 ? text : text.slice(0, at)).replace(/\s+/g, ' ').trim();
  return head.length > MAX_MESSAGE ? `${head.slice(0, MAX_MESSAGE)}…` : head;
}
