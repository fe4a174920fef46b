import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createNodeGit } from '../../../server/src/node/nodeGit.ts';
import { tempFolder, type TempFolder } from './tempFolder.ts';

describe('git', function () {
  this.timeout(20_000);
  let folder: TempFolder;
  const git = createNodeGit();
  const run = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder.path,
    });
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder.path, name)), { recursive: true });
    writeFileSync(path.join(folder.path, name), text);
  };
  beforeEach(() => {
    folder = tempFolder({
      'app/a.ts': 'one\ntwo\nthree\nfour\n',
      'app/long.ts': 'x\n'.repeat(30),
      'other/b.ts': 'b\n',
    });
    run('init', '-q', '-b', 'main');
    run('add', '.');
    run('commit', '-q', '-m', 'start');
    run('checkout', '-q', '-b', 'work');
  });
  afterEach(() => folder.remove());

  it('tells changed lines, renames, new and removed files below a folder only', () => {
    write('app/a.ts', 'one\n2\nthree\n');
    renameSync(path.join(folder.path, 'app/long.ts'), path.join(folder.path, 'app/lang é.ts'));
    write('app/lang é.ts', `${'x\n'.repeat(30)}y\n`);
    run('add', '-A');
    run('commit', '-q', '-m', 'more');
    write('app/new.ts', 'n\n');
    rmSync(path.join(folder.path, 'other/b.ts'));
    const app = `${folder.path}/app`;
    const base = git.mergeBase(app, null);
    assert.ok(!('error' in base), JSON.stringify(base));
    assert.equal(base.of, 'main');
    assert.deepEqual(git.changes(app, base.commit), [
      {
        file: 'a.ts',
        from: 'a.ts',
        gone: false,
        lines: [
          { start: 2, end: 2 },
          { start: 3, end: 4 },
        ],
      },
      { file: 'lang é.ts', from: 'long.ts', gone: false, lines: [{ start: 31, end: 31 }] },
      { file: 'new.ts', from: null, gone: false, lines: null },
    ]);
    const all = git.changes(folder.path, base.commit);
    assert.ok(!('error' in all) && all.some((change) => change.file === 'other/b.ts' && change.gone));
    assert.equal(git.textAt(app, base.commit, 'a.ts'), 'one\ntwo\nthree\nfour\n');
    assert.equal(git.textAt(app, base.commit, 'none.ts'), null);
    assert.deepEqual(git.filesAt(app, base.commit, 'a.ts'), ['a.ts']);
    assert.equal(git.renames(app).get('long.ts'), 'lang é.ts');
  });

  it('is not fooled by changed lines that look like a header', () => {
    write('app/a.ts', 'one\ntwo\n++ b/evil.ts\n@@ -1 +90 @@\nfour\n');
    const changes = git.changes(`${folder.path}/app`, 'main');
    assert.deepEqual(changes, [{ file: 'a.ts', from: 'a.ts', gone: false, lines: [{ start: 3, end: 4 }] }]);
  });

  it('says why it cannot answer', () => {
    assert.deepEqual(git.mergeBase(folder.path, 'nowhere'), { error: 'there is no commit nowhere' });
    assert.ok('error' in git.mergeBase(folder.path, '--all'));
    const outside = tempFolder();
    assert.equal(git.isRepository(outside.path), false);
    assert.match(JSON.stringify(git.mergeBase(outside.path, null)), /not a git repository/);
    outside.remove();
    const none = createNodeGit({ program: 'no-such-git' });
    assert.deepEqual(none.changes(folder.path, 'main'), { error: 'git was not found' });
  });
});
