/** `sixlens from-trace`: reads a trace or log, names unit and row, opens the row again. Owns the writing and what is told. */
import { planFromTrace, type TraceAnswer } from '../../service/fromTrace.ts';
import { CliError, EXIT, type CliContext } from '../context.ts';
import { textOption, writeJson } from '../output.ts';
import { readTargets } from '../targets.ts';
import { todayOf } from './gate.ts';

export async function runFromTrace(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  if (positionals.length > 1) throw new CliError('name one file, or - for standard input');
  const from = positionals[0] ?? '-';
  const { host } = context;
  let text: string | null;
  if (from === '-') text = context.readInput();
  else {
    const read = host.readText(context.resolvePath(context.cwd, from));
    if (!read) throw new CliError(`there is no file ${from}`);
    text = read.text;
  }
  if (text === null) throw new CliError('standard input is a terminal; pipe a trace into it or name a file');
  const { root } = readTargets(context, [], textOption(options, 'root'));
  const analysis = await context.loadAnalysis({ root, host });
  const dry = options['dry-run'] === true;
  const answer = planFromTrace({
    host,
    analysis,
    text,
    unit: textOption(options, 'unit') ?? null,
    today: todayOf(context),
  });
  if (answer.incidents.length === 0 && answer.unmapped.length === 0)
    throw new CliError(
      `there is no stack trace in ${from === '-' ? 'the input' : from}: no line says \`at … file:line:column\``,
    );
  if (!dry)
    for (const { path, text: written, encoding } of answer.writes)
      try {
        host.writeText(`${root}/${path}`, written, encoding);
      } catch (error) {
        throw new CliError(
          `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
  if (textOption(options, 'format') === 'json')
    writeJson(context, {
      incidents: answer.incidents,
      unmapped: answer.unmapped,
      written: dry ? [] : answer.writes.map(({ path }) => path),
    });
  else context.stdout.write(asText(answer, dry));
  return answer.unmapped.length > 0 ? EXIT.findings : EXIT.nothing;
}

const ACTION = {
  added: 'added',
  reopened: 'opened again',
  noted: 'noted',
  known: 'known already',
} as const;

function asText({ incidents, unmapped, writes }: TraceAnswer, dry: boolean): string {
  const out: string[] = [];
  for (const { error, place, unit, row, lenses, table } of incidents) {
    const by = place.by === null ? '' : `, by the map of ${place.by}`;
    out.push(error, `  at    ${place.file}:${place.line}${by}`, `  unit  ${unit.name}`);
    const was = row.action === 'reopened' ? `, was ${row.was}` : '';
    out.push(`  row   ${row.id} ${ACTION[row.action]}${was}: ${row.failure}`);
    const looked = lenses.map(
      ({ lens, rows, findings, added }) =>
        `${lens} ${rows} ${rows === 1 ? 'row' : 'rows'}${findings > 0 ? `, ${findings} found` : ''}${added.length > 0 ? `, ${added.length} new` : ''}`,
    );
    out.push(`  looked again: ${looked.join(' · ')}`, `  table ${table}`, '');
  }
  for (const { error, why } of unmapped) out.push(error, `  not mapped: ${why}`, '');
  for (const { path } of writes) out.push(`${dry ? 'would write' : 'wrote'} ${path}`);
  return `${out.join('\n').trimEnd()}\n`;
}
