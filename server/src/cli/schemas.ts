/** The public JSON of the command line as zod schemas. Strict: a field that is not listed here is not promised. */
import * as z from 'zod';
import {
  AXES,
  FAULT_CLASSES,
  FIX_KINDS,
  LENSES,
  PRESETS,
  SEVERITIES,
  STAGES,
  UNIT_KINDS,
} from '../base/vocabulary.ts';

/** From 1; columns in UTF-16 units. */
export const positionSchema = z.strictObject({
  line: z.number().int().min(1),
  column: z.number().int().min(1),
});

/** Relative to the root, with `/`. */
const file = z.string().regex(/^(?!\/)(?!\.\.\/)[^\\]+$/);

export const findingSchema = z.strictObject({
  rule: z.string().min(1),
  lens: z.enum(LENSES),
  axis: z.enum(AXES),
  faultClass: z.enum(FAULT_CLASSES),
  severity: z.enum(SEVERITIES),
  blocking: z.boolean(),
  file,
  start: positionSchema,
  end: positionSchema,
  message: z.string().min(1),
  trigger: z.string(),
  scenario: z.string(),
  detection: z.string(),
  fix: z.string(),
  unit: z.string().nullable(),
  path: z.array(z.strictObject({ file, start: positionSchema, end: positionSchema, label: z.string() })),
  row: z.strictObject({ id: z.string(), effect: z.enum(['note', 'hint']), text: z.string() }).nullable(),
});

/** A finding that a comment in the code or a row of a table accepts. */
export const suppressedSchema = findingSchema.extend({
  reason: z.string(),
  acceptedBy: z.string().nullable(),
});

export const problemSchema = z.strictObject({
  code: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  message: z.string().min(1),
  severity: z.enum(['error', 'warning', 'note']),
  file: z.string().optional(),
  start: positionSchema.optional(),
  end: positionSchema.optional(),
});

/** `sixlens check --format json` */
export const checkOutputSchema = z.strictObject({
  version: z.string(),
  findings: z.array(findingSchema),
  suppressed: z.array(suppressedSchema),
  problems: z.array(problemSchema),
});

/** `sixlens units --format json` */
export const unitsOutputSchema = z.strictObject({
  units: z.array(
    z.strictObject({
      id: z.string().min(1),
      kind: z.enum(UNIT_KINDS),
      name: z.string(),
      file,
      start: positionSchema,
      end: positionSchema,
      route: z.string().nullable(),
    }),
  ),
});

const ruleSummary = {
  id: z.string().min(1),
  lens: z.enum(LENSES),
  axis: z.enum(AXES),
  faultClass: z.enum(FAULT_CLASSES),
  severity: z.enum(SEVERITIES),
  blocking: z.boolean(),
  stage: z.enum(STAGES),
  since: z.string(),
  fixKind: z.enum(FIX_KINDS),
  /** Presets under which the rule runs. */
  presets: z.array(z.enum(PRESETS)),
  what: z.string(),
};

/** `sixlens rules --format json` */
export const rulesOutputSchema = z.strictObject({ rules: z.array(z.strictObject(ruleSummary)) });

/** `sixlens explain RULE --format json` */
export const explainOutputSchema = z.strictObject({
  ...ruleSummary,
  why: z.string(),
  remedy: z.string(),
  whenNot: z.string(),
  examples: z.array(
    z.strictObject({ title: z.string(), bad: z.string(), good: z.string(), fixed: z.string().optional() }),
  ),
});

/** `sixlens table --format json` */
export const tableOutputSchema = z.strictObject({
  tables: z.array(
    z.strictObject({ unit: z.string(), path: z.string(), status: z.enum(['written', 'unchanged']) }),
  ),
  problems: z.array(problemSchema),
});

/** `sixlens gate --format json` */
export const gateOutputSchema = z.strictObject({
  version: z.string(),
  base: z.strictObject({ commit: z.string(), of: z.string() }),
  /** Nothing fails. */
  closed: z.boolean(),
  items: z.array(
    z.strictObject({
      level: z.enum(['fail', 'warn', 'note']),
      code: z.string().min(1),
      message: z.string().min(1),
      unit: z.string(),
      row: z.string().nullable(),
      file,
      start: positionSchema,
      end: positionSchema,
    }),
  ),
  tables: z.array(
    z.strictObject({
      path: file,
      unit: z.string(),
      file,
      /** State of each row, by id. */
      rows: z.record(z.string(), z.string()),
      delta: z.array(z.string()),
    }),
  ),
  untabled: z.array(z.strictObject({ name: z.string(), file, line: z.number().int().min(1) })),
});

const proofRun = { command: z.string(), exit: z.number().int(), ms: z.number().int().min(0) };

/** `sixlens prove --format json` */
export const proveOutputSchema = z.strictObject({
  version: z.string(),
  /** Hash of the content that was run; null when nothing was. */
  tree: z.string().nullable(),
  results: z.array(
    z.strictObject({
      row: z.string().min(1),
      failure: z.string(),
      unit: z.string(),
      table: file,
      test: z.string(),
      outcome: z.enum(['proven', 'decoration', 'not-proven', 'could-not-run']),
      why: z.string(),
      runner: z.string().nullable(),
      red: z
        .strictObject({
          ...proofRun,
          how: z.enum(['mechanism-removed', 'before-change']),
          without: z.string(),
          assertion: z.string(),
        })
        .nullable(),
      green: z.strictObject(proofRun).nullable(),
      suite: z.strictObject(proofRun).nullable(),
      evidence: file.nullable(),
    }),
  ),
});

/** `sixlens from-trace --format json` */
export const fromTraceOutputSchema = z.strictObject({
  incidents: z.array(
    z.strictObject({
      error: z.string().min(1),
      place: z.strictObject({
        file,
        line: z.number().int().min(1),
        column: z.number().int().min(1),
        /** The built file whose map led here. */
        by: z.string().nullable(),
      }),
      frame: z.string(),
      unit: z.strictObject({ id: z.string(), name: z.string() }),
      table: file,
      row: z.strictObject({
        id: z.string(),
        failure: z.string(),
        action: z.enum(['added', 'reopened', 'noted', 'known']),
        was: z.string().nullable(),
      }),
      lenses: z.array(
        z.strictObject({
          lens: z.enum(LENSES),
          rows: z.number().int(),
          findings: z.number().int(),
          added: z.array(z.string()),
        }),
      ),
    }),
  ),
  unmapped: z.array(z.strictObject({ error: z.string(), why: z.string() })),
  written: z.array(file),
});

/** `sixlens prune --format json` */
export const pruneOutputSchema = z.strictObject({
  proposals: z.array(
    z.strictObject({
      rule: z.enum(['redundant-guard', 'revalidated-value']),
      what: z.string().min(1),
      file,
      start: positionSchema,
      end: positionSchema,
      units: z.array(z.string()),
      tables: z.array(file),
    }),
  ),
  unrecorded: z.array(file),
  written: z.array(file),
});
