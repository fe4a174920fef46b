/** Specifiers to files: relative paths, aliases, workspaces, package exports and imports, built files to sources. */
import { strict as assert } from 'node:assert';
import { createNodeFileHost } from '../../../server/src/node/nodeFileHost.ts';
import { ModuleResolver, splitPackage } from '../../../server/src/resolve/modules.ts';
import { tempFolder, type TempFolder } from '../node/tempFolder.ts';

describe('module resolution', () => {
  let folder: TempFolder | null = null;
  afterEach(() => folder?.remove());

  /** On a real disk, with the real reader of tsconfig files. */
  function resolver(files: Readonly<Record<string, string>>): (from: string, specifier: string) => string {
    folder = tempFolder(files);
    const modules = new ModuleResolver(folder.path, createNodeFileHost());
    return (from, specifier) => {
      const r = modules.resolve(from, specifier);
      return r.k === 'file'
        ? r.path
        : r.k === 'package'
          ? `package ${r.name}${r.sub ? ` / ${r.sub}` : ''}`
          : 'none';
    };
  }

  it('relative: with, without and with another extension, folders, queries', () => {
    const resolve = resolver({
      'src/a.ts': '',
      'src/b.tsx': '',
      'src/c/index.ts': '',
      'src/d.mts': '',
      'src/e.js': '',
      'src/f.cts': '',
      'src/g.ts': '',
      'src/g/index.ts': '',
      'src/h.service.ts': '',
      'src/deep/x.ts': '',
    });
    const from = (s: string): string => resolve('src/main.ts', s);
    assert.equal(from('./a'), 'src/a.ts');
    assert.equal(from('./a.ts'), 'src/a.ts');
    assert.equal(from('./a.js'), 'src/a.ts');
    assert.equal(from('./b.js'), 'src/b.tsx');
    assert.equal(from('./b.jsx'), 'src/b.tsx');
    assert.equal(from('./c'), 'src/c/index.ts');
    assert.equal(from('./c/'), 'src/c/index.ts');
    assert.equal(from('./d.mjs'), 'src/d.mts');
    assert.equal(from('./e.js'), 'src/e.js');
    assert.equal(from('./f.cjs'), 'src/f.cts');
    assert.equal(from('./g'), 'src/g.ts');
    assert.equal(from('./h.service'), 'src/h.service.ts');
    assert.equal(from('./a?raw'), 'src/a.ts');
    assert.equal(from('./none'), 'none');
    assert.equal(resolve('src/deep/x.ts', '../a'), 'src/a.ts');
    assert.equal(resolve('src/deep/x.ts', '..'), 'none');
    assert.equal(resolve('src/deep/x.ts', '../../outside'), 'none');
    assert.equal(resolve('src/c/index.ts', '.'), 'src/c/index.ts');
  });

  it('packages need no disk', () => {
    const resolve = resolver({ 'a.ts': '' });
    assert.equal(resolve('a.ts', 'express'), 'package express');
    assert.equal(resolve('a.ts', '@scope/name/sub/path'), 'package @scope/name / sub/path');
    assert.equal(resolve('a.ts', 'node:fs/promises'), 'package node:fs/promises');
    assert.equal(resolve('a.ts', 'stripe/lib'), 'package stripe / lib');
    assert.deepEqual(splitPackage('@a/b'), { name: '@a/b', sub: '' });
    assert.deepEqual(splitPackage('@/b'), { name: '', sub: '@/b' });
  });

  it('tsconfig paths: patterns, exact names, the longest prefix, baseUrl, extends, the nearest config', () => {
    const resolve = resolver({
      'tsconfig.json':
        '{ "extends": "./base.json", "compilerOptions": { "paths": { "@app/*": ["src/*"], "@app/db/*": ["db/*"], "config": ["src/config/index.ts"], "~*": ["none/*", "src/*"] } } }',
      'base.json': '{ "compilerOptions": { "baseUrl": "." } }',
      'src/users/service.ts': '',
      'src/config/index.ts': '',
      'src/x.ts': '',
      'db/client.ts': '',
      'lib/rooted.ts': '',
      'packages/inner/tsconfig.json': '{ "compilerOptions": { "paths": { "@app/*": ["./own/*"] } } }',
      'packages/inner/own/x.ts': '',
      'packages/inner/main.ts': '',
    });
    assert.equal(resolve('src/x.ts', '@app/users/service'), 'src/users/service.ts');
    assert.equal(resolve('src/x.ts', '@app/users/service.js'), 'src/users/service.ts');
    assert.equal(resolve('src/x.ts', '@app/db/client'), 'db/client.ts');
    assert.equal(resolve('src/x.ts', 'config'), 'src/config/index.ts');
    assert.equal(resolve('src/x.ts', '~users/service'), 'src/users/service.ts');
    assert.equal(resolve('src/x.ts', 'lib/rooted'), 'lib/rooted.ts');
    assert.equal(resolve('src/x.ts', 'express'), 'package express');
    assert.equal(resolve('packages/inner/main.ts', '@app/x'), 'packages/inner/own/x.ts');
  });

  it('tsconfig references carry the paths of the config they name', () => {
    const resolve = resolver({
      'tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
      'tsconfig.app.json': '{ "compilerOptions": { "paths": { "#lib/*": ["./lib/*"] } } }',
      'lib/a.ts': '',
      'src/main.ts': '',
    });
    assert.equal(resolve('src/main.ts', '#lib/a'), 'lib/a.ts');
  });

  it('jsconfig and the common aliases without any config', () => {
    let resolve = resolver({
      'jsconfig.json': '{ "compilerOptions": { "baseUrl": "src" } }',
      'src/util/a.js': '',
      'src/main.js': '',
    });
    assert.equal(resolve('src/main.js', 'util/a'), 'src/util/a.js');
    folder?.remove();
    resolve = resolver({ 'package.json': '{}', 'src/lib/db.ts': '', 'app/root.tsx': '' });
    assert.equal(resolve('app/root.tsx', '@/lib/db'), 'src/lib/db.ts');
    assert.equal(resolve('app/root.tsx', '~/root'), 'app/root.tsx');
    assert.equal(resolve('app/root.tsx', '@/none'), 'none');
  });

  it('npm and pnpm workspaces: exports, main, sources of built files, sub paths', () => {
    const packages = {
      'packages/db/package.json':
        '{ "name": "@acme/db", "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" }, "./client": "./dist/client.js", "./deep/*": "./dist/deep/*.js" } }',
      'packages/db/src/index.ts': '',
      'packages/db/src/client.ts': '',
      'packages/db/src/deep/one.ts': '',
      'packages/db/src/hidden.ts': '',
      'packages/log/package.json': '{ "name": "log", "main": "./lib/main.js" }',
      'packages/log/src/main.ts': '',
      'packages/plain/package.json': '{ "name": "plain" }',
      'packages/plain/index.js': '',
      'packages/plain/util.js': '',
      'apps/api/package.json': '{ "name": "api" }',
      'apps/api/src/main.ts': '',
    };
    const check = (resolve: (from: string, s: string) => string): void => {
      const from = (s: string): string => resolve('apps/api/src/main.ts', s);
      assert.equal(from('@acme/db'), 'packages/db/src/index.ts');
      assert.equal(from('@acme/db/client'), 'packages/db/src/client.ts');
      assert.equal(from('@acme/db/deep/one'), 'packages/db/src/deep/one.ts');
      assert.equal(from('@acme/db/hidden'), 'packages/db/src/hidden.ts');
      assert.equal(from('log'), 'packages/log/src/main.ts');
      assert.equal(from('plain'), 'packages/plain/index.js');
      assert.equal(from('plain/util'), 'packages/plain/util.js');
      assert.equal(from('@acme/none'), 'package @acme/none');
    };
    check(resolver({ ...packages, 'package.json': '{ "workspaces": ["packages/*", "./apps/**"] }' }));
    folder?.remove();
    check(
      resolver({
        ...packages,
        'package.json': '{ "workspaces": { "packages": ["packages/*", "apps/api"] } }',
      }),
    );
    folder?.remove();
    check(
      resolver({
        ...packages,
        'package.json': '{}',
        'pnpm-workspace.yaml': 'packages:\n  - packages/*\n  - "apps/*"\n  - "!packages/none"\n',
      }),
    );
  });

  it('package imports', () => {
    const resolve = resolver({
      'package.json':
        '{ "name": "x", "imports": { "#db": "./src/db.js", "#lib/*": { "import": "./dist/lib/*.js" }, "#dep": "ioredis/built" } }',
      'src/db.ts': '',
      'src/lib/a.ts': '',
      'src/main.ts': '',
    });
    assert.equal(resolve('src/main.ts', '#db'), 'src/db.ts');
    assert.equal(resolve('src/main.ts', '#lib/a'), 'src/lib/a.ts');
    assert.equal(resolve('src/main.ts', '#dep'), 'package ioredis / built');
    assert.equal(resolve('src/main.ts', '#none'), 'none');
  });

  it('a package can name itself', () => {
    const resolve = resolver({
      'package.json': '{ "name": "self", "exports": { "./a": "./src/a.ts" } }',
      'src/a.ts': '',
      'src/main.ts': '',
    });
    assert.equal(resolve('src/main.ts', 'self/a'), 'src/a.ts');
  });

  it('forgets what it read when told to', () => {
    folder = tempFolder({ 'a.ts': '' });
    const modules = new ModuleResolver(folder.path, createNodeFileHost());
    assert.equal(modules.resolve('a.ts', './b').k, 'none');
    folder.write({ 'b.ts': '' });
    assert.equal(modules.resolve('a.ts', './b').k, 'none');
    modules.reset();
    assert.equal(modules.resolve('a.ts', './b').k, 'file');
  });
});
