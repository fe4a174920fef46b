import { strict as assert } from 'node:assert';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { fromTraceOutputSchema } from '../../server/src/cli/schemas.ts';
import { createAnalysis } from '../../server/src/service/analysisService.ts';
import { readTable } from '../../server/src/tables/read.ts';
import { tempFolder, type TempFolder } from '../unit/node/tempFolder.ts';
import { run, type Run } from './fakeContext.ts';

const LEDGER = `interface Order { id: string }

export async function settle(order: Order): Promise<void> {
  await fetch('https://ledger.example/' + order.id, { method: 'PUT' });
}
`;
const unit = (name: string): string => `import express from 'express';
import { settle } from './ledger.ts';
export const router = express.Router();
router.post('/${name}', async (req, res) => {
  await settle(req.body);
  res.sendStatus(200);
});
`;
const TABLE = '.sixlens/tables/src/pay/http-post-pay.yaml';

describe('from-trace', function () {
  this.timeout(30_000);
  let folder: TempFolder;
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder.path, name)), { recursive: true });
    writeFileSync(path.join(folder.path, name), text);
  };
  const read = (name: string): string => readFileSync(path.join(folder.path, name), 'utf8');
  const go = (input: string | null, ...words: string[]): Promise<Run> =>
    run(folder.path, ['from-trace', ...words], {
      analysis: (options) => createAnalysis(options),
      ...(input === null ? {} : { input }),
    });
  const json = async (
    input: string,
    ...words: string[]
  ): Promise<ReturnType<typeof fromTraceOutputSchema.parse>> => {
    const { out, err } = await go(input, '--format', 'json', ...words);
    assert.equal(err, '');
    return fromTraceOutputSchema.parse(JSON.parse(out));
  };
  const trace = (error: string, place = '/app/src/ledger.ts:4:9', fn = 'settle'): string =>
    `${error}\n    at node:internal/deps/undici/undici:1:1\n    at async ${fn} (${place})\n    at async /app/node_modules/express/index.js:3:3\n`;
  const TIMEOUT = trace('TimeoutError: The operation was aborted due to timeout');
  const UNDEFINED = trace(
    "TypeError: Cannot read properties of undefined (reading 'id')",
    '/app/src/ledger.ts:4:51',
  );

  beforeEach(() => {
    folder = tempFolder({
      'package.json': '{"dependencies":{"express":"4"}}',
      'src/ledger.ts': LEDGER,
      'src/pay.ts': unit('pay'),
    });
  });
  afterEach(() => folder.remove());

  it('names unit and row, writes the table that was missing, and looks through all lenses', async () => {
    const dry = await json(TIMEOUT, '--dry-run');
    assert.deepEqual(dry.written, []);
    assert.ok(!existsSync(path.join(folder.path, TABLE)));
    const { incidents, unmapped, written } = await json(TIMEOUT);
    assert.deepEqual([unmapped, written], [[], [TABLE]]);
    const [incident] = incidents;
    assert.equal(incident!.unit.name, 'POST /pay');
    assert.deepEqual(incident!.place, { file: 'src/ledger.ts', line: 4, column: 9, by: null });
    assert.equal(incident!.lenses.length, 6);
    const row = readTable(read(TABLE)).table!.rows[incident!.row.id]!;
    assert.deepEqual(
      [row.rule, row.verdict, incident!.row.action],
      ['call-without-timeout', 'undecided', 'noted'],
    );
    assert.match(
      row.note!,
      /^happened 2026-05-29: TimeoutError: The operation was aborted due to timeout at src\/ledger\.ts:4$/,
    );
    const again = await json(TIMEOUT);
    assert.deepEqual([again.written, again.incidents[0]!.row.action], [[], 'known']);
  });

  it('adds the row that no one thought of, once', async () => {
    const { incidents } = await json(UNDEFINED);
    const { id, action } = incidents[0]!.row;
    assert.equal(action, 'added');
    assert.match(id, /^bnd-/);
    const before = read(TABLE);
    const row = readTable(before).table!.rows[id]!;
    assert.deepEqual(
      [row.failure, row.verdict],
      ["TypeError: Cannot read properties of undefined (reading 'id')", 'undecided'],
    );
    assert.equal((await json(UNDEFINED)).incidents[0]!.row.action, 'known');
    assert.equal(read(TABLE), before);
  });

  it('opens a decided row again and keeps every word', async () => {
    await go(TIMEOUT);
    const [id] = Object.entries(readTable(read(TABLE)).table!.rows).find(
      ([, row]) => row.rule === 'call-without-timeout',
    )!;
    const handled = read(TABLE).replace(
      new RegExp(`(${id}:[^]*?)verdict: undecided[^]*?(?=\\n\\n|\\n\\w|\\n {2}\\w)`),
      '$1verdict: handle  # since spring\n    how: our own wrapper\n    test: a.test.ts > ends\n    note: seen in March',
    );
    assert.equal(readTable(handled).table!.rows[id]!.verdict, 'handle');
    write(TABLE, handled);
    const { code, out } = await go(TIMEOUT);
    assert.equal(code, 0);
    assert.match(out, new RegExp(`row {3}${id} opened again, was handle: `));
    const row = readTable(read(TABLE)).table!.rows[id]!;
    assert.deepEqual([row.verdict, row.how, row.test], ['undecided', 'our own wrapper', 'a.test.ts > ends']);
    assert.match(row.note!, /^seen in March\nhappened 2026-05-29: TimeoutError.*; was handle$/);
    assert.match(read(TABLE), /# since spring/);
  });

  it('follows source maps from built code, in any form of address', async () => {
    const { code, map } = transformSync(LEDGER, {
      loader: 'ts',
      sourcemap: true,
      sourcefile: '../src/ledger.ts',
    });
    write('dist/ledger.js', `${code}//# sourceMappingURL=ledger.js.map\n`);
    write('dist/ledger.js.map', map);
    const line = code.split('\n').findIndex((text) => text.includes('fetch')) + 1;
    for (const place of [
      `/app/dist/ledger.js:${line}:9`,
      `C:\\app\\dist\\ledger.js:${line}:9`,
      `file:///app/dist/ledger.js:${line}:9`,
    ]) {
      const { incidents, unmapped } = await json(trace('TimeoutError: late', place), '--dry-run');
      assert.deepEqual(unmapped, []);
      assert.deepEqual(
        [incidents[0]!.place.file, incidents[0]!.place.line, incidents[0]!.place.by],
        ['src/ledger.ts', 4, 'dist/ledger.js'],
      );
    }
    for (const place of [
      'webpack://shop/./src/ledger.ts:4:9',
      'webpack-internal:///(rsc)/./src/ledger.ts:4:9',
      'C:\\build\\src\\ledger.ts:4:9',
    ])
      assert.equal(
        (await json(trace('TimeoutError: late', place), '--dry-run')).incidents[0]!.place.file,
        'src/ledger.ts',
      );
    rmSync(path.join(folder.path, 'dist/ledger.js.map'));
    assert.match(
      (await json(trace('TimeoutError: late', `/app/dist/ledger.js:${line}:9`))).unmapped[0]!.why,
      /dist\/ledger\.js is built code without a source map/,
    );
  });

  it('says why it cannot map, and writes nothing', async () => {
    const cases: readonly [string, RegExp][] = [
      [trace('Error: x', '/app/dist/gone.js:1:1'), /dist\/gone\.js is built code that is not here/],
      [trace('Error: x', '/app/src/gone.ts:1:1'), /there is no file app\/src\/gone\.ts here/],
      [
        trace('Error: x', '/app/src/ledger.ts:400:1'),
        /has 6 lines and the frame names line 400: other code was running/,
      ],
      ['Error: x\n    at f (/app/node_modules/pg/lib/client.js:1:1)\n', /every frame lies in libraries/],
      [
        trace('Error: x', '/app/src/ledger.ts:1:1'),
        /src\/ledger\.ts:1 is in no handler, job, consumer or function/,
      ],
    ];
    for (const [text, why] of cases) {
      const { unmapped, incidents } = await json(text);
      assert.deepEqual(incidents, []);
      assert.match(unmapped[0]!.why, why);
    }
    assert.ok(!existsSync(path.join(folder.path, '.sixlens')));
    const none = await go('all is well\n');
    assert.deepEqual([none.code, none.out], [2, '']);
    assert.match(none.err, /there is no stack trace in the input/);
    assert.match((await go(null)).err, /standard input is a terminal/);
    assert.match((await go(null, 'gone.log')).err, /there is no file gone\.log/);
  });

  it('tells units that share code apart by their frames, or asks', async () => {
    write('src/refund.ts', unit('refund'));
    const shared = await json(TIMEOUT);
    assert.match(
      shared.unmapped[0]!.why,
      /src\/ledger\.ts:4 is run by POST \/pay, POST \/refund, and no frame tells which; name it with --unit/,
    );
    assert.equal(
      (await json(TIMEOUT, '--unit', 'POST /refund', '--dry-run')).incidents[0]!.unit.name,
      'POST /refund',
    );
    const told = `${TIMEOUT}    at async /app/src/refund.ts:5:3\n`;
    assert.equal((await json(told, '--dry-run')).incidents[0]!.unit.name, 'POST /refund');
  });

  it('leaves a broken table alone and a person out of what it writes', async () => {
    const secret = trace(
      'TypeError: Cannot read properties of undefined: ana@example.com 4111111111111111 tok_9f8e7d6c5b4a39281706f5e4',
    );
    await json(secret);
    const written = read(TABLE);
    assert.match(written, /<address> <number> <id>/);
    assert.doesNotMatch(written, /ana@|4111|tok_/);
    write(TABLE, `${written}broken: [\n`);
    const { unmapped } = await json(UNDEFINED);
    assert.match(unmapped[0]!.why, /the table .*http-post-pay\.yaml cannot be read/);
    assert.equal(read(TABLE), `${written}broken: [\n`);
  });
});
