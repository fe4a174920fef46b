import { strict as assert } from 'node:assert';
import { MECHANISMS, PACKAGES, type MechanismSample } from '../support/mechanisms.ts';
import { proofProject, tableText, type ProofProject } from '../support/proofProject.ts';

const SERVING = `
import assert from 'node:assert';
import { createServer } from 'node:http';
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
`;
const HEADS = { 'node:test': "import { test } from 'node:test';\n", mocha: 'const test = it;\n' } as const;
type RunnerOfSamples = keyof typeof HEADS;

/** Which samples run where: all of them by node:test, so many of the first by mocha. */
const BY_MOCHA = 5;

describe('prove over seeded tests', function () {
  this.timeout(300_000);
  const projects: ProofProject[] = [];
  afterEach(() => {
    for (const project of projects.splice(0)) project.remove();
  });

  it('calls every decoration so, and proves every true test', async () => {
    const jobs: [RunnerOfSamples, readonly MechanismSample[]][] = [
      ['node:test', MECHANISMS.slice(0, Math.ceil(MECHANISMS.length / 2))],
      ['node:test', MECHANISMS.slice(Math.ceil(MECHANISMS.length / 2))],
      ['mocha', MECHANISMS.slice(0, BY_MOCHA)],
    ];
    const found = (await Promise.all(jobs.map(([runner, samples]) => outcomes(runner, samples)))).flat();
    // Nothing was committed on a branch, so the mechanism itself was taken out.
    const wrong = found.filter(({ outcome, wanted }) => outcome !== wanted);
    assert.deepEqual(wrong, []);
    const count = (wanted: string): number => found.filter((one) => one.wanted === wanted).length;
    assert.ok(count('proven') >= 30 && count('decoration') >= 30, `${count('proven')} of each`);
  });

  async function outcomes(
    runner: RunnerOfSamples,
    samples: readonly MechanismSample[],
  ): Promise<{ name: string; wanted: string; outcome: string; why: string }[]> {
    const files: Record<string, string> = {};
    for (const [name, text] of Object.entries(PACKAGES)) {
      files[`node_modules/${name}/package.json`] = JSON.stringify({
        name,
        version: '1.0.0',
        type: 'module',
        main: 'main.js',
      });
      files[`node_modules/${name}/main.js`] = text;
    }
    for (const sample of samples) {
      const { name, source, watches, decorates } = sample;
      files[`src/${name}.js`] = source;
      files[`test/${name}.test.js`] = `${HEADS[runner]}${SERVING}import * as m from '../src/${name}.js';
test('watches ${name}', async () => {
  ${watches}
});
test('decorates ${name}', async () => {
  ${decorates}
});
`;
      files[`.sixlens/tables/src/${name}/function-unit.yaml`] = tableText({
        file: `src/${name}.js`,
        symbol: 'unit',
        rows: ['watches', 'decorates'].map((kind, i) => ({
          id: `prt-0000000${i + 1}`,
          ...(sample.rule === undefined ? {} : { rule: sample.rule }),
          ...(sample.at === undefined ? {} : { at: sample.at }),
          how: sample.how,
          test: `test/${name}.test.js > ${kind} ${name}`,
        })),
      });
    }
    const project = proofProject({
      file: 'src/none.js',
      symbol: 'none',
      rows: [],
      manifest: {
        dependencies: { stripe: '1', '@prisma/client': '1', pg: '1', 'p-limit': '1' },
        scripts: { test: runner === 'mocha' ? 'mocha test/*.test.js' : 'node --test test/' },
      },
      ...(runner === 'mocha' ? { installed: ['mocha'] } : {}),
      files,
    });
    projects.push(project);
    const out: Awaited<ReturnType<typeof outcomes>> = [];
    for (const { name } of samples) {
      const results = await project.results([
        `.sixlens/tables/src/${name}/function-unit.yaml`,
        '--no-suite',
        '--timeout',
        '30',
      ]);
      for (const [id, wanted] of [
        ['prt-00000001', 'proven'],
        ['prt-00000002', 'decoration'],
      ] as const)
        out.push({
          name: `${name} by ${runner}`,
          wanted,
          outcome: results[id]!.outcome,
          why: results[id]!.why,
        });
    }
    return out;
  }
});
