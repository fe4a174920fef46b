/** Takes the words of the command line to a command. Owns help, version and how failures are told; knows no command's work. */
import { nearestName } from '../config/nearestName.ts';
import { COMMAND_SPECS, COMMANDS, commandHelp, generalHelp, isCommand } from './commandSpec.ts';
import type { CommandName } from './commandSpec.ts';
import { EXIT, type CliContext } from './context.ts';

export type CommandRun = (
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
) => Promise<number>;

const LOADERS: Readonly<Record<CommandName, () => Promise<CommandRun>>> = {
  check: async () => (await import('./commands/check.ts')).runCheck,
  units: async () => (await import('./commands/units.ts')).runUnits,
  table: async () => (await import('./commands/table.ts')).runTable,
  gate: async () => (await import('./commands/gate.ts')).runGate,
  affirm: async () => (await import('./commands/affirm.ts')).runAffirm,
  migrate: async () => (await import('./commands/migrate.ts')).runMigrate,
  'merge-driver': async () => (await import('./commands/mergeDriver.ts')).runMergeDriver,
  'from-trace': async () => (await import('./commands/fromTrace.ts')).runFromTrace,
  prune: async () => (await import('./commands/prune.ts')).runPrune,
  pr: async () => (await import('./commands/gate.ts')).runPr,
  prove: async () => (await import('./commands/prove.ts')).runProve,
  explain: async () => (await import('./commands/explain.ts')).runExplain,
  rules: async () => (await import('./commands/rules.ts')).runRules,
  lsp: async () => (await import('./commands/lsp.ts')).runLsp,
};

/** Resolves to the exit code; never rejects. `words` are without node and script. */
export async function runCli(words: readonly string[], context: CliContext): Promise<number> {
  const fail = (message: string): number => {
    context.stderr.write(`sixlens: ${message}\n`);
    return EXIT.failed;
  };
  const [first, ...rest] = words;
  if (first === undefined) {
    context.stderr.write(generalHelp(context.version));
    return EXIT.failed;
  }
  if (first === '--version' || first === '-v') {
    context.stdout.write(`${context.version}\n`);
    return EXIT.nothing;
  }
  if (first === '--help' || first === '-h' || first === 'help') {
    const topic = rest[0];
    if (topic !== undefined && !isCommand(topic)) return fail(unknownCommand(topic));
    context.stdout.write(topic === undefined ? generalHelp(context.version) : commandHelp(topic));
    return EXIT.nothing;
  }
  if (!isCommand(first)) return fail(unknownCommand(first));

  const parsed = context.parseArguments(rest, COMMAND_SPECS[first].options);
  if (!parsed.ok) return fail(`${first}: ${parsed.message}`);
  if (parsed.options['help'] === true) {
    context.stdout.write(commandHelp(first));
    return EXIT.nothing;
  }
  try {
    const command = await LOADERS[first]();
    return await command(context, parsed.options, parsed.positionals);
  } catch (error) {
    // By name: where two module systems load these files, there are two such classes.
    if (error instanceof Error && error.name === 'CliError') return fail(`${first}: ${error.message}`);
    const text =
      error instanceof Error
        ? context.env['SIXLENS_DEBUG']
          ? (error.stack ?? error.message)
          : error.message
        : String(error);
    return fail(
      `${first}: an error of ours: ${text.replace(/\.$/, '')}. Set SIXLENS_DEBUG=1 to see where, and please report it.`,
    );
  }
}

function unknownCommand(name: string): string {
  const near = nearestName(name, COMMANDS);
  if (name.startsWith('-'))
    return `unknown option ${name}; options come after the command, see \`sixlens --help\``;
  return `no command is called '${name}'; ${near ? `did you mean '${near}'?` : `there are ${COMMANDS.join(', ')}`}`;
}
