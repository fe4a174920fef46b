/** jest, for one file. */
import { titlePattern } from '../testName.ts';
import { readJestReport } from './jestReport.ts';
import type { Runner } from './runner.ts';

export const jest: Runner = {
  name: 'jest',
  program: { pkg: 'jest', bin: 'jest' },
  valued: [
    '-c',
    '--config',
    '--rootDir',
    '--env',
    '--testEnvironment',
    '-w',
    '--maxWorkers',
    '--testPathPattern',
    '--testPathPatterns',
    '--testPathIgnorePatterns',
    '-t',
    '--testNamePattern',
    '--selectProjects',
    '--setupFiles',
    '--setupFilesAfterEnv',
    '--testTimeout',
    '--runner',
    '--testRunner',
    '--preset',
    '--reporters',
    '--outputFile',
    '--changedSince',
    '--shard',
    '--coverageDirectory',
    '--collectCoverageFrom',
    '--coverageReporters',
  ],
  dropped:
    /^(?:--(?:coverage\w*|collectCoverage\w*|watch\w*|reporters|outputFile|json|testNamePattern|testPathPatterns?|onlyChanged|onlyFailures|changedSince|findRelatedTests|lastCommit|passWithNoTests|bail|shard|silent|verbose)\b|-t$|-o$|-b$)/,
  verbs: [],
  words({ test, file, report, flags }) {
    const filter = ['-t', titlePattern(test.title)];
    return {
      args: [
        ...flags,
        '--runTestsByPath',
        file,
        ...filter,
        '--coverage=false',
        '--forceExit',
        '--json',
        `--outputFile=${report}`,
      ],
      shown: ['jest', ...flags, file, ...filter],
      files: {},
    };
  },
  read: readJestReport,
};
