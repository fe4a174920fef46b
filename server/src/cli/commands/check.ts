/** `sixlens check`: findings of files, folders or the whole root. */
import type { Problem } from '../../base/problem.ts';
import type { Preset } from '../../base/vocabulary.ts';
import { EXIT, type CliContext } from '../context.ts';
import { createProgress, textOption, wantsColour, writeJson } from '../output.ts';
import { folderLister, readTargets, targetFiles } from '../targets.ts';

export async function runCheck(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  const started = context.clock.monotonic();
  const targets = readTargets(context, positionals, textOption(options, 'root'));
  const preset = textOption(options, 'preset') as Preset | undefined;
  const analysis = await context.loadAnalysis({
    root: targets.root,
    host: context.host,
    ...(preset ? { preset } : {}),
    ...(options['all'] === true ? { includeAll: true } : {}),
  });
  const { files, notSource } = targetFiles(targets, analysis, folderLister(context.host, targets.root));

  const progress = createProgress(context, 'checking');
  const result = files === null ? analysis.checkAll(undefined, progress.update) : analysis.check(files, undefined, { named: true, progress: progress.update });
  progress.end();

  const report = {
    version: context.version,
    findings: result.findings,
    suppressed: result.suppressed,
    problems: [...notSource.map(notSourceProblem), ...result.problems],
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
    const names = new Map<string, string>();
    const withUnits = [
      ...new Set(result.findings.flatMap(({ units }) => (units[0] ? [fileOfUnit(units[0])] : []))),
    ];
    if (withUnits.length > 0) for (const unit of analysis.units(withUnits)) names.set(unit.id, unit.name);
    context.stdout.write(
      checkToText(report, {
        colour: wantsColour(context, options),
        columns: context.stdout.columns ?? 100,
        textOf: (file) => analysis.textOf(file),
        unitName: (id) => names.get(id) ?? null,
        fileCount: files === null ? analysis.sourceFiles().length : files.length,
        took: context.clock.monotonic() - started,
      }),
    );
  }
  return result.findings.length > 0 ? EXIT.findings : EXIT.nothing;
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
