/** The description of a pull request from its tables. Owns its parts and their order; says nothing that no table holds. */
import type { Evidence, Row } from '../tables/schema.ts';
import { longDay } from '../tables/delta.ts';
import { renderMarkdown } from '../tables/render.ts';
import type { GateReport, GateTable } from './gateReport.ts';
import { escapeMarkdown as md } from './render/markdownText.ts';

export interface PrOptions {
  /** `yyyy-mm-dd` */
  readonly today: string;
  /** Only what changed, for a comment. */
  readonly deltaOnly?: boolean;
}

/** Markdown; ends with a line break. */
export function prDescription(report: GateReport, options: PrOptions): string {
  const lines: string[] = [];
  const section = (title: string, body: readonly string[]): void => {
    if (body.length > 0) lines.push(`## ${title}`, '', ...body, '');
  };
  section(
    'What changed in the tables',
    report.tables.flatMap((table) => table.delta.map((sentence) => `- ${md(sentence)}`)),
  );
  if (options.deltaOnly === true)
    return lines.length === 0 ? 'No failure-mode table changed.\n' : `${lines.join('\n').trimEnd()}\n`;

  const bodies = report.tables.flatMap(({ table, states }, index) => [
    ...(index === 0 ? [] : ['']),
    `### ${md(table.unit)}`,
    '',
    table.contract.trim() === '' ? '_No contract yet._' : md(table.contract),
    '',
    renderMarkdown(table, { today: options.today, bare: true, states }).trimEnd(),
  ]);
  section('Failure modes', bodies);
  section(
    'Detected',
    rowsOf(
      report,
      (row) => row.verdict === 'detect',
      (row) =>
        `${md(row.failure)}: ${md(row.signal ?? 'no signal named')}, ${row.asserted ? `fired and asserted in \`${code(row.asserted)}\`` : 'fired, not asserted'}`,
    ),
  );
  section(
    'Handled',
    rowsOf(
      report,
      (row) => row.verdict === 'handle' && row.proposed !== true,
      (row, state, _, proof) =>
        `${md(row.failure)}: ${md(row.how ?? 'no mechanism named')}, ${row.test ? `test \`${code(row.test)}\`` : 'no test named'}${state === 'unproven' ? ', not seen failing without it' : ''}${proof ? proofLines(proof) : ''}`,
    ),
  );
  section(
    'Accepted',
    rowsOf(
      report,
      (row) => row.verdict === 'accept',
      (row) =>
        `${md(row.failure)}: ${md(row.reason ?? 'no reason given')}${row.because ? ` (${row.because})` : ''}${row.owner ? `, ${md(row.owner)}` : ''}${row.expires ? `, ${row.expires < options.today ? '**expired**' : 'until'} ${longDay(row.expires)}` : ', without an end'}`,
    ),
  );
  section(
    'Pruned',
    report.tables.flatMap(({ table }) =>
      table.pruned === undefined
        ? [`- ${md(table.unit)}: nothing said yet`]
        : (typeof table.pruned === 'string' ? [table.pruned] : table.pruned).map(
            (item) => `- ${md(table.unit)}: ${md(item)}`,
          ),
    ),
  );
  section('Open', [
    ...rowsOf(
      report,
      (row, state) =>
        ['undecided', 'incomplete', 'stale', 'blocked'].includes(state) || row.proposed === true,
      openText,
    ),
    ...report.tables.flatMap(({ table }) =>
      table.contract.trim() === '' ? [`- ${md(table.unit)}: no contract`] : [],
    ),
    ...report.items
      .filter(({ code: rule }) => rule === 'lens-unlooked')
      .map(({ unit, message }) => `- ${md(unit)}: ${md(message)}`),
    ...report.untabled.map(({ name, file, line }) => `- ${md(name)} (\`${code(file)}:${line}\`): no table`),
  ]);
  if (lines.length === 0) return 'No unit with a failure-mode table is touched.\n';
  return `${lines.join('\n').trimEnd()}\n`;
}

/** The runs of a proof, quoted under its row. */
function proofLines({ red, green, suite }: Evidence): string {
  const without = `without ${red.without ?? (red.how === 'before-change' ? 'the change' : 'the mechanism')}`;
  const run = (what: string, { command, exit }: { command: string; exit: number }): string =>
    `${what}: \`${code(command)}\` ends with ${exit}`;
  return [
    '',
    `${run(`red ${md(without)}`, red)}: \`${code(red.assertion)}\``,
    run('green with it', green),
    ...(suite ? [run('the whole suite', suite)] : []),
  ].join('\n  - ');
}

function openText(row: Row, state: string, detail: string): string {
  if (state === 'blocked')
    return `${md(row.failure)}: blocked by ${md(row.blocker ?? '')}, handed to ${md(row.to ?? '')}`;
  if (state === 'undecided') return `${md(row.failure)}: undecided${row.ticket ? `, ${md(row.ticket)}` : ''}`;
  if (row.proposed === true)
    return `${md(row.failure)}: ${md(row.how ?? 'a mechanism')} was found and needs a test and somebody to confirm it`;
  return `${md(row.failure)}: ${md(detail)}`;
}

function rowsOf(
  report: GateReport,
  wanted: (row: Row, state: string) => boolean,
  text: (row: Row, state: string, detail: string, proof: Evidence | null) => string,
): string[] {
  const many = report.tables.length > 1;
  return report.tables.flatMap(({ table, states, proofs }: GateTable) =>
    Object.entries(table.rows).flatMap(([id, row]) => {
      const state = states.get(id);
      if (!state || row.retired || !wanted(row, state.state)) return [];
      const detail =
        state.state === 'stale'
          ? `stale: ${state.because}`
          : state.state === 'incomplete'
            ? `needs ${state.missing.join(', ')}`
            : state.state;
      return [
        `- ${many ? `${md(table.unit)}: ` : ''}${text(row, state.state, detail, proofs.get(id) ?? null)}`,
      ];
    }),
  );
}

function code(text: string): string {
  return text.replace(/[`\r\n]/g, ' ');
}
