import { strict as assert } from 'node:assert';
import type { FileHost } from '../../../server/src/host/fileHost.ts';
import { cachedRun } from '../../../server/src/service/runCache.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

function cachingHost(files: Record<string, string>): {
  host: FileHost;
  touch: (path: string, text: string | null) => void;
} {
  const memory = memoryHost(files);
  const times = new Map<string, number>();
  let clock = 1;
  const host: FileHost = {
    ...memory,
    cacheDir: '/cache',
    stat: (path) => {
      const stat = memory.stat(path);
      return stat && { ...stat, mtimeMs: times.get(path) ?? 1 };
    },
  };
  return {
    host,
    touch(path, text) {
      if (text === null) memory.files.delete(`${ROOT}/${path}`);
      else memory.files.set(`${ROOT}/${path}`, text);
      times.set(`${ROOT}/${path}`, ++clock);
    },
  };
}

describe('cache of whole runs', () => {
  const key = { build: 'b1', root: ROOT, options: ['check'] };
  const compute = (host: FileHost): string[] => {
    const { files } = host.listFiles(ROOT, { extensions: ['.ts'] });
    host.readText(`${ROOT}/package.json`);
    return files.map((f) => host.readSource(f)?.text ?? '');
  };
  const cases: readonly [string, (touch: (path: string, text: string | null) => void) => void, boolean][] = [
    ['nothing changed', () => undefined, true],
    ['a file changed', (touch) => touch('a.ts', 'changed'), false],
    ['a file came', (touch) => touch('b.ts', 'new'), false],
    ['a file went', (touch) => touch('a.ts', null), false],
    ['a manifest that was looked for came', (touch) => touch('package.json', '{}'), false],
    ['a file that no one read changed', (touch) => touch('notes.md', 'x'), true],
  ];
  for (const [what, change, cached] of cases)
    it(`${what}: ${cached ? 'answers from the cache' : 'computes again'}`, async () => {
      const { host, touch } = cachingHost({ 'a.ts': 'one' });
      const first = await cachedRun(host, key, compute);
      assert.deepEqual(first, { answer: ['one'], cached: false });
      change(touch);
      const second = await cachedRun(host, key, compute);
      assert.equal(second.cached, cached);
      assert.deepEqual(second.answer, compute(host));
    });

  it('another build, other options or a broken file compute again', async () => {
    const { host } = cachingHost({ 'a.ts': 'one' });
    await cachedRun(host, key, compute);
    assert.equal((await cachedRun(host, { ...key, build: 'b2' }, compute)).cached, false);
    assert.equal((await cachedRun(host, { ...key, options: ['check', 'strict'] }, compute)).cached, false);
    const [file] = [...(host as FileHost & { files: Map<string, string> }).files.keys()].filter((f) =>
      f.startsWith('/cache'),
    );
    host.writeText(file ?? '', '{"build":"b1"');
    assert.equal((await cachedRun(host, key, compute)).cached, false);
  });

  it('without a build or a folder nothing is remembered', async () => {
    const { host } = cachingHost({ 'a.ts': 'one' });
    await cachedRun(host, { ...key, build: null }, compute);
    assert.equal((await cachedRun(host, { ...key, build: null }, compute)).cached, false);
    const homeless = { ...host, cacheDir: null };
    await cachedRun(homeless, key, compute);
    assert.equal((await cachedRun(homeless, key, compute)).cached, false);
  });
});
