import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeFolder } from '../../../server/src/node/loadCompiled.ts';

const LOADER = pathToFileURL(path.resolve('server/src/node/loadCompiled.ts')).href;

describe('loadCompiled', function () {
  this.timeout(30_000);
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(path.join(tmpdir(), 'sixlens-code-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** What a fresh process prints that loads `main.cjs` of the folder and calls its export. */
  function load(): string {
    const script = `import { loadCompiled } from '${LOADER}'; console.log(loadCompiled(${JSON.stringify(path.join(dir, 'main.cjs'))})());`;
    const done = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      env: { ...process.env, SIXLENS_CACHE_DIR: path.join(dir, 'cache') },
      encoding: 'utf8',
    });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout.trim();
  }

  function stored(): string[] {
    const cache = path.join(dir, 'cache/code');
    if (!existsSync(cache)) return [];
    return readdirSync(cache, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
  }

  it('gives what the file exports, first and with the stored code, and requires relative to the file', () => {
    writeFileSync(path.join(dir, 'part.cjs'), 'module.exports = 4;');
    writeFileSync(path.join(dir, 'main.cjs'), `module.exports = () => require('./part.cjs') + 1;`);
    assert.equal(load(), '5');
    if (!('enableCompileCache' in nodeModule)) assert.equal(stored().length, 1);
    assert.equal(load(), '5');
  });

  it('sees a change of the file, also one that keeps its length', () => {
    writeFileSync(path.join(dir, 'main.cjs'), 'module.exports = () => 1;');
    assert.equal(load(), '1');
    writeFileSync(path.join(dir, 'main.cjs'), 'module.exports = () => 2;');
    assert.equal(load(), '2');
  });

  it('takes the code that was built beside the file, and stores none then', function () {
    if ('enableCompileCache' in nodeModule) this.skip();
    const text = 'module.exports = () => 1;';
    writeFileSync(path.join(dir, 'main.cjs'), text);
    assert.equal(load(), '1');
    const built = path.join(dir, 'code', codeFolder());
    mkdirSync(built, { recursive: true });
    copyFileSync(stored()[0]!, path.join(built, `main.cjs-${text.length}`));
    rmSync(path.join(dir, 'cache'), { recursive: true });
    assert.equal(load(), '1');
    assert.deepEqual(stored(), []);
    writeFileSync(path.join(built, `main.cjs-${text.length}`), 'not machine code');
    assert.equal(load(), '1');
    assert.equal(stored().length, 1);
  });

  it('survives stored code that is damaged', () => {
    writeFileSync(path.join(dir, 'main.cjs'), 'module.exports = () => 1;');
    assert.equal(load(), '1');
    for (const file of stored()) writeFileSync(file, 'not machine code');
    assert.equal(load(), '1');
  });
});
