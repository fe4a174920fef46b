/** `sixlens migrate`: tables in an older format, or of sources that moved. Owns the writing and what is told. */
import { planFormats, planPaths } from '../../service/migratePlan.ts';
import { CliError, EXIT, type CliContext } from '../context.ts';
import { textOption } from '../output.ts';
import { readTargets } from '../targets.ts';

export async function runMigrate(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  if (positionals.length > 0)
    throw new CliError(`it takes no path (${positionals[0]}); it looks at every table`);
  const { host, git } = context;
  const { root } = readTargets(context, [], textOption(options, 'root'));
  const paths = options['paths'] === true;
  const dry = options['dry-run'] === true;
  if (paths && !git.isRepository(root))
    throw new CliError('--paths asks git for renames, and this is no repository');
  const { steps, left } = paths
    ? planPaths(host, await context.loadAnalysis({ root, host }), git)
    : planFormats(host, root);
  for (const { path, to, text, encoding, done, evidence } of steps) {
    if (!dry)
      try {
        host.writeText(`${root}/${to}`, text, encoding);
        for (const [from, target] of evidence) {
          const read = host.readText(`${root}/${from}`);
          if (!read) continue;
          host.writeText(`${root}/${target}`, read.text, read.encoding);
          host.remove(`${root}/${from}`);
        }
        // The new one is whole before the old one goes.
        if (to !== path) host.remove(`${root}/${path}`);
      } catch (error) {
        throw new CliError(
          `${to} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    context.stdout.write(
      `${to}: ${dry ? 'would be migrated' : 'migrated'}, ${done}${to === path ? '' : `; moved from ${path}`}\n`,
    );
  }
  for (const { path, line, why } of left)
    context.stderr.write(`sixlens: migrate: ${path}:${line}: left as it is: ${why}\n`);
  if (steps.length === 0 && left.length === 0) context.stdout.write('Nothing to migrate.\n');
  return left.length > 0 ? EXIT.findings : EXIT.nothing;
}
