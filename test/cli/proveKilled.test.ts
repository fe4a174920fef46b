import { strict as assert } from 'node:assert';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { proofProject, type ProofProject } from '../support/proofProject.ts';
import { tempFolder, type TempFolder } from '../unit/node/tempFolder.ts';

const MAIN = fileURLToPath(new URL('../../server/src/cli/main.ts', import.meta.url));
const TSX = fileURLToPath(import.meta.resolve('tsx'));
const SOURCE = `export async function call(work) {
  const res = await fetch(work, { signal: AbortSignal.timeout(50) });
  return res.status;
}
`;
const TEST = `import { test } from 'node:test';
import assert from 'node:assert';
import { createServer } from 'node:http';
import { call } from '../src/call.js';
test('ends in time', async (t) => {
  const server = createServer(() => {}).listen(0);
  await new Promise((ok) => server.once('listening', ok));
  t.after(() => { server.closeAllConnections(); server.close(); });
  const late = new Promise((ok) => setTimeout(ok, 1500, 'late'));
  const ends = call('http://localhost:' + server.address().port).then(() => 'ended', () => 'ended');
  assert.equal(await Promise.race([ends, late]), 'ended');
});
`;

describe('prove, killed', function () {
  this.timeout(120_000);
  let tried: ProofProject;
  let temporary: TempFolder;
  const base = (): string => path.join(temporary.path, `sixlens-${process.getuid?.() ?? ''}`);

  before(function () {
    // Processes of others are found by what /proc tells.
    if (process.platform !== 'linux') this.skip();
  });
  beforeEach(() => {
    temporary = tempFolder();
    tried = proofProject({
      file: 'src/call.js',
      symbol: 'call',
      rows: [
        {
          id: 'clk-00000001',
          rule: 'call-without-timeout',
          at: 'fetch',
          test: 'test/call.test.js > ends in time',
        },
      ],
      manifest: { scripts: { test: 'node --test test/' } },
      files: { 'src/call.js': SOURCE, 'test/call.test.js': TEST, 'kept.txt': 'one\n', 'staged.txt': 'one\n' },
    });
    // Something of every kind that must survive: stashed, staged, changed, untracked, ignored, another branch.
    tried.write('kept.txt', 'stashed\n');
    tried.git('stash', '-q');
    tried.git('branch', 'other');
    tried.write('staged.txt', 'two\n');
    tried.git('add', 'staged.txt');
    tried.write('staged.txt', 'three\n');
    tried.write('kept.txt', 'changed\n');
    tried.write('new.txt', 'untracked\n');
    tried.write('ignored.log', 'ignored\n');
  });
  afterEach(() => {
    tried.remove();
    temporary.remove();
  });

  const start = (): ChildProcess =>
    spawn(process.execPath, ['--import', TSX, MAIN, 'prove', 'clk-00000001', '--no-suite'], {
      cwd: tried.path,
      env: { ...process.env, TMPDIR: temporary.path, SIXLENS_CACHE_DIR: 'off' },
      stdio: 'ignore',
    });
  const ended = (child: ChildProcess): Promise<number | null> =>
    new Promise((resolve) => child.on('exit', (code) => resolve(code)));
  /** The owner's folder, the copy in it, and whether anything of the copy is there. */
  const copy = (): string | null => {
    const own = existsSync(base()) ? readdirSync(base()).find((name) => /^\d+-/.test(name)) : undefined;
    return own === undefined ? null : path.join(base(), own);
  };
  const inCopy = (name: string): string | null => {
    const own = copy();
    const folder = own && readdirSync(own).find((entry) => entry.startsWith('sixlens-test-'));
    return own && folder ? path.join(own, folder, name) : null;
  };
  const holds = (file: string | null, test: (text: string) => boolean): boolean => {
    try {
      return file !== null && test(readFileSync(file, 'utf8'));
    } catch {
      return false;
    }
  };

  const moments: Readonly<Record<string, () => boolean>> = {
    'as its folder appears': () => copy() !== null,
    'as git registers the copy': () => existsSync(path.join(tried.path, '.git/worktrees')),
    'as the copy fills': () => holds(inCopy('src/call.js'), () => true),
    'as the mechanism is out and the test runs': () =>
      holds(inCopy('src/call.js'), (text) => !text.includes('signal')) &&
      running().some((words) => words.includes('--test-reporter')),
  };
  for (const [name, reached] of Object.entries(moments))
    it(`leaves everything as it was when it dies ${name}; the next run cleans up`, async () => {
      const before = fingerprint(tried.path);
      const child = start();
      const gone = ended(child);
      const limit = Date.now() + 30_000;
      while (!reached()) {
        assert.ok(Date.now() < limit && child.exitCode === null, 'the moment came');
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      child.kill('SIGKILL');
      assert.equal(await gone, null);
      assert.deepEqual(fingerprint(tried.path), before);
      // What it started ends by itself.
      while (running().length > 0) {
        assert.ok(Date.now() < limit, running().join('\n'));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      assert.notEqual(copy(), null, 'something was left');
      assert.equal(await ended(start()), 0);
      assert.deepEqual(readdirSync(base()), []);
      assert.equal(existsSync(path.join(tried.path, '.git/worktrees')), false);
      const { evidence, ...after } = fingerprint(tried.path);
      assert.match(evidence, /clk-00000001/);
      assert.deepEqual({ ...after, evidence: '' }, before);
    });

  it('leaves alone what a living run uses, and another work tree of the user', async () => {
    tried.git('worktree', 'add', '-q', '--detach', path.join(temporary.path, 'mine'));
    const own = path.join(base(), `${process.pid}-0-0123456789`);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const foreign = path.join(base(), 'not-ours');
    mkdirSync(foreign);
    assert.equal(await ended(start()), 0);
    assert.deepEqual(readdirSync(base()).sort(), [path.basename(own), 'not-ours'].sort());
    assert.equal(tried.git('worktree', 'list').trim().split('\n').length, 2);
  });

  it('is interrupted by a signal and takes everything away itself', async () => {
    const before = fingerprint(tried.path);
    const child = start();
    const gone = ended(child);
    while (!running().some((words) => words.includes('--test-reporter')))
      await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGINT');
    assert.equal(await gone, 2);
    assert.deepEqual([running(), readdirSync(base())], [[], []]);
    assert.deepEqual(fingerprint(tried.path), before);
  });

  /** Command lines of processes that run in the folder for temporary files, the command line of ours apart. */
  function running(): readonly string[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
      .flatMap((pid) => {
        try {
          const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
          const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1];
          return words.includes(temporary.path) && !state?.startsWith('Z') ? [words] : [];
        } catch {
          return [];
        }
      });
  }
});

interface Fingerprint {
  readonly files: readonly string[];
  readonly index: string;
  readonly refs: string;
  readonly stash: string;
  readonly evidence: string;
}

/** Every byte that a person would miss. */
function fingerprint(folder: string): Fingerprint {
  const git = (...args: string[]): string =>
    execFileSync('git', ['--no-optional-locks', ...args], { cwd: folder, encoding: 'utf8' });
  const files: string[] = [];
  const visit = (name: string): void => {
    for (const entry of readdirSync(path.join(folder, name)).sort()) {
      const inner = path.join(name, entry);
      if (entry === '.git' || inner === '.sixlens/evidence') continue;
      const stat = statSync(path.join(folder, inner));
      if (stat.isDirectory()) visit(inner);
      else files.push(`${inner} ${stat.mtimeMs} ${readFileSync(path.join(folder, inner), 'base64')}`);
    }
  };
  visit('');
  const evidence = path.join(folder, '.sixlens/evidence');
  return {
    files,
    index: readFileSync(path.join(folder, '.git/index'), 'base64'),
    refs: git('for-each-ref') + readFileSync(path.join(folder, '.git/HEAD'), 'utf8'),
    stash: git('stash', 'list', '-p') + readFileSync(path.join(folder, '.git/logs/refs/stash'), 'utf8'),
    evidence: existsSync(evidence) ? readdirSync(evidence, { recursive: true }).join(' ') : '',
  };
}
