import { strict as assert } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gateOutputSchema } from '../../server/src/cli/schemas.ts';
import { readEvidence } from '../../server/src/tables/evidence.ts';
import { proofProject, tableText, type ProofProject, type ProofRow } from '../support/proofProject.ts';

const RATES = `export async function rate(url) {
  const res = await fetch(url, { signal: AbortSignal.timeout(100) });
  if (!res.ok) throw new Error('rates answered ' + res.status);
  return res.json();
}
`;
/** Tests as three runners write them: only the head differs. */
const TESTS = `import { createServer } from 'node:http';
import assert from 'node:assert';
import { rate } from '../src/rates.js';

async function serving(answer, use) {
  const server = createServer(answer).listen(0);
  await new Promise((ok) => server.once('listening', ok));
  try {
    return await use('http://localhost:' + server.address().port + '/');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
const ends = (url) => {
  const call = rate(url).then(() => 'answered', () => 'gave up');
  return Promise.race([call, new Promise((ok) => setTimeout(ok, 500, 'still waiting'))]);
};

describe('rate', () => {
  it('ends in time', () => serving(() => {}, async (url) => assert.equal(await ends(url), 'gave up')));
  it('is a number', () => serving((_, res) => res.end('1'), async (url) => assert.equal(await rate(url), 1)));
  it('hangs itself', () => serving(() => {}, async (url) => assert.rejects(rate(url))));
  it('throws something', () => serving(() => {}, async (url) => {
    if ((await ends(url)) !== 'gave up') throw new TypeError('no assertion at all');
  }));
  it('refuses errors', () => serving((_, res) => res.writeHead(500).end('1'), (url) => assert.rejects(rate(url))));
  it.skip('is skipped', () => {});
});
`;

const ROW: ProofRow = {
  id: 'clk-00000001',
  rule: 'call-without-timeout',
  at: 'fetch',
  test: 'test/rates.test.js > ends in time',
};

function project(
  rows: readonly ProofRow[],
  head = `import { describe, it } from 'node:test';\n`,
): ProofProject {
  return proofProject({
    file: 'src/rates.js',
    symbol: 'rate',
    rows,
    manifest: { scripts: { test: 'node --test test/' } },
    files: { 'src/rates.js': RATES, 'test/rates.test.js': head + TESTS },
  });
}

describe('prove', function () {
  this.timeout(60_000);
  let made: ProofProject | null = null;
  const start = (...args: Parameters<typeof project>): ProofProject => (made = project(...args));
  afterEach(() => {
    made?.remove();
    made = null;
  });

  it('proves a row red and green, runs the suite, and records what it saw', async () => {
    const tried = start([ROW]);
    const { code, out, err } = await tried.prove([ROW.id]);
    assert.deepEqual([code, err], [0, ''], out);
    assert.match(out, /^clk-00000001 {2}proven {2}rate: /);
    assert.match(out, /red {4}without the time limit: AssertionError .*still waiting/);
    const evidence = readEvidence(tried.read('.sixlens/evidence/src/rates/function-rate/clk-00000001.json'));
    assert.equal(evidence?.red.how, 'mechanism-removed');
    assert.equal(evidence.red.exit, 1);
    assert.match(evidence.red.assertion, /still waiting/);
    assert.equal(evidence.green.exit, 0);
    assert.deepEqual(evidence.suite, { command: 'npm test (node --test test/)', exit: 0 });
    assert.equal(evidence.runner, 'node:test');
    assert.equal(tried.git('rev-parse', '--verify', `${evidence.red.at}^{tree}`).trim(), evidence.red.at);
    assert.equal(tried.git('status', '--porcelain'), '?? .sixlens/evidence/\n');
  });

  it('closes the row for the gate, until its test or its code changes', async () => {
    const tried = start([ROW]);
    tried.git('checkout', '-q', '-b', 'work');
    tried.write(tried.table, tried.read(tried.table).replace('pruned', 'owner: li\npruned'));
    const state = async (): Promise<string | undefined> => {
      const { out } = await tried.command(['gate', '--format', 'json']);
      return gateOutputSchema.parse(JSON.parse(out)).tables[0]?.rows[ROW.id];
    };
    assert.equal(await state(), 'unproven');
    assert.equal((await tried.prove([ROW.id, '--no-suite'])).code, 0);
    assert.equal(await state(), 'closed');
    const { out } = await tried.command(['pr']);
    assert.match(
      out,
      /## Handled\n\n- .*test `test\/rates.test.js > ends in time`\n {2}- red without the time limit: `node .*` ends with 1: `AssertionError .*`\n {2}- green with it: `node .*` ends with 0\n/,
    );
    const test = tried.read('test/rates.test.js');
    tried.write('test/rates.test.js', test.replace("it('is a number'", "// moved\n  it('is any number'"));
    assert.equal(await state(), 'closed', 'another test, and layout');
    tried.write('test/rates.test.js', test.replace("'gave up')))", "'answered')))"));
    assert.equal(await state(), 'stale: test changed');
    tried.write('test/rates.test.js', test);
    tried.write('src/rates.js', RATES.replace('100', '200'));
    assert.equal(await state(), 'stale: proof old');
    tried.write('src/rates.js', RATES);
    tried.write(tried.table, tried.read(tried.table).replace('> ends in time', '> is a number'));
    assert.equal(await state(), 'unproven', 'the proof is about another test');
    tried.write(tried.table, tried.read(tried.table).replace('> is a number', '> ends in time'));
    tried.git('add', '-A');
    tried.git('commit', '-q', '-m', 'proven');
    tried.git('mv', 'src/rates.js', 'src/moved.js');
    tried.write('test/rates.test.js', test.replace('src/rates.js', 'src/moved.js'));
    tried.git('commit', '-q', '-a', '-m', 'moved');
    const moved = await tried.command(['affirm', 'rate', '--by', 'ana']);
    assert.deepEqual([moved.code, moved.err], [0, '']);
    assert.equal(await state(), 'closed', 'its evidence moves along');
  });

  it('calls a test that stays green a decoration, and takes back what was recorded', async () => {
    const tried = start([{ ...ROW, test: 'test/rates.test.js > rate > is a number' }]);
    const evidence = '.sixlens/evidence/src/rates/function-rate/clk-00000001.json';
    tried.write(evidence, '{}');
    const { code, out } = await tried.prove([tried.table]);
    assert.equal(code, 1);
    assert.match(out, /decoration .*\n {2}its test stays green without the time limit/);
    assert.equal(existsSync(path.join(tried.path, evidence)), false);
  });

  it('takes nothing but an assertion of the test for red', async () => {
    const rows = ['hangs itself', 'throws something', 'is skipped', 'is not there'].map((title, i) => ({
      ...ROW,
      id: `clk-0000000${i + 1}`,
      test: `test/rates.test.js > ${title}`,
    }));
    const tried = start(rows);
    const found = await tried.results([tried.table, '--timeout', '4', '--no-suite']);
    assert.deepEqual(
      Object.values(found).map(({ outcome, why }) => [outcome, why]),
      [
        ['not-proven', 'without the time limit, its test did not end within the time limit'],
        [
          'not-proven',
          'without the time limit, its test failed, but on no assertion: TypeError: no assertion at all',
        ],
        ['could-not-run', 'with the mechanism in place, its test is skipped'],
        [
          'could-not-run',
          'with the mechanism in place, no test is called "is not there" in test/rates.test.js',
        ],
      ],
    );
    assert.equal(existsSync(path.join(tried.path, '.sixlens/evidence')), false);
  });

  it('sees uncommitted code, and demands green with it', async () => {
    const tried = start([{ ...ROW, test: 'test/rates.test.js > ends early' }]);
    tried.write(
      'test/rates.test.js',
      `import { describe, it } from 'node:test';\n${TESTS.replace("it('ends in time'", "it('ends early'")}`,
    );
    assert.equal((await tried.results([ROW.id, '--no-suite']))[ROW.id]?.outcome, 'proven');
    tried.write('src/rates.js', RATES.replace('timeout(100)', 'timeout(5000)'));
    const { outcome, why } = (await tried.results([ROW.id, '--no-suite']))[ROW.id]!;
    assert.equal(outcome, 'not-proven');
    assert.match(why, /^its test fails with the mechanism in place too: AssertionError/);
  });

  it('uses the code before the change where no inverse is known, or when told to', async () => {
    const tried = start([
      ROW,
      { id: 'bnd-00000002', at: 'res.json', how: 'kept', test: 'test/rates.test.js > refuses errors' },
    ]);
    tried.git('checkout', '-q', '-b', 'work');
    assert.match(
      (await tried.results([ROW.id, '--how', 'before-change']))[ROW.id]!.why,
      /no way is known .* src\/rates.js did not change since the branch left main$/,
    );
    tried.git('checkout', '-q', 'main');
    tried.write('src/rates.js', RATES.replace(/, \{ signal.*\}/, '').replace(/ {2}if.*\n/, ''));
    tried.git('commit', '-q', '-a', '-m', 'before');
    tried.git('checkout', '-q', '-b', 'later');
    tried.write('src/rates.js', RATES);
    const told = (await tried.results([ROW.id, '--how', 'before-change', '--no-suite']))[ROW.id]!;
    assert.deepEqual([told.outcome, told.red?.how], ['proven', 'before-change'], told.why);
    const unknown = (await tried.results(['bnd-00000002', '--no-suite']))['bnd-00000002']!;
    assert.deepEqual([unknown.outcome, unknown.red?.how], ['proven', 'before-change'], unknown.why);
  });

  it('reports a suite that fails, and records nothing then', async () => {
    const tried = start([ROW]);
    tried.write(
      'test/other.test.js',
      `import { test } from 'node:test';\ntest('fails', () => { throw new Error('x'); });\n`,
    );
    const { outcome, why, suite } = (await tried.results([ROW.id]))[ROW.id]!;
    assert.equal(outcome, 'not-proven');
    assert.match(why, /the suite \(npm test .*\) ends with 1$/);
    assert.equal(suite?.exit, 1);
    assert.equal(existsSync(path.join(tried.path, '.sixlens/evidence')), false);
  });

  it('runs mocha as the script does', async () => {
    const tried = proofProject({
      file: 'src/rates.js',
      symbol: 'rate',
      rows: [
        ROW,
        { ...ROW, id: 'clk-00000002', test: 'test/rates.test.js > rate > is a number' },
        { ...ROW, id: 'clk-00000003', test: 'test/rates.test.js > hangs itself' },
      ],
      manifest: { scripts: { test: 'npm run unit', unit: "mocha --reporter dot 'test/**/*.test.js'" } },
      installed: ['mocha'],
      files: { 'src/rates.js': RATES, 'test/rates.test.js': TESTS },
    });
    made = tried;
    const found = await tried.results([tried.table, '--no-suite']);
    assert.deepEqual(
      Object.values(found).map(({ outcome, runner }) => [outcome, runner]),
      [
        ['proven', 'mocha'],
        ['decoration', 'mocha'],
        ['not-proven', 'mocha'],
      ],
    );
    assert.match(found['clk-00000003']!.why, /hung until the runner gave up/);
    assert.match(found['clk-00000001']!.red!.command, /^mocha test\/rates.test.js --grep /);
  });

  it('reads TypeScript through what the project uses, and generated files that git ignores', async () => {
    const tried = proofProject({
      file: 'src/rates.ts',
      symbol: 'rate',
      rows: [{ ...ROW, test: 'test/rates.test.ts > ends in time' }],
      manifest: { scripts: { test: 'node --import tsx --test test/*.test.ts' } },
      installed: ['tsx'],
      files: {
        'src/rates.ts': RATES.replace('(url)', '(url: string): Promise<unknown>')
          .replace('100', 'LIMIT')
          .replace(/^/, `import { LIMIT } from '../generated/limits.ts';\n`),
        'test/rates.test.ts': `import { describe, it } from 'node:test';\n${TESTS.replace('rates.js', 'rates.ts').replace('(url) =>', '(url: string) =>').replace('(answer, use)', '(answer: any, use: any)')}`,
        'generated/limits.ts': 'export const LIMIT: number = 100;\n',
      },
    });
    made = tried;
    assert.equal(tried.git('ls-files', 'generated'), '');
    const { outcome, why, red } = (await tried.results([ROW.id]))[ROW.id]!;
    assert.deepEqual([outcome, why], ['proven', '']);
    assert.match(red!.command, /^node --import tsx /);
  });

  it('stops when it is interrupted', async () => {
    const tried = start([{ ...ROW, test: 'test/rates.test.js > hangs itself' }]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 1500);
    const began = Date.now();
    const { code, out } = await tried.prove([ROW.id], { interrupt: controller.signal });
    assert.equal(code, 2, out);
    assert.match(out, /could not run .*\n {2}it was cancelled/);
    assert.ok(Date.now() - began < 20_000);
    assert.equal(tried.git('worktree', 'list').trim().split('\n').length, 1);
  });

  describe('refuses', () => {
    const refused = async (tried: ProofProject, ...words: string[]): Promise<string> => {
      const { code, out, err } = await tried.prove(words);
      assert.equal(code, 2, out);
      return out + err;
    };

    it('a row that is not there, and names one that is near', async () => {
      const tried = start([ROW]);
      assert.match(
        await refused(tried, 'clk-00000009'),
        /there is no row, table or file clk-00000009; there is clk-00000001/,
      );
    });

    it('a row without a test, without its file, or with a test of another row', async () => {
      const tried = start([
        { id: 'clk-00000001', at: 'fetch' },
        { ...ROW, id: 'clk-00000002', test: 'test/gone.test.js > x' },
        { ...ROW, id: 'clk-00000003' },
        { ...ROW, id: 'clk-00000004' },
        { ...ROW, id: 'clk-00000005', test: 'test/rates.test.js' },
      ]);
      const said = await refused(tried, tried.table);
      assert.match(said, /it names no test; write/);
      assert.match(said, /there is no test file test\/gone.test.js/);
      assert.match(said, /it names the test that clk-00000004 names; each row needs its own/);
      assert.match(said, /its test is not written as `path > title`/);
    });

    it('a project without a runner, or with one that cannot run one test', async () => {
      const tried = start(
        [ROW],
        `const describe = (_, f) => f(); const it = describe; it.skip = () => {};\n`,
      );
      tried.write('package.json', '{"type":"module"}');
      assert.match(await refused(tried, ROW.id), /no test runner was found/);
      tried.write('package.json', '{"type":"module","scripts":{"test":"ava test/*.js"}}');
      assert.match(await refused(tried, ROW.id), /the tests are run by ava, which is no runner/);
      tried.write('package.json', '{"type":"module","devDependencies":{"vitest":"3"}}');
      assert.match(await refused(tried, ROW.id), /vitest is not installed/);
    });

    it('a folder without version control', async () => {
      const tried = start([ROW]);
      const { rmSync } = await import('node:fs');
      rmSync(path.join(tried.path, '.git'), { recursive: true });
      assert.match(await refused(tried, ROW.id), /this is no git repository/);
    });

    it('a submodule with changes of its own', async () => {
      const tried = start([ROW]);
      const other = start([ROW]);
      tried.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.path, 'vendored');
      tried.git('commit', '-q', '-m', 'sub');
      assert.equal((await tried.results([ROW.id, '--no-suite']))[ROW.id]?.outcome, 'proven');
      tried.write('vendored/src/rates.js', '// changed\n');
      assert.match(await refused(tried, ROW.id), /the submodule vendored has changes of its own/);
      tried.remove();
    });

    it('a verdict that has no test, a table without handled rows, and words that are wrong', async () => {
      const tried = start([ROW]);
      tried.write(
        tried.table,
        tableText({ file: 'src/rates.js', symbol: 'rate', rows: [ROW] }).replace(
          'verdict: handle',
          'verdict: undecided',
        ),
      );
      assert.match(await refused(tried, ROW.id), /its verdict is undecided/);
      assert.match(await refused(tried, tried.table), /has no row with the verdict handle/);
      assert.match(await refused(tried, 'test/rates.test.js'), /no table is about test\/rates.test.js/);
      assert.match(await refused(tried, ROW.id, '--timeout', 'soon'), /--timeout takes seconds, not soon/);
      assert.match(await refused(tried), /name one row, table or source file/);
    });
  });

  it('leaves nothing of a run behind', async () => {
    const tried = start([ROW]);
    await tried.results([ROW.id, '--no-suite']);
    assert.equal(tried.git('worktree', 'list').trim().split('\n').length, 1);
    assert.equal(existsSync(path.join(tried.path, '.git/worktrees')), false);
    assert.equal(readFileSync(path.join(tried.path, 'src/rates.js'), 'utf8'), RATES);
  });
});
