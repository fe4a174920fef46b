/** `sixlens units`: what would be hardened, one by one. */
import { EXIT, type CliContext } from '../context.ts';
import { textOption, wantsColour, writeJson } from '../output.ts';
import { folderLister, readTargets, targetFiles } from '../targets.ts';

export async function runUnits(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  const targets = readTargets(context, positionals, textOption(options, 'root'));
  const analysis = await context.loadAnalysis({
    root: targets.root,
    host: context.host,
    ...(options['all'] === true ? { includeAll: true } : {}),
  });
  const { files, notSource } = targetFiles(targets, analysis, folderLister(context.host, targets.root));
  for (const typed of notSource)
    context.stderr.write(`sixlens: units: ${typed} is no TypeScript or JavaScript file\n`);
  const units = [...analysis.units(files ?? analysis.sourceFiles())].sort(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.startOffset - b.startOffset,
  );
  if (textOption(options, 'format') === 'json') {
    const { unitsToJson } = await import('../../reports/render/json.ts');
    writeJson(context, unitsToJson(units));
  } else {
    const { unitsToText } = await import('../../reports/render/text.ts');
    context.stdout.write(unitsToText(units, wantsColour(context, options)));
  }
  return EXIT.nothing;
}
