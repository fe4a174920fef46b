/** The shape of `.sixlens/config.yaml`. Owns names, defaults and allowed values; reading and applying live beside it. */
import * as z from 'zod';
import { PRESETS, SEVERITIES, UNIT_KINDS } from '../base/vocabulary.ts';

export const CONFIG_FILE = '.sixlens/config.yaml';

/** `on` shows the rule under every preset with its own severity; a severity does that too and replaces it. */
export const LEVELS = ['off', 'on', ...SEVERITIES] as const;
export type Level = (typeof LEVELS)[number];

const ruleLevels = z.record(z.string(), z.enum(LEVELS));
const globs = z.array(z.string().min(1));
/** `name`, or `module#name` where the name alone is not unique. */
const callees = z.array(z.string().regex(/^(?:[^#\s]+#)?[\w$.]+$/));
const milliseconds = z
  .number()
  .int()
  .positive()
  .max(2 ** 31 - 1);

export const configSchema = z.strictObject({
  preset: z.enum(PRESETS).optional(),
  rules: ruleLevels.default({}),
  /** Later entries win over earlier ones, and all of them over `rules`. */
  overrides: z.array(z.strictObject({ paths: globs.min(1), rules: ruleLevels })).default([]),
  /** Milliseconds that a fix proposes, by what is called. */
  timeouts: z
    .strictObject({
      http: milliseconds.default(10_000),
      payment: milliseconds.default(20_000),
      database: milliseconds.default(5_000),
      cache: milliseconds.default(1_000),
      queue: milliseconds.default(5_000),
      email: milliseconds.default(15_000),
      ai: milliseconds.default(60_000),
      default: milliseconds.default(10_000),
    })
    .prefault({}),
  /** The project's own functions that the analysis cannot look into but may rely on. */
  wrappers: z
    .strictObject({
      /** Bounds the time of what it is given. */
      timeout: callees.default([]),
      /** Runs what it is given again on failure. */
      retry: callees.default([]),
      /** Runs what it is given within one database transaction. */
      transaction: callees.default([]),
      /** Claims a message or event once; later deliveries stop there. */
      dedup: callees.default([]),
    })
    .prefault({}),
  /** Host names (`*.internal.example`) that a request may choose among. */
  trustedHosts: z.array(z.string().min(1)).default([]),
  /** Generated sources: read where others reach into them, never reported on. */
  generated: globs.default([]),
  /** When given, only these are analysed. */
  include: globs.default([]),
  exclude: globs.default([]),
  /** Kinds of units that must have a table when a change touches them; `http-write`: all methods but GET, HEAD, OPTIONS. */
  require: z.array(z.enum([...UNIT_KINDS, 'http-write'])).default([]),
  /** What a handled row whose test was not seen failing is to the gate. */
  unproven: z.enum(['fail', 'warn']).default('fail'),
});

export type Config = z.infer<typeof configSchema>;

export const DEFAULT_CONFIG: Config = configSchema.parse({});
