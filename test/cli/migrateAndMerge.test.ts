import { strict as assert } from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createAnalysis } from '../../server/src/service/analysisService.ts';
import { readTable } from '../../server/src/tables/read.ts';
import { tempFolder, type TempFolder } from '../unit/node/tempFolder.ts';
import { run, type Run } from './fakeContext.ts';

const SOURCE = `import express from 'express';
export const router = express.Router();
router.post('/pay', async (req, res) => {
  res.json(await fetch('https://ledger.example/pay'));
});
`;
const TABLE = '.sixlens/tables/src/pay/http-post-pay.yaml';
const TEXT = `sixlens: 1
unit: POST /pay
kind: http
code: { file: src/pay.ts, symbol: 'router.post "/pay"' }
contract: one answer

rows:
  clk-00000001:
    failure: the ledger hangs
    verdict: undecided
    seen: { code: s1, date: "2026-11-01", by: li }
`;
const EVIDENCE = '.sixlens/evidence/src/pay/http-post-pay/clk-00000001.json';

describe('migrate and merge in a repository', function () {
  this.timeout(60_000);
  let folder: TempFolder;
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.email=a@example.com', '-c', 'user.name=ana', ...args], {
      cwd: folder.path,
      encoding: 'utf8',
    });
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder.path, name)), { recursive: true });
    writeFileSync(path.join(folder.path, name), text);
  };
  const read = (name: string): string => readFileSync(path.join(folder.path, name), 'utf8');
  const has = (name: string): boolean => existsSync(path.join(folder.path, name));
  const go = (...words: string[]): Promise<Run> =>
    run(folder.path, words, { analysis: (options) => createAnalysis(options) });
  const commit = (text: string): void => {
    git('add', '-A');
    git('commit', '-q', '-m', text);
  };

  beforeEach(() => {
    folder = tempFolder({ 'package.json': '{"dependencies":{"express":"4"}}', 'src/pay.ts': SOURCE });
    git('init', '-q', '-b', 'main');
    write(TABLE, TEXT);
    write(EVIDENCE, '{"row":"clk-00000001"}\n');
    commit('start');
  });
  afterEach(() => folder.remove());

  it('brings older tables to this format, and says what it left', async () => {
    assert.match((await go('migrate')).out, /Nothing to migrate/);
    write(TABLE, TEXT.replace('sixlens: 1\n', ''));
    write('.sixlens/tables/src/b/x.yaml', 'sixlens: 9\nunit: x\n');
    const dry = await go('migrate', '--dry-run');
    assert.match(dry.out, /http-post-pay\.yaml: would be migrated, format 0 → 1/);
    assert.notEqual(read(TABLE), TEXT);
    const { code, out, err } = await go('migrate');
    assert.equal(code, 1);
    assert.match(out, /http-post-pay\.yaml: migrated/);
    assert.match(err, /src\/b\/x\.yaml:1: left as it is: a newer Sixlens wrote this table/);
    assert.equal(read(TABLE), TEXT);
    assert.equal(read('.sixlens/tables/src/b/x.yaml'), 'sixlens: 9\nunit: x\n');
    assert.equal((await go('migrate', 'src')).code, 2);
  });

  it('moves tables and evidence along with renamed sources, committed or not', async () => {
    mkdirSync(path.join(folder.path, 'src/http'));
    git('mv', 'src/pay.ts', 'src/http/payments.ts');
    const first = await go('migrate', '--paths');
    assert.deepEqual([first.code, first.err], [0, ''], first.out);
    const moved = '.sixlens/tables/src/http/payments/http-post-pay.yaml';
    assert.match(first.out, /migrated, src\/pay\.ts → src\/http\/payments\.ts; moved from/);
    assert.equal(read(moved), TEXT.replace('src/pay.ts', 'src/http/payments.ts'));
    assert.ok(!has(TABLE) && !has(EVIDENCE));
    assert.ok(has(EVIDENCE.replace('src/pay', 'src/http/payments')));
    assert.match((await go('migrate', '--paths')).out, /Nothing to migrate/);
    commit('moved');
    git('mv', 'src/http/payments.ts', 'src/money.ts');
    git('commit', '-qm', 'again');
    assert.equal((await go('migrate', '--paths')).code, 0);
    assert.match(read('.sixlens/tables/src/money/http-post-pay.yaml'), /file: src\/money\.ts/);
  });

  it('leaves a table whose source is gone without a trace', async () => {
    git('rm', '-q', 'src/pay.ts');
    const { code, err } = await go('migrate', '--paths');
    assert.equal(code, 1);
    assert.match(err, /src\/pay\.ts is gone and git knows no rename/);
    assert.equal(read(TABLE), TEXT);
  });

  it('is a merge driver that git can call', () => {
    const main = path.resolve('server/src/cli/main.ts');
    git(
      'config',
      'merge.sixlens.driver',
      `'${process.execPath}' --import '${path.resolve('node_modules/tsx/dist/esm/index.mjs')}' '${main}' merge-driver %O %A %B %P %L`,
    );
    write('.gitattributes', '.sixlens/tables/** merge=sixlens\n.sixlens/evidence/** merge=sixlens\n');
    commit('driver');
    const accept =
      'verdict: accept\n    because: rate\n    reason: once a year\n    owner: li\n    expires: "2027-01-01"';
    const row = '\n  res-00000001:\n    failure: a burst\n    verdict: detect\n    signal: alert burst\n';
    git('checkout', '-q', '-b', 'side');
    write(TABLE, TEXT.replace('verdict: undecided', accept).replace('2026-11-01', '2026-11-20'));
    write(EVIDENCE, '{"row":"clk-00000001","x":1}\n');
    commit('accept');
    git('checkout', '-q', 'main');
    write(
      TABLE,
      TEXT.replace('by: li }', 'by: ana }')
        .replace('rows:\n', `rows:${row}\n`)
        .replace('one answer', 'one answer in two seconds'),
    );
    write(EVIDENCE, '{"row":"clk-00000001","x":2}\n');
    commit('row');
    git('merge', '-q', '-m', 'merged', 'side');
    const { table, problems } = readTable(read(TABLE));
    assert.deepEqual(problems, []);
    assert.equal(table!.contract, 'one answer in two seconds');
    assert.deepEqual(
      Object.values(table!.rows).map(({ verdict }) => verdict),
      ['detect', 'accept'],
    );
    assert.deepEqual(table!.rows['clk-00000001']!.seen, { code: 's1', date: '2026-11-20', by: 'li' });
    assert.equal(read(EVIDENCE), '{"row":"clk-00000001","x":2}\n');

    git('checkout', '-q', '-b', 'other');
    write(
      TABLE,
      read(TABLE).replace(
        'verdict: detect\n    signal: alert burst',
        'verdict: blocked\n    blocker: no seam\n    to: li',
      ),
    );
    commit('blocked');
    git('checkout', '-q', 'main');
    write(TABLE, read(TABLE).replace('alert burst', 'alert queue'));
    commit('signal');
    const failed = spawnSync(
      'git',
      ['-c', 'user.email=a@example.com', '-c', 'user.name=ana', 'merge', '-q', 'other'],
      { cwd: folder.path },
    );
    assert.equal(failed.status, 1);
    assert.match(
      read(TABLE),
      /<{7} ours\n {4}verdict: detect\n {4}signal: alert queue\n={7}\n {4}verdict: blocked/,
    );
    assert.match(read(TABLE), /verdict: accept/);
  });

  it('hands to git what it cannot read', async () => {
    for (const [name, text] of [
      ['o', TEXT],
      ['a', `${TEXT}x: [\n`],
      ['b', TEXT.replace('POST /pay', 'POST /paid')],
    ] as const)
      write(name, text);
    assert.equal((await go('merge-driver', 'o', 'a', 'b', TABLE, '7')).code, 0);
    assert.equal(read('a'), `${TEXT.replace('POST /pay', 'POST /paid')}x: [\n`);
    assert.equal((await go('merge-driver', 'o', 'gone', 'b')).code, 2);
    assert.equal((await go('merge-driver')).code, 2);
  });
});
