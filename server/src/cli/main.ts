/** Entry of the command line: fills the context from this process. The only file of `cli/` that knows Node. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { version } from '../../../package.json';
import { nodeClock } from '../node/nodeClock.ts';
import { createNodeFileHost } from '../node/nodeFileHost.ts';
import { createNodeGit } from '../node/nodeGit.ts';
import { parseArguments } from '../node/parseArguments.ts';
import { toSlashes } from '../node/slashes.ts';
import { userCacheFolder } from '../node/userCacheFolder.ts';
import type { CliContext, OutputStream, ProofTools } from './context.ts';
import { runCli } from './run.ts';

const here = path.dirname(fileURLToPath(import.meta.url));

const context: CliContext = {
  version,
  cwd: toSlashes(process.cwd()),
  env: process.env,
  stdout: outputOf(process.stdout),
  stderr: outputOf(process.stderr),
  host: createNodeFileHost({ cacheDir: userCacheFolder(process.env) }),
  git: createNodeGit(),
  build: buildStamp(),
  clock: nodeClock,
  readInput: () => (process.stdin.isTTY ? null : readFileSync(0, 'utf8')),
  resolvePath: (base, to) => toSlashes(path.resolve(base, to)),
  parseArguments,
  loadAnalysis: async (options) => (await import('../service/analysisService.ts')).createAnalysis(options),
  loadRules: async () => (await import('../service/registry.ts')).ruleInfos,
  loadTables: async () => {
    const { createTableDocuments } = await import('../service/tableDocuments.ts');
    return createTableDocuments({ random: Math.random, today: () => new Date().toISOString().slice(0, 10) });
  },
  loadProof,
  runLanguageServer,
};

// A reader that closes early (`| head`) has what it wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// No process.exit: output to a pipe may still be on its way.
void runCli(process.argv.slice(2), context).then((code) => {
  process.exitCode = code;
});

/** The bundles' own time and size: another build of the same version must not answer from this one's cache. */
function buildStamp(): string | null {
  const bundle = path.join(here, 'cli.main.cjs');
  if (!existsSync(bundle)) return null;
  const { mtimeMs, size } = statSync(bundle);
  return `${version}:${mtimeMs}:${size}`;
}

function outputOf(stream: NodeJS.WriteStream): OutputStream {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    columns: stream.isTTY === true ? stream.columns : null,
  };
}

async function loadProof(): Promise<ProofTools> {
  const [{ nodeScratches }, { nodeProcesses }] = await Promise.all([
    import('../node/nodeScratch.ts'),
    import('../node/nodeProcesses.ts'),
  ]);
  return {
    scratches: nodeScratches,
    processes: nodeProcesses,
    node: { path: process.execPath, version: process.versions.node },
    interrupted() {
      const controller = new AbortController();
      // Once only: who asks a second time wants it at once.
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
        process.once(signal, () => controller.abort());
      return controller.signal;
    },
  };
}

/** The server is a bundle of its own beside this one; in the sources it is its own entry. It ends the process itself. */
async function runLanguageServer(words: readonly string[]): Promise<number> {
  process.argv.push(...words.filter((word) => !process.argv.includes(word)));
  const bundle = path.join(here, 'server.cjs');
  // Bundles run as scripts with cached code, in which `import()` does not exist.
  if (existsSync(bundle)) createRequire(bundle)(bundle);
  else await import(pathToFileURL(path.join(here, '../lsp/main.ts')).href);
  return new Promise(() => {});
}
