import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { rulePage, ruleListPage, type PageRule } from '../../../server/src/reports/render/rulePage.ts';
import { ruleInfos } from '../../../server/src/service/registry.ts';

const RULE: PageRule = {
  id: 'weak-timeout',
  lens: 'clock',
  axis: 'none',
  faultClass: 'gray-failure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  fixKind: 'previewed',
  docs: { what: 'A | bound.', why: 'W.', remedy: 'R.', whenNot: 'N.' },
  examples: [
    { title: 'one', bad: '\nconst t = ```x```;\n', good: 'good();\n' },
    { title: 'two', bad: 'b();', good: 'g();', fixed: 'f();' },
  ],
};

describe('rule pages', () => {
  it('says everything the rule says, with fences that hold', () => {
    const page = rulePage(RULE);
    assert.match(page, /# weak-timeout\n\nA \| bound\.\n/);
    assert.match(
      page,
      /\| Severity \| medium \|\n\| Fault class \| gray-failure \|\n\| Presets \| recommended, strict \|/,
    );
    assert.match(page, /````ts\nconst t = ```x```;\n````\n/);
    assert.match(page, /What the quick fix makes of it:\n\n```ts\nf\(\);\n```\n/);
    assert.match(page, /\/\/ sixlens-accept weak-timeout: /);
    assert.ok(page.endsWith('```\n'));
  });

  it('lists rules by lens', () => {
    const list = ruleListPage([RULE, { ...RULE, id: 'a-first', blocking: true, severity: 'high' }]);
    assert.match(
      list,
      /## clock\n[^]*\[a-first\]\(a-first\.md\) \| A \\\| bound\. \| high, blocking \| essential \|[^]*\[weak-timeout\]/,
    );
  });

  it('are fresh in docs/rules', () => {
    for (const rule of ruleInfos) {
      const file = new URL(`../../../docs/rules/${rule.id}.md`, import.meta.url);
      assert.equal(
        readFileSync(file, 'utf8').replaceAll('\r\n', '\n'),
        rulePage(rule),
        `${rule.id}: run \`npm run docs\``,
      );
    }
  });
});
