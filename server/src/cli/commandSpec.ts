/** The commands, their options and their help. Owns words only and loads nothing, so that `--help` is instant. */
import { PRESETS } from '../base/vocabulary.ts';
import type { OptionSpec } from '../node/parseArguments.ts';
import { wrapText } from '../reports/render/terminal.ts';

export const COMMANDS = [
  'check',
  'units',
  'table',
  'gate',
  'affirm',
  'migrate',
  'merge-driver',
  'from-trace',
  'prune',
  'pr',
  'prove',
  'explain',
  'rules',
  'lsp',
] as const;
export type CommandName = (typeof COMMANDS)[number];

export function isCommand(name: string): name is CommandName {
  return (COMMANDS as readonly string[]).includes(name);
}

interface DescribedOption extends OptionSpec {
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly help: string;
}

export interface CommandSpec {
  readonly usage: string;
  readonly summary: string;
  readonly details: string;
  readonly options: Readonly<Record<string, DescribedOption>>;
}

const help: DescribedOption = { type: 'boolean', short: 'h', help: 'show this help' };
const root: DescribedOption = {
  type: 'string',
  value: 'DIR',
  help: 'project folder (default: nearest with .sixlens/, else with package.json)',
};
const noColor: DescribedOption = { type: 'boolean', help: 'no colours; NO_COLOR does the same' };
const all: DescribedOption = {
  type: 'boolean',
  help: 'also tests, examples, migrations, generated and browser code',
};
const format = (...values: string[]): DescribedOption => ({
  type: 'string',
  values,
  value: values.join('|'),
  help: `output (default: ${values[0]})`,
});

const base: DescribedOption = {
  type: 'string',
  value: 'REF',
  help: 'compare with where the branch left REF (default: the default branch)',
};

const PATHS = `PATH is a file, a folder or a glob in quotes ('src/**/*.ts').`;

export const COMMAND_SPECS: Readonly<Record<CommandName, CommandSpec>> = {
  check: {
    usage: 'sixlens check [PATH…]',
    summary: 'find where the code breaks',
    details: `${PATHS} Without one, everything under the root is checked. With files, only they are reported on, and only
what they reach is read.

Findings that a row of a failure-mode table accepts are listed as accepted; those that a row detects by a named signal are shown
and do not count.

Exit code: 0 nothing found, 1 findings, 2 could not run.`,
    options: {
      format: format('text', 'json', 'sarif'),
      preset: {
        type: 'string',
        values: PRESETS,
        value: PRESETS.join('|'),
        help: 'which rules (default: from .sixlens/config.yaml, else recommended)',
      },
      root,
      all,
      'omit-suppressed': { type: 'boolean', help: 'leave accepted findings out of SARIF' },
      'no-color': noColor,
      help,
    },
  },
  units: {
    usage: 'sixlens units [PATH…]',
    summary: 'list handlers, jobs, consumers and schedules',
    details: `${PATHS} Without one, the units of everything under the root are listed.

Exit code: 0, or 2 when it could not run.`,
    options: { format: format('text', 'json'), root, all, 'no-color': noColor, help },
  },
  table: {
    usage: 'sixlens table PATH[:LINE]…',
    summary: 'write the failure-mode tables of units',
    details: `Writes one file under .sixlens/tables/ for each unit in the named files and prints its path. A table that exists is
merged: what people wrote stays. PATH:LINE tables one exported function that is no registered unit.

Exit code: 0, or 2 when a table could not be written.`,
    options: { format: format('text', 'json'), root, help },
  },
  gate: {
    usage: 'sixlens gate [--base REF]',
    summary: 'say whether the tables of what a branch touches hold',
    details: `Looks at the units whose code or table differs from where the branch left the default branch (or REF), uncommitted
changes included, and at accepts that have expired anywhere. Falls short: a table that cannot be read, a missing contract or
pruned record, an undecided, incomplete or stale row, a lens nobody looked through, two handles that name one test, and a unit
of a kind listed under require: in .sixlens/config.yaml that has no table. A handle whose test nobody saw failing falls short
too, or is a warning with unproven: warn in the config.

Exit code: 0 closed, 1 falls short, 2 could not run.`,
    options: {
      base,
      format: format('text', 'json', 'sarif', 'markdown'),
      root,
      'no-color': noColor,
      help,
    },
  },
  affirm: {
    usage: 'sixlens affirm UNIT|ROW…',
    summary: 'record that rows were read again and still stand',
    details: `ROW is a row's id; UNIT is the name in its table (such as 'POST /orders'), its FILE#SYMBOL, or the table's path, and stands for
all its rows whose code changed. Records the code as it is now, the day and who. A row whose accept expired or whose mechanism
is gone has to be decided anew instead. A table whose unit moved is moved along.

Exit code: 0, 1 when a row could not be affirmed, or 2 when it could not run.`,
    options: {
      by: { type: 'string', value: 'NAME', help: "who read them (default: git's user.name)" },
      root,
      help,
    },
  },
  migrate: {
    usage: 'sixlens migrate [--paths] [--dry-run]',
    summary: 'bring tables to the format of this version, or after sources that moved',
    details: `Tables in an older format are brought to the one that this version writes; nothing else in them changes. With --paths, the
tables and the evidence of sources that git knows as renamed move along with them. A table that cannot be read afterwards is
left as it is and named.

Exit code: 0, 1 when a table was left behind, or 2 when it could not run.`,
    options: {
      paths: { type: 'boolean', help: 'move the tables of renamed sources' },
      'dry-run': { type: 'boolean', help: 'say what would be done and write nothing' },
      root,
      help,
    },
  },
  'merge-driver': {
    usage: 'sixlens merge-driver %O %A %B %P %L',
    summary: 'merge tables and evidence for git',
    details: `Not called by hand. Once a clone:

  git config merge.sixlens.driver 'npx sixlens merge-driver %O %A %B %P %L'

and in .gitattributes, for everybody:

  .sixlens/tables/**   merge=sixlens
  .sixlens/evidence/** merge=sixlens

Rows of both sides are united, the later look (seen) counts, and what one side alone changed is taken. Two verdicts on one row
are left to people: ordinary conflict markers around just those lines.

Exit code: 0 merged, 1 conflicts are left, 2 could not run.`,
    options: { help },
  },
  'from-trace': {
    usage: 'sixlens from-trace [FILE|-]',
    summary: 'from a stack trace or log to the row that it is about',
    details: `Reads V8 stacks, log lines and JSON records with a stack in them, follows source maps where they lie beside built code, and names
the unit that ran and the row of its table. A row that said handled or accepted is undecided again and keeps every word, with a
note of what happened; a failure that no row names gets one. The unit is looked at through all six lenses again.

Exit code: 0, 1 when a trace could not be mapped, or 2 when it could not run.`,
    options: {
      unit: { type: 'string', value: 'NAME', help: 'the unit, where several run the code' },
      'dry-run': { type: 'boolean', help: 'say what would be done and write nothing' },
      format: format('text', 'json'),
      root,
      help,
    },
  },
  prune: {
    usage: 'sixlens prune [--check|--write] [PATH…]',
    summary: 'find guards that no failure mode asks for',
    details: `${PATHS} Without one, everything under the root is looked at. Finds checks for a missing value after a call that throws
instead, after new or a literal, or after the same check; a try around what cannot fail; a value put through the same schema twice.
A guard that a row of a table stands at, or that a comment explains, is left alone. --write deletes what is found and records it
under pruned in the tables of the units that run it, or that there was nothing.

Exit code: 0, 1 with --check when there is something to prune, or 2 when it could not run.`,
    options: {
      check: { type: 'boolean', help: 'exit with 1 when there is something to prune' },
      write: { type: 'boolean', help: 'delete it and record it in the tables' },
      format: format('text', 'json'),
      root,
      help,
    },
  },
  pr: {
    usage: 'sixlens pr [--base REF]',
    summary: 'print the description of a pull request, from its tables',
    details: `Markdown about the units that the branch touches: what changed in their tables, the tables themselves, what is detected,
handled, accepted and pruned, and what is still open with whom it was handed to.

Exit code: 0, or 2 when it could not run.`,
    options: { base, delta: { type: 'boolean', help: 'only what changed, for a comment' }, root, help },
  },
  prove: {
    usage: 'sixlens prove ROW|TABLE|FILE',
    summary: 'see the test of a handled row fail without its mechanism',
    details: `ROW is a row's id; TABLE the path of a table, FILE a source file: all rows with the verdict handle of that table, or of the
tables of that file. In a copy of the work tree as it stands, the mechanism is taken out and the row's own test must fail on an
assertion of its own; with the mechanism back it must pass; then the project's test script runs once. What was seen is recorded
under .sixlens/evidence. A test that stays green without the mechanism is a decoration. The work tree, its index and its branches
are left alone. This runs the project's own tests, with vitest, jest, mocha or node:test as its scripts call them.

Exit code: 0 proven, 1 not proven, 2 could not run.`,
    options: {
      how: {
        type: 'string',
        values: ['mechanism', 'before-change'],
        value: 'mechanism|before-change',
        help: 'take the mechanism out, or put in the code before the change (default: the first, else the second)',
      },
      base: {
        type: 'string',
        value: 'REF',
        help: 'the code before the change is where the branch left REF (default: the default branch)',
      },
      timeout: {
        type: 'string',
        value: 'SECONDS',
        help: 'time limit of each run of one test (default: 120); the whole suite has five times that',
      },
      'no-suite': { type: 'boolean', help: "do not run the project's whole suite afterwards" },
      verbose: { type: 'boolean', help: 'show what the runner prints while it runs' },
      format: format('text', 'json'),
      root,
      'no-color': noColor,
      help,
    },
  },
  explain: {
    usage: 'sixlens explain RULE',
    summary: 'say what a rule means and what to do',
    details: `The page of one rule: what it finds, why that breaks, what to do, when to accept it, and examples.

Exit code: 0, or 2 when there is no such rule.`,
    options: { format: format('text', 'json'), 'no-color': noColor, help },
  },
  rules: {
    usage: 'sixlens rules',
    summary: 'list all rules',
    details:
      'By lens, each with its severity, the first preset that runs it and what it finds.\n\nExit code: 0.',
    options: { format: format('text', 'json'), 'no-color': noColor, help },
  },
  lsp: {
    usage: 'sixlens lsp [--stdio]',
    summary: 'run the language server for an editor',
    details:
      'Speaks the Language Server Protocol over standard input and output, or over what the editor names.',
    options: {
      stdio: { type: 'boolean', help: 'standard input and output (default)' },
      'node-ipc': { type: 'boolean', help: "the channel to Node's parent process" },
      socket: { type: 'string', value: 'PORT', help: 'connect to a local port' },
      pipe: { type: 'string', value: 'NAME', help: 'connect to a named pipe' },
      clientProcessId: { type: 'string', value: 'PID', help: 'end when this process ends' },
      help,
    },
  },
};

export function generalHelp(version: string): string {
  const widest = Math.max(...COMMANDS.map((name) => name.length));
  return `Sixlens ${version}: finds where a Node back end breaks, and keeps its failure-mode tables.

Usage: sixlens COMMAND [options]

${COMMANDS.map((name) => `  ${name.padEnd(widest)}  ${COMMAND_SPECS[name].summary}`).join('\n')}

  sixlens COMMAND --help  options of a command
  sixlens --version       the version

Settings: .sixlens/config.yaml. Caches: SIXLENS_CACHE_DIR (a folder, or 'off').
`;
}

export function commandHelp(name: CommandName): string {
  const { usage, summary, details, options } = COMMAND_SPECS[name];
  const rows = Object.entries(options).map(([option, { short, value, help: text }]) => [
    `${short ? `-${short}, ` : ''}--${option}${value ? ` ${value}` : ''}`,
    text,
  ]);
  const widest = Math.min(36, Math.max(...rows.map(([left]) => left!.length)));
  const paragraphs = details.split(/\n\n/).map((paragraph) => wrapText(paragraph, 96).join('\n'));
  return `Usage: ${usage}

${summary[0]!.toUpperCase()}${summary.slice(1)}.

${paragraphs.join('\n\n')}

${rows.map(([left, text]) => (left!.length > widest ? `  ${left}\n  ${' '.repeat(widest)}  ${text}` : `  ${left!.padEnd(widest)}  ${text}`)).join('\n')}
`;
}
