/** Proves rows one after the other in one scratch copy and records what was seen. Owns evidence files and what a whole run adds up to. */
import type { FileHost } from '../host/fileHost.ts';
import { proveRow, runSuite, type Bench } from '../proof/proveRow.ts';
import type { FoundRunner } from '../proof/runners/findRunner.ts';
import type { RowResult } from '../reports/proofReport.ts';
import { evidenceText } from '../tables/evidence.ts';
import type { Evidence } from '../tables/schema.ts';
import type { ProveStep } from './provePlan.ts';

export interface ProveInput {
  readonly root: string;
  readonly steps: readonly ProveStep[];
  readonly bench: Bench;
  readonly host: FileHost;
  /** Version of Node that runs the tests, without the `v`. */
  readonly nodeVersion: string;
  /** False: the project's whole suite is not run. */
  readonly suite: boolean;
  readonly report?: (result: RowResult) => void;
}

export async function prove(input: ProveInput): Promise<readonly RowResult[]> {
  const { steps, bench } = input;
  const results: RowResult[] = [];
  const suites = new Map<string, ReturnType<typeof runSuite>>();
  const suiteOf = (found: FoundRunner): ReturnType<typeof runSuite> => {
    const known = suites.get(found.cwd) ?? (input.suite ? runSuite(found, bench) : Promise.resolve(null));
    suites.set(found.cwd, known);
    return known;
  };
  for (const step of steps) {
    const result = bench.signal?.aborted
      ? { ...blank(step), why: 'it was cancelled' }
      : await resultOf(step, input, suiteOf);
    results.push(result);
    input.report?.(result);
  }
  return results;
}

function blank({ row, failure, unit, table, named }: ProveStep): RowResult {
  return {
    row,
    failure,
    unit,
    table,
    test: named,
    outcome: 'could-not-run',
    why: '',
    runner: null,
    red: null,
    green: null,
    suite: null,
    evidence: null,
  };
}

async function resultOf(
  step: ProveStep,
  input: ProveInput,
  suiteOf: (found: FoundRunner) => ReturnType<typeof runSuite>,
): Promise<RowResult> {
  const { bench, host, root } = input;
  const { plan } = step;
  if ('error' in plan) return { ...blank(step), why: plan.error };
  const proof = await proveRow(plan.job, bench);
  const { runner, red, green } = proof;
  const result: RowResult = {
    ...blank(step),
    outcome: proof.outcome,
    why: proof.why,
    runner: runner?.runner.name ?? null,
    red,
    green,
  };
  const path = `${root}/${step.evidence}`;
  // What was recorded before is refuted.
  if (proof.outcome === 'decoration') host.remove(path);
  if (proof.outcome !== 'proven' || !runner || !red || !green) return result;
  const ran = await suiteOf(runner);
  const suite = ran && { command: ran.command, exit: ran.exit, ms: ran.ms };
  if (ran?.why != null)
    return {
      ...result,
      suite,
      outcome: ran.cancelled ? 'could-not-run' : 'not-proven',
      why: `its own test is red without and green with the mechanism, but the suite (${ran.command}) ${ran.why}`,
    };
  const at = bench.scratch.tree;
  const evidence: Evidence = {
    sixlens: 1,
    row: step.row,
    red: {
      command: red.command,
      exit: red.exit,
      at,
      how: red.how,
      without: red.without,
      assertion: red.assertion || 'an assertion without a message',
    },
    green: { command: green.command, exit: green.exit, at },
    ...(suite ? { suite: { command: suite.command, exit: suite.exit } } : {}),
    runner: runner.runner.name,
    node: input.nodeVersion,
    slice: plan.slice,
    named: step.named,
    test: plan.test,
  };
  host.writeText(path, evidenceText(evidence));
  return { ...result, suite, evidence: step.evidence };
}
