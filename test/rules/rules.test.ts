/** Every rule: its examples, and its fixtures in `test/rules/<rule>/`. `UPDATE=1` rewrites `.fixed.ts` files. */
import { strict as assert } from 'node:assert';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Rule, RuleExample } from '../../server/src/rules/_kit/rule.ts';
import { ruleModules } from '../../server/src/rules/registry.generated.ts';
import { analyse, applyAllFixes, assertFixture, parseFixture, sourcesOf } from '../support/fixture.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const modules: readonly { readonly rule: Rule; readonly examples: readonly RuleExample[] }[] = ruleModules;

for (const { rule, examples } of modules)
  describe(`rule ${rule.id}`, () => {
    for (const example of examples)
      it(`example: ${example.title}`, () => {
        const rules = [rule];
        const of = (code: string): string[] => {
          const { files } = parseFixture(code);
          const result = analyse(files, { rules }).check(sourcesOf(files));
          assert.deepEqual(
            result.problems.filter((p) => p.code === 'rule-failed' || p.code === 'syntax-error'),
            [],
          );
          return result.findings.map((f) => f.rule);
        };
        assert.ok(of(example.bad).length > 0, 'the bad example is reported');
        assert.deepEqual(of(example.good), [], 'the good example is not');
        if (example.fixed !== undefined) {
          const { files } = parseFixture(example.bad);
          const run = applyAllFixes(files, rules);
          assert.deepEqual(run.files, parseFixture(example.fixed).files);
          assert.deepEqual(of(example.fixed), [], 'the fixed example is not reported');
        }
      });

    const folder = path.join(here, rule.id);
    const fixtures = existsSync(folder)
      ? readdirSync(folder).filter((f) => /\.[cm]?[jt]sx?$/.test(f) && !/\.fixed\./.test(f))
      : [];
    it('has fixtures', () => assert.ok(fixtures.length > 0, `no fixture in test/rules/${rule.id}/`));
    for (const name of fixtures) {
      const file = path.join(folder, name);
      const text = readFileSync(file, 'utf8');
      const fixture = parseFixture(text, `src/fixture${path.extname(name)}`);
      it(`fixture ${name}`, () => assertFixture(fixture, [rule]));
      const fixedFile = file.replace(/(\.[cm]?[jt]sx?)$/, '.fixed$1');
      if (existsSync(fixedFile) || (process.env['UPDATE'] && rule.fixKind !== 'none'))
        it(`fixes of ${name}`, () => {
          const run = applyAllFixes(fixture.files, [rule]);
          if (process.env['UPDATE'] && run.applied > 0)
            writeFileSync(
              fixedFile,
              Object.keys(run.files).length === 1
                ? (Object.values(run.files)[0] ?? '')
                : Object.entries(run.files)
                    .map(([f, t]) => `//- /${f}\n${t}`)
                    .join('\n'),
            );
          if (!existsSync(fixedFile)) return;
          assert.ok(run.applied > 0, 'a fix was applied');
          const wanted = parseFixture(
            readFileSync(fixedFile, 'utf8'),
            `src/fixture${path.extname(name)}`,
          ).files;
          assert.deepEqual(run.files, wanted);
        });
    }
  });
