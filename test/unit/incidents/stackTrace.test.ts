import { strict as assert } from 'node:assert';
import { transformSync } from 'esbuild';
import fc from 'fast-check';
import { kindOfError } from '../../../server/src/incidents/errorKind.ts';
import { originalPlace } from '../../../server/src/incidents/sourceMap.ts';
import { parseTraces } from '../../../server/src/incidents/stackTrace.ts';
import { fuzzRuns } from '../../support/fuzzRuns.ts';

const short = (text: string): string[] =>
  parseTraces(text).map(
    ({ name, message, frames }) =>
      `${name}|${message}|${frames.map(({ fn, location, line, column }) => `${fn ?? ''}@${location}:${line}:${column}`).join(' ')}`,
  );
const STACK = `TypeError: Cannot read properties of undefined (reading 'id')
    at settle (/app/src/pay.ts:12:9)
    at async /app/src/routes.ts:4:3`;
const PARSED =
  "TypeError|Cannot read properties of undefined (reading 'id')|settle@/app/src/pay.ts:12:9 @/app/src/routes.ts:4:3";

describe('incidents/stackTrace', () => {
  const cases: readonly [string, string, readonly string[]][] = [
    ['a plain stack', STACK, [PARSED]],
    ['a stack behind log words', `2026-11-30T10:00:00Z ERROR [req-1] ${STACK}\n2026-11-30 done`, [PARSED]],
    ['prefixes of containers', STACK.replace(/^/gm, 'api-1  | '), [PARSED]],
    ['Windows line ends', STACK.replaceAll('\n', '\r\n'), [PARSED]],
    [
      'a record of pino',
      JSON.stringify({ level: 50, err: { type: 'TypeError', message: 'x', stack: STACK }, msg: 'failed' }),
      [PARSED],
    ],
    ['records between lines', `start\n${JSON.stringify({ stack: STACK })}\nend`, [PARSED]],
    ['a record behind a date', `2026-11-30 ${JSON.stringify({ error: { stack: STACK } })}`, [PARSED]],
    ['pretty JSON', JSON.stringify({ a: [{ exception: { stacktrace: STACK } }] }, null, 2), [PARSED]],
    ['breaks written as two characters', `level=error stack="${STACK.replaceAll('\n', '\\n')}"`, [PARSED]],
    ['the same stack twice', `${STACK}\n\n${STACK}`, [PARSED]],
    [
      'a record whose stack has no first line',
      JSON.stringify({ name: 'TimeoutError', message: 'late', stack: '    at f (/a.ts:1:2)' }),
      ['TimeoutError|late|f@/a.ts:1:2'],
    ],
    [
      'causes',
      `Error: outer\n    at a (/app/a.ts:1:1) {\n  [cause]: RangeError: inner\n      at b (/app/b.ts:2:2)\n}`.replace(
        ' {\n',
        '\n',
      ),
      ['Error|outer|a@/app/a.ts:1:1', 'RangeError|inner|b@/app/b.ts:2:2'],
    ],
    [
      'messages of several lines',
      'PrismaClientKnownRequestError: \nInvalid call:\n\nUnique constraint failed\n    at x (/app/db.ts:3:4)',
      ['PrismaClientKnownRequestError|Invalid call:\n\nUnique constraint failed|x@/app/db.ts:3:4'],
    ],
    [
      'addresses, drives, spaces, queries, evaluated code and the runtime',
      [
        'Error: e',
        '    at Object.<anonymous> (C:\\app\\src\\pay.ts:1:2)',
        '    at new Pay (file:///C:/app/src/pay.ts:3:4)',
        '    at file:///srv/my%20app/src/a.mjs?t=17:5:6',
        '    at a.b [as c] (/srv/my app/src/a.ts:7:8)',
        '    at POST (webpack://shop/./src/app/route.ts:9:10)',
        '    at POST (webpack-internal:///(rsc)/./src/app/route.ts:11:12)',
        '    at async Promise.all (index 0)',
        '    at Array.map (<anonymous>)',
        '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
      ].join('\n'),
      [
        'Error|e|Object.<anonymous>@C:\\app\\src\\pay.ts:1:2 new Pay@file:///C:/app/src/pay.ts:3:4 @file:///srv/my%20app/src/a.mjs?t=17:5:6 a.b [as c]@/srv/my app/src/a.ts:7:8 POST@webpack://shop/./src/app/route.ts:9:10 POST@webpack-internal:///(rsc)/./src/app/route.ts:11:12',
      ],
    ],
    ['an error with a code', 'Error [ERR_X]: odd\n    at f (/a.ts:1:2)', ['Error|odd|f@/a.ts:1:2']],
    ['only words', 'look at the place: nothing\nmeet at 10:30:12', []],
    ['nothing', '', []],
  ];
  for (const [what, text, expected] of cases)
    it(`reads ${what}`, () => assert.deepEqual(short(text), expected));

  it('never throws and stays quick on whatever a log holds', () => {
    const piece = fc.constantFrom(
      '    at ',
      'f (',
      '/a.ts',
      ':1:2',
      ')',
      '\n',
      '{"stack":"',
      '"}',
      'Error: ',
      '\\n',
      '(((',
      ' ',
      'async ',
      '[',
      '://',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 60 }).map((all) => all.join('')),
          fc.string({ unit: 'binary', maxLength: 200 }),
        ),
        (text) => {
          for (const { frames } of parseTraces(text))
            for (const { line, column } of frames) assert.ok(line >= 0 && column >= 0);
        },
      ),
      { numRuns: fuzzRuns(500) },
    );
    const started = performance.now();
    parseTraces(`${'at '.repeat(1300)}\n`.repeat(200));
    parseTraces(`    at ${'(x '.repeat(1200)}:1:2\n`.repeat(100));
    assert.ok(performance.now() - started < 3000);
  });
});

describe('incidents/sourceMap', () => {
  const source = 'interface A { b: number }\n\nexport function f(a: A | null): number {\n  return a!.b;\n}\n';
  const { code, map } = transformSync(source, { loader: 'ts', sourcemap: true, sourcefile: '../src/a.ts' });
  const line = code.split('\n').findIndex((text) => text.includes('return')) + 1;
  const column = code.split('\n')[line - 1]!.indexOf('a.b') + 1;

  it('finds the place that a compiler wrote down', () => {
    const found = originalPlace(map, line, column)!;
    assert.deepEqual([found.source, found.line], ['../src/a.ts', 4]);
    assert.match(source.split('\n')[3]!.slice(found.column - 1), /^a!\.b/);
  });

  it('reads sections and roots, and gives nothing for what is damaged', () => {
    const data = JSON.parse(map) as Record<string, unknown>;
    const sections = { version: 3, sections: [{ offset: { line: 10, column: 0 }, map: data }] };
    assert.equal(originalPlace(JSON.stringify(sections), line + 10, column)!.line, 4);
    assert.equal(originalPlace(JSON.stringify(sections), 3, 1), null);
    assert.equal(
      originalPlace(JSON.stringify({ ...data, sourceRoot: 'webpack://x/' }), line, column)!.source,
      'webpack://x/../src/a.ts',
    );
    for (const bad of [
      '',
      '{',
      '[]',
      JSON.stringify({ ...data, mappings: '!!!' }),
      JSON.stringify({ ...data, sources: [] }),
    ])
      assert.equal(originalPlace(bad, line, column), null);
    assert.equal(originalPlace(map, 999, 1), null);
  });
});

describe('incidents/errorKind', () => {
  for (const [name, message, lens] of [
    ['TimeoutError', 'The operation was aborted due to timeout', 'clock'],
    ['Error', 'connect ETIMEDOUT 10.0.0.1:443', 'clock'],
    ['PrismaClientKnownRequestError', 'Unique constraint failed on the fields: (`id`)', 'concurrency'],
    ['error', 'deadlock detected', 'concurrency'],
    ['Error', 'EMFILE: too many open files', 'resource-exhaustion'],
    ['SyntaxError', 'Unexpected token < in JSON at position 0', 'boundaries'],
    ['TypeError', "Cannot read properties of null (reading 'x')", 'boundaries'],
    ['TypeError', 'fetch failed', 'partial-failure'],
    ['ZodError', '[]', 'hostile-input'],
  ] as const)
    it(`${name}: ${message} speaks of ${lens}`, () => assert.equal(kindOfError(name, message)?.lens, lens));

  it('says nothing of an error it does not know', () =>
    assert.equal(kindOfError('Error', 'the order is late'), null));
});
