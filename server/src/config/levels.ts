/**
 * Decides which rules run on a file and which findings are shown, at which severity.
 *
 * - `essential`: rules that are stable and blocking, findings that are shown by evidence.
 * - `recommended`: stable rules; no finding whose severity is low, neither by its rule nor after reach and evidence
 *   lowered it.
 * - `strict`: everything, experimental rules too.
 *
 * A level in the config beats the preset: `off` silences, `on` or a severity shows under every preset.
 */
import picomatch from 'picomatch';
import type { Confidence, Preset, Severity, Stage } from '../base/vocabulary.ts';
import type { Config, Level } from './schema.ts';

export interface RuleTraits {
  readonly id: string;
  readonly severity: Severity;
  readonly blocking: boolean;
  readonly stage: Stage;
}

export interface Leveled {
  readonly rule: string;
  readonly file: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
}

export interface Levels {
  readonly preset: Preset;
  /** False when no finding of the rule in this file could be shown, so that it need not run. */
  isActive(rule: RuleTraits, file: string): boolean;
  /** The finding at the severity it is shown with, or null when it is not shown. */
  apply<F extends Leveled>(finding: F, rule: RuleTraits): F | null;
}

/** Whether the preset runs the rule, before any level in the config. */
export function presetHas(preset: Preset, rule: RuleTraits): boolean {
  if (preset === 'strict') return true;
  if (rule.stage !== 'stable') return false;
  return preset === 'essential' ? rule.blocking : rule.severity !== 'low';
}

/** `preset` null means the config's own, else `recommended`. Files are relative to the root, with `/`. */
export function createLevels(config: Config, preset: Preset | null): Levels {
  const effective = preset ?? config.preset ?? 'recommended';
  const overrides = config.overrides.map(({ paths, rules }) => ({
    matches: picomatch(paths, { dot: true }),
    rules,
  }));

  const levelOf = (rule: string, file: string): Level | null => {
    for (let i = overrides.length - 1; i >= 0; i--) {
      const { matches, rules } = overrides[i]!;
      if (Object.hasOwn(rules, rule) && matches(file)) return rules[rule]!;
    }
    return Object.hasOwn(config.rules, rule) ? config.rules[rule]! : null;
  };

  const inPreset = (rule: RuleTraits): boolean => presetHas(effective, rule);

  return {
    preset: effective,
    isActive(rule, file) {
      const level = levelOf(rule.id, file);
      return level === null ? inPreset(rule) : level !== 'off';
    },
    apply(finding, rule) {
      const level = levelOf(finding.rule, finding.file);
      if (level === 'off') return null;
      if (level === 'on') return finding;
      if (level !== null) return level === finding.severity ? finding : { ...finding, severity: level };
      if (!inPreset(rule)) return null;
      if (effective === 'essential' && finding.confidence !== 'shown') return null;
      if (effective === 'recommended' && finding.severity === 'low') return null;
      return finding;
    },
  };
}
