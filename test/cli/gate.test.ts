import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createAnalysis } from '../../server/src/service/analysisService.ts';
import { checkOutputSchema, gateOutputSchema } from '../../server/src/cli/schemas.ts';
import { createTableDocuments } from '../../server/src/service/tableDocuments.ts';
import { tempFolder, type TempFolder } from '../unit/node/tempFolder.ts';
import { run, type Run } from './fakeContext.ts';

const SOURCE = `import express from 'express';
import { notify } from './notify.ts';
export const router = express.Router();
router.post('/pay', async (req, res) => {
  const answer = await fetch('https://ledger.example/pay', { method: 'POST', signal: AbortSignal.timeout(2000) });
  await notify(answer.status);
  res.json(answer.status);
});
`;
const NOTIFY = `export async function notify(status: number): Promise<void> {
  await fetch('https://mail.example/' + status, { signal: AbortSignal.timeout(900) });
}
`;
const OTHER = `import express from 'express';
export const router = express.Router();
router.get('/health', async (req, res) => {
  res.json(await Promise.resolve(1));
});
`;
const TABLE = '.sixlens/tables/src/pay/http-post-pay.yaml';

const LENSES = ['boundaries', 'hostile-input', 'partial-failure', 'concurrency', 'resource-exhaustion']
  .map((lens) => `  ${lens}: { exposure: none, reason: looked at by hand }\n`)
  .join('');
const table = (rows: string, rest = 'pruned: nothing to prune\n'): string => `sixlens: 1
unit: POST /pay
kind: http
code: { file: src/pay.ts, symbol: 'router.post "/pay"' }
contract: one answer within three seconds

rows:
${rows}
lenses:
${LENSES}${rest}`;
const HANDLED = `  clk-00000001:
    failure: the ledger hangs
    rule: call-without-timeout
    at: fetch
    verdict: handle
    how: ends after 2 s, by its abort signal
    test: test/pay.test.ts > ends in time
`;
const ACCEPTED = `  clk-00000002:
    failure: the clock of the ledger is wrong
    verdict: accept
    because: upstream-guarantee
    reason: the ledger checks its clock
    owner: li
    expires: "2026-08-29"
`;

describe('gate, affirm and pr in a repository', function () {
  this.timeout(20_000);
  let folder: TempFolder;
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.email=a@example.com', ...args], { cwd: folder.path, encoding: 'utf8' });
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder.path, name)), { recursive: true });
    writeFileSync(path.join(folder.path, name), text);
  };
  const read = (name: string): string => readFileSync(path.join(folder.path, name), 'utf8');
  const go = (...words: string[]): Promise<Run> =>
    run(folder.path, words, { analysis: (options) => createAnalysis(options) });
  const items = async (...words: string[]): Promise<string[]> => {
    const { out, err } = await go('gate', '--format', 'json', ...words);
    assert.equal(err, '');
    const report = gateOutputSchema.parse(JSON.parse(out));
    return report.items.map(({ level, code, row }) => `${level} ${code}${row === null ? '' : ` ${row}`}`);
  };

  beforeEach(async () => {
    folder = tempFolder({
      'package.json': '{"dependencies":{"express":"4"}}',
      'src/pay.ts': SOURCE,
      'src/notify.ts': NOTIFY,
      'src/other.ts': OTHER,
    });
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'ana');
    write(TABLE, table(HANDLED + ACCEPTED));
    write('.sixlens/config.yaml', 'unproven: warn\n');
    const first = await go('affirm', 'POST /pay');
    assert.deepEqual([first.code, first.err], [0, ''], first.out);
    git('add', '-A');
    git('commit', '-q', '-m', 'start');
    git('checkout', '-q', '-b', 'work');
  });
  afterEach(() => folder.remove());

  it('is closed while nothing is touched, and after edits that change nothing', async () => {
    assert.deepEqual(await items(), []);
    assert.equal((await go('gate')).code, 0);
    write('src/pay.ts', SOURCE.replaceAll('answer', 'reply').replace('  res', '\n  // say so\n  res'));
    assert.deepEqual(await items(), ['warn handle-without-proof clk-00000001']);
    const { code, out } = await go('gate');
    assert.equal(code, 0);
    assert.match(
      out,
      /`sixlens prove clk-00000001` runs the proof of a row\.[^]*Closed · 1 warning · 1 touched table since main\n$/,
    );
    write('src/pay.ts', SOURCE);
    write('src/other.ts', OTHER.replace('1', '2'));
    assert.deepEqual(await items(), [], 'another file touches no table');
  });

  it('falls short for a handle without a proof, unless the settings make it a warning', async () => {
    write('src/pay.ts', SOURCE.replaceAll('answer', 'reply'));
    write('.sixlens/config.yaml', 'require: []\n');
    assert.deepEqual(await items(), ['fail handle-without-proof clk-00000001']);
    assert.equal((await go('gate')).code, 1);
  });

  it('falls short when the code behind a row changes, also in a helper and also committed', async () => {
    write('src/pay.ts', SOURCE.replace('2000', '90000'));
    // The other row is about the whole unit, whose clock this is.
    assert.deepEqual(await items(), ['fail row-stale clk-00000001', 'fail row-stale clk-00000002']);
    const { code, out } = await go('gate');
    assert.equal(code, 1);
    assert.match(
      out,
      /falls short row-stale clk-00000001\n +code changed: fetch[^]*went stale: code changed/,
    );
    write('src/pay.ts', SOURCE);
    write('src/notify.ts', NOTIFY.replace(/, \{ signal[^}]*\}/, ''));
    git('commit', '-aqm', 'no bound');
    const found = await items();
    assert.ok(found.includes('fail mechanism-gone clk-00000001'), found.join('; '));
  });

  it('check follows the verdicts of rows, and agrees with the gate', async () => {
    write('src/pay.ts', SOURCE.replace(', signal: AbortSignal.timeout(2000)', ''));
    const sarif = async (): Promise<
      { level: string; suppressions: unknown[]; message: { text: string } }[]
    > => {
      const { out } = await go('check', 'src/pay.ts', '--format', 'sarif');
      const log = JSON.parse(out) as { runs: { results: { ruleId: string }[] }[] };
      return log.runs[0]!.results.filter(({ ruleId }) => ruleId === 'call-without-timeout') as never;
    };
    const check = async (): Promise<{
      code: number;
      json: ReturnType<typeof checkOutputSchema.parse>;
      text: string;
    }> => {
      const { code, out } = await go('check', 'src/pay.ts', '--format', 'json');
      return {
        code,
        json: checkOutputSchema.parse(JSON.parse(out)),
        text: (await go('check', 'src/pay.ts')).out,
      };
    };
    // The row says handled, the code does not.
    const handled = await check();
    assert.equal(handled.code, 1);
    assert.deepEqual(
      handled.json.findings.map(({ row }) => row?.text),
      ['the row says handled, the code does not'],
    );
    assert.match(handled.text, /row clk-00000001: the row says handled, the code does not/);
    assert.ok((await items()).includes('fail mechanism-gone clk-00000001'));

    write(TABLE, table(HANDLED.replace(/verdict: handle[^]*$/, 'verdict: detect\n    signal: alert slow\n')));
    const detected = await check();
    assert.equal(detected.code, 0);
    assert.deepEqual(
      detected.json.findings.map(({ row }) => row?.effect),
      ['hint'],
    );
    assert.match(detected.text, /detected by alert slow[^]*No findings · 1 detected · 1 file checked/);
    assert.deepEqual(
      (await sarif()).map(({ level }) => level),
      ['note'],
    );
    assert.deepEqual(await items(), []);

    const accept = ACCEPTED.slice(ACCEPTED.indexOf('verdict'));
    write(TABLE, table(HANDLED.replace(/verdict: handle[^]*$/, accept)));
    const accepted = await check();
    assert.equal(accepted.code, 0);
    assert.deepEqual(accepted.json.findings, []);
    assert.deepEqual(
      accepted.json.suppressed.map(({ reason, acceptedBy }) => [reason, acceptedBy]),
      [['the ledger checks its clock', 'clk-00000001']],
    );
    assert.match(accepted.text, /No findings · 1 accepted/);
    assert.deepEqual((await sarif())[0]!.suppressions, [
      { kind: 'external', status: 'accepted', justification: 'the ledger checks its clock' },
    ]);
    assert.deepEqual(await items(), []);

    write(TABLE, table(HANDLED.replace(/verdict: handle[^]*$/, accept.replace('2026-08-29', '2026-05-01'))));
    const expired = await check();
    assert.equal(expired.code, 1);
    assert.match(
      expired.text,
      /accepted until 2026-05-01, which has passed; the reason was: the ledger checks its\s+clock/,
    );
    assert.deepEqual(await items(), ['fail accept-expired clk-00000001']);
  });

  it('sees an accept break when a constant changes in a file that no table names', async () => {
    write('src/limits.ts', 'export const DAYS = 5;\n');
    write(TABLE, table(HANDLED + ACCEPTED.replace(/$/, '    holds-while: src/limits.ts:DAYS < 7\n')));
    await go('affirm', 'POST /pay');
    git('add', '-A');
    git('commit', '-q', '-m', 'rests on a constant');
    git('checkout', '-q', '-b', 'next');
    assert.deepEqual(await items('--base', 'work'), []);
    write('src/limits.ts', 'export const DAYS = 9;\n');
    assert.deepEqual(await items('--base', 'work'), ['fail accept-expired clk-00000002']);
    const { out } = await go('gate', '--base', 'work');
    assert.match(out, /accepted while src\/limits\.ts:DAYS < 7, and DAYS is 9; the reason was/);
  });

  it('names each way in which a touched table falls short', async () => {
    const cases: [string, string, string[]][] = [
      [
        'no contract',
        table(HANDLED).replace('one answer within three seconds', '""'),
        ['fail contract-missing'],
      ],
      ['no pruned record', table(HANDLED, ''), ['fail pruned-missing']],
      [
        'an undecided row',
        table('  clk-00000001: { failure: f, verdict: undecided }\n'),
        ['fail row-undecided clk-00000001'],
      ],
      ['a lens', table(HANDLED).replace(/ {2}concurrency.*\n/, ''), ['fail lens-unlooked']],
      [
        'a test that two rows name',
        table(HANDLED + HANDLED.replace('00000001', '00000003').replace('at: fetch', 'at: notify')),
        ['fail shared-test clk-00000003'],
      ],
      [
        'an accept without a reason',
        table(HANDLED + ACCEPTED.replace(/ {4}reason.*\n/, '')),
        ['fail accept-without-reason clk-00000002'],
      ],
      [
        'a signal',
        table('  clk-00000001: { failure: f, verdict: detect }\n'),
        ['fail detect-without-signal clk-00000001'],
      ],
      ['a test', table(HANDLED.replace(/ {4}test.*\n/, '')), ['fail handle-without-test clk-00000001']],
      [
        'a blocked row is told, not failed',
        table('  clk-00000001: { failure: f, verdict: blocked, blocker: no seam, to: ana }\n'),
        ['note row-blocked clk-00000001'],
      ],
      [
        'an accept that ends soon',
        table(ACCEPTED.replace('2026-08-29', '2026-06-20')),
        ['note accept-expires-soon clk-00000002'],
      ],
      ['a malformed file', `${table(HANDLED)}rows: {}\n`, ['fail table-malformed']],
    ];
    for (const [what, text, expected] of cases) {
      write(TABLE, text);
      const found = await items();
      for (const item of expected) assert.ok(found.includes(item), `${what}: ${found.join('; ')}`);
      const { code } = await go('gate');
      assert.equal(
        code,
        expected.some((item) => item.startsWith('fail')) || found.some((item) => item.startsWith('fail'))
          ? 1
          : 0,
        what,
      );
    }
  });

  it('finds an expired accept anywhere, and a missing table where the configuration asks for one', async () => {
    write(TABLE, table(HANDLED + ACCEPTED.replace('2026-08-29', '2026-05-01')));
    git('commit', '-aqm', 'an old accept');
    git('checkout', '-q', 'main');
    git('merge', '-q', 'work');
    assert.deepEqual(await items(), ['fail accept-expired clk-00000002']);
    git('checkout', '-q', 'work');
    write(TABLE, read(TABLE).replace('2026-05-01', '2026-08-29'));
    git('commit', '-aqm', 'longer');
    write(
      'src/other.ts',
      OTHER.replace("get('/health'", "post('/orders'").replace('resolve(1)', 'resolve(2)'),
    );
    write('.sixlens/config.yaml', 'require: [webhook]\n');
    assert.ok(!(await items()).includes('fail table-missing'));
    write('.sixlens/config.yaml', 'require: [webhook, http-write]\n');
    assert.ok((await items()).includes('fail table-missing'));
    write('.sixlens/config.yaml', 'require: [webhooks]\n');
    const wrong = await go('gate');
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /^sixlens: gate: \.sixlens\/config\.yaml:1:11: /);
  });

  it('follows a renamed file, and affirm moves the table along', async () => {
    mkdirSync(path.join(folder.path, 'src/http'));
    renameSync(path.join(folder.path, 'src/pay.ts'), path.join(folder.path, 'src/http/pay.ts'));
    write('src/http/pay.ts', SOURCE.replace('./notify', '../notify'));
    git('add', '-A');
    assert.deepEqual(await items(), ['warn table-moved', 'warn handle-without-proof clk-00000001']);
    const { code, out } = await go('affirm', 'POST /pay');
    assert.equal(code, 0);
    assert.match(
      out,
      /^\.sixlens\/tables\/src\/http\/pay\/http-post-pay\.yaml: .*moved from \.sixlens\/tables\/src\/pay\/http-post-pay\.yaml\n$/,
    );
    assert.match(
      read('.sixlens/tables/src/http/pay/http-post-pay.yaml'),
      /code: \{ file: src\/http\/pay\.ts, symbol/,
    );
    assert.deepEqual(readdirSync(path.join(folder.path, '.sixlens/tables/src/pay')), []);
    assert.deepEqual(await items(), ['warn handle-without-proof clk-00000001']);
  });

  it('only proposes a unit that is merely similar', async () => {
    write(
      'src/pay.ts',
      SOURCE.replace("'/pay'", "'/pay/now'")
        .replace('fetch(', 'axios.post(')
        .replace('await notify(answer.status);', ''),
    );
    const { out } = await go('gate');
    assert.match(
      out,
      /anchor lost: there is no unit router\.post "\/pay" in src\/pay\.ts; is it router\.post "\/pay\/now" in src\/pay\.ts now\?/,
    );
  });

  it('affirms what was read again, and refuses what has to be decided anew', async () => {
    write('src/pay.ts', SOURCE.replace('2000', '2500'));
    const before = read(TABLE);
    const { code, out } = await go('affirm', 'clk-00000001', '--by', 'li');
    assert.deepEqual([code, out], [0, `${TABLE}: affirmed clk-00000001\n`]);
    assert.match(read(TABLE), /seen: \{ code: s[0-9a-v]{11}, date: "2026-05-29", by: li \}/);
    const lines = (text: string): string[] => text.split('\n');
    assert.equal(
      lines(read(TABLE)).filter((line, at) => line !== lines(before)[at]).length,
      1,
      'one line changed',
    );
    assert.deepEqual(await items(), [
      'warn handle-without-proof clk-00000001',
      'fail row-stale clk-00000002',
    ]);
    await go('affirm', 'POST /pay');
    assert.deepEqual(await items(), ['warn handle-without-proof clk-00000001']);
    write('src/pay.ts', SOURCE.replace(/, signal: [^}]*\)/, ''));
    const gone = await go('affirm', 'clk-00000001');
    assert.equal(gone.code, 1);
    assert.match(gone.err, /clk-00000001 was left alone: the mechanism is gone/);
    for (const [words, said] of [
      [['clk-zzzzzzzz'], /no table has the row clk-zzzzzzzz/],
      [['POST /nothing'], /no table has the unit POST \/nothing/],
      [[], /name a unit or a row/],
    ] as const) {
      const wrong = await go('affirm', ...words);
      assert.equal(wrong.code, 2);
      assert.match(wrong.err, said);
    }
  });

  it('says why it cannot run', async () => {
    for (const [words, said] of [
      [
        ['gate', '--base', 'nowhere'],
        /^sixlens: gate: there is no commit nowhere; name where to compare with by --base REF/,
      ],
      [['gate', 'src'], /^sixlens: gate: it takes no path \(src\)/],
    ] as const) {
      const { code, out, err } = await go(...words);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, said);
    }
    rmSync(path.join(folder.path, '.git'), { recursive: true });
    const { code, err } = await go('gate');
    assert.equal(code, 2);
    assert.match(err, /not a git repository/);
  });

  it('writes SARIF and Markdown of the same items', async () => {
    write('src/pay.ts', SOURCE.replace('2000', '90000'));
    const sarif = JSON.parse((await go('gate', '--format', 'sarif')).out) as {
      runs: {
        results: {
          ruleId: string;
          level: string;
          locations: { physicalLocation: { artifactLocation: { uri: string } } }[];
        }[];
      }[];
    };
    assert.deepEqual(
      sarif.runs[0]?.results.map(({ ruleId, level, locations }) => [
        ruleId,
        level,
        locations[0]?.physicalLocation.artifactLocation.uri,
      ]),
      ['row-stale', 'row-stale'].map((code) => [code, 'error', TABLE]),
    );
    const { out } = await go('gate', '--format', 'markdown');
    assert.match(
      out,
      /^\*\*2 things fall short[^]*- “the ledger hangs” went stale: code changed[^]*\| falls short \| POST \/pay \|/,
    );
  });

  it('describes a pull request from its tables', async () => {
    const rows =
      HANDLED +
      ACCEPTED.replace('2026-08-29', '2026-10-29') +
      '  res-00000003:\n    failure: ten thousand at once\n    verdict: detect\n    signal: alert queue_depth\n' +
      '  res-00000004:\n    failure: the pool runs dry\n    verdict: detect\n    signal: alert pool_wait\n    asserted: test/pool.test.ts > fires\n' +
      '  prt-00000005:\n    failure: a crash in between\n    verdict: blocked\n    blocker: no seam\n    to: ana\n' +
      '  bnd-00000006:\n    failure: an *odd* amount\n    verdict: undecided\n';
    write(TABLE, table(rows, 'pruned: [a null check after findUniqueOrThrow]\n'));
    const { code, out } = await go('pr');
    assert.equal(code, 0);
    for (const expected of [
      /## What changed in the tables\n\n- /,
      /- somebody moved the end of the accept of “the clock of the ledger is wrong” from 29 August 2026 to 29 October 2026/,
      /- new failure mode, undecided: an \\\*odd\\\* amount/,
      /### POST \/pay\n\none answer within three seconds\n\n\| Lens \|/,
      /- ten thousand at once: alert queue\\_depth, fired, not asserted/,
      /- the pool runs dry: alert pool\\_wait, fired and asserted in `test\/pool\.test\.ts > fires`/,
      /## Accepted\n\n- the clock of the ledger is wrong: the ledger checks its clock \(upstream-guarantee\), li, until 29 October 2026/,
      /## Pruned\n\n- POST \/pay: a null check after findUniqueOrThrow/,
      /## Open\n[^]*- a crash in between: blocked by no seam, handed to ana/,
      /- an \\\*odd\\\* amount: undecided/,
      /the ledger hangs: ends after 2 s, by its abort signal, test `test\/pay\.test\.ts > ends in time`, not seen failing without it/,
    ])
      assert.match(out, expected);
    const { out: delta } = await go('pr', '--delta');
    assert.ok(!delta.includes('## Open') && delta.includes('## What changed'));
    git('checkout', '-q', '--', '.');
    assert.equal((await go('pr')).out, 'No unit with a failure-mode table is touched.\n');
  });

  it('affirms by the editor and by the command line the same', async () => {
    const documents = createTableDocuments({ random: () => 0.5, today: () => '2026-05-29' });
    const { createNodeFileHost } = await import('../../server/src/node/nodeFileHost.ts');
    const analysis = createAnalysis({ root: folder.path, host: createNodeFileHost() });
    const view = analysis.view(analysis.units(['src/pay.ts'])[0]!);
    const code = documents.seenCode(read(TABLE), 'clk-00000001', view);
    assert.ok(code && read(TABLE).includes(`code: ${code},`));
  });
});
