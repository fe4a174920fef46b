/** `sixlens rules`: all rules, by lens. */
import { LENSES } from '../../base/vocabulary.ts';
import { createPaint, wrapText } from '../../reports/render/terminal.ts';
import { EXIT, type CliContext } from '../context.ts';
import { textOption, wantsColour, writeJson } from '../output.ts';
import { presetsOf, ruleToJson } from '../ruleSummary.ts';

export async function runRules(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
): Promise<number> {
  const rules = [...(await context.loadRules())].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  if (textOption(options, 'format') === 'json') {
    writeJson(context, { rules: rules.map(ruleToJson) });
    return EXIT.nothing;
  }
  const paint = createPaint(wantsColour(context, options));
  const width = Math.max(40, Math.min(context.stdout.columns ?? 100, 120) - 6);
  const out: string[] = [];
  for (const lens of LENSES) {
    const ofLens = rules.filter((rule) => rule.lens === lens);
    if (ofLens.length === 0) continue;
    out.push(paint(lens, 'bold', 'underline'));
    for (const rule of ofLens) {
      const marks = [
        rule.severity,
        rule.blocking ? 'blocking' : '',
        rule.stage === 'stable' ? '' : rule.stage,
        `from ${presetsOf(rule)[0]}`,
      ];
      out.push(`  ${paint(rule.id, 'bold')}  ${paint(marks.filter(Boolean).join(' · '), 'dim')}`);
      for (const line of wrapText(rule.docs.what, width)) out.push(`      ${line}`);
    }
    out.push('');
  }
  out.push(`${rules.length} rules. \`sixlens explain RULE\` says more of one.`);
  context.stdout.write(out.join('\n') + '\n');
  return EXIT.nothing;
}
