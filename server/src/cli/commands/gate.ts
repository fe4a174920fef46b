/** `sixlens gate` and `sixlens pr`: the tables of what a branch touches, judged and described. */
import { loadConfig } from '../../config/loadConfig.ts';
import { isClosed, type GateReport } from '../../reports/gateReport.ts';
import { CliError, EXIT, type CliContext } from '../context.ts';
import { textOption, wantsColour, writeJson } from '../output.ts';
import { readTargets } from '../targets.ts';

type Options = Readonly<Record<string, string | boolean | undefined>>;

export async function runGate(
  context: CliContext,
  options: Options,
  positionals: readonly string[],
): Promise<number> {
  const report = await gateReport(context, options, positionals);
  const render = await import('../../reports/render/gate.ts');
  switch (textOption(options, 'format') ?? 'text') {
    case 'json':
      writeJson(context, render.gateToJson(report));
      break;
    case 'sarif':
      writeJson(context, render.gateToSarif(report));
      break;
    case 'markdown':
      context.stdout.write(render.gateToMarkdown(report));
      break;
    default:
      context.stdout.write(render.gateToText(report, { colour: wantsColour(context, options) }));
  }
  return isClosed(report) ? EXIT.nothing : EXIT.findings;
}

export async function runPr(
  context: CliContext,
  options: Options,
  positionals: readonly string[],
): Promise<number> {
  const report = await gateReport(context, options, positionals);
  const { prDescription } = await import('../../reports/pr.ts');
  context.stdout.write(
    prDescription(report, { today: todayOf(context), deltaOnly: options['delta'] === true }),
  );
  return EXIT.nothing;
}

async function gateReport(
  context: CliContext,
  options: Options,
  positionals: readonly string[],
): Promise<GateReport> {
  if (positionals.length > 0)
    throw new CliError(`it takes no path (${positionals[0]}); the branch says what is touched`);
  const { root } = readTargets(context, [], textOption(options, 'root'));
  const { config, problems } = loadConfig(context.host, root, null);
  // A gate with half its settings would let pass what they forbid.
  const wrong = problems.find(({ severity }) => severity === 'error');
  if (wrong)
    throw new CliError(
      `${wrong.file ?? ''}${wrong.start ? `:${wrong.start.line}:${wrong.start.column}` : ''}: ${wrong.message.replace(/\.$/, '')}`,
    );
  const analysis = await context.loadAnalysis({ root, host: context.host });
  const gate = await import('../../service/gate.ts');
  const report = gate.runGate({
    version: context.version,
    analysis,
    host: context.host,
    git: context.git,
    base: textOption(options, 'base') ?? null,
    today: todayOf(context),
    require: config.require,
    unproven: config.unproven,
  });
  if ('error' in report) throw new CliError(`${report.error}; name where to compare with by --base REF`);
  return report;
}

export function todayOf(context: CliContext): string {
  return new Date(context.clock.now()).toISOString().slice(0, 10);
}
