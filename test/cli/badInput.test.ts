import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkOutputSchema, tableOutputSchema, unitsOutputSchema } from '../../server/src/cli/schemas.ts';
import { createAnalysis } from '../../server/src/service/analysisService.ts';
import { tempFolder, type TempFolder } from '../unit/node/tempFolder.ts';
import { run } from './fakeContext.ts';

const GAP = "export async function load() {\n  return fetch('https://api.example.com/x');\n}\n";
const LONG = Array.from(
  { length: 16_667 },
  (_, i) => `export function f${i}(a: number) {\n  return a + ${i};\n}\n`,
).join('');

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'package.json': '{ "dependencies": ',
  'package-lock.json': '}{',
  'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*" } } }',
  '.sixlens/config.yaml': 'preset: strict\nexcludes: [x]\n',
  'src/ok.ts': GAP,
  'src/bom.ts': '\uFEFF' + GAP,
  'src/crlf.ts': GAP.replaceAll('\n', '\r\n'),
  'src/latin.ts': Buffer.from(`// caf\xe9\n${GAP}`, 'latin1'),
  'src/utf16.ts': Buffer.from('\uFEFF' + GAP, 'utf16le'),
  'src/half.ts': GAP + "export async function more() {\n  try {\n    await fetch('https://a.b/c'",
  'src/broken.ts': 'const = {{{ ;;; )))\n' + GAP,
  'src/minified.js': 'a=function(b){return fetch(b)};'.repeat(2000),
  'src/binary.ts': Buffer.from([0, 1, 2, 0, 71]),
  'src/empty.ts': '',
  'src/long.ts': LONG + GAP,
};

/** The real engine on real files, every one of them wrong in its own way. */
describe('bad input', () => {
  let folder: TempFolder;
  before(() => (folder = tempFolder(FILES)));
  after(() => folder.remove());
  const go = (words: readonly string[]) =>
    run(folder.path, words, { analysis: (options) => createAnalysis(options) });

  it('is analysed as far as it can be read, and each file says what is wrong with it', async () => {
    const { code, out, err } = await go(['check', '--format', 'json']);
    assert.equal(err, '');
    assert.equal(code, 1);
    const { findings, problems } = checkOutputSchema.parse(JSON.parse(out));
    const found = (file: string): string[] =>
      findings
        .filter((f) => f.file === file && f.rule === 'call-without-timeout')
        .map((f) => `${f.start.line}:${f.start.column}`);
    assert.deepEqual(
      ['ok', 'bom', 'crlf', 'latin', 'utf16', 'broken', 'long'].map((name) => found(`src/${name}.ts`)),
      [['2:10'], ['2:10'], ['2:10'], ['3:10'], ['2:10'], ['3:10'], ['50003:10']],
    );
    assert.deepEqual(found('src/half.ts')[0], '2:10');
    assert.deepEqual(found('src/minified.js'), []);
    const told = new Set(problems.map(({ code: name, file }) => `${file} ${name}`));
    for (const expected of [
      '.sixlens/config.yaml config-invalid',
      'src/latin.ts not-utf8',
      'src/utf16.ts not-utf8',
      'src/broken.ts syntax-error',
      'src/half.ts syntax-error',
      'src/minified.js minified',
      'src/binary.ts not-text',
    ])
      assert.ok(told.has(expected), `${expected} in ${[...told].join(', ')}`);
    assert.ok(
      [...told].some((name) => name.startsWith('package.json ')),
      [...told].join(', '),
    );
    for (const problem of problems)
      if (problem.file !== undefined) assert.ok(!problem.file.startsWith('/'), problem.file);
  }).timeout(60_000);

  it('does not stop units and tables', async () => {
    assert.equal((await go(['units', '--format', 'json'])).code, 0);
    unitsOutputSchema.parse(JSON.parse((await go(['units', '--format', 'json', 'src/half.ts'])).out));
    const { code, out } = await go(['table', '--format', 'json', 'src/crlf.ts:1']);
    assert.equal(code, 0);
    const { tables } = tableOutputSchema.parse(JSON.parse(out));
    assert.equal(tables[0]?.status, 'written');
  }).timeout(60_000);

  it('changes no byte of what it reads', async () => {
    await go(['check', 'src/latin.ts', 'src/utf16.ts', 'src/bom.ts', 'src/crlf.ts']);
    for (const [name, content] of Object.entries(FILES))
      assert.deepEqual(readFileSync(join(folder.path, name)), Buffer.from(content as string), name);
  }).timeout(60_000);
});
