import { strict as assert } from 'node:assert';
import { LineIndex } from '../../../server/src/base/span.ts';
import { applySuppressions, type SourceComment } from '../../../server/src/config/suppressions.ts';

const KNOWN = ['call-without-timeout', 'swallowed-error', 'weak-timeout'];

/** A finding for each `RULE!` mark in the text, at the mark's place. */
function run(text: string, ran: (rule: string) => boolean = () => true, statementLine?: number) {
  const lines = LineIndex.of(text);
  const comments: SourceComment[] = [...text.matchAll(/\/\/[^\r\n]*|\/\*[^]*?\*\//g)].map((m) => ({
    start: m.index,
    end: m.index + m[0].length,
    text: m[0],
  }));
  const findings = [...text.matchAll(/(T|E)!/g)].map((m) => ({
    rule: m[1] === 'T' ? 'call-without-timeout' : 'swallowed-error',
    start: lines.positionAt(m.index),
  }));
  const result = applySuppressions({
    file: 'a.ts',
    text,
    lines,
    comments,
    findings,
    knownRules: KNOWN,
    ran,
    ...(statementLine === undefined ? {} : { statementLine: () => statementLine }),
  });
  return {
    kept: result.kept.map((f) => f.start.line),
    suppressed: result.suppressed.map((f) => `${f.start.line} ${f.reason}`),
    problems: result.problems.map((p) => `${p.start?.line}:${p.start?.column} ${p.code}`),
  };
}

describe('suppressions', () => {
  it('silences the line below and the own line', () => {
    for (const end of ['\n', '\r\n', '\r'])
      assert.deepEqual(
        run(
          [
            '// sixlens-accept call-without-timeout: bounded by the proxy',
            '  T!',
            'T! // sixlens-accept call-without-timeout: local',
            'T!',
          ].join(end),
        ),
        { kept: [4], suppressed: ['2 bounded by the proxy', '3 local'], problems: [] },
      );
  });

  it('silences only the rules it names', () => {
    assert.deepEqual(run('// sixlens-accept swallowed-error, weak-timeout : why not\nT! E!\n'), {
      kept: [2],
      suppressed: ['2 why not'],
      problems: ['1:1 unused-accept'],
    });
  });

  it('looks past other comments and blank lines, in block comments and JSX', () => {
    assert.deepEqual(
      run('// sixlens-accept call-without-timeout: a: b\n// more words\n\n/* x */ T!').suppressed,
      ['4 a: b'],
    );
    assert.deepEqual(run('/* sixlens-accept call-without-timeout: r */ T!\nT!').suppressed, ['1 r']);
    assert.deepEqual(run('/**\n * sixlens-accept call-without-timeout: goes\n * on\n */\nT!').suppressed, [
      '5 goes on',
    ]);
    assert.deepEqual(run('  {/* sixlens-accept call-without-timeout: r */}\n  T!').suppressed, ['2 r']);
    assert.deepEqual(run('  // sixlens-accept call-without-timeout: r\n}\nT!'), {
      kept: [3],
      suppressed: [],
      problems: ['1:3 unused-accept'],
    });
  });

  it('counts a comment above the statement that holds the finding', () => {
    assert.deepEqual(
      run('// sixlens-accept call-without-timeout: r\nconst x =\n  T!', () => true, 2).suppressed,
      ['3 r'],
    );
  });

  it('silences nothing without a reason, and says so', () => {
    for (const tail of ['', ':', ': ', ': TODO', ': -', ': <reason>', ' because of x'])
      assert.deepEqual(run(`// sixlens-accept call-without-timeout${tail}\nT!`).kept, [2], tail);
    assert.deepEqual(run('// sixlens-accept call-without-timeout\nT!').problems, [
      '1:1 accept-without-reason',
    ]);
    assert.deepEqual(run('// sixlens-accept: reason\nT!').problems, ['1:1 accept-without-rule']);
  });

  it('reports unknown and unused rules, but not those that did not run', () => {
    assert.deepEqual(run('// sixlens-accept call-without-timeot: r\nT!'), {
      kept: [2],
      suppressed: [],
      problems: ['1:1 accept-unknown-rule'],
    });
    assert.deepEqual(run('// sixlens-accept weak-timeout: r\nx').problems, ['1:1 unused-accept']);
    assert.deepEqual(run('// sixlens-accept weak-timeout: r\nx', () => false).problems, []);
    assert.deepEqual(run('// sixlens-accept weak-timeout: r').problems, ['1:1 unused-accept']);
  });

  it('leaves other comments alone', () => {
    assert.deepEqual(run('// see sixlens-accept call-without-timeout: r\n// sixlens-accepted\nT!'), {
      kept: [3],
      suppressed: [],
      problems: [],
    });
  });
});
