/** Owns the shape of a table file and of an evidence file: zod schemas, their types, and the JSON schema for editors. */
import * as z from 'zod';
import type { LENSES } from '../base/vocabulary.ts';
import { UNIT_KINDS } from '../base/vocabulary.ts';
import { ROW_ID } from './rowId.ts';

/** The one format version this code reads and writes. */
export const TABLE_FORMAT = 1;

export const VERDICTS = ['undecided', 'detect', 'handle', 'accept', 'blocked'] as const;

export const ACCEPT_REASONS = ['rate', 'blast-radius', 'upstream-guarantee', 'cost', 'temporary'] as const;

export const DOMAINS = [
  'queueing',
  'payments',
  'migrations',
  'caching',
  'auth',
  'infra',
  'data-pipeline',
  'api',
  'search',
  'other',
] as const;
export type Domain = (typeof DOMAINS)[number];

/** The text that stands in `pruned` when somebody looked and found no defence to delete. */
export const NOTHING_TO_PRUNE = 'nothing to prune';

const text = (description: string) => z.string().describe(description);
const someText = (description: string) => z.string().min(1).describe(description);

/** True for a calendar day that exists, written `2027-05-29`. */
export function isDay(value: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (days[month - 1] ?? 0);
}

const day = (description: string) =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, 'a date is written "2027-05-29"')
    .refine(isDay, 'this day does not exist')
    .describe(description);

/** True for a path that stays inside the root: relative, with `/`, without `..`. */
export function isInnerPath(path: string): boolean {
  return (
    path !== '' && !/^([\\/]|[A-Za-z]:)/.test(path) && !path.includes('\\') && !path.split('/').includes('..')
  );
}

export const seenSchema = z
  .looseObject({
    code: text('hash of the code that was looked at').optional(),
    date: day('the day it was looked at').optional(),
    by: text('who looked').optional(),
  })
  .describe('what a person last looked at');

export const rowSchema = z.looseObject({
  failure: someText('the failure mode, in one sentence'),
  rule: text('the rule that found it; only on rows that the analysis made').optional(),
  at: text('the place in the unit: a callee or short code; left out for the whole unit').optional(),
  why: text('why a standing question applies here').optional(),
  verdict: z.enum(VERDICTS).default('undecided').describe('what was decided'),
  proposed: z.boolean().describe('the tool found the mechanism; nobody confirmed it yet').optional(),
  how: text('handle: the mechanism').optional(),
  test: text('handle: the test, as `path > title`').optional(),
  signal: text('detect: the alert, metric or log message').optional(),
  asserted: text('detect: the test that fires the signal, as `path > title`').optional(),
  because: z.enum(ACCEPT_REASONS).describe('accept: the kind of reason').optional(),
  reason: text('accept: the reason').optional(),
  owner: text('accept: who carries the risk').optional(),
  expires: day('accept: the day it has to be looked at again').optional(),
  'holds-while': text(
    'accept: a check over constants in code, such as `RETRY_DAYS * 1d < src/refunds.ts:WINDOW_MS`',
  ).optional(),
  blocker: text('blocked: what stands in the way').optional(),
  to: text('blocked: whom it is handed to').optional(),
  note: text('anything worth saying').optional(),
  ticket: text('where the work is tracked').optional(),
  seen: seenSchema.optional(),
  retired: z
    .looseObject({ date: day('the day the code was found gone'), why: text('what is gone') })
    .describe('the code is gone; kept until pruned')
    .optional(),
});
export type Row = z.infer<typeof rowSchema>;

export const lensEntrySchema = z.discriminatedUnion('exposure', [
  z.looseObject({
    exposure: z.literal('none'),
    reason: someText('why this lens has no row'),
    'looked-at': text('what was looked at').optional(),
    seen: seenSchema.optional(),
    note: text('anything worth saying').optional(),
    ticket: text('where the work is tracked').optional(),
  }),
  z.looseObject({
    exposure: z.literal('open'),
    unresolved: z.array(z.string()).default([]).describe('calls that could not be followed'),
    'looked-at': text('what was looked at').optional(),
    reason: text('why it is still open').optional(),
    seen: seenSchema.optional(),
    note: text('anything worth saying').optional(),
    ticket: text('where the work is tracked').optional(),
  }),
]);
export type LensEntry = z.infer<typeof lensEntrySchema>;

const lensesSchema = z.looseObject({
  boundaries: lensEntrySchema.optional(),
  'hostile-input': lensEntrySchema.optional(),
  'partial-failure': lensEntrySchema.optional(),
  concurrency: lensEntrySchema.optional(),
  'resource-exhaustion': lensEntrySchema.optional(),
  clock: lensEntrySchema.optional(),
} satisfies Record<(typeof LENSES)[number], unknown>);

const prunedSchema = z.union([z.literal(NOTHING_TO_PRUNE), z.array(z.string())]);

export const tableSchema = z.looseObject({
  sixlens: z.literal(TABLE_FORMAT).describe('format version'),
  unit: someText('what people call the unit: route, topic, job name or symbol'),
  kind: z.enum(UNIT_KINDS).describe('what kind of unit it is'),
  code: z
    .looseObject({
      file: someText('relative to the folder that holds .sixlens, with /').refine(
        isInnerPath,
        'must be a path inside the root, with / and without ..',
      ),
      symbol: someText('the registration, Class.method or function name; #n where it repeats'),
    })
    .describe('where the unit is'),
  domain: z.array(z.enum(DOMAINS)).default([]).describe('what the unit is about'),
  contract: text('what callers may still assume when everything inside goes wrong').default(''),
  owner: text('who owns the unit').optional(),
  note: text('anything worth saying').optional(),
  ticket: text('where the work is tracked').optional(),
  rows: z
    .record(z.string().regex(ROW_ID), rowSchema)
    .nullish()
    .transform((rows) => rows ?? {})
    .describe('failure modes, sorted by lens, then id'),
  lenses: lensesSchema
    .nullish()
    .transform((lenses) => lenses ?? {})
    .describe('what was concluded for lenses without rows'),
  pruned: prunedSchema.describe('defences deleted as needless, or: nothing to prune').optional(),
});
/** One table as data: defaults filled in, unknown keys kept. */
export type Table = z.infer<typeof tableSchema>;

const runSchema = z.looseObject({ command: z.string(), exit: z.number().int() });

/** One proven row, as the tool alone writes it: `.sixlens/evidence/<path>/<row id>.json`. */
export const evidenceSchema = z.looseObject({
  sixlens: z.literal(TABLE_FORMAT),
  row: z.string().regex(ROW_ID),
  red: runSchema.extend({
    /** Commit or work-tree hash that the run saw. */
    at: z.string().min(1),
    how: z.enum(['mechanism-removed', 'before-change']),
    /** What was taken out, or the commit whose code was put in. */
    without: z.string().optional(),
    assertion: z.string().min(1),
  }),
  green: runSchema.extend({ at: z.string().min(1) }),
  suite: runSchema.optional(),
  runner: z.string(),
  node: z.string(),
  /** Hash of the row's slice when it was run. */
  slice: z.string(),
  /** The test's name as the row gave it, and the hash of its code. */
  named: z.string().optional(),
  test: z.string(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** Key order of every writer. A person's own order is never changed. */
export const TABLE_FIELDS: readonly string[] = Object.keys(tableSchema.shape);
export const ROW_FIELDS: readonly string[] = Object.keys(rowSchema.shape);
export const LENS_FIELDS: readonly string[] = [
  'exposure',
  'reason',
  'looked-at',
  'unresolved',
  'note',
  'ticket',
  'seen',
];
export const SEEN_FIELDS: readonly string[] = Object.keys(seenSchema.shape);

/** JSON schema (draft 2020-12) of a table file, for editors that complete and validate YAML. */
export function tableJsonSchema(): Record<string, unknown> {
  return { title: 'Sixlens failure-mode table', ...z.toJSONSchema(tableSchema, { io: 'input' }) };
}

/** JSON schema of an evidence file. */
export function evidenceJsonSchema(): Record<string, unknown> {
  return { title: 'Sixlens evidence', ...z.toJSONSchema(evidenceSchema, { io: 'input' }) };
}
