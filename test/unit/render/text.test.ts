import { strict as assert } from 'node:assert';
import { codeFrame } from '../../../server/src/reports/render/codeFrame.ts';
import { createPaint } from '../../../server/src/reports/render/terminal.ts';
import { checkToText, unitsToText, type TextOptions } from '../../../server/src/reports/render/text.ts';
import { sampleFinding, sampleReport, SAMPLE_TEXT } from './sampleReport.ts';

const OPTIONS: TextOptions = {
  colour: false,
  columns: 80,
  textOf: (file) => (file === 'src/pay.ts' ? SAMPLE_TEXT : null),
  unitName: (id) => (id.includes('/pay') ? 'POST /pay' : null),
  fileCount: 12,
  took: 1234,
};

describe('text report', () => {
  it('shows each finding with place, words, remedy, code and reach', () => {
    const text = checkToText(
      sampleReport({
        findings: [sampleFinding({ start: { line: 3, column: 17 }, end: { line: 3, column: 31 } })],
      }),
      OPTIONS,
    );
    assert.equal(
      text,
      `src/pay.ts
  3:17  high · blocking · call-without-timeout
      If api.example hangs, this request hangs with it: no bound.
      → Pass a signal that fires.
      3 │ const r = await fetch(address);
        │                 ~~~~~~~~~~~~~~
      reached from POST /pay → charge() src/routes.ts:9

Could not be read in full
  tsconfig.json:2:3  warning · tsconfig-unreadable
      The tsconfig was not read in full.
  error · rule-failed
      A rule failed.

1 finding in 1 file: 1 high · 1 blocking · 1 accepted · 12 files checked in 1.2 s
`,
    );
  });

  it('sorts by file and place, and counts by severity', () => {
    const text = checkToText(sampleReport({ problems: [] }), { ...OPTIONS, took: null });
    assert.match(
      text,
      /src\/pay\.ts\n {2}3:18 [^]*\n {2}7:1 [^]*src\/ä b\.ts\n {2}3:18 {2}low · assumed · swallowed-error/,
    );
    assert.match(
      text,
      /\n3 findings in 2 files: 2 high, 1 low · 2 blocking · 1 accepted · 12 files checked\n$/,
    );
  });

  it('says so when nothing was found', () => {
    const text = checkToText(sampleReport({ findings: [], suppressed: [], problems: [] }), {
      ...OPTIONS,
      fileCount: 1,
    });
    assert.equal(text, 'No findings · 1 file checked in 1.2 s\n');
  });

  it('colours only when asked, and never lets a file speak to the terminal', () => {
    const escape = '\u001b[2J';
    const report = sampleReport({ findings: [sampleFinding({ message: `bad ${escape}` })] });
    const source = SAMPLE_TEXT.replace('fetch', `fe${escape}tch`);
    const plain = checkToText(report, { ...OPTIONS, textOf: () => source });
    assert.ok(!plain.includes('\u001b'));
    const coloured = checkToText(report, { ...OPTIONS, colour: true, textOf: () => source });
    assert.ok(!coloured.includes(escape));
    assert.ok(coloured.includes('\u001b[31m\u001b[1mhigh'));
    assert.equal(coloured.replace(/\u001b\[\d+m/g, ''), plain);
  });

  it('breaks long words of warning at the width', () => {
    const text = checkToText(
      sampleReport({ findings: [sampleFinding({ message: 'word '.repeat(60) })], problems: [] }),
      {
        ...OPTIONS,
        columns: 60,
      },
    );
    assert.ok(
      text
        .split('\n')
        .slice(1, -3)
        .every((line) => line.length <= 66),
      text,
    );
  });
});

describe('code frame', () => {
  const options = { paint: createPaint(false), width: 40, gutter: 2 };
  const frame = (line: string | undefined, from: number, to: number, endLine = 5): string[] =>
    codeFrame(line, { line: 5, column: from }, { line: endLine, column: to }, options);

  it('drops indentation and marks the span, tabs included', () => {
    assert.deepEqual(frame('\t\tawait\tfetch(a);', 9, 14), [' 5 │ await  fetch(a);', '   │        ~~~~~']);
  });

  it('cuts long lines around the span', () => {
    const [code, marks] = frame('x'.repeat(200) + 'HERE' + 'y'.repeat(200), 201, 205);
    assert.ok(code!.includes('HERE') && code!.length < 60);
    assert.equal(code!.indexOf('HERE'), marks!.indexOf('~~~~'));
  });

  it('marks to the end of the line when the span goes on, and at least one column', () => {
    assert.deepEqual(frame('  call({', 3, 2, 9), [' 5 │ call({', '   │ ~~~~~~']);
    assert.deepEqual(frame('ab', 3, 3)[1], '   │   ~');
    assert.deepEqual(frame('', 1, 1), [' 5 │', '   │ ~']);
    assert.deepEqual(frame(undefined, 1, 1), []);
  });
});

describe('unit list', () => {
  it('groups by file', () => {
    const unit = {
      id: 'src/a.ts#x',
      kind: 'http' as const,
      name: 'GET /x',
      symbol: 'x',
      framework: 'express',
      file: 'src/a.ts',
      start: { line: 4, column: 1 },
      end: { line: 5, column: 1 },
      startOffset: 0,
      endOffset: 1,
      route: '/x',
      method: 'GET',
      handler: { file: 'src/a.ts', fn: 0, start: { line: 4, column: 1 }, end: { line: 5, column: 1 } },
    };
    assert.equal(
      unitsToText([unit, { ...unit, kind: 'consumer', name: 'jobs', start: { line: 9, column: 1 } }], false),
      'src/a.ts\n  http      GET /x  express · line 4\n  consumer  jobs  express · line 9\n\n2 units in 1 file\n',
    );
    assert.match(unitsToText([], false), /^No units/);
  });
});
