/** `sixlens affirm`: records that rows were read again. Owns the writing and what is told; a word that is wrong writes nothing. */
import { CliError, EXIT, type CliContext } from '../context.ts';
import { textOption } from '../output.ts';
import { isWithin, readTargets, relativeTo } from '../targets.ts';
import { todayOf } from './gate.ts';

export async function runAffirm(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  if (positionals.length === 0)
    throw new CliError("name a unit or a row, such as 'POST /orders' or clk-3k9v0qhd");
  const { host, git } = context;
  const { root } = readTargets(context, [], textOption(options, 'root'));
  const by = textOption(options, 'by') ?? git.person(root) ?? context.env['USER'] ?? context.env['USERNAME'];
  if (!by) throw new CliError('nobody is named; say who read them with --by NAME');
  const analysis = await context.loadAnalysis({ root, host });
  const { planAffirm } = await import('../../service/affirmPlan.ts');
  const words = positionals.map((word) => {
    const path = context.resolvePath(context.cwd, word);
    return host.stat(path)?.isFile && isWithin(root, host.realpath(path))
      ? relativeTo(root, host.realpath(path))
      : word;
  });
  const steps = planAffirm({ host, analysis, git, words, by, today: todayOf(context) });
  if ('error' in steps) throw new CliError(steps.error);
  let refusals = 0;
  for (const { path, to, evidence, text, changed, encoding, done, refused } of steps) {
    if (changed) {
      try {
        host.writeText(`${root}/${to}`, text, encoding);
        for (const [from, target] of evidence) {
          const bytes = host.readBytes(`${root}/${from}`);
          if (bytes) host.writeBytes(`${root}/${target}`, bytes);
        }
      } catch (error) {
        throw new CliError(
          `${to} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
      // The new one is whole before the old one goes.
      for (const old of to === path ? [] : [path, ...evidence.map(([from]) => from)])
        host.remove(`${root}/${old}`);
    }
    const said = done.length === 0 ? 'nothing to affirm' : `affirmed ${done.join(', ')}`;
    context.stdout.write(`${to}: ${said}${to === path ? '' : `; moved from ${path}`}\n`);
    for (const { row, why } of refused)
      context.stderr.write(`sixlens: affirm: ${row} was left alone: ${why}\n`);
    refusals += refused.length;
  }
  return refusals > 0 ? EXIT.findings : EXIT.nothing;
}
