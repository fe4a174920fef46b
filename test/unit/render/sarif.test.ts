import { strict as assert } from 'node:assert';
import * as z from 'zod';
import { checkToSarif, type SarifRule } from '../../../server/src/reports/render/sarif.ts';
import { sampleFinding, sampleReport } from './sampleReport.ts';

const RULE: SarifRule = {
  id: 'call-without-timeout',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'network',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  docs: { what: 'What.', why: 'Why.', remedy: 'Remedy.', whenNot: 'When not.' },
};

/** The part of SARIF 2.1.0 that is written, with the standard's own constraints; strict, so that a slip in a name fails. */
const message = z.strictObject({ text: z.string().min(1) });
const line = z.number().int().min(1);
const region = z.strictObject({
  startLine: line,
  startColumn: line,
  endLine: line.optional(),
  endColumn: line.optional(),
});
const physicalLocation = z.strictObject({
  artifactLocation: z.strictObject({
    uri: z.string().regex(/^[\w%.()!~*'-]+(?:\/[\w%.()!~*'-]+)*$/),
    uriBaseId: z.literal('%SRCROOT%'),
  }),
  region: region.optional(),
});
const location = z.strictObject({
  id: z.number().int().min(0).optional(),
  physicalLocation,
  logicalLocations: z.array(z.strictObject({ fullyQualifiedName: z.string(), kind: z.string() })).optional(),
  message: message.optional(),
});
const level = z.enum(['none', 'note', 'warning', 'error']);
const log = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string(),
          version: z.string(),
          semanticVersion: z.string().regex(/^\d+\.\d+\.\d+/),
          rules: z.array(
            z.strictObject({
              id: z.string(),
              name: z
                .string()
                .regex(/^[A-Z]\w+$/)
                .optional(),
              shortDescription: message.optional(),
              fullDescription: message.optional(),
              help: z.strictObject({ text: z.string(), markdown: z.string() }).optional(),
              defaultConfiguration: z.strictObject({ level }).optional(),
              properties: z.looseObject({ tags: z.array(z.string()) }).optional(),
            }),
          ),
        }),
      }),
      columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
      invocations: z.array(
        z.strictObject({
          executionSuccessful: z.boolean(),
          toolExecutionNotifications: z.array(
            z.strictObject({
              descriptor: z.strictObject({ id: z.string() }),
              level,
              message,
              locations: z.array(location).optional(),
            }),
          ),
        }),
      ),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.number().int().min(0),
          level,
          message,
          locations: z.array(location).min(1),
          relatedLocations: z.array(location).optional(),
          partialFingerprints: z.record(z.string(), z.string()),
          suppressions: z
            .array(
              z.strictObject({
                kind: z.enum(['inSource', 'external']),
                status: z.string(),
                justification: z.string(),
              }),
            )
            .optional(),
          properties: z.looseObject({}),
        }),
      ),
    }),
  ]),
});

const render = (report = sampleReport(), suppressed: 'include' | 'omit' = 'include') => {
  const parsed = log.parse(JSON.parse(JSON.stringify(checkToSarif(report, { rules: [RULE], suppressed }))));
  return parsed.runs[0];
};
const prints = (report = sampleReport()): string[] =>
  render(report, 'omit').results.map((result) => result.partialFingerprints['sixlensFinding/v1']!);

describe('SARIF', () => {
  it('is SARIF 2.1.0 whose rule indices hold', () => {
    const run = render();
    for (const result of run.results)
      assert.equal(run.tool.driver.rules[result.ruleIndex]?.id, result.ruleId);
    assert.deepEqual(
      run.results.map(({ ruleId, level: l }) => `${ruleId} ${l}`),
      [
        'call-without-timeout error',
        'call-without-timeout error',
        'call-without-timeout error',
        'swallowed-error note',
      ],
    );
  });

  it('gives accepted findings as suppressed results with their reason, or leaves them out', () => {
    const included = render().results;
    assert.deepEqual(
      included.map(({ suppressions }) => suppressions?.map((s) => s.justification)),
      [[], ['bounded by the proxy'], [], []],
    );
    const omitted = render(sampleReport(), 'omit').results;
    assert.equal(omitted.length, 3);
    assert.ok(omitted.every((result) => !('suppressions' in result)));
  });

  it('names places by encoded relative paths, the path of calls as related ones', () => {
    const results = render().results;
    assert.equal(results[3]?.locations[0]?.physicalLocation.artifactLocation.uri, 'src/%C3%A4%20b.ts');
    const related = results[0]?.relatedLocations?.[0];
    assert.equal(related?.message?.text, 'charge()');
    assert.deepEqual(related?.physicalLocation.region, {
      startLine: 9,
      startColumn: 3,
      endLine: 9,
      endColumn: 9,
    });
  });

  it('reports problems as notifications', () => {
    const notes = render().invocations[0]?.toolExecutionNotifications;
    assert.deepEqual(
      notes?.map(({ level: l, locations }) => [l, locations?.[0]?.physicalLocation.region?.startLine]),
      [
        ['warning', 2],
        ['error', undefined],
      ],
    );
  });

  it('keeps fingerprints when code moves or words change, and keeps different findings apart', () => {
    const before = prints();
    assert.equal(new Set(before).size, before.length);
    const moved = sampleReport();
    const after = prints({
      ...moved,
      findings: moved.findings.map((finding) => ({
        ...finding,
        message: 'other words, 7 ms',
        start: { line: finding.start.line + 40, column: 2 },
        end: { line: finding.end.line + 40, column: 9 },
      })),
    });
    assert.deepEqual(after, before);
    const twins = prints(
      sampleReport({
        findings: [
          sampleFinding(),
          sampleFinding({ start: { line: 4, column: 1 }, end: { line: 4, column: 2 } }),
        ],
      }),
    );
    assert.notEqual(twins[0], twins[1]);
  });
});
