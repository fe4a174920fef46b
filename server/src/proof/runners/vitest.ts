/** vitest, once and without watching. */
import { titlePattern } from '../testName.ts';
import { readJestReport } from './jestReport.ts';
import type { Runner } from './runner.ts';

export const vitest: Runner = {
  name: 'vitest',
  program: { pkg: 'vitest', bin: 'vitest' },
  valued: [
    '-c',
    '--config',
    '-r',
    '--root',
    '--dir',
    '--project',
    '--environment',
    '--pool',
    '--mode',
    '--reporter',
    '--outputFile',
    '-t',
    '--testNamePattern',
    '--changed',
    '--shard',
    '--bail',
    '--retry',
  ],
  dropped:
    /^(?:--(?:coverage|reporter|outputFile|testNamePattern|watch|run|ui|changed|shard|bail|retry|passWithNoTests|silent)\b|-t$|-w$)/,
  verbs: ['run', 'watch', 'dev', 'related', 'bench'],
  words({ test, file, report, flags }) {
    const filter = ['-t', titlePattern(test.title)];
    return {
      args: [
        'run',
        ...flags,
        file,
        ...filter,
        '--coverage.enabled=false',
        '--retry=0',
        '--reporter=json',
        `--outputFile=${report}`,
      ],
      shown: ['vitest', 'run', ...flags, file, ...filter],
      files: {},
    };
  },
  read: readJestReport,
};
