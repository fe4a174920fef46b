import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { ScratchTree } from '../../../server/src/host/scratch.ts';
import { nodeScratches } from '../../../server/src/node/nodeScratch.ts';
import { tempFolder, type TempFolder } from './tempFolder.ts';

describe('a scratch copy of a work tree', function () {
  this.timeout(30_000);
  let folder: TempFolder;
  let made: ScratchTree | null = null;
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.email=a@example.com', '-c', 'user.name=ana', ...args], {
      cwd: folder.path,
      encoding: 'utf8',
    });
  const copy = (root = folder.path): ScratchTree => {
    const scratch = nodeScratches.create(root);
    assert.ok(!('error' in scratch), 'error' in scratch ? scratch.error : '');
    return (made = scratch);
  };
  const read = (file: string): string => readFileSync(path.join(made!.top, file), 'utf8');

  beforeEach(() => {
    folder = tempFolder({
      '.gitignore': 'node_modules\ndist\n*.local\ncoverage\n',
      'package.json': '{"workspaces":["packages/*"]}',
      'packages/a/package.json': '{"name":"@acme/a"}',
      'packages/a/src/a.js': 'export const a = 1;\n',
      'packages/b/package.json': '{"name":"@acme/b"}',
      'node_modules/left-pad/package.json': '{"name":"left-pad"}',
      'node_modules/.cache/x': 'x',
      'packages/b/node_modules/own/package.json': '{"name":"own"}',
    });
    mkdirSync(path.join(folder.path, 'node_modules/@acme'));
    symlinkSync('../../packages/a', path.join(folder.path, 'node_modules/@acme/a'));
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'start');
  });
  afterEach(() => {
    made?.dispose();
    made = null;
    folder.remove();
  });

  it('holds what is changed, new, deleted, and ignored files that tests may need', () => {
    folder.write({
      'packages/a/src/a.js': 'export const a = 2;\n',
      'packages/a/src/new.js': 'new\n',
      'packages/a/dist/a.js': 'built\n',
      '.env.local': 'KEY=1\n',
      'coverage/index.html': 'no\n',
    });
    git('rm', '-q', '--cached', 'packages/b/package.json');
    const { root, top, left } = copy(path.join(folder.path, 'packages/a'));
    assert.equal(root, `${top}/packages/a`);
    assert.deepEqual(
      ['packages/a/src/a.js', 'packages/a/src/new.js', 'packages/a/dist/a.js', '.env.local'].map(read),
      ['export const a = 2;\n', 'new\n', 'built\n', 'KEY=1\n'],
    );
    assert.deepEqual(left, []);
    assert.equal(existsSync(path.join(top, 'coverage')), false);
    assert.equal(read('packages/b/package.json'), '{"name":"@acme/b"}');
  });

  it("links dependencies, and a workspace's own packages to their copies", () => {
    const { top } = copy();
    const real = (name: string): string => realpathSync(path.join(top, name));
    assert.equal(real('node_modules/left-pad'), path.join(folder.path, 'node_modules/left-pad'));
    assert.equal(real('node_modules/@acme/a'), path.join(top, 'packages/a'));
    assert.equal(real('packages/b/node_modules/own'), path.join(folder.path, 'packages/b/node_modules/own'));
    assert.equal(existsSync(path.join(top, 'node_modules/.cache')), false, 'caches stay behind');
  });

  it('works without a commit, in a conflict, and with a hook that would fail', () => {
    const bare = tempFolder({ 'a.js': '1\n', '.git-hooks/post-checkout': '#!/bin/sh\nexit 1\n' });
    execFileSync('git', ['init', '-q'], { cwd: bare.path });
    copy(bare.path).dispose();
    bare.remove();
    git('checkout', '-q', '-b', 'other');
    folder.write({ 'packages/a/src/a.js': 'theirs\n' });
    git('commit', '-q', '-a', '-m', 'theirs');
    git('checkout', '-q', 'main');
    folder.write({ 'packages/a/src/a.js': 'ours\n' });
    git('commit', '-q', '-a', '-m', 'ours');
    assert.throws(() => git('merge', '-q', 'other'));
    const before = git('status', '--porcelain');
    copy();
    assert.match(read('packages/a/src/a.js'), /<<<<<<<[^]*ours[^]*theirs/);
    assert.equal(git('status', '--porcelain'), before);
  });

  it('goes away whole, and a second time does nothing', () => {
    const { top, dispose } = copy();
    dispose();
    dispose();
    assert.equal(existsSync(top), false);
    assert.equal(git('worktree', 'list').trim().split('\n').length, 1);
  });
});
