import { strict as assert } from 'node:assert';
import { chmodSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_SOURCE_BYTES } from '../../../server/src/host/sourceLimits.ts';
import { createNodeFileHost } from '../../../server/src/node/nodeFileHost.ts';
import { userCacheFolder } from '../../../server/src/node/userCacheFolder.ts';
import { tempFolder, type TempFolder } from './tempFolder.ts';

describe('node file host', () => {
  let folder: TempFolder;
  const host = createNodeFileHost();
  const at = (name: string): string => join(folder.path, name);
  beforeEach(() => (folder = tempFolder()));
  afterEach(() => folder.remove());

  it('reads every encoding as text and writes it back byte for byte', () => {
    const utf16be = Buffer.from('\uFEFFconst ö = 1;\r\n', 'utf16le').swap16();
    const cases: Record<string, [Buffer, string, string, string | undefined]> = {
      'plain.ts': [Buffer.from('const ö = 1;\r\n'), 'const ö = 1;\r\n', 'utf8', undefined],
      'bom.ts': [Buffer.from('\uFEFFconst a = 1;\n'), 'const a = 1;\n', 'utf8-bom', undefined],
      'le.ts': [Buffer.from('\uFEFFconst ö = 1;\r\n', 'utf16le'), 'const ö = 1;\r\n', 'utf16le', 'not-utf8'],
      'be.ts': [utf16be, 'const ö = 1;\r\n', 'utf16be', 'not-utf8'],
      'latin.ts': [Buffer.from('x\nconst \xf6 = 1;\n', 'latin1'), 'x\nconst ö = 1;\n', 'latin1', 'not-utf8'],
      'empty.ts': [Buffer.alloc(0), '', 'utf8', undefined],
    };
    for (const [name, [bytes, text, encoding, code]] of Object.entries(cases)) {
      folder.write({ [name]: bytes });
      const read = host.readSource(at(name));
      assert.ok(read, name);
      assert.equal(read.text, text, name);
      assert.equal(read.encoding, encoding, name);
      assert.equal(read.problem?.code, code, name);
      host.writeText(at('copy-' + name), text, read.encoding);
      assert.deepEqual(readFileSync(at('copy-' + name)), bytes, name);
    }
    assert.deepEqual(host.readSource(at('latin.ts'))?.problem?.start, { line: 2, column: 7 });
  });

  it('does not analyse binary, very large or minified files, and says why', () => {
    folder.write({
      'stream.ts': Buffer.from([0x47, 0x40, 0, 0, 0x10]),
      'large.ts': Buffer.alloc(MAX_SOURCE_BYTES + 1, 'a\n'),
      'min.js': 'a=function(b){return c(b)};'.repeat(400),
      'key.ts': `export const key = '${'A'.repeat(9000)}';\n`,
      'long.ts': 'export const a = call(1);\n'.repeat(50_000),
    });
    assert.deepEqual(
      ['stream.ts', 'large.ts', 'min.js', 'key.ts', 'long.ts'].map((name) => {
        const read = host.readSource(at(name));
        return [read?.text === null, read?.problem?.code];
      }),
      [
        [true, 'not-text'],
        [true, 'file-too-large'],
        [true, 'minified'],
        [false, undefined],
        [false, undefined],
      ],
    );
    assert.equal(host.readText(at('large.ts'))?.text.length, MAX_SOURCE_BYTES + 1);
  });

  it('answers null, not an error, for what is not there', () => {
    folder.write({ 'a.ts': '' });
    symlinkSync('loop', at('loop'));
    for (const name of ['gone.ts', 'a.ts/inside.ts', 'loop']) {
      assert.equal(host.readText(at(name)), null, name);
      assert.equal(host.stat(at(name)), null, name);
      assert.equal(host.exists(at(name)), false, name);
      assert.equal(host.realpath(at(name)), at(name), name);
      assert.deepEqual(host.readDir(at(name)), [], name);
    }
    assert.equal(host.readSource(at('gone.ts')), null);
    assert.equal(host.readSource(folder.path), null);
    assert.equal(host.readSource(at('loop'))?.problem?.code, 'file-unreadable');
  });

  it('writes whole files, keeps their mode and writes through links', () => {
    folder.write({ 'run.sh': 'old' });
    chmodSync(at('run.sh'), 0o755);
    symlinkSync('run.sh', at('link.sh'));
    host.writeText(at('link.sh'), 'new');
    assert.equal(readFileSync(at('run.sh'), 'utf8'), 'new');
    assert.equal(statSync(at('run.sh')).mode & 0o777, 0o755);
    host.writeText(at('deep/er/x.yaml'), 'y');
    assert.deepEqual(readdirSync(at('deep/er')), ['x.yaml']);
    assert.throws(() => host.writeText(at('run.sh/x'), 'y'));
    assert.deepEqual(readdirSync(folder.path).sort(), ['deep', 'link.sh', 'run.sh']);
  });

  it('puts the cache in the folder of the user', () => {
    assert.equal(userCacheFolder({ XDG_CACHE_HOME: '/c' }, 'linux', '/home/u'), '/c/sixlens');
    assert.equal(
      userCacheFolder({ XDG_CACHE_HOME: 'relative' }, 'linux', '/home/u'),
      '/home/u/.cache/sixlens',
    );
    assert.equal(userCacheFolder({}, 'darwin', '/Users/u'), '/Users/u/Library/Caches/sixlens');
    assert.equal(userCacheFolder({ SIXLENS_CACHE_DIR: '/x', XDG_CACHE_HOME: '/c' }, 'linux', '/h'), '/x');
    assert.equal(userCacheFolder({ SIXLENS_CACHE_DIR: 'off' }, 'linux', '/h'), null);
    assert.equal(userCacheFolder({}, 'win32', 'C:/u'), null);
  });
});
