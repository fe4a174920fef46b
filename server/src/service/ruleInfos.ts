/** What the outer layers show of the rules, taken from the registry. */
import { ruleModules } from '../rules/registry.generated.ts';
import type { RuleInfo } from './contract.ts';

/** The parts of a rule module that are shown. */
interface ShownModule {
  readonly rule: Omit<RuleInfo, 'examples'>;
  readonly examples: RuleInfo['examples'];
}

export function ruleInfos(): readonly RuleInfo[] {
  return (ruleModules as readonly ShownModule[]).map(({ rule, examples }) => ({
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
}
