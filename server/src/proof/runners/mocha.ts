/** mocha, with its own JSON report. */
import * as z from 'zod';
import { titlePattern } from '../testName.ts';
import { parsed } from './jestReport.ts';
import { failureOf, type Runner, type TestOutcome } from './runner.ts';

const test = z.looseObject({
  title: z.string(),
  fullTitle: z.string(),
  file: z.string().nullish(),
  err: z.looseObject({
    stack: z.string().optional(),
    message: z.string().optional(),
    code: z.string().optional(),
  }),
});
const schema = z.looseObject({
  passes: z.array(test),
  failures: z.array(test),
  pending: z.array(test),
});

/** `"before each" hook for "pays"`: mocha counts it among the tests. */
const HOOK = /^"(?:before|after)(?: each| all)?" hook(?: for "(.*)")?/;

export const mocha: Runner = {
  name: 'mocha',
  program: { pkg: 'mocha', bin: 'mocha' },
  valued: [
    '-r',
    '--require',
    '--import',
    '--loader',
    '--extension',
    '--spec',
    '--ignore',
    '--exclude',
    '--file',
    '-t',
    '--timeout',
    '-s',
    '--slow',
    '-R',
    '--reporter',
    '-O',
    '--reporter-option',
    '--reporter-options',
    '-g',
    '--grep',
    '-f',
    '--fgrep',
    '-j',
    '--jobs',
    '--config',
    '--package',
    '-n',
    '--node-option',
    '-u',
    '--ui',
    '--retries',
  ],
  dropped:
    /^(?:--(?:spec|reporter|reporter-options?|grep|fgrep|jobs|parallel|watch\w*|watch-files|invert|retries|bail|recursive|exit|forbid-only|forbid-pending|dry-run)\b|-(?:R|O|g|f|j|p|w|i|b)$)/,
  verbs: [],
  words({ test: { title }, file, report, flags }) {
    const filter = ['--grep', titlePattern(title)];
    return {
      args: [
        ...flags,
        file,
        ...filter,
        '--retries',
        '0',
        '--exit',
        '--reporter',
        'json',
        '--reporter-option',
        `output=${report}`,
      ],
      shown: ['mocha', ...flags, file, ...filter],
      files: {},
    };
  },
  read(report) {
    const { data } = schema.safeParse(parsed(report));
    if (!data) return null;
    const outcome = (found: z.infer<typeof test>, state: TestOutcome['state']): TestOutcome => {
      const hook = HOOK.exec(found.title);
      const stack = found.err.stack ?? found.err.message ?? '';
      const failure = failureOf(stack, found.err.code);
      return {
        title: hook?.[1] ?? found.title,
        full:
          hook?.[1] === undefined ? found.fullTitle : found.fullTitle.replace(/"(?:before|after).*/, hook[1]),
        file: found.file ?? null,
        state,
        failure: state === 'failed' ? (hook ? { ...failure, kind: 'hook' } : failure) : null,
      };
    };
    return [
      ...data.passes.map((found) => outcome(found, 'passed')),
      ...data.failures.map((found) => outcome(found, 'failed')),
      ...data.pending.map((found) => outcome(found, 'skipped')),
    ];
  },
};
