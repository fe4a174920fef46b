/** A process that is killed while it writes a table leaves the old text or the new one, whole. */
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readTable } from '../../server/src/tables/read.ts';
import { fuzzRuns } from '../support/fuzzRuns.ts';
import { tempFolder, type TempFolder } from '../unit/node/tempFolder.ts';

/** Rows enough that one write takes several calls of the system. */
const ROWS = 1200;
const table = (word: string): string =>
  `sixlens: 1\nunit: POST /pay\nkind: http\ncode: { file: src/pay.ts, symbol: pay }\ncontract: ${word}\n\nrows:\n${Array.from(
    { length: ROWS },
    (_, i) =>
      `  clk-${String(i).padStart(8, '0')}:\n    failure: ${word} ${i} ${'x'.repeat(80)}\n    verdict: undecided\n`,
  ).join('\n')}`;

describe('tables: killed while writing', function () {
  this.timeout(0);
  let folder: TempFolder;
  beforeEach(() => (folder = tempFolder()));
  afterEach(() => folder.remove());

  it('leaves the old file or the new one', async () => {
    const file = path.join(folder.path, 'table.yaml').replaceAll('\\', '/');
    const [old, fresh] = [table('old'), table('fresh')];
    const host = pathToFileURL(path.resolve('server/src/node/nodeFileHost.ts')).href;
    const script = path.join(folder.path, 'write.mts');
    // Both texts in turn, as fast as can be, until the end comes.
    writeFileSync(
      script,
      `import { readFileSync } from 'node:fs';
const { createNodeFileHost } = await import(${JSON.stringify(host)});
const host = createNodeFileHost();
const texts = [${JSON.stringify(`${file}.old`)}, ${JSON.stringify(`${file}.fresh`)}].map((name) => readFileSync(name, 'utf8'));
process.stdout.write('ready');
for (let i = 0; ; i++) host.writeText(${JSON.stringify(file)}, texts[i % 2]);
`,
    );
    writeFileSync(`${file}.old`, old);
    writeFileSync(`${file}.fresh`, fresh);
    writeFileSync(file, old);
    const runs = Math.min(fuzzRuns(5), 100);
    for (let run = 0; run < runs; run++) {
      const child = spawn(
        process.execPath,
        ['--import', pathToFileURL(path.resolve('node_modules/tsx/dist/esm/index.mjs')).href, script],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, 1 + ((run * 7) % 23)));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const text = readFileSync(file, 'utf8');
      assert.ok(text === old || text === fresh, `run ${run} left ${text.length} characters of another text`);
      const left = readdirSync(folder.path).filter((name) => name.endsWith('.tmp'));
      // What is left beside it is no table to anybody.
      for (const name of left) assert.ok(!/\.ya?ml$/.test(name));
    }
    assert.equal(readTable(readFileSync(file, 'utf8')).problems.length, 0);
  });
});
