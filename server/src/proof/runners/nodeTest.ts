/** Node's own runner, with a reporter of ours: one JSON object a line, written as tests end. */
import * as z from 'zod';
import { escapePattern, ownTitle } from '../testName.ts';
import { parsed } from './jestReport.ts';
import { failureOf, type Failure, type Runner, type TestOutcome } from './runner.ts';

const REPORTER = `export default async function* (events) {
  const open = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') open[data.nesting] = data.name;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const error = data.details?.error;
    const cause = error?.cause;
    yield JSON.stringify({
      title: data.name,
      full: [...open.slice(0, data.nesting), data.name].join(' '),
      file: data.file ?? null,
      passed: type === 'test:pass',
      skipped: data.skip !== undefined && data.skip !== false,
      suite: data.details?.type === 'suite',
      how: error?.failureType ?? null,
      code: typeof cause?.code === 'string' ? cause.code : null,
      stack: String(cause?.stack ?? cause ?? error?.message ?? ''),
    }) + '\\n';
  }
}
`;

const line = z.looseObject({
  title: z.string(),
  full: z.string(),
  file: z.string().nullable(),
  passed: z.boolean(),
  skipped: z.boolean(),
  suite: z.boolean(),
  how: z.string().nullable(),
  code: z.string().nullable(),
  stack: z.string(),
});

export const nodeTest: Runner = {
  name: 'node:test',
  program: null,
  valued: [
    '--import',
    '-r',
    '--require',
    '--loader',
    '--experimental-loader',
    '--env-file',
    '--env-file-if-exists',
    '-C',
    '--conditions',
    '--tsconfig',
    '--test-name-pattern',
    '--test-skip-pattern',
    '--test-reporter',
    '--test-reporter-destination',
    '--test-concurrency',
    '--test-timeout',
    '--test-shard',
  ],
  dropped:
    /^--(?:test(?:-\w+)*|watch(?:-\w+)*|experimental-test-coverage|inspect(?:-\w+)*|enable-source-maps)\b/,
  verbs: [],
  words({ test, file, report, flags, outbox }) {
    const reporter = `${outbox}/reporter.mjs`;
    const filter = `--test-name-pattern=${escapePattern(ownTitle(test.title))}$`;
    return {
      args: [
        '--enable-source-maps',
        ...flags,
        filter,
        `--test-reporter=${reporter}`,
        `--test-reporter-destination=${report}`,
        file,
      ],
      shown: [...flags, filter, file],
      files: { [reporter]: REPORTER },
    };
  },
  read(report) {
    const tests = report.split('\n').flatMap((text) => {
      const { data } = line.safeParse(parsed(text));
      return data && !data.suite ? [data] : [];
    });
    if (tests.length === 0) return null;
    return tests.map((test): TestOutcome => ({
      title: test.title,
      full: test.full,
      file: test.file,
      state: test.skipped ? 'skipped' : test.passed ? 'passed' : 'failed',
      failure: test.passed || test.skipped ? null : failure(test.how, test.stack, test.code),
    }));
  },
};

function failure(how: string | null, stack: string, code: string | null): Failure {
  switch (how) {
    case 'hookFailed':
      return { ...failureOf(stack), kind: 'hook' };
    case 'testTimeoutFailure':
    case 'cancelledByParent':
      return { kind: 'hung', message: 'it did not end', stack };
    case 'subtestsFailed':
      return { kind: 'error', message: 'a test inside it failed', stack };
    default:
      return failureOf(stack, code ?? undefined);
  }
}
