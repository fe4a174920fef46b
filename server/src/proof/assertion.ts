/** What one run of a row's test shows. Owns the difference between red on the test's own assertion and every other failure. */
import { placeOfPath } from '../model/place.ts';
import type { ProcessResult } from '../host/processes.ts';
import { isNamed, type TestName } from './testName.ts';
import type { TestOutcome } from './runners/runner.ts';

export type Shown =
  | { readonly k: 'green' }
  /** `assertion`: its message. */
  | { readonly k: 'red'; readonly assertion: string }
  /** It failed in a way that says nothing about the mechanism, or did not run. One sentence without a full stop. */
  | { readonly k: 'neither'; readonly why: string; readonly cancelled: boolean };

export interface Run {
  readonly test: TestName;
  /** The test's file as it was run. Absolute. */
  readonly path: string;
  readonly result: ProcessResult;
  readonly outcomes: readonly TestOutcome[] | null;
  /** Top of the tree that was run: frames below it are the project's own. */
  readonly top: string;
}

export function shownBy(run: Run): Shown {
  const { test, result, outcomes } = run;
  const own = (outcomes ?? []).filter(
    (outcome) => isNamed(test.title, outcome) && (outcome.file === null || isFile(outcome.file, run.path)),
  );
  const ran = own.filter(({ state }) => state !== 'skipped');
  // A report of the test is worth more than how the program ended.
  if (ran.length === 0) return neither(notRun(run, own.length > 0), result.ended === 'cancelled');
  const failed = ran.filter(({ state }) => state === 'failed');
  if (failed.length === 0) return { k: 'green' };
  for (const { failure } of failed) {
    if (failure?.kind === 'assertion' && isTests(failure.stack, run)) continue;
    return neither(notOwn(failure));
  }
  return { k: 'red', assertion: failed[0]?.failure?.message ?? '' };
}

function neither(why: string, cancelled = false): Shown {
  return { k: 'neither', why, cancelled };
}

function notRun({ result, outcomes, test }: Run, skipped: boolean): string {
  switch (result.ended) {
    case 'cancelled':
      return 'it was cancelled';
    case 'time':
      return 'its test did not end within the time limit';
    case 'not-started':
      return `the runner could not be started: ${lastLines(result.output, 1)}`;
    default:
      break;
  }
  if (skipped) return 'its test is skipped';
  if (outcomes === null) {
    const said = telling(result.output);
    return `its test did not come to run${said === '' ? '' : `: ${said}`}`;
  }
  return `no test is called "${test.title}" in ${test.file}`;
}

function notOwn(failure: TestOutcome['failure']): string {
  switch (failure?.kind) {
    case 'hung':
      return 'its test hung until the runner gave up, which is no assertion; let the test itself demand an end in time';
    case 'hook':
      return `something around its test failed, not the test: ${failure.message}`;
    case 'assertion':
      return `an assertion outside of the tests failed: ${failure.message}`;
    default:
      return `its test failed, but on no assertion: ${failure?.message ?? 'without a message'}`;
  }
}

/** An `assert` in product code is no assertion of the test. Libraries and Node's own frames do not count. */
function isTests(stack: string, { path, top }: Run): boolean {
  for (const [, at] of stack.matchAll(/(?:\(|at (?:async )?)((?:file:\/\/)?\/?[^\s()]+?):\d+:\d+\)?$/gm)) {
    const file = decoded(at!);
    if (file.startsWith('node:') || file.includes('/node_modules/')) continue;
    if (isFile(file, path)) return true;
    if (!file.startsWith(`${top}/`)) continue;
    return placeOfPath(file.slice(top.length + 1)) === 'test';
  }
  return true;
}

function decoded(at: string): string {
  const plain = at.replace(/^file:\/\//, '').replace(/\?.*$/, '');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function isFile(found: string, path: string): boolean {
  const plain = decoded(found).replace(/\\/g, '/');
  return plain === path || (!plain.startsWith('/') && path.endsWith(`/${plain}`)) || compiled(plain, path);
}

/** `dist/test/pay.test.js` for `test/pay.test.ts`. */
function compiled(found: string, path: string): boolean {
  const bare = (name: string): string => name.slice(name.lastIndexOf('/') + 1).replace(/\.[cm]?[jt]sx?$/, '');
  return /\/(?:dist|build|out|lib)\//.test(found) && bare(found) === bare(path);
}

/** The line of the output that names an error, else its end. */
function telling(output: string): string {
  const lines = output.replace(/\u001b\[[0-9;]*m/g, '').split('\n');
  const error = lines.find((text) => /\b\w*Error\b.*:|Cannot find|SyntaxError|error TS\d+/.test(text));
  // Where the runner says that its report lies is no news.
  const end = lines.filter((text) => text.trim() !== '' && !/outbox|report written/i.test(text)).at(-1) ?? '';
  return (error ?? end).trim().slice(0, 300);
}

function lastLines(output: string, count: number): string {
  return output.trim().split('\n').slice(-count).join(' ').trim();
}
