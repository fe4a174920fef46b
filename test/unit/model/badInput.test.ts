/** Bad input on a real disk: each gives what can be given, and a problem that says what and where. */
import { strict as assert } from 'node:assert';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeFileHost } from '../../../server/src/node/nodeFileHost.ts';
import { rule as callWithoutTimeout } from '../../../server/src/rules/call-without-timeout.ts';
import type { Rule } from '../../../server/src/rules/_kit/rule.ts';
import { createAnalysis } from '../../../server/src/service/analysisService.ts';
import type { Analysis, CheckResult } from '../../../server/src/service/contract.ts';
import { tempFolder, type TempFolder } from '../node/tempFolder.ts';

const CALL = `export async function load(url: string) {\n  return await fetch(url);\n}\n`;

describe('bad input', function () {
  this.timeout(30_000);
  let folder: TempFolder;
  beforeEach(() => (folder = tempFolder()));
  afterEach(() => folder.remove());

  const analysis = (rules?: readonly Rule[]): Analysis =>
    createAnalysis({
      root: folder.path,
      host: createNodeFileHost(),
      preset: 'strict',
      ...(rules ? { rules } : {}),
    });
  const lines = (result: CheckResult, rule = 'call-without-timeout'): string[] =>
    result.findings.filter((f) => f.rule === rule).map((f) => `${f.file}:${f.start.line}:${f.start.column}`);
  const codes = (result: CheckResult): string[] =>
    result.problems.map(
      (p) => `${p.code} ${p.file ?? ''}${p.start ? `:${p.start.line}:${p.start.column}` : ''}`,
    );

  it('a byte order mark and CRLF do not move a finding', () => {
    folder.write({ 'a.ts': CALL, 'b.ts': '\uFEFF' + CALL.replaceAll('\n', '\r\n') });
    const result = analysis().check(['a.ts', 'b.ts']);
    assert.deepEqual(lines(result), ['a.ts:2:16', 'b.ts:2:16']);
    assert.deepEqual(result.problems, []);
  });

  it('UTF-16 and Latin-1 are read and named', () => {
    const latin = `export const ö = 1;\n${CALL}`;
    folder.write({
      'le.ts': Buffer.from('\uFEFF' + CALL, 'utf16le'),
      'latin.ts': Buffer.from(latin, 'latin1'),
    });
    const result = analysis().check(['le.ts', 'latin.ts']);
    assert.deepEqual(lines(result), ['le.ts:2:16', 'latin.ts:3:16']);
    assert.deepEqual(codes(result), ['not-utf8 le.ts:1:1', 'not-utf8 latin.ts:1:14']);
  });

  it('50,000 lines take seconds', () => {
    const text = Array.from(
      { length: 12_500 },
      (_, i) =>
        `export async function f${i}(u: string) {\n  const r = await fetch(u);\n  return r.json();\n}`,
    );
    folder.write({ 'long.ts': text.join('\n') });
    const started = performance.now();
    const result = analysis([callWithoutTimeout]).check(['long.ts']);
    assert.equal(result.findings.length, 12_500);
    assert.ok(performance.now() - started < 20_000);
  });

  it('minified code, binary files and very large ones are left out by name', () => {
    folder.write({
      'min.js': 'a=function(b){return fetch(b)};'.repeat(400),
      'stream.ts': Buffer.from([0x47, 0x40, 0, 0, 0x10]),
      'big.ts': Buffer.alloc(5 * 1024 * 1024, 'a\n'),
      'ok.ts': CALL,
    });
    for (const result of [
      analysis().check(['min.js', 'stream.ts', 'big.ts', 'ok.ts']),
      analysis().checkAll(),
    ]) {
      assert.deepEqual(lines(result), ['ok.ts:2:16']);
      assert.deepEqual(codes(result).toSorted(), [
        'file-too-large big.ts:1:1',
        'minified min.js:1:1',
        'not-text stream.ts:1:1',
      ]);
    }
  });

  /** In lines, since one long line would be taken for minified code. */
  const times = (n: number, piece: string): string => `${piece}\n`.repeat(n);
  const deep: Record<string, string> = {
    parentheses: `const a = ${times(5000, '(')}1${times(5000, ')')};\n`,
    arrays: `const a = ${times(5000, '[')}1${times(5000, ']')};\n`,
    objects: `const a = ${times(5000, '{a:')}1${times(5000, '}')};\n`,
    calls: `const a = ${times(5000, 'f(')}1${times(5000, ')')};\n`,
    'chained calls': `const a = x${times(5000, '.then(y)')};\n`,
    blocks: `${times(5000, '{')}${times(5000, '}')}\n`,
    conditions: `function g(a) { ${times(5000, 'if (a) {')}${times(5000, '}')} }\n`,
    'else branches': `function g(a) { ${times(5000, 'if (a) g(a); else')} g(a); }\n`,
    functions: `const a = ${times(5000, '() =>')}1;\n`,
    operands: `const a = ${times(5000, "'x' +")}'y';\n`,
    'conditional expressions': `const a = ${times(5000, 'x ? 1 :')}2;\n`,
    templates: `const a = ${times(3000, '`${')}1${times(3000, '}`')};\n`,
    types: `type A = ${times(5000, 'Promise<')}string${times(5000, '>')};\n`,
    'type arrays': `type A = string${'[]'.repeat(5000)};\n`,
    assignments: `let a; ${times(5000, 'a =')}1;\n`,
    members: `const a = b${times(5000, '.c')};\n`,
    negations: `const a = ${times(5000, '!')}b;\n`,
    awaits: `async function g() { ${times(5000, 'await')} b; }\n`,
    patterns: `const ${times(5000, '{ a:')}b${times(5000, '}')} = c;\n`,
    'assigned patterns': `(${times(5000, '{ a:')}b${times(5000, '}')} = c);\n`,
    'array patterns': `const ${times(5000, '[')}b${times(5000, ']')} = c;\n`,
    classes: `${times(2000, 'class A { a =')}${'class {}'}${times(2000, '; }')}\n`,
    tries: `async function g() { ${times(5000, 'try {')} ${times(5000, '} finally { }')} }\n`,
    loops: `${times(5000, 'while (x)')} y();\n`,
    labels: `${Array.from({ length: 5000 }, (_, i) => `l${i}:`).join('\n')} y();\n`,
    jsx: `const a = ${times(5000, '<a>')}${times(5000, '</a>')};\n`,
    'unclosed calls': `const a = ${times(5000, 'f([')}`,
    namespaces: `${times(5000, 'namespace A {')}${times(5000, '}')}\n`,
  };
  for (const [name, text] of Object.entries(deep))
    it(`5,000 ${name} inside each other do not end the run`, () => {
      const file = name === 'jsx' ? 'deep.tsx' : 'deep.ts';
      folder.write({ [file]: CALL + text, 'ok.ts': CALL });
      const result = analysis().check([file, 'ok.ts'], undefined, { named: 'file' });
      assert.ok(lines(result).includes('ok.ts:2:16'));
      for (const problem of result.problems)
        assert.ok(problem.message.length > 0 && problem.file === file, codes(result).join(', '));
      if (!lines(result).includes(`${file}:2:16`))
        assert.ok(
          result.problems.some((p) => p.file === file),
          'nothing says why the file gives nothing',
        );
      const at = analysis();
      at.units([file]);
      at.callAt(file, 60);
      at.unitAt(file, 60);
      at.whySilent(file, CALL.length + 40);
    });

  it('a broken tsconfig, package.json or lockfile costs what it names and no more', () => {
    folder.write({
      'tsconfig.json': '{ "compilerOptions": { "paths": {\n',
      'package.json': '{ "name": "x", \n "dependencies": }',
      'package-lock.json': '<<<<<<< HEAD\n{ "lockfileVersion": 3',
      'pnpm-workspace.yaml': 'packages: [\n  : : :',
      'src/a.ts': `import { load } from './b.ts';\nimport { x } from '@/c';\nimport axios from 'axios';\nexport const a = async () => { await load('u'); x(); await axios.get('u'); };\n`,
      'src/b.ts': CALL,
    });
    const result = analysis().check(['src/a.ts', 'src/b.ts']);
    assert.deepEqual(lines(result), ['src/a.ts:4:60', 'src/b.ts:2:16']);
    const named = codes(result);
    assert.ok(
      named.some((c) => c.startsWith('tsconfig-unreadable tsconfig.json:')),
      named.join('\n'),
    );
    assert.ok(
      named.some((c) => c.startsWith('package-json-unreadable package.json:')),
      named.join('\n'),
    );
    assert.ok(
      named.some((c) => c.startsWith('pnpm-workspace-unreadable pnpm-workspace.yaml:')),
      named.join('\n'),
    );
  });

  it('says where a package.json is broken', () => {
    folder.write({
      'package.json': '{\n  "name": "x",\n  "dependencies": }\n',
      'a.ts': `import 'axios';\n${CALL}`,
    });
    const result = analysis().check(['a.ts']);
    assert.deepEqual(codes(result), ['package-json-unreadable package.json:3:19']);
  });

  it('manifests of odd shapes are read as far as they go', () => {
    for (const manifest of [
      '[]',
      'null',
      '"x"',
      '{"workspaces":7,"dependencies":[1],"imports":null,"exports":3}',
      '{"workspaces":[null,{"a":1},"packages/**"]}',
      '',
    ]) {
      folder.write({
        'package.json': manifest,
        'tsconfig.json': '[]',
        'a.ts': `import axios from 'axios';\nimport '#x';\nimport '@y/z';\n${CALL}`,
      });
      const result = analysis().check(['a.ts']);
      assert.deepEqual(lines(result), ['a.ts:5:16'], manifest);
    }
  });

  it('circular imports end', () => {
    folder.write({
      'a.ts': `import { b } from './b.ts';\nexport * from './b.ts';\nexport const a = () => b();\n`,
      'b.ts': `import { a } from './a.ts';\nexport * from './a.ts';\nexport const b = () => a();\nexport const c = b;\nexport default c;\n`,
      'c.ts': `import d, { b, nothing } from './a.ts';\nimport * as self from './c.ts';\nclass X extends self.X {}\nexport { X };\nexport async function go(u: string) { await b(); nothing(); d(); await fetch(u); }\n`,
      'd.cjs': `module.exports = require('./d.cjs'); module.exports.x = module.exports;\n`,
      'e.ts': `let p = q; let q = p; const r = r; type T = T; interface I extends I {} export const z: T = p.get(r as I);\n`,
    });
    const result = analysis().checkAll();
    assert.deepEqual(lines(result), ['c.ts:5:72']);
    assert.deepEqual(result.problems, []);
  });

  it('a file that goes away between listing and reading is named, the others are read', () => {
    folder.write({ 'a.ts': CALL, 'b.ts': CALL });
    const at = analysis();
    const files = at.sourceFiles();
    assert.deepEqual(files, ['a.ts', 'b.ts']);
    const fresh = analysis();
    rmSync(join(folder.path, 'a.ts'));
    const result = fresh.check(files);
    assert.deepEqual(lines(result), ['b.ts:2:16']);
    assert.deepEqual(codes(result), ['file-not-found a.ts']);
  });

  it('links in a circle do not hang the listing, and a file counts once', () => {
    folder.write({ 'src/a.ts': CALL });
    symlinkSync('..', join(folder.path, 'src/up'));
    symlinkSync('loop', join(folder.path, 'src/loop'));
    symlinkSync(join(folder.path, 'src/a.ts'), join(folder.path, 'src/again.ts'));
    const at = analysis();
    assert.equal(at.sourceFiles().length, 1);
    assert.equal(at.checkAll().findings.filter((f) => f.rule === 'call-without-timeout').length, 1);
  });

  it('without node_modules and without a manifest libraries are still known', () => {
    folder.write({
      'a.ts': `import axios from 'axios';\nexport const a = async (u: string) => (await axios.get(u)).data;\n`,
    });
    const result = analysis().check(['a.ts']);
    assert.deepEqual(lines(result), ['a.ts:2:46']);
    assert.deepEqual(result.problems, []);
  });

  it('a rule that throws is named once per file and the rest goes on', () => {
    folder.write({ 'a.ts': CALL, 'b.ts': CALL });
    const broken: Rule = {
      ...callWithoutTimeout,
      id: 'broken-rule',
      detect() {
        throw new Error('on purpose');
      },
    };
    const at = analysis([broken, callWithoutTimeout]);
    for (let again = 0; again < 2; again++) {
      const result = at.check(['a.ts', 'b.ts']);
      assert.deepEqual(lines(result), ['a.ts:2:16', 'b.ts:2:16']);
      assert.deepEqual(codes(result), ['rule-failed a.ts:1:1', 'rule-failed b.ts:1:1']);
      assert.match(result.problems[0]?.message ?? '', /broken-rule .*on purpose/);
    }
  });

  it('a finding that a failing rule reported before it failed is not shown', () => {
    folder.write({ 'a.ts': CALL });
    const late: Rule = {
      ...callWithoutTimeout,
      detect(ctx) {
        callWithoutTimeout.detect(ctx);
        throw new Error('late');
      },
    };
    const result = analysis([late]).check(['a.ts']);
    assert.deepEqual(result.findings, []);
    assert.deepEqual(codes(result), ['rule-failed a.ts:1:1']);
  });

  it('cancelling stops within one file, and what was not finished is done when asked again', () => {
    const names = Array.from({ length: 20 }, (_, i) => `f${i}.ts`);
    folder.write(Object.fromEntries(names.map((n) => [n, CALL])));
    const token = { cancelled: false };
    let ran = 0;
    const counting: Rule = {
      ...callWithoutTimeout,
      detect(ctx) {
        ran++;
        callWithoutTimeout.detect(ctx);
        if (ran === 3) token.cancelled = true;
      },
    };
    const at = analysis([counting]);
    const result = at.check(names, token);
    assert.equal(ran, 3);
    assert.ok(result.findings.length <= 3);
    assert.equal(at.check(names).findings.length, 20);
  });

  it('cancelling stops between the rules of one file', () => {
    folder.write({ 'a.ts': CALL });
    const token = { cancelled: false };
    const first: Rule = {
      ...callWithoutTimeout,
      id: 'first-rule',
      detect: () => void (token.cancelled = true),
    };
    let second = 0;
    const other: Rule = { ...callWithoutTimeout, id: 'second-rule', detect: () => void second++ };
    const at = analysis([first, other]);
    at.check(['a.ts'], token);
    assert.equal(second, 0);
    token.cancelled = false;
    at.check(['a.ts']);
    assert.equal(second, 1);
  });
});
