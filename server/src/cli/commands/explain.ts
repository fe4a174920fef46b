/** `sixlens explain RULE`: the page of one rule at the terminal. */
import { nearestName } from '../../config/nearestName.ts';
import { createPaint, wrapText } from '../../reports/render/terminal.ts';
import { CliError, EXIT, type CliContext } from '../context.ts';
import { textOption, wantsColour, writeJson } from '../output.ts';
import { presetsOf, ruleToJson } from '../ruleSummary.ts';

export async function runExplain(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  const [id, extra] = positionals;
  if (id === undefined) throw new CliError('name a rule; `sixlens rules` lists them');
  if (extra !== undefined) throw new CliError(`name one rule, not also '${extra}'`);
  const rules = await context.loadRules();
  const rule = rules.find((candidate) => candidate.id === id);
  if (!rule) {
    const near = nearestName(
      id,
      rules.map((candidate) => candidate.id),
    );
    throw new CliError(
      `no rule is called '${id}'; ${near ? `did you mean '${near}'?` : '`sixlens rules` lists them'}`,
    );
  }
  if (textOption(options, 'format') === 'json') {
    const { why, remedy, whenNot } = rule.docs;
    const examples = rule.examples.map(({ title, bad, good, fixed }) => ({
      title,
      bad,
      good,
      ...(fixed === undefined ? {} : { fixed }),
    }));
    writeJson(context, { ...ruleToJson(rule), why, remedy, whenNot, examples });
    return EXIT.nothing;
  }
  const paint = createPaint(wantsColour(context, options));
  const width = Math.max(40, Math.min(context.stdout.columns ?? 100, 100) - 2);
  const out = [
    paint(rule.id, 'bold'),
    paint(
      [
        rule.lens,
        rule.severity,
        rule.blocking ? 'blocking' : '',
        rule.faultClass,
        rule.stage,
        `presets: ${presetsOf(rule).join(', ')}`,
      ]
        .filter(Boolean)
        .join(' · '),
      'dim',
    ),
  ];
  const section = (title: string, text: string): void => {
    if (text) out.push('', paint(title, 'bold'), ...wrapText(text, width).map((line) => `  ${line}`));
  };
  section('What', rule.docs.what);
  section('Why', rule.docs.why);
  section('What to do', rule.docs.remedy);
  section('When not', rule.docs.whenNot);
  const code = (label: string, text: string, style: 'red' | 'green'): void => {
    out.push(
      paint(`  ${label}`, style),
      ...text
        .replace(/\n+$/, '')
        .split('\n')
        .map((line) => `    ${line}`.trimEnd()),
    );
  };
  for (const example of rule.examples) {
    out.push('', paint(`Example: ${example.title}`, 'bold'));
    code('breaks', example.bad, 'red');
    code('holds', example.good, 'green');
  }
  out.push(
    '',
    paint(`Accept one with a comment: // sixlens-accept ${rule.id}: <why this is fine here>`, 'dim'),
  );
  context.stdout.write(out.join('\n') + '\n');
  return EXIT.nothing;
}
