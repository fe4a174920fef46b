import { strict as assert } from 'node:assert';
import type { FileHost } from '../../../server/src/host/fileHost.ts';
import { createAnalysis } from '../../../server/src/service/analysisService.ts';
import type { CheckResult } from '../../../server/src/service/contract.ts';
import { cachedRun } from '../../../server/src/service/runCache.ts';
import { TableHomes } from '../../../server/src/service/tableHomes.ts';
import { applyVerdicts } from '../../../server/src/service/verdicts.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

const TODAY = '2026-11-30';
const RULE = 'call-without-timeout';
const LEDGER = `export async function settle(id: string): Promise<void> {
  await fetch('https://ledger.example/' + id, { method: 'PUT' });
}
`;
const unit = (name: string): string => `import express from 'express';
import { settle } from './ledger.ts';
const router = express.Router();
router.post('/${name}', async (req, res) => {
  await settle(req.body.id);
  res.sendStatus(200);
});
`;
const table = (name: string, row: string, prefix = ''): string => `sixlens: 1
unit: POST /${name}
kind: http
code: { file: ${prefix}src/${name}.ts, symbol: 'router.post "/${name}"' }
contract: always an answer
rows:
  clk-00000001:
    failure: the ledger hangs
    rule: ${RULE}
    at: fetch
${row}`;
const ACCEPT = `    verdict: accept
    because: rate
    reason: once a year
    owner: li
    expires: "2027-01-01"
`;
const DETECT = '    verdict: detect\n    signal: alert ledger_slow\n';
const PACKAGE = '{"dependencies":{"express":"4"}}';
const at = (name: string): string => `.sixlens/tables/src/${name}/http-post-${name}.yaml`;

function checked(
  files: Readonly<Record<string, string>>,
  named: readonly string[] | null = null,
  today = TODAY,
): CheckResult {
  return check(memoryHost({ 'package.json': PACKAGE, ...files }), named, today);
}

function check(host: FileHost, named: readonly string[] | null, today = TODAY): CheckResult {
  const analysis = createAnalysis({ root: ROOT, host });
  const found = named ? analysis.check(named, undefined, { named: 'file' }) : analysis.checkAll();
  return applyVerdicts(found, { analysis, homes: new TableHomes(host, ROOT), today });
}

/** What happens to the ledger's call: how it is shown, or why it is not. */
function said({ findings, suppressed }: CheckResult): string {
  const shown = findings.filter(({ rule }) => rule === RULE);
  const hidden = suppressed.filter(({ rule }) => rule === RULE);
  assert.equal(shown.length + hidden.length, 1);
  if (hidden[0]) return `accepted by ${hidden[0].acceptedBy}: ${hidden[0].reason}`;
  const { row } = shown[0]!;
  return row ? `${row.effect} ${row.id}: ${row.text}` : 'shown';
}

describe('verdicts on findings', () => {
  const one = { 'src/ledger.ts': LEDGER, 'src/pay.ts': unit('pay') };
  const cases: readonly [string, string, string][] = [
    ['undecided', '    verdict: undecided\n', 'shown'],
    ['blocked', '    verdict: blocked\n    blocker: no seam\n    to: ana\n', 'shown'],
    ['detect without signal', '    verdict: detect\n', 'shown'],
    ['detect', DETECT, 'hint clk-00000001: detected by alert ledger_slow'],
    ['accept without owner', ACCEPT.replace(/ {4}owner.*\n/, ''), 'shown'],
    ['accept', ACCEPT, 'accepted by clk-00000001: once a year'],
    [
      'expired accept',
      ACCEPT.replace('2027-01-01', '2026-11-29'),
      'note clk-00000001: accepted until 2026-11-29, which has passed; the reason was: once a year',
    ],
    [
      'handle',
      '    verdict: handle\n    how: a bound\n    test: a > b\n',
      'note clk-00000001: the row says handled, the code does not',
    ],
  ];
  for (const [what, row, expected] of cases)
    it(`${what}: ${expected.split(':')[0]}`, () => {
      const files = { ...one, [at('pay')]: table('pay', row) };
      assert.equal(said(checked(files)), expected);
      assert.equal(said(checked(files, ['src/ledger.ts'])), expected, 'the same when one file is looked at');
    });

  it('needs rule and place to be the same', () => {
    for (const text of [
      table('pay', ACCEPT).replace('at: fetch', 'at: got'),
      table('pay', ACCEPT).replace(RULE, 'weak-timeout'),
    ])
      assert.equal(said(checked({ ...one, [at('pay')]: text })), 'shown');
    assert.match(
      said(checked({ ...one, [at('pay')]: table('pay', ACCEPT).replace('    at: fetch\n', '') })),
      /^accepted/,
    );
    assert.equal(
      said(checked({ ...one, [at('pay')]: `${table('pay', ACCEPT)}  broken: [\n` })),
      'shown',
      'a malformed table decides nothing',
    );
  });

  it('brings an accept back when a constant that it rests on changes', () => {
    const row = `${ACCEPT}    holds-while: RETRY_DAYS < src/refunds.ts:REFUND_DAYS\n`;
    const files = (days: number): Record<string, string> => ({
      ...one,
      'src/pay.ts': `${unit('pay')}const RETRY_DAYS = ${days};\n`,
      'src/refunds.ts': 'export const REFUND_DAYS = 7;\n',
      [at('pay')]: table('pay', row),
    });
    assert.match(said(checked(files(5))), /^accepted/);
    assert.equal(
      said(checked(files(8))),
      'note clk-00000001: accepted while RETRY_DAYS < src/refunds.ts:REFUND_DAYS, and RETRY_DAYS is 8, REFUND_DAYS is 7; the reason was: once a year',
    );
    const { 'src/refunds.ts': _gone, ...without } = files(5);
    assert.match(
      said(checked(without)),
      /REFUND_DAYS cannot be looked up: there is no source file src\/refunds\.ts/,
    );
  });

  it('needs the rows of every unit that runs the code', () => {
    const two = { ...one, 'src/refund.ts': unit('refund'), [at('pay')]: table('pay', ACCEPT) };
    const alone =
      'note clk-00000001: accepted for POST /pay alone; POST /refund runs this code too and has no row that says so';
    assert.equal(said(checked(two)), alone);
    assert.equal(said(checked(two, ['src/ledger.ts'])), alone, 'also when nobody looked at the units');
    assert.equal(
      said(checked({ ...two, [at('refund')]: table('refund', DETECT) })),
      'hint clk-00000001: detected by alert ledger_slow',
    );
    assert.match(said(checked({ ...two, [at('refund')]: table('refund', ACCEPT) })), /^accepted by/);
  });

  it('tells numbered places apart', () => {
    const source = unit('pay')
      .replace(
        '  await settle(req.body.id);\n',
        "  await fetch('https://a.example');\n  await fetch('https://b.example');\n",
      )
      .replace("import { settle } from './ledger.ts';\n", '');
    const text = table('pay', ACCEPT).replace('at: fetch', 'at: "fetch#2"');
    const { findings, suppressed } = checked({ 'src/pay.ts': source, [at('pay')]: text });
    const line = ({ start }: { start: { line: number } }): number => start.line;
    assert.deepEqual(findings.filter(({ rule }) => rule === RULE).map(line), [4]);
    assert.deepEqual(suppressed.map(line), [5]);
  });

  it('finds the nearest folder with tables', () => {
    const files = {
      'shop/package.json': PACKAGE,
      'shop/src/ledger.ts': LEDGER,
      'shop/src/pay.ts': unit('pay'),
      [`shop/${at('pay')}`]: table('pay', ACCEPT),
    };
    assert.match(said(checked(files)), /^accepted by/);
  });

  it('serves functions that somebody wrote a table for', () => {
    const text = table('ledger', ACCEPT)
      .replace('kind: http', 'kind: function')
      .replace(/symbol: .*\}/, 'symbol: settle }');
    const files = { 'src/ledger.ts': LEDGER, '.sixlens/tables/src/ledger/function-settle.yaml': text };
    assert.match(said(checked(files)), /^accepted by/);
    assert.equal(
      said(checked({ ...files, 'src/pay.ts': unit('pay') })),
      'shown',
      'a unit that runs it has to accept too',
    );
  });

  it('is part of what a remembered run depends on', async () => {
    const memory = memoryHost({ 'package.json': PACKAGE, ...one });
    const times = new Map<string, number>();
    const host: FileHost = {
      ...memory,
      cacheDir: '/cache',
      stat: (path) => {
        const stat = memory.stat(path);
        return stat && { ...stat, mtimeMs: times.get(path) ?? 1, size: memory.files.get(path)?.length ?? 0 };
      },
    };
    const run = async (): Promise<string> => {
      const { answer } = await cachedRun(host, { build: 'b', root: ROOT, options: [] }, (recording) =>
        said(check(recording, null)),
      );
      return answer;
    };
    const path = `${ROOT}/${at('pay')}`;
    assert.equal(await run(), 'shown');
    memory.files.set(path, table('pay', ACCEPT));
    assert.match(await run(), /^accepted/);
    memory.files.set(path, table('pay', DETECT));
    assert.match(await run(), /^hint/);
    memory.files.delete(path);
    assert.equal(await run(), 'shown');
  });

  it('reads no table where nothing was found, and asks for no units where no table speaks of the rule', () => {
    const host = memoryHost({
      'package.json': PACKAGE,
      ...one,
      [at('pay')]: table('pay', ACCEPT).replace(RULE, 'weak-timeout'),
    });
    const analysis = createAnalysis({ root: ROOT, host });
    const found = analysis.checkAll();
    const reads: string[] = [];
    const homes = new TableHomes(
      { ...host, readText: (path) => (reads.push(path), host.readText(path)) },
      ROOT,
    );
    const watched = {
      ...analysis,
      reachedBy: () => assert.fail('units were asked for'),
    } as unknown as typeof analysis;
    applyVerdicts({ ...found, findings: [] }, { analysis: watched, homes, today: TODAY });
    assert.deepEqual(reads, []);
    const after = applyVerdicts(found, { analysis: watched, homes, today: TODAY });
    assert.deepEqual(after.findings, found.findings);
    assert.equal(reads.length, 1);
  });
});
