/** What the rule commands show of a rule. */
import { PRESETS, type Preset, type Severity, type Stage } from '../base/vocabulary.ts';
import { presetHas } from '../config/levels.ts';
import type { RuleInfo } from '../service/contract.ts';

export function presetsOf(rule: RuleInfo): readonly Preset[] {
  return PRESETS.filter((preset) =>
    presetHas(preset, {
      id: rule.id,
      severity: rule.severity as Severity,
      blocking: rule.blocking,
      stage: rule.stage as Stage,
    }),
  );
}

export function ruleToJson(rule: RuleInfo): Readonly<Record<string, unknown>> {
  return {
    id: rule.id,
    lens: rule.lens,
    axis: rule.axis,
    faultClass: rule.faultClass,
    severity: rule.severity,
    blocking: rule.blocking,
    stage: rule.stage,
    since: rule.since,
    fixKind: rule.fixKind,
    presets: presetsOf(rule),
    what: rule.docs.what,
  };
}
