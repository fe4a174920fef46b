import { strict as assert } from 'node:assert';
import type { Confidence, Preset, Severity } from '../../../server/src/base/vocabulary.ts';
import { createLevels, type RuleTraits } from '../../../server/src/config/levels.ts';
import { parseConfig } from '../../../server/src/config/parseConfig.ts';
import { createSourceFilter } from '../../../server/src/config/sourceFilter.ts';

const blocking: RuleTraits = { id: 'blocks', severity: 'high', blocking: true, stage: 'stable' };
const plain: RuleTraits = { id: 'plain', severity: 'medium', blocking: false, stage: 'stable' };
const low: RuleTraits = { id: 'low', severity: 'low', blocking: false, stage: 'stable' };
const young: RuleTraits = { id: 'young', severity: 'high', blocking: true, stage: 'experimental' };
const ALL = [blocking, plain, low, young];

const config = (text: string): ReturnType<typeof parseConfig>['config'] => {
  const { config, problems } = parseConfig(text, null);
  assert.deepEqual(problems, []);
  return config;
};
const finding = (
  rule: RuleTraits,
  severity: Severity = rule.severity,
  confidence: Confidence = 'shown',
  file = 'src/a.ts',
) => ({
  rule: rule.id,
  file,
  severity,
  confidence,
});

describe('levels', () => {
  it('runs the rules of each preset', () => {
    const active = (preset: Preset): string[] =>
      ALL.filter((rule) => createLevels(config(''), preset).isActive(rule, 'src/a.ts')).map(({ id }) => id);
    assert.deepEqual(active('essential'), ['blocks']);
    assert.deepEqual(active('recommended'), ['blocks', 'plain']);
    assert.deepEqual(active('strict'), ['blocks', 'plain', 'low', 'young']);
  });

  it('weighs the finding, not only the rule', () => {
    const shown = (preset: Preset, f: ReturnType<typeof finding>, rule = blocking): boolean =>
      createLevels(config(''), preset).apply(f, rule) !== null;
    assert.equal(shown('essential', finding(blocking)), true);
    assert.equal(shown('essential', finding(blocking, 'high', 'assumed')), false);
    assert.equal(shown('recommended', finding(blocking, 'high', 'assumed')), true);
    assert.equal(shown('recommended', finding(plain, 'low'), plain), false);
    assert.equal(shown('strict', finding(plain, 'low'), plain), true);
  });

  it('takes the preset from the call, else from the config, else recommended', () => {
    assert.equal(createLevels(config(''), null).preset, 'recommended');
    assert.equal(createLevels(config('preset: strict'), null).preset, 'strict');
    assert.equal(createLevels(config('preset: strict'), 'essential').preset, 'essential');
  });

  it('lets levels beat the preset, and the last matching override beat them', () => {
    const levels = createLevels(
      config(`
rules: { low: on, plain: critical, blocks: off }
overrides:
  - { paths: ['scripts/**'], rules: { plain: off, blocks: low } }
  - { paths: ['scripts/keep/*'], rules: { plain: on } }
`),
      'essential',
    );
    assert.equal(levels.isActive(low, 'src/a.ts'), true);
    assert.equal(levels.apply(finding(low), low)?.severity, 'low');
    assert.equal(levels.apply(finding(plain), plain)?.severity, 'critical');
    assert.equal(levels.isActive(blocking, 'src/a.ts'), false);
    assert.equal(levels.apply(finding(blocking), blocking), null);
    assert.equal(levels.apply(finding(blocking, 'high', 'shown', 'scripts/x.ts'), blocking)?.severity, 'low');
    assert.equal(levels.isActive(plain, 'scripts/x.ts'), false);
    assert.equal(
      levels.apply(finding(plain, 'medium', 'shown', 'scripts/keep/x.ts'), plain)?.severity,
      'medium',
    );
  });
});

describe('source filter', () => {
  it('takes globs and folder names', () => {
    const filter = createSourceFilter(
      config("include: [src, 'lib/*.ts']\nexclude: ['**/*.old.ts', src/gone/]\ngenerated: [src/gen]"),
    );
    const included = [
      'src/a.ts',
      'src/deep/a.ts',
      'lib/a.ts',
      'lib/deep/a.ts',
      'src/a.old.ts',
      'src/gone/a.ts',
      'srcx/a.ts',
    ];
    assert.deepEqual(
      included.filter((file) => filter.isIncluded(file)),
      ['src/a.ts', 'src/deep/a.ts', 'lib/a.ts'],
    );
    assert.equal(filter.isGenerated('src/gen/x.ts'), true);
    assert.equal(filter.isGenerated('src/a.ts'), false);
    assert.equal(createSourceFilter(config('')).isIncluded('any/.thing.ts'), true);
  });
});
