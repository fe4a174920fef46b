/** `sixlens check`: findings of files, folders or the whole root. */
import type { Problem } from '../../base/problem.ts';
import type { Preset } from '../../base/vocabulary.ts';
import { EXIT, type CliContext } from '../context.ts';
import { rowProblems } from '../../service/rowProblems.ts';
import { cachedRun } from '../../service/runCache.ts';
import { TableHomes } from '../../service/tableHomes.ts';
import { applyVerdicts } from '../../service/verdicts.ts';
import type { CheckResult } from '../../service/contract.ts';
import type { FileHost } from '../../host/fileHost.ts';
import { createProgress, textOption, wantsColour, writeJson, type Progress } from '../output.ts';
import { folderLister, readTargets, targetFiles, type Targets } from '../targets.ts';

export async function runCheck(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  const started = context.clock.monotonic();
  const targets = readTargets(context, positionals, textOption(options, 'root'));
  const preset = textOption(options, 'preset') as Preset | undefined;
  const includeAll = options['all'] === true;
  const today = new Date(context.clock.now()).toISOString().slice(0, 10);
  const progress = createProgress(context, 'checking');
  const { answer } = await cachedRun(
    context.host,
    {
      build: context.build,
      root: targets.root,
      // An accept may expire while nothing else changes.
      options: ['check', preset, includeAll, targets.named, targets.globs, today],
    },
    (host) => run(context, host, targets, { preset, includeAll, today }, progress),
  );
  progress.end();
  const { result, notSource } = answer;

  const report = {
    version: context.version,
    findings: result.findings,
    suppressed: result.suppressed,
    problems: [...notSource.map(notSourceProblem), ...result.problems, ...answer.rows],
  };
  const format = textOption(options, 'format') ?? 'text';
  if (format === 'json') {
    const { checkToJson } = await import('../../reports/render/json.ts');
    writeJson(context, checkToJson(report));
  } else if (format === 'sarif') {
    const { checkToSarif } = await import('../../reports/render/sarif.ts');
    const suppressed = options['omit-suppressed'] === true ? 'omit' : 'include';
    writeJson(context, checkToSarif(report, { rules: await context.loadRules(), suppressed }));
  } else {
    const { checkToText } = await import('../../reports/render/text.ts');
    context.stdout.write(
      checkToText(report, {
        colour: wantsColour(context, options),
        columns: context.stdout.columns ?? 100,
        textOf: (file) => context.host.readText(`${targets.root}/${file}`)?.text ?? null,
        unitName: (id) => answer.unitNames[id] ?? null,
        fileCount: answer.fileCount,
        took: context.clock.monotonic() - started,
      }),
    );
  }
  // What somebody is told of when it happens is no reason to stop a build.
  return result.findings.some(({ row }) => row?.effect !== 'hint') ? EXIT.findings : EXIT.nothing;
}

interface Run {
  readonly result: CheckResult;
  readonly notSource: readonly string[];
  /** Rows of tables that the code has left behind, at the code. */
  readonly rows: readonly Problem[];
  readonly fileCount: number;
  /** Names of the units that findings are shown under, by id. */
  readonly unitNames: Readonly<Record<string, string>>;
}

async function run(
  context: CliContext,
  host: FileHost,
  targets: Targets,
  {
    preset,
    includeAll,
    today,
  }: { readonly preset: Preset | undefined; readonly includeAll: boolean; readonly today: string },
  progress: Progress,
): Promise<Run> {
  const analysis = await context.loadAnalysis({
    root: targets.root,
    host,
    ...(preset ? { preset } : {}),
    ...(includeAll ? { includeAll: true } : {}),
  });
  const { files, notSource } = targetFiles(targets, analysis, folderLister(host, targets.root));
  const found =
    files === null
      ? analysis.checkAll(undefined, progress.update)
      : analysis.check(files, undefined, {
          named:
            targets.globs.length === 0 && targets.named.every(({ folder }) => !folder) ? 'file' : 'folder',
          progress: progress.update,
        });
  const homes = new TableHomes(host, targets.root);
  const result = applyVerdicts(found, { analysis, homes, today });
  const withUnits = [
    ...new Set(result.findings.flatMap(({ units }) => (units[0] ? [fileOfUnit(units[0])] : []))),
  ];
  return {
    result,
    notSource,
    rows: rowProblems(host, analysis, files, today),
    fileCount: files === null ? analysis.sourceFiles().length : files.length,
    unitNames: Object.fromEntries(analysis.units(withUnits).map(({ id, name }) => [id, name])),
  };
}

/** A unit's id is `<file>#<symbol>`. */
function fileOfUnit(id: string): string {
  const hash = id.indexOf('#');
  return hash < 0 ? id : id.slice(0, hash);
}

function notSourceProblem(typed: string): Problem {
  return {
    code: 'not-a-source-file',
    message: `${typed} was not checked: it is no TypeScript or JavaScript file.`,
    severity: 'warning',
  };
}
