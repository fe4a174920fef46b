import { strict as assert } from 'node:assert';
import { shownBy } from '../../../server/src/proof/assertion.ts';
import { jest } from '../../../server/src/proof/runners/jest.ts';
import { mocha } from '../../../server/src/proof/runners/mocha.ts';
import { nodeTest } from '../../../server/src/proof/runners/nodeTest.ts';
import type { Runner, TestOutcome } from '../../../server/src/proof/runners/runner.ts';
import { commandsOf } from '../../../server/src/proof/runners/scriptWords.ts';
import { findRunner } from '../../../server/src/proof/runners/findRunner.ts';
import { vitest } from '../../../server/src/proof/runners/vitest.ts';
import { isNamed, ownTitle, parseTestName, titlePattern } from '../../../server/src/proof/testName.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

const kinds = (outcomes: readonly TestOutcome[] | null): unknown =>
  outcomes?.map(({ full, state, failure }) => [full, failure ? failure.kind : state]);

describe('reports of runners', () => {
  const jestLike = (...tests: readonly [string, string, string?][]): string =>
    JSON.stringify({
      numTotalTests: tests.length,
      success: false,
      testResults: [
        {
          name: '/r/a.test.ts',
          status: 'failed',
          message: '',
          assertionResults: tests.map(([title, status, message]) => ({
            ancestorTitles: ['outer'],
            fullName: `outer ${title}`,
            title,
            status,
            failureMessages: message === undefined ? [] : [message],
          })),
        },
      ],
    });

  it('vitest: assertions of expect and of node, errors, hangs, skipped', () => {
    const report = jestLike(
      ['a', 'failed', 'AssertionError: expected 1 to be 2 // Object.is equality\n    at /r/a.test.ts:4:40'],
      ['b', 'failed', 'AssertionError [ERR_ASSERTION]: 1 == 2\n    at /r/a.test.ts:5:36'],
      ['c', 'failed', 'TypeError: boom\n    at /r/a.test.ts:6:30'],
      ['d', 'failed', 'Error: STACK_TRACE_ERROR\n    at task (file:///r/node_modules/@vitest/x.js:1:1)'],
      ['e', 'failed', 'Error: Test timed out in 5000ms.\nIf this is a long-running test'],
      ['f', 'passed'],
      ['g', 'skipped'],
      ['h', 'failed', 'AssertionError: no\n    at /r/a.test.ts:1:1\n    at callSuiteHook (file:///x.js:1:1)'],
    );
    assert.deepEqual(kinds(vitest.read(report)), [
      ['outer a', 'assertion'],
      ['outer b', 'assertion'],
      ['outer c', 'error'],
      ['outer d', 'hung'],
      ['outer e', 'hung'],
      ['outer f', 'passed'],
      ['outer g', 'skipped'],
      ['outer h', 'hook'],
    ]);
  });

  it('jest: matchers, coloured or not, the form it gives to node:assert, hooks, its own limit', () => {
    const report = jestLike(
      [
        'a',
        'failed',
        'Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 2\n    at Object.toBe (/r/a.test.ts:4:40)',
      ],
      [
        'b',
        'failed',
        'Error: \u001b[2mexpect(\u001b[22m\u001b[31mreceived\u001b[39m).rejects.toThrow()\n\nReceived promise resolved',
      ],
      ['c', 'failed', 'assert.equal(received, expected)\n\nExpected value to be equal to:\n  2'],
      ['d', 'failed', 'thrown: "Exceeded timeout of 200 ms for a test.\nAdd a timeout value'],
      [
        'e',
        'failed',
        'Error: expect(received).toBe(expected)\n    at _callCircusHook (/r/node_modules/jest-circus/run.js:1:1)',
      ],
      ['f', 'pending'],
      ['g', 'failed', 'Error: expected is not what it was'],
    );
    assert.deepEqual(kinds(jest.read(report)), [
      ['outer a', 'assertion'],
      ['outer b', 'assertion'],
      ['outer c', 'assertion'],
      ['outer d', 'hung'],
      ['outer e', 'hook'],
      ['outer f', 'skipped'],
      ['outer g', 'error'],
    ]);
    const message = jest.read(report)![0]!.failure!.message;
    assert.equal(message, 'Error: expect(received).toBe(expected) // Object.is equality Expected: 2');
  });

  it('a file that could not be loaded is no report', () => {
    const report = JSON.stringify({
      testResults: [
        { name: '/r/a.test.ts', status: 'failed', message: "Cannot find module './x'", assertionResults: [] },
      ],
    });
    for (const runner of [vitest, jest, mocha, nodeTest] as Runner[])
      for (const text of [report, '', 'SyntaxError: nope', '{}', '[1]'])
        assert.equal(runner.read(text), null, `${runner.name}: ${text}`);
  });

  it('mocha: assertions by code and by name, its limit, a hook for a test', () => {
    const test = (title: string, err: object = {}): object => ({
      title,
      fullTitle: `outer ${title}`,
      file: '/r/a.test.mjs',
      err,
    });
    const report = JSON.stringify({
      stats: {},
      tests: [],
      pending: [test('p')],
      passes: [test('q')],
      failures: [
        test('a', { stack: 'AssertionError [ERR_ASSERTION]: 1 == 2\n    at Context', code: 'ERR_ASSERTION' }),
        test('b', { stack: 'AssertionError: expected 1 to equal 2\n    at Context.<anonymous> (a.js:1:1)' }),
        test('c', { stack: 'Error: Timeout of 2000ms exceeded. For async tests', code: 'ERR_MOCHA_TIMEOUT' }),
        test('d', { stack: 'TypeError: boom' }),
        test('"before each" hook for "e"', { stack: 'AssertionError: 1', code: 'ERR_ASSERTION' }),
      ],
    });
    assert.deepEqual(kinds(mocha.read(report)), [
      ['outer q', 'passed'],
      ['outer a', 'assertion'],
      ['outer b', 'assertion'],
      ['outer c', 'hung'],
      ['outer d', 'error'],
      ['outer e', 'hook'],
      ['outer p', 'skipped'],
    ]);
  });

  it('node:test: suites are left out, what was cut off hung, a line half written is passed over', () => {
    const line = (title: string, more: object): string =>
      JSON.stringify({
        title,
        full: `outer ${title}`,
        file: '/r/a.test.mjs',
        passed: false,
        skipped: false,
        suite: false,
        how: 'testCodeFailure',
        code: null,
        stack: 'TypeError: boom',
        ...more,
      });
    const report = [
      line('a', { code: 'ERR_ASSERTION', stack: 'AssertionError [ERR_ASSERTION]: 1 == 2' }),
      line('b', {}),
      line('c', { how: 'cancelledByParent' }),
      line('d', { how: 'testTimeoutFailure' }),
      line('e', { how: 'hookFailed', code: 'ERR_ASSERTION', stack: 'AssertionError: 1' }),
      line('f', { how: 'subtestsFailed' }),
      line('g', { passed: true, how: null }),
      line('h', { passed: true, how: null, skipped: true }),
      line('outer', { suite: true }),
      '{"title":"half',
    ].join('\n');
    assert.deepEqual(kinds(nodeTest.read(report)), [
      ['outer a', 'assertion'],
      ['outer b', 'error'],
      ['outer c', 'hung'],
      ['outer d', 'hung'],
      ['outer e', 'hook'],
      ['outer f', 'error'],
      ['outer g', 'passed'],
      ['outer h', 'skipped'],
    ]);
  });
});

describe('what a run shows', () => {
  const result = { exit: 1, ended: 'itself', output: '', ms: 1 } as const;
  const shown = (stack: string, more: Partial<TestOutcome> = {}, output = ''): unknown => {
    const outcome: TestOutcome = {
      title: 'pays',
      full: 'wallet pays',
      file: '/r/test/a.test.ts',
      state: 'failed',
      failure: { kind: 'assertion', message: 'no', stack },
      ...more,
    };
    const run = {
      test: { file: 'test/a.test.ts', title: 'pays' },
      path: '/r/test/a.test.ts',
      result: { ...result, output },
      top: '/r',
    };
    return shownBy({ ...run, outcomes: [outcome] }).k;
  };

  it('is red where the assertion is of the test or of a helper for tests', () => {
    assert.equal(shown('A: no\n    at Context.<anonymous> (file:///r/test/a.test.ts:3:5)'), 'red');
    assert.equal(shown('A: no\n    at ok (/r/test/support/ok.ts:1:1)\n    at /r/src/pay.ts:1:1'), 'red');
    assert.equal(
      shown('A: no\n    at expect (/r/node_modules/chai/x.js:1:1)\n    at /r/test/a.test.ts:1:1'),
      'red',
    );
    assert.equal(shown('A: no'), 'red', 'nothing tells otherwise');
  });

  it('is not red where the product asserts, nor for another file or name', () => {
    assert.equal(shown('A: no\n    at pay (/r/src/pay.ts:9:3)\n    at /r/test/a.test.ts:1:1'), 'neither');
    assert.equal(shown('A: no', { file: '/r/test/b.test.ts' }), 'neither');
    assert.equal(shown('A: no', { title: 'pays twice', full: 'wallet pays twice' }), 'neither');
  });
});

describe('names of tests', () => {
  it('are a path and a title', () => {
    assert.deepEqual(parseTestName('test/a.test.ts > pays  once'), {
      file: 'test/a.test.ts',
      title: 'pays once',
    });
    assert.deepEqual(parseTestName('./a.js > wallet > pays'), { file: 'a.js', title: 'wallet > pays' });
    assert.deepEqual(['a.js', 'a.js >', ' > pays', 'a.js>pays'].map(parseTestName), [null, null, null, null]);
  });

  it('mean a test by its own title or with suites before it', () => {
    const test = { title: 'pays', full: 'wallet eu pays' };
    assert.deepEqual(
      ['pays', 'eu > pays', 'wallet > eu > pays', 'eu pays', 'us > pays', 'ays', 'wallet', 'let eu pays'].map(
        (name) => isNamed(name, test),
      ),
      [true, true, true, true, false, false, false, false],
    );
    assert.ok(isNamed('a > b', { title: 'a > b', full: 'x a > b' }), 'an arrow in a title');
    assert.equal(ownTitle('wallet > pays'), 'pays');
    assert.ok(new RegExp(titlePattern('wallet > pays (once)?')).test('the wallet pays (once)?'));
    assert.ok(!new RegExp(titlePattern('wallet > pays')).test('wallet pays later'));
  });
});

describe('scripts', () => {
  it('are commands of words, with their environment', () => {
    assert.deepEqual(
      commandsOf(
        `cross-env A=1 B='x y' node --import tsx --test "test/**/*.ts" && npm run lint; C=2 mocha a\\ b | tee x`,
      ),
      [
        { env: { A: '1', B: 'x y' }, words: ['node', '--import', 'tsx', '--test', 'test/**/*.ts'] },
        { env: {}, words: ['npm', 'run', 'lint'] },
        { env: { C: '2' }, words: ['mocha', 'a b'] },
        { env: {}, words: ['tee', 'x'] },
      ],
    );
    assert.deepEqual(commandsOf('echo "left open'), [{ env: {}, words: ['echo', 'left open'] }]);
  });
});

describe('the runner of a project', () => {
  const bin = (name: string): Record<string, string> => ({
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, bin: { [name]: `./bin/${name}.js` } }),
  });
  const found = (
    manifest: object,
    {
      test = '',
      file = 'test/a.test.ts',
      more = {},
    }: { test?: string; file?: string; more?: Record<string, string> } = {},
  ): string => {
    const host = memoryHost({
      'package.json': JSON.stringify(manifest),
      [file]: test,
      ...bin('mocha'),
      ...bin('vitest'),
      ...bin('jest'),
      ...bin('tsx'),
      ...more,
    });
    const result = findRunner(host, { top: ROOT, file: `${ROOT}/${file}`, node: 'NODE' });
    if ('error' in result) return result.error;
    const words = [result.program, ...result.before, ...result.flags].map((word) =>
      word.replace(`${ROOT}/`, ''),
    );
    return `${result.runner.name}: ${words.join(' ')}${Object.entries(result.env)
      .map(([k, v]) => ` ${k}=${v}`)
      .join('')}`;
  };

  it('is called as the test script calls it, without its files and reporters', () => {
    assert.equal(
      found({ scripts: { test: "mocha -r ts-node/register --reporter dot --timeout 9000 'test/**/*.ts'" } }),
      'mocha: NODE node_modules/mocha/bin/mocha.js -r ts-node/register --timeout 9000',
    );
    assert.equal(
      found({ scripts: { test: 'NODE_ENV=test node --import tsx --test --test-reporter spec test/' } }),
      'node:test: NODE --import tsx NODE_ENV=test',
    );
    assert.equal(
      found({ scripts: { test: 'tsx --test --tsconfig tsconfig.test.json test/*.ts' } }),
      'node:test: NODE node_modules/tsx/bin/tsx.js --tsconfig tsconfig.test.json',
    );
    assert.equal(
      found({ scripts: { test: 'vitest run --coverage --config vitest.unit.ts src' } }),
      'vitest: NODE node_modules/vitest/bin/vitest.js --config vitest.unit.ts',
    );
    assert.equal(
      found({
        scripts: {
          test: 'cross-env TZ=UTC node --experimental-vm-modules node_modules/jest/bin/jest.js -i --ci',
        },
      }),
      'jest: NODE --experimental-vm-modules node_modules/jest/bin/jest.js -i --ci TZ=UTC',
    );
    assert.equal(
      found({ scripts: { test: 'dotenv -e .env.test -- jest --runInBand' } }),
      'jest: dotenv -e .env.test -- NODE node_modules/jest/bin/jest.js --runInBand',
    );
    assert.equal(
      found({ scripts: { test: 'npm run lint && npm run unit', lint: 'eslint .', unit: 'c8 mocha --exit' } }),
      'mocha: NODE node_modules/mocha/bin/mocha.js',
    );
  });

  it('is what the test imports, or whose script names its folder', () => {
    const scripts = { test: 'vitest run && jest jtest', 'test:node': 'node --test node/' };
    const test = (from: string): string => `import { test } from '${from}';`;
    assert.match(found({ scripts }, { test: test('vitest') }), /^vitest/);
    assert.match(found({ scripts }, { test: test('node:test') }), /^node:test/);
    assert.match(found({ scripts }, { file: 'jtest/a.js' }), /^jest/);
    assert.match(found({ scripts }, { file: 'node/a.js' }), /^node:test/);
  });

  it('is looked for in the package of the test first, then above', () => {
    const inner = { scripts: { test: 'mocha' } };
    const file = 'packages/a/test/a.test.js';
    const more = { 'packages/a/package.json': JSON.stringify(inner) };
    assert.match(found({ scripts: { test: 'vitest' } }, { file, more }), /^mocha: NODE node_modules\/mocha/);
    const empty = { 'packages/a/package.json': '{"name":"a"}' };
    assert.match(found({ scripts: { test: 'vitest' } }, { file, more: empty }), /^vitest/);
  });

  it('is told by what is installed where no script tells, with a loader for TypeScript', () => {
    const dev = (...names: string[]): object => ({
      devDependencies: Object.fromEntries(names.map((n) => [n, '1'])),
    });
    assert.equal(found(dev('mocha', 'tsx')), 'mocha: NODE --import tsx node_modules/mocha/bin/mocha.js');
    assert.equal(
      found(dev('tsx'), { test: "import test from 'node:test';" }),
      'node:test: NODE --import tsx',
    );
    assert.equal(
      found(dev('mocha'), { file: 'test/a.js', test: "const text = `import test from 'node:test';`;\n" }),
      'mocha: NODE node_modules/mocha/bin/mocha.js',
    );
    assert.match(found({}), /no test runner was found/);
    assert.match(found({ scripts: { test: 'ava' } }), /run by ava, which is no runner/);
    assert.match(
      found({ scripts: { test: 'mocha' } }, { more: { 'node_modules/mocha/package.json': '{' } }),
      /mocha is not installed/,
    );
  });
});
