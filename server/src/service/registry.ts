/** The rules, packs and finders that are shipped. Owns the step from generated module lists to typed ones. */
import type { Pack } from '../packs/contract.ts';
import { packModules } from '../packs/registry.generated.ts';
import type { Rule, RuleExample } from '../rules/_kit/rule.ts';
import { ruleModules } from '../rules/registry.generated.ts';
import { finderModules } from '../units/finders/registry.generated.ts';
import type { UnitFinder } from '../units/finder.ts';
import type { RuleInfo } from './contract.ts';

interface RuleModule {
  readonly rule: Rule;
  readonly examples: readonly RuleExample[];
}

const modules: readonly RuleModule[] = ruleModules;

export const allRules: readonly Rule[] = modules.map((m) => m.rule);
export const allPacks: readonly Pack[] = (packModules as readonly { readonly pack: Pack }[]).map(
  (m) => m.pack,
);
export const allFinders: readonly UnitFinder[] = (
  finderModules as readonly { readonly finder: UnitFinder }[]
).map((m) => m.finder);

export const ruleInfos: readonly RuleInfo[] = modules.map(({ rule, examples }) => ({
  id: rule.id,
  lens: rule.lens,
  axis: rule.axis,
  faultClass: rule.faultClass,
  severity: rule.severity,
  blocking: rule.blocking,
  stage: rule.stage,
  since: rule.since,
  fixKind: rule.fixKind,
  docs: rule.docs,
  examples,
}));
