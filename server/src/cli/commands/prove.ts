/** `sixlens prove`: runs the proof of rows and tells what it showed. Owns the copy's life and what is shown while waiting. */
import { worstOf, type RowResult } from '../../reports/proofReport.ts';
import { CliError, EXIT, type CliContext } from '../context.ts';
import { textOption, wantsColour, writeJson } from '../output.ts';
import { isWithin, readTargets, relativeTo } from '../targets.ts';

const CODES = { proven: EXIT.nothing, 'not-proven': EXIT.findings, 'could-not-run': EXIT.failed } as const;
/** Seconds. */
const LIMIT = 120;

export async function runProve(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  const [word, ...more] = positionals;
  if (word === undefined || more.length > 0)
    throw new CliError('name one row, table or source file, such as clk-3k9v0qhd');
  const { host, git } = context;
  const seconds = Number(textOption(options, 'timeout') ?? LIMIT);
  if (!(seconds > 0 && seconds <= 86_400))
    throw new CliError(`--timeout takes seconds, not ${textOption(options, 'timeout') ?? ''}`);
  const typed = context.resolvePath(context.cwd, word);
  const path = host.stat(typed)?.isFile ? host.realpath(typed) : null;
  const { root } = readTargets(context, path === null ? [] : [word], textOption(options, 'root'));
  if (!git.isRepository(root))
    throw new CliError('this is no git repository; a proof runs in a copy that git makes');
  const analysis = await context.loadAnalysis({ root, host });
  const { planProof } = await import('../../service/provePlan.ts');
  const how = textOption(options, 'how') as 'mechanism' | 'before-change' | undefined;
  const steps = planProof({
    host,
    analysis,
    git,
    word: path !== null && isWithin(root, path) ? relativeTo(root, path) : word,
    how: how ?? null,
    base: textOption(options, 'base') ?? null,
  });
  if ('error' in steps) throw new CliError(steps.error);

  const json = textOption(options, 'format') === 'json';
  const verbose = options['verbose'] === true;
  const { rowToText, proofSummary, proofToJson } = await import('../../reports/render/proof.ts');
  const colour = wantsColour(context, options);
  const status = statusLine(context, verbose);
  const report = (result: RowResult): void => {
    status.clear();
    if (!json) context.stdout.write(rowToText(result, { colour }));
  };
  const finish = (tree: string | null, results: readonly RowResult[]): number => {
    status.clear();
    if (json) writeJson(context, proofToJson(context.version, tree, results));
    else if (results.length > 1) context.stdout.write(proofSummary(results));
    return CODES[worstOf(results)];
  };

  const { prove } = await import('../../service/prove.ts');
  const tools = await context.loadProof();
  const signal = tools.interrupted();
  status.show('copying the work tree');
  const scratch = steps.some(({ plan }) => 'job' in plan) ? tools.scratches.create(root) : null;
  if (scratch && 'error' in scratch) throw new CliError(scratch.error);
  try {
    if (verbose && scratch && scratch.left.length > 0)
      context.stderr.write(`sixlens: prove: too large to copy: ${scratch.left.join(', ')}\n`);
    const results = await prove({
      root,
      steps,
      host,
      nodeVersion: tools.node.version,
      suite: options['no-suite'] !== true,
      report,
      bench: {
        // Without a copy no step has anything to run.
        scratch: scratch ?? { root, top: root, outbox: root, tree: '', left: [], dispose() {} },
        host,
        processes: tools.processes,
        node: tools.node.path,
        env: context.env,
        timeoutMs: seconds * 1000,
        signal,
        tell: (what) => status.show(what),
        ...(verbose ? { onOutput: (text: string) => context.stderr.write(text) } : {}),
      },
    });
    return finish(scratch?.tree ?? null, results);
  } finally {
    scratch?.dispose();
  }
}

interface StatusLine {
  show(what: string): void;
  clear(): void;
}

/** What is being run, on one line that goes again; with the runner's output between, a line each. */
function statusLine(context: CliContext, verbose: boolean): StatusLine {
  const { stderr, env } = context;
  if (verbose) return { show: (what) => stderr.write(`sixlens: prove: ${what}\n`), clear() {} };
  if (!stderr.isTerminal || env['TERM'] === 'dumb') return { show() {}, clear() {} };
  return {
    show: (what) => stderr.write(`\r\u001b[K${what} …`),
    clear: () => stderr.write('\r\u001b[K'),
  };
}
