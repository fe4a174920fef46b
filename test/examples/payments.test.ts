/**
 * The worked example from the first look to the text of the pull request: the tool finds what the handler lacks, each handled
 * row is seen red without its mechanism and green with it, and the gate closes. Runs on SQLite, and on PostgreSQL where it is installed.
 */
import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { runCommand } from '../support/builtCommand.ts';
import { temporaryPostgres } from '../support/temporaryPostgres.ts';
import { tempFolder } from '../unit/node/tempFolder.ts';

const EXAMPLE = path.resolve('examples/webhooks/payments');
const BEFORE = path.resolve('test/examples/payments');
const WEBHOOK = '.sixlens/tables/src/payments/webhook-post-webhooks-payments.yaml';
const JOB = '.sixlens/tables/src/server/job-work.yaml';

interface TableText {
  readonly rows: Readonly<Record<string, { readonly rule?: string; readonly why?: string; readonly verdict: string }>>;
}

/** Node's headers lie beside it in most installations: then a module in C++ is built without fetching them. */
function ownHeaders(): Readonly<Record<string, string>> {
  const prefix = path.join(path.dirname(realpathSync(process.execPath)), '..');
  return existsSync(path.join(prefix, 'include/node/node.h')) ? { npm_config_nodedir: prefix } : {};
}

describe('example: a payments webhook, as it is kept', () => {
  it('has a lockfile that names no registry', () => {
    assert.doesNotMatch(readFileSync(path.join(EXAMPLE, 'package-lock.json'), 'utf8'), /"resolved": "http/);
  });

  it('has a table in which every row has its verdict', () => {
    for (const file of [WEBHOOK, JOB])
      for (const [id, row] of Object.entries((parse(readFileSync(path.join(EXAMPLE, file), 'utf8')) as TableText).rows))
        assert.match(row.verdict, /^(?:detect|handle|accept)$/, id);
  });
});

describe('example: a payments webhook', function () {
  this.timeout(10 * 60_000);
  const folder = tempFolder();
  const at = (file: string): string => path.join(folder.path, file);
  const sixlens = (...words: string[]): { code: number | null; text: string } => runCommand(folder.path, words);
  const git = (...words: string[]): void => {
    const done = spawnSync('git', ['-c', 'user.email=li@example.com', '-c', 'user.name=li', ...words], {
      cwd: folder.path,
      encoding: 'utf8',
    });
    assert.equal(done.status, 0, done.stderr);
  };
  const npm = (words: readonly string[], env: Readonly<Record<string, string>> = {}): { code: number | null; text: string } => {
    const done = spawnSync('npm', words, { cwd: folder.path, encoding: 'utf8', env: { ...process.env, ...env } });
    return { code: done.status, text: `${done.stdout}${done.stderr}` };
  };

  before(function () {
    cpSync(EXAMPLE, folder.path, {
      recursive: true,
      filter: (source) => !/node_modules|evidence/.test(path.relative(EXAMPLE, source)),
    });
    writeFileSync(at('.gitignore'), 'node_modules/\n');
    const installed = npm(['ci', '--no-audit', '--no-fund'], ownHeaders());
    const loads = spawnSync(process.execPath, ['-e', "new (require('better-sqlite3'))(':memory:')"], { cwd: folder.path });
    if (installed.code === 0 && loads.status === 0) return;
    console.log(`      skipped: better-sqlite3 could not be installed here (${installed.text.trim().split('\n').at(-1) ?? ''})`);
    this.skip();
  });
  after(() => folder.remove());

  it('is found wanting before the work', () => {
    const kept = readFileSync(at(WEBHOOK), 'utf8');
    for (const name of ['payments', 'outbox']) copyFileSync(path.join(BEFORE, `${name}.before.txt`), at(`src/${name}.ts`));
    cpSync(at('.sixlens'), at('../kept-tables'), { recursive: true });
    spawnSync('rm', ['-rf', at('.sixlens')]);
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'the handler as it was');

    const prune = sixlens('prune', '--check');
    assert.equal(prune.code, 1);
    assert.match(prune.text, /redundant-guard: second check of order/);

    assert.equal(sixlens('table', 'src/payments.ts').code, 0);
    const found = Object.entries((parse(readFileSync(at(WEBHOOK), 'utf8')) as TableText).rows);
    assert.deepEqual(
      found.flatMap(([, row]) => row.rule ?? []).sort(),
      ['call-without-timeout', 'redelivery-without-dedup', 'unverified-webhook'],
      'three of the rows come from findings',
    );
    assert.ok(
      found.filter(([, row]) => row.why !== undefined).length >= 2,
      'others are questions that code cannot answer',
    );
    for (const [id, row] of found)
      if (row.rule === 'redelivery-without-dedup' || row.rule === 'unverified-webhook')
        assert.ok(kept.includes(id), `${row.rule} has the id of the row that was worked on later`);
  });

  it('is clean after it, and the gate asks for proofs', () => {
    for (const name of ['payments', 'outbox']) copyFileSync(path.join(EXAMPLE, `src/${name}.ts`), at(`src/${name}.ts`));
    spawnSync('rm', ['-rf', at('.sixlens')]);
    mkdirSync(at('.sixlens'));
    cpSync(at('../kept-tables'), at('.sixlens'), { recursive: true });
    spawnSync('rm', ['-rf', at('../kept-tables')]);

    const check = sixlens('check', '--preset', 'strict', 'src');
    assert.equal(check.code, 0, check.text);
    assert.equal(sixlens('prune', '--check').code, 0);
    const gate = sixlens('gate', '--base', 'main');
    assert.equal(gate.code, 1);
    assert.equal(gate.text.match(/handle-without-proof/g)?.length, 5, gate.text);
  });

  it('has every handled row proven, also those that share a mechanism', () => {
    for (const table of [WEBHOOK, JOB]) {
      const proof = sixlens('prove', table);
      assert.equal(proof.code, 0, proof.text);
    }
    for (const row of ['prt-2c8h5v1d', 'cnc-7zzbkq8a']) {
      const evidence = readFileSync(at(WEBHOOK.replace('tables', 'evidence').replace('.yaml', `/${row}.json`)), 'utf8');
      assert.match(evidence, /2 !== 1/, 'red on its own assertion: two fulfilments instead of one');
    }
  });

  it('closes the gate, and describes itself for the reviewer', () => {
    const gate = sixlens('gate', '--base', 'main');
    assert.equal(gate.code, 0, gate.text);
    const pr = sixlens('pr', '--base', 'main');
    assert.equal(pr.code, 0, pr.text);
    for (const part of [
      /### POST \/webhooks\/payments/,
      /\*\*Clock\*\* \| the warehouse hangs/,
      /red without the claim that stops a second delivery: .*ends with 1: .*2 !== 1/,
      /green with it: .*ends with 0/,
      /the second check that the order exists/,
      /until 29 May 2027/,
    ])
      assert.match(pr.text, part);
  });

  it('passes its own tests on PostgreSQL too', async function () {
    const server = await temporaryPostgres();
    if (typeof server === 'string') {
      console.log(`      skipped: ${server}`);
      this.skip();
    }
    try {
      const run = npm(['test'], { DATABASE_URL: server.url });
      assert.equal(run.code, 0, run.text);
    } finally {
      await server.stop();
    }
  });
});
