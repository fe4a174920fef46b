import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { budgetsSchema, judge } from './budgets.ts';
import { measure } from './measure.ts';
import { layOutFolder, pickSingleFiles } from './sample.ts';
import { median, percentile } from './statistics.ts';
import { PLANTED, typeInto, writeService } from './synthetic.ts';
import { textTable } from './textTable.ts';

describe('bench: figures', () => {
  it('takes the middle, and the mean of two middles', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([4, 1, 2, 9]), 3);
    assert.throws(() => median([]));
  });

  it('takes percentiles by nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    assert.equal(percentile(hundred, 0.95), 95);
    assert.equal(percentile([7], 0.95), 7);
    assert.equal(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.95), 10);
  });

  it('aligns columns', () => {
    assert.equal(
      textTable([
        ['a', 'n'],
        ['long', '1'],
        ['b', '10'],
      ]),
      'a      n\n────  ──\nlong   1\nb     10',
    );
  });
});

describe('bench: budgets', () => {
  const budget = { id: 'x', what: 'x', measure: 'a', of: 'b', max: 0.5, unit: '×' };

  it('passes at the limit, fails above it', () => {
    assert.equal(
      judge(
        [budget],
        new Map([
          ['a', 1],
          ['b', 2],
        ]),
        10,
      )[0]!.outcome,
      'pass',
    );
    assert.equal(
      judge(
        [budget],
        new Map([
          ['a', 1.1],
          ['b', 2],
        ]),
        10,
      )[0]!.outcome,
      'FAIL',
    );
  });

  it('judges nothing that was not measured, and no ratio of small inputs', () => {
    assert.equal(judge([budget], new Map([['a', 1]]), 10)[0]!.outcome, 'not measured');
    const large = { ...budget, minFiles: 1500 };
    assert.equal(
      judge(
        [large],
        new Map([
          ['a', 9],
          ['b', 2],
        ]),
        1499,
      )[0]!.outcome,
      'not measured',
    );
    assert.equal(
      judge(
        [large],
        new Map([
          ['a', 9],
          ['b', 2],
        ]),
        1500,
      )[0]!.outcome,
      'FAIL',
    );
  });

  it('reads the budgets that ship, each under a name of its own', () => {
    const text = readFileSync(path.join(import.meta.dirname, 'budgets.json'), 'utf8');
    const { budgets } = budgetsSchema.parse(JSON.parse(text));
    assert.equal(new Set(budgets.map(({ id }) => id)).size, budgets.length);
  });
});

describe('bench: synthetic service', () => {
  for (const lines of [200, 1000, 5000]) {
    it(`is about ${lines} lines long`, () => {
      const length = writeService(lines).split('\n').length;
      assert.ok(length >= lines && length < lines + 40, `${length} lines`);
    });
  }

  it('types an unbounded call where it says', () => {
    const edits = [...typeInto(writeService(200), 25)];
    const planted = edits.filter(({ plantedAt }) => plantedAt !== null);
    assert.equal(planted.length, 10);
    for (const { text, plantedAt } of planted) assert.ok(text.startsWith('fetch(', plantedAt!));
    assert.ok(edits.every(({ text, plantedAt }) => text.includes(PLANTED) === (plantedAt !== null)));
  });
});

describe('bench: sample and measurement', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'sixlens-bench-test-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const put = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };

  it('copies sources and manifests, and nothing that a tool would leave out by itself', () => {
    put('in/src/a.ts', 'export const a = 1;\n');
    put('in/src/a.test.ts', 'export {};\n');
    put('in/src/b.d.ts', 'export {};\n');
    put('in/migrations/001.ts', 'export {};\n');
    put('in/node_modules/x/x.js', 'module.exports = 1;\n');
    put('in/package.json', '{}');
    mkdirSync(path.join(folder, 'out'));
    const sample = layOutFolder(path.join(folder, 'in'), path.join(folder, 'out'));
    assert.deepEqual(sample.files, ['src/a.ts']);
    assert.equal(sample.lines, 1);
    assert.equal(readFileSync(path.join(sample.root, 'package.json'), 'utf8'), '{}');
  });

  it('refuses a folder without source', () => {
    mkdirSync(path.join(folder, 'in'));
    assert.throws(() => layOutFolder(path.join(folder, 'in'), path.join(folder, 'out')), /no TypeScript/);
    assert.throws(() => layOutFolder(path.join(folder, 'nowhere'), path.join(folder, 'out')), /not a folder/);
  });

  it('picks single files across the sizes', () => {
    for (let i = 1; i <= 9; i++) put(`in/f${i}.ts`, '// x\n'.repeat(500 * i));
    put('in/tiny.ts', '//\n');
    const sample = layOutFolder(path.join(folder, 'in'), path.join(folder, 'out'));
    assert.deepEqual(pickSingleFiles(sample, 3), ['f2.ts', 'f5.ts', 'f8.ts']);
  });

  it('sees time, exit code and memory of a child of the child', async function () {
    this.timeout(30_000);
    const grandchild = `const held = Buffer.alloc(150e6, 1); setTimeout(() => process.exit(held[0] === 1 ? 0 : 9), 600)`;
    const script = `require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(grandchild)}]); process.exit(3)`;
    const run = await measure(
      { file: process.execPath, args: ['-e', script], cwd: folder },
      { memory: true, timeoutSeconds: 20 },
    );
    assert.equal(run.exitCode, 3);
    assert.ok(run.seconds >= 0.6);
    if (process.platform === 'linux') {
      assert.ok(run.megabytes! > 150, `${run.megabytes} MB`);
      assert.ok(run.cpuSeconds! > 0 && run.cpuSeconds! < 20, `${run.cpuSeconds} s`);
    } else assert.equal(run.megabytes, null);
  });

  it('gives up on a command that does not end', async function () {
    this.timeout(20_000);
    await assert.rejects(
      measure(
        { file: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], cwd: folder },
        { memory: false, timeoutSeconds: 0.5 },
      ),
      /limit 0.5 s/,
    );
  });
});
