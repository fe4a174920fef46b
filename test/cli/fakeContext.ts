/** A command line without a process: output is collected, the engine is a fake, the disk a temporary folder. */
import path from 'node:path';
import type { CliContext, EngineOptions } from '../../server/src/cli/context.ts';
import { runCli } from '../../server/src/cli/run.ts';
import { createNodeFileHost } from '../../server/src/node/nodeFileHost.ts';
import { createNodeGit } from '../../server/src/node/nodeGit.ts';
import { nodeProcesses } from '../../server/src/node/nodeProcesses.ts';
import { nodeScratches } from '../../server/src/node/nodeScratch.ts';
import { parseArguments } from '../../server/src/node/parseArguments.ts';
import type { Analysis, RuleInfo, Unit } from '../../server/src/service/contract.ts';
import type { TableDocuments } from '../../server/src/service/tableContract.ts';
import { sampleFinding } from '../unit/render/sampleReport.ts';

export const RULES: readonly RuleInfo[] = [
  {
    id: 'call-without-timeout',
    lens: 'clock',
    axis: 'cascading-failure',
    faultClass: 'network',
    severity: 'high',
    blocking: true,
    stage: 'stable',
    since: '0.1.0',
    fixKind: 'safe',
    docs: {
      what: 'A call has no bound.',
      why: 'It hangs.',
      remedy: 'Bound it.',
      whenNot: 'It is bounded elsewhere.',
    },
    examples: [{ title: 'fetch', bad: 'await fetch(url);\n', good: 'await fetch(url, { signal });\n' }],
  },
  {
    id: 'env-unchecked',
    lens: 'boundaries',
    axis: 'cascading-failure',
    faultClass: 'version-skew',
    severity: 'low',
    blocking: false,
    stage: 'experimental',
    since: '0.1.0',
    fixKind: 'none',
    docs: { what: 'w', why: 'y', remedy: 'r', whenNot: 'n' },
    examples: [],
  },
];

export function fakeUnit(file: string, symbol = 'router.post "/pay"', line = 3): Unit {
  const start = { line, column: 1 };
  const end = { line: line + 2, column: 3 };
  return {
    id: `${file}#${symbol}`,
    kind: 'http',
    name: 'POST /pay',
    symbol,
    framework: 'express',
    file,
    start,
    end,
    startOffset: line * 10,
    endOffset: line * 10 + 5,
    route: '/pay',
    method: 'POST',
    handler: { file, fn: 0, start, end },
  };
}

/** Finds one gap in every file whose text holds `BREAKS`, and one unit in every file that holds `UNIT`. */
export function fakeAnalysis(options: EngineOptions, calls: string[]): Analysis {
  const { root, host } = options;
  const sourceFiles = (): string[] =>
    host.listFiles(root, { extensions: ['.ts', '.js'] }).files.map((file) => file.slice(root.length + 1));
  const textOf = (file: string): string | null => host.readText(`${root}/${file}`)?.text ?? null;
  const check: Analysis['check'] = (files) => ({
    findings: files
      .filter((file) => textOf(file)?.includes('BREAKS'))
      .map((file) =>
        sampleFinding({ file, units: textOf(file)?.includes('UNIT') ? [fakeUnit(file).id] : [], path: [] }),
      ),
    suppressed: [],
    problems: files
      .filter((file) => textOf(file) === null)
      .map((file) => ({ code: 'file-unreadable', message: 'Not there.', file, severity: 'error' as const })),
  });
  return {
    root,
    setOverlay() {},
    invalidate() {},
    check(files) {
      calls.push(`check ${files.join(' ')}`);
      return check(files);
    },
    checkAll(_cancel, progress) {
      const files = sourceFiles();
      calls.push('checkAll');
      files.forEach((_, index) => progress?.(index + 1, files.length));
      return check(files);
    },
    units: (files) => files.filter((file) => textOf(file)?.includes('UNIT')).map((file) => fakeUnit(file)),
    unitAt: (file, offset) =>
      textOf(file)?.startsWith('export async', offset)
        ? { ...fakeUnit(file, 'settle'), kind: 'function', name: 'settle' }
        : null,
    view: (unit) => ({
      unit,
      domain: [],
      findings: [],
      mechanisms: [],
      lenses: [],
      questions: [],
      slice: 'h1',
    }),
    reachedBy: () => [],
    prunable: () => [],
    constant: (file, name) => ({ problem: `${name} is no constant in ${file}` }),
    leadingTo: (files) => new Set(files),
    reachOf: () => [],
    unitOf: () => null,
    fixesFor: () => [],
    applyFix: () => null,
    callAt: () => null,
    whySilent: () => [],
    sourceFiles,
    textOf,
  };
}

/** Tables of two lines, `code: FILE SYMBOL` and `by hand`; the second is kept when merging. */
export const fakeTables = {
  folderOf: (source: string) => `.sixlens/tables/${source.replace(/\.\w+$/, '')}`,
  nameOf: (unit: Unit, taken: readonly string[]) => {
    const slug = `${unit.kind}-${unit.name.toLowerCase().replace(/[^a-z]+/g, '-')}`;
    return taken.includes(`${slug}.yaml`) ? `${slug}-2.yaml` : `${slug}.yaml`;
  },
  read: (text: string, file: string) => {
    const match = /^code: (\S+) (.*)$/m.exec(text);
    return match
      ? { content: { code: { file: match[1], symbol: match[2] } }, problems: [] }
      : {
          content: null,
          problems: [
            {
              code: 'table-malformed',
              message: 'No code.',
              file,
              start: { line: 1, column: 1 },
              severity: 'error',
            },
          ],
        };
  },
  seenCode: () => 'h1',
  generate: (view: { unit: Unit }, existing: string | null) => ({
    text: `code: ${view.unit.file} ${view.unit.symbol}\n${existing?.split('\n').slice(1).join('\n') ?? 'new\n'}`,
  }),
} as unknown as TableDocuments;

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly calls: readonly string[];
  readonly engine: EngineOptions | null;
}

export interface RunSetup {
  readonly terminal?: boolean;
  readonly env?: Record<string, string>;
  readonly input?: string;
  /** Aborted to interrupt a proof. */
  readonly interrupt?: AbortSignal;
  readonly analysis?: (options: EngineOptions, calls: string[]) => Analysis;
}

export async function run(cwd: string, words: readonly string[], setup: RunSetup = {}): Promise<Run> {
  let out = '';
  let err = '';
  let ticks = 0;
  const calls: string[] = [];
  let engine: EngineOptions | null = null;
  const context: CliContext = {
    version: '9.8.7',
    cwd,
    env: setup.env ?? {},
    stdout: {
      write: (text) => void (out += text),
      isTerminal: setup.terminal ?? false,
      columns: setup.terminal ? 90 : null,
    },
    stderr: { write: (text) => void (err += text), isTerminal: setup.terminal ?? false, columns: null },
    host: createNodeFileHost(),
    git: createNodeGit(),
    build: null,
    clock: { now: () => Date.UTC(2026, 4, 29), monotonic: () => (ticks += 100) },
    readInput: () => setup.input ?? null,
    resolvePath: (base, to) => path.posix.resolve(base, to),
    parseArguments,
    loadAnalysis: async (options) => {
      engine = options;
      return (setup.analysis ?? fakeAnalysis)(options, calls);
    },
    loadRules: async () => RULES,
    loadTables: async () => fakeTables,
    loadProof: async () => ({
      scratches: nodeScratches,
      processes: nodeProcesses,
      node: { path: process.execPath, version: process.versions.node },
      interrupted: () => setup.interrupt ?? new AbortController().signal,
    }),
    runLanguageServer: async (given) => {
      calls.push(`lsp ${given.join(' ')}`);
      return 0;
    },
  };
  const code = await runCli(words, context);
  return { code, out, err, calls, engine };
}
