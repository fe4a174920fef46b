/** Proofs as text for people and as JSON. Owns the layouts; decides nothing. */
import type { ProofRun, RowResult } from '../proofReport.ts';
import { createPaint, safeText, type Style } from './terminal.ts';

const STYLE: Readonly<Record<RowResult['outcome'], readonly Style[]>> = {
  proven: ['bold', 'green'],
  decoration: ['bold', 'red'],
  'not-proven': ['bold', 'red'],
  'could-not-run': ['yellow'],
};
const WORDS: Readonly<Record<RowResult['outcome'], string>> = {
  proven: 'proven',
  decoration: 'decoration',
  'not-proven': 'not proven',
  'could-not-run': 'could not run',
};

/** One row; ends with a line break. */
export function rowToText(result: RowResult, { colour }: { readonly colour: boolean }): string {
  const paint = createPaint(colour);
  const { row, outcome, unit, failure, why, red, green, suite, evidence } = result;
  const out = [
    `${paint(row, 'bold')}  ${paint(WORDS[outcome], ...STYLE[outcome])}  ${safeText(unit)}: ${safeText(failure)}`,
  ];
  if (why !== '') out.push(`  ${safeText(why)}`);
  if (red) {
    out.push(`  ${paint('red', 'red')}    without ${safeText(red.without)}: ${safeText(red.assertion)}`);
    out.push(`         ${paint(run(red), 'dim')}`);
  }
  if (green) out.push(`  ${paint('green', 'green')}  ${paint(run(green), 'dim')}`);
  if (suite) out.push(`  suite  ${paint(run(suite), 'dim')}`);
  if (evidence !== null) out.push(`  recorded in ${evidence}`);
  return `${out.join('\n')}\n`;
}

function run({ command, exit, ms }: ProofRun): string {
  return `${safeText(command)}  exit ${exit}, ${(ms / 1000).toFixed(1)} s`;
}

export function proofSummary(results: readonly RowResult[]): string {
  const counts = (Object.keys(WORDS) as RowResult['outcome'][])
    .map(
      (outcome) => [WORDS[outcome], results.filter((result) => result.outcome === outcome).length] as const,
    )
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`);
  return `${counts.join(', ')}\n`;
}

export function proofToJson(version: string, tree: string | null, results: readonly RowResult[]): unknown {
  return { version, tree, results };
}
