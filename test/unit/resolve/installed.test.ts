/** Versions of packages: node_modules before lockfiles before manifests; every lockfile format; ranges. */
import { strict as assert } from 'node:assert';
import { InstalledVersions } from '../../../server/src/resolve/installed.ts';
import { ModuleResolver } from '../../../server/src/resolve/modules.ts';
import { compareVersions, pickVersion, satisfies } from '../../../server/src/resolve/versions.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

function versionOf(files: Readonly<Record<string, string>>, name: string, dir = 'src'): string | null {
  const host = memoryHost(files);
  const found = new InstalledVersions(host, new ModuleResolver(ROOT, host)).of(dir, name);
  return found ? `${found.version} (${found.from})` : null;
}

const manifest = JSON.stringify({
  dependencies: { axios: '^1.6.0', '@aws-sdk/client-s3': '3.x', pg: 'workspace:*' },
  devDependencies: { got: '~11.8.0' },
});

describe('installed versions', () => {
  it('node_modules wins, the nearest one first', () => {
    const files = {
      'package.json': manifest,
      'node_modules/axios/package.json': '{ "name": "axios", "version": "1.7.2" }',
      'package-lock.json': '{ "packages": { "node_modules/axios": { "version": "1.6.8" } } }',
      'packages/a/package.json': '{ "dependencies": { "axios": "0.27.0" } }',
      'packages/a/node_modules/axios/package.json': '{ "version": "0.27.2" }',
    };
    assert.equal(versionOf(files, 'axios'), '1.7.2 (node_modules)');
    assert.equal(versionOf(files, 'axios', 'packages/a/src'), '0.27.2 (node_modules)');
  });

  it('npm lockfiles: hoisted and nested, the one that fits the range', () => {
    const lock = `{
  "name": "x",
  "lockfileVersion": 3,
  "packages": {
    "node_modules/axios": {
      "version": "1.6.8",
      "resolved": "x"
    },
    "node_modules/old/node_modules/axios": {
      "version": "0.21.1"
    },
    "node_modules/axios-retry": { "version": "4.0.0" },
    "node_modules/@aws-sdk/client-s3": { "version": "3.500.0" }
  }
}`;
    assert.equal(
      versionOf({ 'package.json': manifest, 'package-lock.json': lock }, 'axios'),
      '1.6.8 (lockfile)',
    );
    assert.equal(
      versionOf({ 'package.json': manifest, 'package-lock.json': lock }, '@aws-sdk/client-s3'),
      '3.500.0 (lockfile)',
    );
    assert.equal(
      versionOf(
        { 'package.json': '{ "dependencies": { "axios": "^0.21.0" } }', 'package-lock.json': lock },
        'axios',
      ),
      '0.21.1 (lockfile)',
    );
  });

  it('npm lockfiles: a package that no manifest names is the copy that is found first', () => {
    const files = {
      'package.json': '{}',
      'packages/a/package.json': '{}',
      'packages/b/package.json': '{}',
      'package-lock.json': `{
  "packages": {
    "node_modules/tool/node_modules/node-fetch": { "version": "3.3.2" },
    "packages/b/node_modules/node-fetch": { "version": "3.1.0" },
    "node_modules/node-fetch": { "version": "2.7.0" }
  }
}`,
    };
    assert.equal(versionOf(files, 'node-fetch', 'packages/a/src'), '2.7.0 (lockfile)');
    assert.equal(versionOf(files, 'node-fetch', 'packages/b/src'), '3.1.0 (lockfile)');
  });

  it('pnpm lockfiles of every generation', () => {
    for (const entry of [
      '  axios@1.6.8:\n    resolution: {}',
      '  /axios@1.6.8:\n',
      '  /axios/1.6.8:\n',
      "  'axios@1.6.8':\n",
      '  axios@1.6.8(debug@4.3.4):\n',
    ])
      assert.equal(
        versionOf(
          {
            'package.json': manifest,
            'pnpm-lock.yaml': `lockfileVersion: '9.0'\n\npackages:\n\n${entry}\n  axios-retry@4.0.0:\n`,
          },
          'axios',
        ),
        '1.6.8 (lockfile)',
        entry,
      );
    assert.equal(
      versionOf(
        { 'package.json': manifest, 'pnpm-lock.yaml': "packages:\n  '@aws-sdk/client-s3@3.1.2':\n" },
        '@aws-sdk/client-s3',
      ),
      '3.1.2 (lockfile)',
    );
  });

  it('yarn lockfiles, classic and berry', () => {
    assert.equal(
      versionOf(
        {
          'package.json': manifest,
          'yarn.lock': 'axios@^1.6.0, axios@^1.5.0:\n  version "1.6.8"\n  resolved "x"\n',
        },
        'axios',
      ),
      '1.6.8 (lockfile)',
    );
    assert.equal(
      versionOf(
        {
          'package.json': manifest,
          'yarn.lock': '"axios@npm:^1.6.0":\n  version: 1.6.8\n  resolution: "axios@npm:1.6.8"\n',
        },
        'axios',
      ),
      '1.6.8 (lockfile)',
    );
    assert.equal(
      versionOf(
        { 'package.json': manifest, 'yarn.lock': '"@aws-sdk/client-s3@^3.0.0":\n  version "3.9.0"\n' },
        '@aws-sdk/client-s3',
      ),
      '3.9.0 (lockfile)',
    );
  });

  it('bun lockfiles', () => {
    assert.equal(
      versionOf(
        {
          'package.json': manifest,
          'bun.lock': '{ "packages": { "axios": ["axios@1.6.8", "", {}, "sha"] } }',
        },
        'axios',
      ),
      '1.6.8 (lockfile)',
    );
  });

  it('without both the manifest range says what it can; of a lockfile at the root for a package below it', () => {
    assert.equal(versionOf({ 'package.json': manifest }, 'axios'), '1.6.0 (package.json)');
    assert.equal(versionOf({ 'package.json': manifest }, 'got'), '11.8.0 (package.json)');
    assert.equal(versionOf({ 'package.json': manifest }, 'pg'), null);
    assert.equal(versionOf({ 'package.json': manifest }, 'none'), null);
    assert.equal(
      versionOf(
        {
          'package.json': '{}',
          'package-lock.json': '{"node_modules/axios": {"version": "1.2.3"}}',
          'apps/a/package.json': '{ "dependencies": { "axios": "^1.0.0" } }',
        },
        'axios',
        'apps/a/src',
      ),
      '1.2.3 (lockfile)',
    );
  });

  it('ranges', () => {
    const table: readonly (readonly [string, string, boolean])[] = [
      ['1.2.3', '*', true],
      ['1.2.3', '', true],
      ['1.2.3', '>=1.2', true],
      ['1.2.3', '>=1.2 <1.3', true],
      ['1.3.0', '>=1.2 <1.3', false],
      ['1.2.3', '>1.2.3', false],
      ['1.2.3', '<=1.2.3', true],
      ['2.0.0', '^1.2.0', false],
      ['1.9.0', '^1.2.0', true],
      ['0.3.0', '^0.2.0', false],
      ['0.2.9', '^0.2.0', true],
      ['1.2.3', '1.x', true],
      ['1.2.3', '1.2.x', true],
      ['1.3.3', '1.2.x', false],
      ['1.2.3', '1', true],
      ['1.2.3', '=1.2.3', true],
      ['1.2.3-beta.1', '>=1.2.3', true],
      ['1.2.3', 'latest', false],
      ['1.2.3', '1 || 2', false],
    ];
    for (const [version, range, holds] of table)
      assert.equal(satisfies(version, range), holds, `${version} in ${range}`);
    assert.ok(compareVersions('1.10.0', '1.9.9') > 0);
    assert.equal(
      pickVersion(
        [
          { range: '<1', value: 'a' },
          { range: '*', value: 'b' },
        ],
        '0.9.0',
      ),
      'a',
    );
    assert.equal(
      pickVersion(
        [
          { range: '<1', value: 'a' },
          { range: '*', value: 'b' },
        ],
        '1.0.0',
      ),
      'b',
    );
    assert.equal(pickVersion([{ range: '<1', value: 'a' }], '1.0.0'), undefined);
  });
});
