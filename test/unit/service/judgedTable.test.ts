import { strict as assert } from 'node:assert';
import { createAnalysis } from '../../../server/src/service/analysisService.ts';
import type { UnitView } from '../../../server/src/service/contract.ts';
import type { TableFault } from '../../../server/src/service/tableContract.ts';
import { createTableDocuments } from '../../../server/src/service/tableDocuments.ts';
import { rowProblems } from '../../../server/src/service/rowProblems.ts';
import { evidenceText } from '../../../server/src/tables/evidence.ts';
import { evidencePath } from '../../../server/src/tables/path.ts';
import type { Evidence } from '../../../server/src/tables/schema.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

const TODAY = '2026-11-30';
const tables = createTableDocuments({ random: () => 0.5, today: () => TODAY });
const PATH = '.sixlens/tables/src/a/http-post-a.yaml';
const SOURCE = `import express from 'express';
const router = express.Router();
router.post('/a', async (req, res) => {
  const answer = await fetch('https://x.example/a', { signal: AbortSignal.timeout(2000) });
  res.json(answer.status);
});
`;

const table = (rows: string, lenses = ''): string => `sixlens: 1
unit: POST /a
kind: http
code: { file: src/a.ts, symbol: 'router.post "/a"' }
contract: always an answer
rows:
${rows}
lenses:
  boundaries: { exposure: none, reason: looked }
  hostile-input: { exposure: none, reason: looked }
  partial-failure: { exposure: none, reason: looked }
  concurrency: { exposure: none, reason: looked }
  resource-exhaustion: { exposure: none, reason: looked }
${lenses}pruned: nothing to prune
`;

function judged(
  text: string,
  source = SOURCE,
): {
  faults: readonly TableFault[];
  /** Rows without a proof; said of every handled row here, so that the other faults are looked at apart. */
  unproven: readonly (string | null)[];
  problems: ReturnType<typeof rowProblems>;
} {
  const host = memoryHost({
    'package.json': '{"dependencies":{"express":"4"}}',
    'src/a.ts': source,
    [PATH]: text,
  });
  const analysis = createAnalysis({ root: ROOT, host });
  const unit = analysis.unitOf('src/a.ts', 'router.post "/a"');
  const read = tables.read(text, PATH, unit && analysis.view(unit), TODAY, unit ? null : 'it is gone');
  assert.ok(read.content, JSON.stringify(read.problems));
  const isProof = ({ code }: TableFault): boolean => code === 'handle-without-proof';
  return {
    faults: read.faults.filter((fault) => !isProof(fault)),
    unproven: read.faults.filter(isProof).map(({ row }) => row),
    problems: rowProblems(host, analysis, ['src/a.ts'], TODAY),
  };
}

const RESTS = `  clk-00000001:
    failure: hangs
    verdict: accept
    because: rate
    reason: once a year
    owner: li
    expires: "2999-01-01"
    holds-while: `;

/** A row that was looked at when the code was SOURCE. */
function seen(row: string): string {
  const host = memoryHost({ 'package.json': '{"dependencies":{"express":"4"}}', 'src/a.ts': SOURCE });
  const analysis = createAnalysis({ root: ROOT, host });
  const view = analysis.view(analysis.units(['src/a.ts'])[0]!);
  const text = table(row);
  const id = /^ {2}(\S+):/m.exec(row)![1]!;
  return `${row}\n    seen: { code: ${tables.seenCode(text, id, view)}, date: "2026-11-01", by: ana }`;
}

const HANDLED = `  clk-00000001:
    failure: the other side hangs
    rule: call-without-timeout
    at: fetch
    verdict: handle
    how: ends after 2 s, by its abort signal
    test: test/a.test.ts > ends`;

describe('tables that fall short', () => {
  it('places what is wrong with a check that an accept rests on', () => {
    const place = (check: string): string[] => {
      const text = table(RESTS + check);
      const { faults } = judged(text, `${SOURCE}const WAIT = 5;\n`);
      return faults
        .filter(({ row }) => row !== null)
        .map(({ code, message, start, end }) => {
          const line = text.split('\n')[start.line - 1]!;
          return `${code} ${line.slice(start.column - 1, end.line === start.line ? end.column - 1 : undefined)} ${message}`;
        });
    };
    assert.deepEqual(place('WAIT < 6'), []);
    assert.deepEqual(place('WAIT < 5'), [
      'accept-expired WAIT < 5 accepted while WAIT < 5, and WAIT is 5; the reason was: once a year',
    ]);
    assert.deepEqual(place('"WAIT < GONE" # why'), [
      'accept-expired GONE accepted while WAIT < GONE, and GONE is no constant in src/a.ts; the reason was: once a year',
    ]);
    assert.match(place('WAIT < (1')[0]!, /^accept-expired 1 .* a bracket is not closed/);
    assert.match(
      place('>-\n      WAIT\n      < 4')[0]!,
      /^accept-expired >- accepted while WAIT < 4, and WAIT is 5/,
    );
  });

  const codes = (text: string, source?: string): string[] =>
    judged(text, source).faults.map(({ code }) => code);

  it('says nothing about a table that stands', () => {
    assert.deepEqual(judged(table(seen(HANDLED))), {
      faults: [],
      unproven: ['clk-00000001'],
      problems: [],
    });
    const moved = SOURCE.replace('router.post', '// here\n\nrouter.post').replaceAll('answer', 'reply');
    assert.deepEqual(codes(table(seen(HANDLED)), moved), []);
  });

  it('names what a verdict still needs, at the verdict', () => {
    const rows = [
      [
        '  clk-00000001:\n    failure: f\n    verdict: handle\n    how: h',
        'handle-without-test',
        'handle still needs test',
      ],
      [
        '  clk-00000001:\n    failure: f\n    verdict: detect',
        'detect-without-signal',
        'detect still needs signal',
      ],
      [
        '  clk-00000001:\n    failure: f\n    verdict: accept',
        'accept-without-reason',
        'accept still needs because, reason, owner, expires',
      ],
      [
        '  clk-00000001:\n    failure: f\n    verdict: blocked\n    to: ana',
        'table-row-incomplete',
        'blocked still needs blocker',
      ],
    ] as const;
    for (const [row, code, message] of rows) {
      const [fault, ...rest] = judged(table(row)).faults;
      assert.deepEqual([fault?.code, fault?.message, rest], [code, message, []]);
      assert.deepEqual(fault?.start, { line: 9, column: 14 }, code);
      assert.equal(fault?.place?.file, 'src/a.ts');
      assert.deepEqual(judged(table(row)).problems, [], 'unfinished words are no problem of the code');
    }
  });

  it('says that an accept has expired, with the old reason, in both places', () => {
    const row = `  clk-00000001:
    failure: f
    verdict: accept
    because: rate
    reason: rare enough
    owner: li
    expires: "2026-11-29"`;
    const { faults, problems } = judged(table(row));
    assert.deepEqual([faults[0]?.code, faults[0]?.start.line], ['accept-expired', 13]);
    assert.match(faults[0]?.message ?? '', /2026-11-29.*rare enough/);
    assert.deepEqual(
      [problems[0]?.code, problems[0]?.file, problems[0]?.start?.line],
      ['accept-expired', 'src/a.ts', 3],
    );
    assert.deepEqual(codes(table(row.replace('2026-11-29', TODAY))), [], 'the last day still counts');
  });

  it('tells changed code from a lost anchor and from a mechanism that went, at the call and at the row', () => {
    const text = table(seen(HANDLED));
    const cases: [string, string, RegExp, number][] = [
      [SOURCE.replace('2000', '60000'), 'row-stale', /^code changed: fetch .*\(by ana on 2026-11-01\)/, 4],
      [
        SOURCE.replace(/, \{ signal[^}]*\}/, ''),
        'mechanism-gone',
        /^mechanism gone: fetch .*ends after 2 s/,
        4,
      ],
      [
        SOURCE.replace(/ {2}const answer[^\n]*\n/, '').replace('answer.status', '1'),
        'row-stale',
        /^anchor lost: fetch/,
        3,
      ],
    ];
    for (const [source, code, message, line] of cases) {
      const { faults, problems } = judged(text, source);
      const fault = faults.find(({ row }) => row !== null);
      assert.deepEqual([fault?.code, fault?.place?.start.line], [code, line]);
      assert.match(fault?.message ?? '', message);
      // Editor and command line say the same of the same code.
      const told = problems.find((problem) => problem.code === code);
      assert.deepEqual(
        [told?.message, told?.start],
        [`${fault?.message} (row clk-00000001)`, fault?.place?.start],
      );
    }
  });

  it('says that the unit itself is gone', () => {
    const { faults, problems } = judged(table(seen(HANDLED)), SOURCE.replace("'/a'", "'/b'"));
    assert.deepEqual([faults[0]?.code, faults[0]?.message], ['row-stale', 'anchor lost: it is gone']);
    assert.deepEqual([problems[0]?.file, problems[0]?.start?.line], [PATH, 4]);
  });

  it('says which lenses nobody looked through, and which conclusions no longer hold', () => {
    const row = seen(HANDLED);
    const bare = table(row).replace(/ {2}concurrency:.*\n/, '');
    assert.deepEqual(
      judged(bare).faults.map(({ code, lens, message }) => [code, lens, message]),
      [['lens-unlooked', 'concurrency', 'nobody looked through concurrency yet']],
    );
    const open = table(row).replace(
      'concurrency: { exposure: none, reason: looked }',
      'concurrency: { exposure: open, unresolved: [x.y] }',
    );
    assert.match(judged(open).faults[0]?.message ?? '', /concurrency is still open: could not follow x\.y/);
    const signed = table(row).replace(
      'resource-exhaustion: { exposure: none, reason: looked }',
      'resource-exhaustion: { exposure: none, reason: looked, seen: { code: s00000000000 } }',
    );
    assert.deepEqual(
      judged(signed).faults.map(({ message, start }) => [message, start.line]),
      [['resource-exhaustion was looked through before the code changed', 20]],
    );
    const noClock = table(
      '  bnd-00000001:\n    failure: f\n    verdict: undecided',
      '  clock: { exposure: none, reason: looked }\n',
    );
    assert.match(
      judged(noClock).faults[0]?.message ?? '',
      /clock says no exposure, but the code now shows call-without-timeout/,
    );
  });

  it('hears of a proof alike in the editor and on the command line', () => {
    const TEST = "import { it } from 'node:test';\nit('ends', () => { check(1); });\n";
    const faults = (source: string, test: string): string[] => {
      const text = table(HANDLED);
      const host = memoryHost({
        'package.json': '{"dependencies":{"express":"4"}}',
        'src/a.ts': SOURCE,
        'test/a.test.ts': TEST,
        [PATH]: text,
      });
      const view = (): UnitView => {
        const analysis = createAnalysis({ root: ROOT, host });
        return analysis.view(analysis.units(['src/a.ts'])[0]!);
      };
      const run = { command: 'node test/a.test.ts', exit: 0, at: 'abc' };
      const evidence: Evidence = {
        sixlens: 1,
        row: 'clk-00000001',
        red: { ...run, exit: 1, how: 'mechanism-removed', assertion: 'no' },
        green: run,
        runner: 'node:test',
        node: '20.0.0',
        slice: tables.seenCode(text, 'clk-00000001', view())!,
        test: view().testHash!('test/a.test.ts > ends')!,
      };
      host.files.set(`${ROOT}/${evidencePath(PATH, 'clk-00000001')}`, evidenceText(evidence));
      host.files.set(`${ROOT}/src/a.ts`, source);
      host.files.set(`${ROOT}/test/a.test.ts`, test);
      const documents = createTableDocuments({
        random: () => 0.5,
        today: () => TODAY,
        evidence: (path) => host.readText(path)?.text ?? null,
      });
      const inEditor = documents.read(text, `${ROOT}/${PATH}`, view(), TODAY).faults;
      const problems = rowProblems(host, createAnalysis({ root: ROOT, host }), null, TODAY);
      assert.deepEqual(
        problems.map(({ message }) => message),
        inEditor.map(({ message, row }) => `${message} (row ${row})`),
      );
      return inEditor.map(({ code, message }) => `${code}: ${message.slice(0, 12)}`);
    };
    assert.deepEqual(faults(SOURCE, TEST), []);
    assert.deepEqual(faults(SOURCE, `// the end\n${TEST}it('more', () => {});\n`), []);
    assert.deepEqual(faults(SOURCE, TEST.replace('check(1)', 'check(2)')), ['row-stale: test changed']);
    assert.deepEqual(faults(SOURCE.replace('2000', '2500'), TEST), ['row-stale: proof old: f']);
  });
});
