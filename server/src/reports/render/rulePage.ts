/** The page of one rule, and the list of all, as Markdown. Owns their layout; every word about a rule is the rule's own. */
import { LENSES } from '../../base/vocabulary.ts';

export interface PageRule {
  readonly id: string;
  readonly lens: string;
  readonly axis: string;
  readonly faultClass: string;
  readonly severity: string;
  readonly blocking: boolean;
  readonly stage: string;
  readonly since: string;
  readonly fixKind: string;
  readonly docs: {
    readonly what: string;
    readonly why: string;
    readonly remedy: string;
    readonly whenNot: string;
  };
  readonly examples: readonly {
    readonly title: string;
    readonly bad: string;
    readonly good: string;
    readonly fixed?: string;
  }[];
}

const MADE = '<!-- Made by `npm run docs` from the rule file. Edit that. -->';

const FIX: Readonly<Record<string, string>> = {
  safe: 'yes, in one step',
  previewed: 'yes, with a preview',
  none: 'no',
};

export function rulePage(rule: PageRule): string {
  const { what, why, remedy, whenNot } = rule.docs;
  const facts = [
    ['Lens', rule.lens],
    ['Severity', `${rule.severity}${rule.blocking ? ', blocking' : ''}`],
    ...(rule.axis === 'none' ? [] : [['Operational axis', rule.axis]]),
    ['Fault class', rule.faultClass],
    ['Presets', firstPreset(rule)],
    ['Quick fix', FIX[rule.fixKind] ?? rule.fixKind],
    ['Since', `${rule.since}${rule.stage === 'stable' ? '' : `, ${rule.stage}`}`],
  ];
  const parts = [
    MADE,
    `# ${rule.id}`,
    what,
    `| | |\n|---|---|\n${facts.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}`,
    `## Why it matters\n\n${why}`,
    `## What to do\n\n${remedy}`,
    `## When it is fine\n\n${whenNot}`,
    `To accept one place, say why above it or at the end of its line:\n\n${fence(`// sixlens-accept ${rule.id}: <why this is fine here>`)}`,
    ...(rule.examples.length > 0 ? ['## Examples'] : []),
    ...rule.examples.flatMap(({ title, bad, good, fixed }) => [
      `### ${title}`,
      `Reported:\n\n${fence(bad)}`,
      `Not reported:\n\n${fence(good)}`,
      ...(fixed === undefined || fixed.trim() === good.trim()
        ? []
        : [`What the quick fix makes of it:\n\n${fence(fixed)}`]),
    ]),
  ];
  return parts.join('\n\n') + '\n';
}

/** The list of all rules by lens, with what the presets mean. */
export function ruleListPage(rules: readonly PageRule[]): string {
  const parts = [
    MADE,
    '# Rules',
    [
      '- `essential`: stable rules that block, and of their findings those shown by evidence.',
      '- `recommended` (default): all stable rules, without findings of low severity, be it the rule’s own or one lowered by reach or evidence.',
      '- `strict`: all rules, experimental ones too.',
    ].join('\n'),
    'A level in `.sixlens/config.yaml` (`off`, `on`, `low`, `medium`, `high`, `critical`) beats the preset.',
  ];
  for (const lens of LENSES) {
    const ofLens = rules.filter((rule) => rule.lens === lens).sort((a, b) => (a.id < b.id ? -1 : 1));
    if (ofLens.length === 0) continue;
    parts.push(
      `## ${lens}`,
      `| Rule | Finds | Severity | First preset | Fix |\n|---|---|---|---|---|\n${ofLens
        .map((rule) =>
          [
            `[${rule.id}](${rule.id}.md)`,
            cell(rule.docs.what),
            `${rule.severity}${rule.blocking ? ', blocking' : ''}`,
            firstPreset(rule).split(',')[0]!,
            FIX[rule.fixKind] ?? rule.fixKind,
          ].join(' | '),
        )
        .map((row) => `| ${row} |`)
        .join('\n')}`,
    );
  }
  return parts.join('\n\n') + '\n';
}

function firstPreset(rule: PageRule): string {
  if (rule.stage !== 'stable') return 'strict';
  if (rule.blocking) return 'essential, recommended, strict';
  return rule.severity === 'low' ? 'strict' : 'recommended, strict';
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
}

/** A fence longer than any run of backticks inside. */
function fence(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}ts\n${code.replace(/^\n+|\s+$/g, '')}\n${mark}`;
}
