/** The closed vocabularies that findings, rows and reports share. Owns names only; holds no logic about code. */

export const LENSES = [
  'boundaries',
  'hostile-input',
  'partial-failure',
  'concurrency',
  'resource-exhaustion',
  'clock',
] as const;
export type Lens = (typeof LENSES)[number];

export const AXES = [
  'silent-failure',
  'cascading-failure',
  'data-consistency',
  'load-saturation',
  'operational-visibility',
  'recoverability',
  'none',
] as const;
export type Axis = (typeof AXES)[number];

export const FAULT_CLASSES = [
  'network',
  'partition',
  'timing',
  'gray-failure',
  'idempotency',
  'backpressure',
  'recovery',
  'version-skew',
  'trust',
  'observability',
] as const;
export type FaultClass = (typeof FAULT_CLASSES)[number];

export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const UNIT_KINDS = [
  'http',
  'webhook',
  'rpc',
  'graphql',
  'server-action',
  'consumer',
  'job',
  'cron',
  'subscriber',
  'socket',
  'lambda',
  'function',
] as const;
export type UnitKind = (typeof UNIT_KINDS)[number];

export const CONFIDENCES = ['shown', 'assumed'] as const;
export type Confidence = (typeof CONFIDENCES)[number];

export const STAGES = ['stable', 'experimental'] as const;
export type Stage = (typeof STAGES)[number];

export const PRESETS = ['essential', 'recommended', 'strict'] as const;
export type Preset = (typeof PRESETS)[number];

export const FIX_KINDS = ['safe', 'previewed', 'none'] as const;
export type FixKind = (typeof FIX_KINDS)[number];
