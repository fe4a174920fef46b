/** Findings and a report for renderer tests. */
import type { Finding } from '../../../server/src/model/finding.ts';
import type { CheckReport } from '../../../server/src/reports/render/report.ts';

export function sampleFinding(change: Partial<Finding> = {}): Finding {
  return {
    rule: 'call-without-timeout',
    lens: 'clock',
    axis: 'cascading-failure',
    faultClass: 'network',
    severity: 'high',
    blocking: true,
    confidence: 'shown',
    file: 'src/pay.ts',
    start: { line: 3, column: 18 },
    end: { line: 3, column: 30 },
    startOffset: 60,
    endOffset: 72,
    message: 'If api.example hangs, this request hangs with it: no bound.',
    trigger: 'the provider accepts the connection and never answers',
    scenario: 'at peak / when the provider hangs / then every worker waits',
    detection: 'when the worker count runs out',
    fix: 'Pass a signal that fires.',
    units: ['src/routes.ts#router.post "/pay"'],
    path: [
      {
        file: 'src/routes.ts',
        start: { line: 9, column: 3 },
        end: { line: 9, column: 9 },
        label: 'charge()',
      },
    ],
    fixes: [],
    anchor: 'fetch',
    ...change,
  };
}

export const SAMPLE_TEXT = "import x from 'x';\n\nconst r = await fetch(address);\n";

export function sampleReport(change: Partial<CheckReport> = {}): CheckReport {
  return {
    version: '1.2.3',
    findings: [
      sampleFinding({ start: { line: 7, column: 1 }, end: { line: 7, column: 5 }, units: [], path: [] }),
      sampleFinding(),
      sampleFinding({
        file: 'src/ä b.ts',
        rule: 'swallowed-error',
        severity: 'low',
        blocking: false,
        confidence: 'assumed',
      }),
    ],
    suppressed: [
      {
        ...sampleFinding({ start: { line: 5, column: 2 }, end: { line: 5, column: 4 } }),
        reason: 'bounded by the proxy',
      },
    ],
    problems: [
      {
        code: 'tsconfig-unreadable',
        message: 'The tsconfig was not read in full.',
        file: 'tsconfig.json',
        start: { line: 2, column: 3 },
        end: { line: 2, column: 4 },
        severity: 'warning',
      },
      { code: 'rule-failed', message: 'A rule failed.', severity: 'error' },
    ],
    ...change,
  };
}
