/** What a command may use of the outside: streams, disk, clock, the engine on demand. `main.ts` fills it, tests fake it. */
import type { Clock } from '../host/clock.ts';
import type { FileHost } from '../host/fileHost.ts';
import type { Git } from '../host/git.ts';
import type { Processes } from '../host/processes.ts';
import type { Scratches } from '../host/scratch.ts';
import type { Preset } from '../base/vocabulary.ts';
import type { OptionSpec, ParsedArguments } from '../node/parseArguments.ts';
import type { Analysis, RuleInfo } from '../service/contract.ts';
import type { TableDocuments } from '../service/tableContract.ts';

export interface OutputStream {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Null where unknown. */
  readonly columns: number | null;
}

export interface EngineOptions {
  readonly root: string;
  readonly host: FileHost;
  /** Absent: the config's, else `recommended`. */
  readonly preset?: Preset;
  readonly includeAll?: boolean;
}

/** What runs a project's tests. */
export interface ProofTools {
  readonly scratches: Scratches;
  readonly processes: Processes;
  /** Path and version of Node; the version without the `v`. */
  readonly node: { readonly path: string; readonly version: string };
  /** Aborted when somebody wants this process to end; from then on it has to end by itself. */
  readonly interrupted: () => AbortSignal;
}

export interface CliContext {
  readonly version: string;
  /** Absolute, with `/`. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly host: FileHost;
  readonly git: Git;
  /** Identity of this build, for the cache of runs; null in the sources. */
  readonly build: string | null;
  readonly clock: Clock;
  /** All of standard input; null where that is a terminal. */
  readonly readInput: () => string | null;
  /** Absolute, with `/`, dots resolved. */
  readonly resolvePath: (base: string, path: string) => string;
  readonly parseArguments: (
    words: readonly string[],
    specs: Readonly<Record<string, OptionSpec>>,
  ) => ParsedArguments;
  /** Each loads its code when first called: a command pays only for what it uses. */
  readonly loadAnalysis: (options: EngineOptions) => Promise<Analysis>;
  readonly loadRules: () => Promise<readonly RuleInfo[]>;
  readonly loadTables: () => Promise<TableDocuments>;
  readonly loadProof: () => Promise<ProofTools>;
  /** Runs the language server on this process's streams until the client ends it. */
  readonly runLanguageServer: (words: readonly string[]) => Promise<number>;
}

/** Exit codes, the same for every command. */
export const EXIT = { nothing: 0, findings: 1, failed: 2 } as const;

/** Ends a command with exit code 2 and one line that says what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
