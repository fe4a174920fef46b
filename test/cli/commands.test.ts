import { strict as assert } from 'node:assert';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkOutputSchema,
  explainOutputSchema,
  rulesOutputSchema,
  tableOutputSchema,
  unitsOutputSchema,
} from '../../server/src/cli/schemas.ts';
import { tempFolder, type TempFolder } from '../unit/node/tempFolder.ts';
import { fakeAnalysis, run, type Run, type RunSetup } from './fakeContext.ts';

const FILES = {
  'package.json': '{}',
  'src/bad.ts': '\n\nconst r = await fetch(BREAKS);\n// UNIT\n',
  'src/good.ts': 'export const x = 1;\n',
  'src/deep/also.ts': 'BREAKS\n',
  'src/notes.md': '',
  'lib/fn.ts': '// first\n  export async function settle() {}\n',
};

describe('command line', () => {
  let folder: TempFolder;
  beforeEach(() => (folder = tempFolder(FILES)));
  afterEach(() => folder.remove());
  const go = (words: string, setup?: RunSetup, cwd = folder.path): Promise<Run> =>
    run(cwd, words.split(' ').filter(Boolean), setup);

  describe('help and errors', () => {
    it('shows help and version without the engine', async () => {
      for (const words of ['--help', '-h', 'help', 'check --help', 'help table', 'lsp -h', '--version']) {
        const { code, out, err, engine } = await go(words);
        assert.equal(code, 0, words);
        assert.equal(err, '', words);
        assert.ok(out.length > 4 && out.split('\n').every((line) => line.length <= 130), words);
        assert.equal(engine, null, words);
      }
      assert.match(
        (await go('check --help')).out,
        /--format text\|json\|sarif[^]*--preset essential\|recommended\|strict/,
      );
      assert.equal((await go('--version')).out, '9.8.7\n');
      assert.equal((await go('')).code, 2);
    });

    it('says in one line what is wrong and what to do', async () => {
      const cases: [string, RegExp][] = [
        ['chekc src', /no command is called 'chekc'; did you mean 'check'\?/],
        ['--format json check', /options come after the command/],
        ['check --fromat json', /check: unknown option --fromat; known: --format/],
        ['check --format xml', /check: --format is one of text, json, sarif, not 'xml'/],
        ['check --preset', /check: .*--preset/],
        ['check --preset all', /one of essential, recommended, strict/],
        ['check src/gone.ts', /there is no file or folder src\/gone\.ts/],
        ['check --root gone', /--root gone is no folder/],
        ['check --root src lib/fn.ts', /lib\/fn\.ts lies outside the root/],
        ['check src/**/*.mjs', /no source file matches src\/\*\*\/\*\.mjs/],
        ['explain', /name a rule/],
        ['explain call-without-timeot', /did you mean 'call-without-timeout'\?/],
        ['table', /name the files/],
        ['table lib/fn.ts:1', /lib\/fn\.ts:1 is in no unit/],
        ['table lib/fn.ts:99', /lib\/fn\.ts:99 is in no unit/],
      ];
      for (const [words, expected] of cases) {
        const { code, out, err } = await go(words);
        assert.equal(code, 2, words);
        assert.equal(out, '', words);
        assert.match(err, expected);
        assert.match(err, /^sixlens: [^\n]+\n$/, words);
      }
    });

    it('calls an error of its own by that name', async () => {
      const analysis = (): never => {
        throw new TypeError('x is not a function');
      };
      const { code, err } = await go('check', { analysis });
      assert.equal(code, 2);
      assert.match(err, /^sixlens: check: an error of ours: x is not a function\.[^\n]*report it\.\n$/);
      assert.match((await go('check', { analysis, env: { SIXLENS_DEBUG: '1' } })).err, /\n {4}at /);
    });
  });

  describe('check', () => {
    it('checks everything without a path, and for the root itself', async () => {
      for (const words of ['check', 'check .']) {
        const { code, calls, engine } = await go(words);
        assert.deepEqual([code, calls], [1, ['checkAll']], words);
        assert.deepEqual(
          { root: engine?.root, preset: engine?.preset, all: engine?.includeAll },
          { root: folder.path, preset: undefined, all: undefined },
        );
      }
    });

    it('takes files, folders and globs, relative to the working folder', async () => {
      const names = async (words: string, cwd?: string): Promise<string | undefined> =>
        (await go(words, {}, cwd)).calls[0];
      assert.equal(await names('check src/bad.ts ./lib/fn.ts'), 'check lib/fn.ts src/bad.ts');
      assert.equal(await names('check src'), 'check src/bad.ts src/deep/also.ts src/good.ts');
      assert.equal(await names('check src/*.ts src/bad.ts'), 'check src/bad.ts src/good.ts');
      assert.equal(await names('check **/also.ts', join(folder.path, 'src')), 'check src/deep/also.ts');
      assert.equal(await names('check bad.ts', join(folder.path, 'src')), 'check src/bad.ts');
      assert.equal(await names(`check ${folder.path}/src/bad.ts`, '/'), 'check src/bad.ts');
    });

    it('takes a named folder of examples by what lies in it', async () => {
      folder.write({ 'examples/shop/a.ts': '', 'examples/shop/test/a.test.ts': '' });
      const analysis: RunSetup['analysis'] = (options, calls) => {
        const all = fakeAnalysis(options, calls);
        return {
          ...all,
          sourceFiles: () => all.sourceFiles().filter((file) => !file.startsWith('examples/')),
        };
      };
      assert.deepEqual((await go('check examples', { analysis })).calls, ['check examples/shop/a.ts']);
      assert.deepEqual((await go('check src', { analysis })).calls, [
        'check src/bad.ts src/deep/also.ts src/good.ts',
      ]);
    });

    it('does not list the root when files are named', async () => {
      const analysis: RunSetup['analysis'] = (options, calls) => ({
        ...fakeAnalysis(options, calls),
        sourceFiles: () => assert.fail('listed'),
      });
      assert.equal((await go('check --format json src/bad.ts', { analysis })).code, 1);
    });

    it('takes the nearest folder with .sixlens as root, else that of the package, and follows links', async () => {
      mkdirSync(join(folder.path, 'src/.sixlens'));
      assert.equal(
        (await go('check bad.ts', {}, join(folder.path, 'src'))).engine?.root,
        join(folder.path, 'src'),
      );
      assert.equal((await go('check fn.ts', {}, join(folder.path, 'lib'))).engine?.root, folder.path);
      const other = tempFolder();
      symlinkSync(folder.path, join(other.path, 'link'));
      assert.deepEqual((await go('check link/lib/fn.ts', {}, other.path)).calls, ['check lib/fn.ts']);
      other.remove();
    });

    it('gives the exit code of what was found', async () => {
      assert.equal((await go('check src/bad.ts')).code, 1);
      assert.equal((await go('check src/good.ts')).code, 0);
    });

    it('passes preset and --all on', async () => {
      const { engine } = await go('check --preset strict --all');
      assert.deepEqual([engine?.preset, engine?.includeAll], ['strict', true]);
    });

    it('prints JSON as promised', async () => {
      const { out, err } = await go('check --format json src/bad.ts src/good.ts src/notes.md');
      const parsed = checkOutputSchema.parse(JSON.parse(out));
      assert.equal(err, '');
      assert.equal(parsed.version, '9.8.7');
      assert.deepEqual(
        parsed.findings.map(({ file, rule, unit }) => [file, rule, unit]),
        [['src/bad.ts', 'call-without-timeout', 'src/bad.ts#router.post "/pay"']],
      );
      assert.deepEqual(
        parsed.problems.map(({ code }) => code),
        ['not-a-source-file'],
      );
    });

    it('prints SARIF with the rules', async () => {
      const { out } = await go('check --format sarif src/bad.ts');
      const log = JSON.parse(out);
      assert.equal(log.version, '2.1.0');
      assert.equal(log.runs[0].tool.driver.rules.length, 2);
      assert.deepEqual(log.runs[0].results[0].suppressions, []);
      const omitted = JSON.parse((await go('check --format sarif --omit-suppressed src/bad.ts')).out);
      assert.equal(omitted.runs[0].results[0].suppressions, undefined);
    });

    it('prints text with the name of the unit', async () => {
      const { out, err } = await go('check');
      assert.match(out, /src\/bad\.ts\n {2}3:18 {2}high · blocking[^]*reached from POST \/pay/);
      assert.match(out, /2 findings in 2 files: 2 high · 2 blocking · 4 files checked in /);
      assert.equal(err, '');
    });

    it('colours and shows progress on a terminal only', async () => {
      const terminal = await go('check', { terminal: true });
      assert.match(terminal.out, /\u001b\[31m/);
      assert.match(terminal.err, /\r\u001b\[Kchecking 1\/4 25 %[^]*\r\u001b\[K$/);
      for (const setup of [
        { terminal: true, env: { NO_COLOR: '1' } },
        { terminal: false },
      ] satisfies RunSetup[])
        assert.ok(!(await go('check', setup)).out.includes('\u001b'));
      assert.ok(!(await go('check --no-color', { terminal: true })).out.includes('\u001b'));
      assert.ok((await go('check', { env: { FORCE_COLOR: '1' } })).out.includes('\u001b'));
      assert.equal((await go('check')).err, '');
    });
  });

  describe('units', () => {
    it('lists units as JSON and text', async () => {
      const { code, out } = await go('units --format json');
      assert.equal(code, 0);
      assert.deepEqual(
        unitsOutputSchema.parse(JSON.parse(out)).units.map(({ id, route }) => [id, route]),
        [['src/bad.ts#router.post "/pay"', '/pay']],
      );
      assert.match((await go('units src/bad.ts')).out, /http {2}POST \/pay/);
      assert.match((await go('units src/good.ts')).out, /^No units/);
    });
  });

  describe('rules and explain', () => {
    it('lists rules with their presets', async () => {
      const { rules } = rulesOutputSchema.parse(JSON.parse((await go('rules --format json')).out));
      assert.deepEqual(
        rules.map(({ id, presets }) => [id, presets]),
        [
          ['call-without-timeout', ['essential', 'recommended', 'strict']],
          ['env-unchecked', ['strict']],
        ],
      );
      assert.match(
        (await go('rules')).out,
        /clock\n {2}call-without-timeout {2}high · blocking · from essential\n/,
      );
    });

    it('explains one', async () => {
      const explained = explainOutputSchema.parse(
        JSON.parse((await go('explain --format json call-without-timeout')).out),
      );
      assert.equal(explained.remedy, 'Bound it.');
      assert.match(
        (await go('explain call-without-timeout')).out,
        /What to do\n {2}Bound it\.[^]*breaks\n {4}await fetch\(url\);\n/,
      );
    });
  });

  describe('table', () => {
    const TABLE = '.sixlens/tables/src/bad/http-post-pay.yaml';
    const read = (file: string): string => readFileSync(join(folder.path, file), 'utf8');

    it('writes the tables of units and prints their paths', async () => {
      const { code, out, err } = await go('table src/bad.ts');
      assert.deepEqual([code, out, err], [0, `${TABLE}\n`, '']);
      assert.equal(read(TABLE), 'code: src/bad.ts router.post "/pay"\nnew\n');
    });

    it('merges with the table of the same unit under any name, byte order mark kept', async () => {
      folder.write({
        '.sixlens/tables/src/bad/mine.yaml': '\uFEFFcode: src/bad.ts router.post "/pay"\nby hand\n',
      });
      const { out } = await go('table --format json src/bad.ts');
      assert.deepEqual(tableOutputSchema.parse(JSON.parse(out)).tables, [
        {
          unit: 'src/bad.ts#router.post "/pay"',
          path: '.sixlens/tables/src/bad/mine.yaml',
          status: 'unchanged',
        },
      ]);
      assert.equal(
        read('.sixlens/tables/src/bad/mine.yaml'),
        '\uFEFFcode: src/bad.ts router.post "/pay"\nby hand\n',
      );
    });

    it('takes another name where one is taken', async () => {
      folder.write({ [TABLE]: 'code: src/bad.ts other\n' });
      assert.equal((await go('table src/bad.ts')).out, '.sixlens/tables/src/bad/http-post-pay-2.yaml\n');
    });

    it('never overwrites what it cannot read', async () => {
      folder.write({ [TABLE]: 'not a table\n' });
      const { code, out, err } = await go('table src/bad.ts');
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, /http-post-pay\.yaml: Not written[^]*http-post-pay\.yaml:1:1: No code\.\n/);
      assert.equal(read(TABLE), 'not a table\n');
      folder.write({ [TABLE]: Buffer.from('code: src/bad.ts router.post "/pay"\n\xf6\n', 'latin1') });
      assert.equal((await go('table src/bad.ts')).code, 2);
    });

    it('says why a file could not be written', async () => {
      folder.write({ '.sixlens/tables/src': 'a file in the way' });
      const { code, err } = await go('table src/bad.ts');
      assert.equal(code, 2);
      assert.match(err, /cannot be written: E/);
    });

    it('tables an exported function at a line', async () => {
      const { code, out } = await go('table lib/fn.ts:2');
      assert.deepEqual([code, out], [0, '.sixlens/tables/lib/fn/function-settle.yaml\n']);
    });

    it('says so when there is no unit', async () => {
      const { code, out, err } = await go('table src/good.ts');
      assert.deepEqual([code, out], [0, '']);
      assert.match(err, /no units there; PATH:LINE/);
    });
  });

  describe('lsp', () => {
    it('speaks over standard streams unless told otherwise', async () => {
      assert.deepEqual((await go('lsp')).calls, ['lsp --stdio']);
      assert.deepEqual((await go('lsp --socket=7000 --clientProcessId=5')).calls, [
        'lsp --socket=7000 --clientProcessId=5',
      ]);
      assert.deepEqual((await go('lsp --node-ipc')).calls, ['lsp --node-ipc']);
    });
  });
});
