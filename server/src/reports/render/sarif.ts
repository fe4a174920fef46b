/** The check as a SARIF 2.1.0 log. Owns the mapping; the result is a plain object, without absolute paths or times. */
import { hashText } from '../../base/hash.ts';
import type { Position } from '../../base/span.ts';
import type { Finding } from '../../model/finding.ts';
import type { Severity } from '../../base/vocabulary.ts';
import { compareFindings, type CheckReport } from './report.ts';

export interface SarifRule {
  readonly id: string;
  readonly lens: string;
  readonly axis: string;
  readonly faultClass: string;
  readonly severity: string;
  readonly blocking: boolean;
  readonly stage: string;
  readonly docs: {
    readonly what: string;
    readonly why: string;
    readonly remedy: string;
    readonly whenNot: string;
  };
}

export interface SarifOptions {
  /** Metadata of all rules that may be named; a finding of a rule that is not among them gets a bare entry. */
  readonly rules: readonly SarifRule[];
  /**
   * `include`: accepted findings are results with a suppression, and all others say that they have none.
   * `omit`: they are left out, for readers that ignore suppressions and would open an alert for each.
   */
  readonly suppressed: 'include' | 'omit';
}

type Json = { readonly [key: string]: unknown };

export function checkToSarif(report: CheckReport, options: SarifOptions): Json {
  const results = [
    ...report.findings.map((finding) => ({ finding, reason: null as string | null, row: finding.row?.id })),
    ...(options.suppressed === 'include'
      ? report.suppressed.map((finding) => ({
          finding: finding as Finding,
          reason: finding.reason as string | null,
          row: finding.acceptedBy,
        }))
      : []),
  ].sort((a, b) => compareFindings(a.finding, b.finding));

  const rules = new Map<string, { readonly index: number; readonly entry: Json }>();
  const ruleIndex = (id: string): number => {
    const seen = rules.get(id);
    if (seen) return seen.index;
    const info = options.rules.find((rule) => rule.id === id);
    const index = rules.size;
    rules.set(id, { index, entry: info ? ruleEntry(info) : { id } });
    return index;
  };
  for (const rule of options.rules) ruleIndex(rule.id);

  const repeats = new Map<string, number>();
  const sarifResults = results.map(({ finding, reason, row }) => {
    const identity = fingerprintSource(finding);
    const nth = repeats.get(identity) ?? 0;
    repeats.set(identity, nth + 1);
    return {
      ruleId: finding.rule,
      ruleIndex: ruleIndex(finding.rule),
      level: finding.row?.effect === 'hint' ? 'note' : levelOf(finding.severity),
      message: { text: `${finding.message} ${finding.fix}${rowWords(finding)}`.trim() },
      locations: [location(finding.file, finding.start, finding.end, finding.units[0])],
      ...(finding.path.length > 0
        ? {
            relatedLocations: finding.path.map((step, id) => ({
              id,
              ...location(step.file, step.start, step.end),
              message: { text: step.label },
            })),
          }
        : {}),
      partialFingerprints: { 'sixlensFinding/v1': hashText(nth === 0 ? identity : `${identity}\n${nth}`) },
      ...(options.suppressed === 'include'
        ? {
            suppressions:
              reason === null
                ? []
                : [
                    {
                      // A comment stands beside the code, a row in its table.
                      kind: row === undefined ? 'inSource' : 'external',
                      status: 'accepted',
                      justification: reason,
                    },
                  ],
          }
        : {}),
      properties: {
        lens: finding.lens,
        axis: finding.axis,
        faultClass: finding.faultClass,
        severity: finding.severity,
        blocking: finding.blocking,
        confidence: finding.confidence,
        trigger: finding.trigger,
        scenario: finding.scenario,
        detection: finding.detection,
        fix: finding.fix,
        units: finding.units,
        ...(row === undefined ? {} : { row }),
      },
    };
  });

  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Sixlens',
            version: report.version,
            semanticVersion: report.version,
            rules: [...rules.values()].map(({ entry }) => entry),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: report.problems.map((problem) => ({
              descriptor: { id: problem.code },
              level: problem.severity,
              message: { text: problem.message },
              ...(problem.file === undefined
                ? {}
                : { locations: [location(problem.file, problem.start, problem.end ?? problem.start)] }),
            })),
          },
        ],
        results: sarifResults,
      },
    ],
  };
}

function rowWords({ row }: Finding): string {
  return row ? ` Row ${row.id}: ${row.text}.` : '';
}

/** Nothing that moves with unrelated edits: no line, no message (it may quote numbers). */
function fingerprintSource(finding: Finding): string {
  const unit = finding.units[0] ?? '';
  return [finding.rule, finding.file, unit, finding.anchor].join('\n');
}

function ruleEntry(rule: SarifRule): Json {
  const { what, why, remedy, whenNot } = rule.docs;
  return {
    id: rule.id,
    name: rule.id.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: what },
    fullDescription: { text: `${what} ${why}`.trim() },
    help: {
      text: [why, remedy, whenNot].filter(Boolean).join('\n\n'),
      markdown: `${why}\n\n**What to do.** ${remedy}\n\n**When not.** ${whenNot}\n`,
    },
    defaultConfiguration: { level: levelOf(rule.severity) },
    properties: {
      tags: ['reliability', rule.lens],
      'problem.severity':
        rule.severity === 'low' ? 'recommendation' : rule.severity === 'medium' ? 'warning' : 'error',
      lens: rule.lens,
      axis: rule.axis,
      faultClass: rule.faultClass,
      severity: rule.severity,
      blocking: rule.blocking,
      stage: rule.stage,
    },
  };
}

function levelOf(severity: Severity | string): 'error' | 'warning' | 'note' {
  return severity === 'critical' || severity === 'high'
    ? 'error'
    : severity === 'medium'
      ? 'warning'
      : 'note';
}

function location(file: string, start?: Position, end?: Position, unit?: string): Json {
  return {
    physicalLocation: {
      artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' },
      ...(start
        ? {
            region: {
              startLine: start.line,
              startColumn: start.column,
              ...(end ? { endLine: end.line, endColumn: end.column } : {}),
            },
          }
        : {}),
    },
    ...(unit === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: unit, kind: 'function' }] }),
  };
}
