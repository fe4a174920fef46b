/**
 * Sixlens beside other linters on the same files in the same run, and the time from an edit to fresh findings.
 * `npm run bench [-- PATH]`; exits 1 when a budget of `budgets.json` is broken, 2 when something could not run.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { budgetsSchema, judge } from './budgets.ts';
import { EDIT_SIZES, bundleWorker, measureEdits } from './latency.ts';
import { measure } from './measure.ts';
import type { Run } from './measure.ts';
import { DEFAULT_SAMPLE, layOutFolder, layOutPackages, pickSingleFiles } from './sample.ts';
import type { Sample } from './sample.ts';
import { median } from './statistics.ts';
import { textTable } from './textTable.ts';
import { TOOLS, buildSixlens, installPeers, toolVersion } from './tools.ts';
import type { Tool, ToolId } from './tools.ts';

const HELP = `Usage: npm run bench -- [PATH] [options]

PATH            a folder of TypeScript or JavaScript; without it published server packages are fetched
--rounds N      whole runs of each tool (default 3)
--tools a,b     only these of ${TOOLS.map(({ id }) => id).join(', ')}; budgets that need others are not judged
--only PART     whole, one-file or edits
--json FILE     also write every figure to FILE
--no-build      measure dist/ as it is`;

const ONE_FILE_COUNT = 5;
const ONE_FILE_ROUNDS = 7;
const LIMIT_SECONDS = 900;

interface WholeRuns {
  readonly cold: number[];
  readonly second: number[];
  readonly memory: number[];
  readonly cpu: number[];
  findings: number;
}

const say = (line: string): void => void process.stderr.write(line + '\n');
const print = (line = ''): void => void process.stdout.write(line + '\n');

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '3' },
      tools: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'string' },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(HELP);
    return 0;
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1.');
  const parts = ['whole', 'one-file', 'edits'];
  if (values.only !== undefined && !parts.includes(values.only))
    throw new Error(`--only takes one of ${parts.join(', ')}.`);
  if (positionals.length > 1) throw new Error('Name one folder.');
  const wanted = (part: string): boolean => values.only === undefined || values.only === part;
  const tools = chooseTools(values.tools);
  const budgets = budgetsSchema.parse(
    JSON.parse(readFileSync(path.join(import.meta.dirname, 'budgets.json'), 'utf8')),
  ).budgets;

  const work = mkdtempSync(path.join(tmpdir(), 'sixlens-bench-'));
  const figures = new Map<string, number>();
  let fileCount = 0;
  try {
    if (!values['no-build']) buildSixlens(say);
    print(
      `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`,
    );
    warnWhenBusy();
    if (wanted('whole') || wanted('one-file')) {
      if (tools.some(({ id }) => id !== 'sixlens')) installPeers(say);
      const sample = layOut(positionals[0], work);
      fileCount = sample.files.length;
      print(
        `${fileCount} files, ${sample.lines.toLocaleString('en')} lines, ${(sample.bytes / 1e6).toFixed(1)} MB of ` +
          (positionals[0] ?? DEFAULT_SAMPLE.map(({ name, version }) => `${name}@${version}`).join(' and ')),
      );
      if (wanted('whole')) await wholeRuns(tools, sample, rounds, work, figures);
      if (wanted('one-file')) await oneFileRuns(tools, sample, work, figures);
    }
    if (wanted('edits')) await edits(figures);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }

  const verdicts = judge(budgets, figures, fileCount);
  print();
  print(
    textTable([
      ['budget', 'measured', 'allowed', ''],
      ...verdicts.map(({ budget, value, outcome }) => [
        budget.what,
        value === null ? '' : `${precise(value)} ${budget.unit}`,
        `≤ ${precise(budget.max)} ${budget.unit}`,
        outcome,
      ]),
    ]),
  );
  if (values.json !== undefined)
    writeFileSync(values.json, JSON.stringify(Object.fromEntries(figures), null, 2) + '\n');
  const failed = verdicts.filter(({ outcome }) => outcome === 'FAIL').length;
  const passed = verdicts.filter(({ outcome }) => outcome === 'pass').length;
  print();
  print(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

/** Wall time on a busy machine says little; ratios suffer too, since tools differ in how many threads they use. */
function warnWhenBusy(): void {
  const load = loadavg()[0]!;
  if (load > cpus().length * 0.75)
    print(
      `The machine is busy (load ${load.toFixed(1)}): take the wall times with caution, the CPU times less so.`,
    );
}

function chooseTools(list: string | undefined): readonly Tool[] {
  if (list === undefined) return TOOLS;
  const ids = list.split(',').map((id) => id.trim());
  const unknown = ids.filter((id) => !TOOLS.some((tool) => tool.id === id));
  if (unknown.length > 0) throw new Error(`Unknown tool ${unknown.join(', ')}.`);
  return TOOLS.filter(({ id }) => ids.includes(id));
}

function layOut(folder: string | undefined, work: string): Sample {
  const into = path.join(work, 'sample');
  mkdirSync(into);
  if (folder !== undefined) return layOutFolder(path.resolve(folder), into);
  say('Fetching the sample …');
  return layOutPackages(DEFAULT_SAMPLE, path.join(work, 'packed'), into);
}

/** Every round runs all tools one after the other, so that a slow minute of the machine hits all of them. */
async function wholeRuns(
  tools: readonly Tool[],
  sample: Sample,
  rounds: number,
  work: string,
  figures: Map<string, number>,
): Promise<void> {
  const runs = new Map<ToolId, WholeRuns>(
    tools.map(({ id }) => [id, { cold: [], second: [], memory: [], cpu: [], findings: 0 }]),
  );
  const stdoutFile = path.join(work, 'answer.json');
  for (let round = 0; round < rounds; round++) {
    for (const tool of round % 2 === 0 ? tools : [...tools].reverse()) {
      const cache = mkdtempSync(path.join(work, 'cache-'));
      const kept = runs.get(tool.id)!;
      for (const state of ['cold', 'second'] as const) {
        say(`round ${round + 1} of ${rounds}: ${tool.title}, ${state} run`);
        const run = await answer(tool, sample, ['.'], cache, { memory: state === 'cold', stdoutFile });
        kept[state].push(run.seconds);
        if (run.megabytes !== null) kept.memory.push(run.megabytes);
        if (run.cpuSeconds !== null && state === 'cold') kept.cpu.push(run.cpuSeconds);
        kept.findings = tool.countFindings(readFileSync(stdoutFile, 'utf8'));
      }
      rmSync(cache, { recursive: true, force: true });
    }
  }
  const rows = [
    ['whole run', 'version', 'cold', 'second', 'CPU, cold', 'peak memory', 'findings', 'per 1,000 lines'],
  ];
  for (const tool of tools) {
    const kept = runs.get(tool.id)!;
    const cold = median(kept.cold);
    const second = median(kept.second);
    figures.set(`${tool.id}.cold.seconds`, cold);
    figures.set(`${tool.id}.second.seconds`, second);
    figures.set(`${tool.id}.findings`, kept.findings);
    const memory = kept.memory.length > 0 ? median(kept.memory) : null;
    if (kept.cpu.length > 0) figures.set(`${tool.id}.cold.cpuSeconds`, median(kept.cpu));
    if (memory !== null) figures.set(`${tool.id}.cold.megabytes`, memory);
    rows.push([
      tool.title,
      toolVersion(tool.id),
      `${cold.toFixed(2)} s`,
      `${second.toFixed(2)} s`,
      kept.cpu.length > 0 ? `${median(kept.cpu).toFixed(2)} s` : 'unknown',
      memory === null ? 'unknown' : `${memory.toFixed(0)} MB`,
      String(kept.findings),
      ((kept.findings / sample.lines) * 1000).toFixed(1),
    ]);
  }
  print();
  print(textTable(rows));
  print(
    `Medians of ${rounds} rounds, tools in turn. Second: nothing changed, caches kept (ESLint with --cache; oxlint has none).`,
  );
  print(
    'The packages these files import are not installed unless PATH has them, which spares the typed run much of its work.',
  );
}

/** One file at a time, as a pre-commit hook or an editor without our server would ask. */
async function oneFileRuns(
  tools: readonly Tool[],
  sample: Sample,
  work: string,
  figures: Map<string, number>,
): Promise<void> {
  const compared = tools.filter(({ id }) => id === 'sixlens' || id === 'oxlint');
  const files = pickSingleFiles(sample, ONE_FILE_COUNT);
  const rows = [['one file', 'bytes', ...compared.flatMap(({ title }) => [title, 'again'])]];
  const all = new Map<string, number[]>();
  for (const file of files) {
    const times = new Map<string, number[]>();
    for (let round = 0; round < ONE_FILE_ROUNDS; round++) {
      for (const tool of round % 2 === 0 ? compared : [...compared].reverse()) {
        const cache = mkdtempSync(path.join(work, 'cache-'));
        for (const state of ['oneFile', 'oneFileAgain']) {
          const run = await answer(tool, sample, [file], cache, { memory: false });
          const key = `${tool.id}.${state}`;
          times.set(key, [...(times.get(key) ?? []), run.seconds * 1000]);
        }
        rmSync(cache, { recursive: true, force: true });
      }
    }
    for (const [key, list] of times) all.set(key, [...(all.get(key) ?? []), median(list)]);
    const size = readFileSync(path.join(sample.root, file)).length;
    rows.push([
      file,
      String(size),
      ...compared.flatMap(({ id }) =>
        ['oneFile', 'oneFileAgain'].map((state) => `${median(times.get(`${id}.${state}`)!).toFixed(0)} ms`),
      ),
    ]);
  }
  for (const [key, list] of all) figures.set(`${key}.ms`, median(list));
  print();
  print(textTable(rows));
  print(`Medians of ${ONE_FILE_ROUNDS}; the budget takes the median of the files, with an empty cache.`);
}

async function edits(figures: Map<string, number>): Promise<void> {
  say('Edits inside the server …');
  const worker = await bundleWorker();
  const rows = [
    [
      'edit to fresh findings',
      'first check',
      'median',
      'p95',
      'worst',
      'CPU median',
      'seen at once',
      'memory',
    ],
  ];
  for (const size of EDIT_SIZES) {
    const found = await measureEdits(worker, size);
    if (found.seen < found.planted)
      throw new Error(
        `${found.planted - found.seen} of ${found.planted} unbounded calls typed into ${size.lines} lines were not reported by the check that followed: the times mean nothing.`,
      );
    figures.set(`edit.${size.lines}.median`, found.median);
    figures.set(`edit.${size.lines}.p95`, found.p95);
    figures.set(`edit.${size.lines}.cpuMedian`, found.cpuMedian);
    rows.push([
      `${found.lines.toLocaleString('en')} lines`,
      `${found.firstMs.toFixed(0)} ms`,
      `${found.median.toFixed(1)} ms`,
      `${found.p95.toFixed(1)} ms`,
      `${found.max.toFixed(1)} ms`,
      `${found.cpuMedian.toFixed(1)} ms`,
      `${found.seen} of ${found.planted}`,
      `${found.residentMegabytes.toFixed(0)} MB`,
    ]);
  }
  print();
  print(textTable(rows));
}

async function answer(
  tool: Tool,
  sample: Sample,
  targets: readonly string[],
  cache: string,
  options: { readonly memory: boolean; readonly stdoutFile?: string },
): Promise<Run> {
  const run = await measure(tool.command(sample.root, targets, cache), {
    ...options,
    timeoutSeconds: LIMIT_SECONDS,
  });
  if (!tool.answers.includes(run.exitCode))
    throw new Error(`${tool.title} ended with exit code ${run.exitCode}.\n${run.stderr.slice(-2000)}`);
  return run;
}

function precise(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3);
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  },
);
