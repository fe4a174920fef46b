/** `sixlens prune`: code that no failure mode asks for. Owns the writing and what is told. */
import { planPrune, type PrunePlan } from '../../service/prunePlan.ts';
import { CliError, EXIT, type CliContext } from '../context.ts';
import { textOption, writeJson } from '../output.ts';
import { folderLister, readTargets, targetFiles } from '../targets.ts';

export async function runPrune(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  const { host } = context;
  const check = options['check'] === true;
  const write = options['write'] === true;
  if (check && write) throw new CliError('--check only looks and --write deletes; name one of them');
  const targets = readTargets(context, positionals, textOption(options, 'root'));
  const { root } = targets;
  const analysis = await context.loadAnalysis({ root, host });
  const { files, notSource } = targetFiles(targets, analysis, folderLister(host, root));
  for (const typed of notSource)
    context.stderr.write(`sixlens: prune: ${typed} is no TypeScript or JavaScript file\n`);
  const plan = planPrune(host, analysis, files ?? analysis.sourceFiles());
  if (write)
    for (const { path, text, encoding } of plan.writes)
      try {
        host.writeText(`${root}/${path}`, text, encoding);
      } catch (error) {
        throw new CliError(
          `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
  for (const { path, why } of plan.left)
    context.stderr.write(`sixlens: prune: ${path} was left as it is: ${why}\n`);
  if (textOption(options, 'format') === 'json')
    writeJson(context, {
      proposals: plan.proposals,
      unrecorded: plan.unrecorded,
      written: write ? plan.writes.map(({ path }) => path) : [],
    });
  else context.stdout.write(asText(plan, write));
  return check && plan.proposals.length > 0 ? EXIT.findings : EXIT.nothing;
}

function asText({ proposals, unrecorded, writes }: PrunePlan, write: boolean): string {
  const out = proposals.map(({ file, start, what, rule, units }) => {
    const where =
      units.length === 0 ? '' : `  (${units.slice(0, 3).join(', ')}${units.length > 3 ? ', …' : ''})`;
    return `${file}:${start.line}:${start.column}  ${rule}: ${what}${where}`;
  });
  const count = proposals.length === 1 ? '1 place' : `${proposals.length} places`;
  if (proposals.length === 0) out.push('Nothing to prune.');
  else
    out.push(
      '',
      write ? `${count} deleted; read the diff` : `${count} that no row asks for; --write deletes them`,
    );
  if (write) out.push(...writes.map(({ path }) => `wrote ${path}`));
  else
    for (const path of unrecorded)
      out.push(`${path} says nothing about pruning; --write records that there is nothing`);
  return `${out.join('\n')}\n`;
}
