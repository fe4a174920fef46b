import { strict as assert } from 'node:assert';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from '../../../server/src/node/listFiles.ts';
import { tempFolder, type TempFolder } from './tempFolder.ts';

const OPTIONS = { extensions: ['.ts', '.js'] };

describe('listFiles', () => {
  let folder: TempFolder;
  beforeEach(() => (folder = tempFolder()));
  afterEach(() => folder.remove());

  const list = (root = folder.path, options: Parameters<typeof listFiles>[1] = OPTIONS): string[] =>
    listFiles(root, options).files.map((file) => file.slice(folder.path.length + 1));

  it('lists sources sorted and leaves out dependencies, output and minified files', () => {
    folder.write({
      'package.json': '{}',
      'src/b.ts': '',
      'src/a.js': '',
      'src/readme.md': '',
      'src/UPPER.TS': '',
      'src/lib.min.js': '',
      'src/build/keep.ts': '',
      'dist/a.js': '',
      'build/a.js': '',
      'packages/x/package.json': '{}',
      'packages/x/dist/a.js': '',
      'packages/x/main.ts': '',
      'node_modules/p/index.js': '',
      '.next/server.js': '',
      'coverage/x.js': '',
      'vendor/y.js': '',
    });
    assert.deepEqual(list(), [
      'packages/x/main.ts',
      'src/UPPER.TS',
      'src/a.js',
      'src/b.ts',
      'src/build/keep.ts',
    ]);
    assert.deepEqual(
      list(folder.path, { ...OPTIONS, includeAll: true }).filter((file) =>
        /dist|node_modules|min/.test(file),
      ),
      ['dist/a.js', 'packages/x/dist/a.js', 'src/lib.min.js'],
    );
  });

  it('lets the nearest .gitignore decide', () => {
    folder.write({
      '.gitignore': 'generated/\n*.gen.ts\n/top.ts\n',
      'top.ts': '',
      'a/top.ts': '',
      'a/x.gen.ts': '',
      'a/generated/x.ts': '',
      'b/.gitignore': '!keep.gen.ts\n',
      'b/keep.gen.ts': '',
      'b/drop.gen.ts': '',
    });
    assert.deepEqual(list(), ['a/top.ts', 'b/keep.gen.ts']);
  });

  it('honours the ignore files above a root inside a repository, unless they ignore the root itself', () => {
    folder.write({
      '.git/HEAD': '',
      '.gitignore': '*.gen.ts\ntmp/\n',
      'api/a.ts': '',
      'api/b.gen.ts': '',
      'tmp/c.ts': '',
    });
    assert.deepEqual(list(join(folder.path, 'api')), ['api/a.ts']);
    assert.deepEqual(list(join(folder.path, 'tmp')), ['tmp/c.ts']);
  });

  it('survives links in a circle and lists a linked file once', () => {
    folder.write({ 'a/x.ts': '' });
    symlinkSync(folder.path, join(folder.path, 'a', 'loop'));
    symlinkSync('self.ts', join(folder.path, 'self.ts'));
    symlinkSync(join(folder.path, 'a/x.ts'), join(folder.path, 'again.ts'));
    assert.deepEqual(list(), ['a/x.ts']);
    const other = tempFolder({ 'shared.ts': '' });
    symlinkSync(join(other.path, 'shared.ts'), join(folder.path, 'shared.ts'));
    assert.deepEqual(list(), ['a/x.ts', 'shared.ts']);
    other.remove();
  });

  it('names a folder that cannot be read', () => {
    const { files, problems } = listFiles(join(folder.path, 'gone'), OPTIONS);
    assert.deepEqual(files, []);
    assert.equal(problems[0]?.code, 'folder-unreadable');
    assert.match(problems[0]?.message ?? '', /ENOENT/);
  });

  it('lists 20,000 files well below a second', () => {
    folder.write({ '.gitignore': 'ignored/\n*.log\n/x/**/y\n!important.log\n.env*\n' });
    for (let d = 0; d < 200; d++) {
      const at = join(folder.path, `d${d % 20}`, `e${d}`);
      mkdirSync(at, { recursive: true });
      for (let f = 0; f < 100; f++) writeFileSync(join(at, `file${f}.ts`), '');
    }
    const started = performance.now();
    const count = list().length;
    const took = performance.now() - started;
    assert.equal(count, 20_000);
    if (process.env['SIXLENS_SHOW_TIMES']) console.log(`      ${took.toFixed(0)} ms`);
    assert.ok(took < 1000, `took ${took.toFixed(0)} ms`);
  }).timeout(20_000);
});
