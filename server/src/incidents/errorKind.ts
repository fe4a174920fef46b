/** Which lens and which rules an error speaks of. Owns the words that libraries use; says nothing of an error it does not know. */
import type { Lens } from '../base/vocabulary.ts';

export interface ErrorKind {
  readonly lens: Lens;
  /** Rules whose failure this is, most telling first. */
  readonly rules: readonly string[];
}

const KINDS: readonly (ErrorKind & { readonly says: RegExp })[] = [
  {
    says: /\b(?:ETIMEDOUT|ESOCKETTIMEDOUT|ECONNABORTED|UND_ERR_(?:HEADERS|BODY|CONNECT)_TIMEOUT|TimeoutError|AbortError)\b|\btime(?:d[ -]?)?[ -]?out\b|deadline exceeded/i,
    lens: 'clock',
    rules: ['call-without-timeout', 'weak-timeout', 'deadline-not-propagated', 'retry-without-backoff'],
  },
  {
    says: /\b(?:P2002|23505|ER_DUP_ENTRY|E11000|SQLITE_CONSTRAINT)\b|duplicate key|unique constraint/i,
    lens: 'concurrency',
    rules: [
      'check-then-write',
      'redelivery-without-dedup',
      'effect-without-idempotency-key',
      'writes-without-transaction',
    ],
  },
  {
    says: /\b(?:40P01|40001|P2034|ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT)\b|deadlock|could not serialize|write conflict/i,
    lens: 'concurrency',
    rules: [
      'locks-in-argument-order',
      'read-modify-write',
      'external-call-in-transaction',
      'non-atomic-redis',
    ],
  },
  {
    says: /\b(?:EMFILE|ENFILE|ENOMEM|ENOSPC|P2024|ERR_OUT_OF_RANGE)\b|heap out of memory|Invalid string length|too many (?:connections|clients|requests|open files)|pool (?:timeout|exhausted)|Maximum call stack/i,
    lens: 'resource-exhaustion',
    rules: [
      'unreleased-connection',
      'unbounded-concurrency',
      'unbounded-query',
      'unbounded-collection',
      'query-in-loop',
      'listener-per-request',
    ],
  },
  {
    says: /\b(?:ZodError|ValidationError|PayloadTooLargeError|ERR_INVALID_ARG_TYPE)\b|invalid signature|malformed/i,
    lens: 'hostile-input',
    rules: ['unverified-webhook', 'unguarded-parse'],
  },
  {
    says: /Unexpected (?:token|end of JSON|non-whitespace)|is not valid JSON|JSON at position/i,
    lens: 'boundaries',
    rules: ['unguarded-parse', 'unchecked-response-status'],
  },
  {
    says: /Cannot (?:read|set) propert(?:y|ies) of (?:undefined|null)|(?:undefined|null) is not an object|is not (?:a function|iterable|defined)|\b(?:P2025|NotFoundError)\b/i,
    lens: 'boundaries',
    rules: ['unguarded-parse', 'unchecked-response-status'],
  },
  {
    says: /Unhandled 'error' event/i,
    lens: 'partial-failure',
    rules: ['emitter-without-error-listener', 'unhandled-stream-error'],
  },
  {
    says: /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|UND_ERR_SOCKET|P1001|P1017)\b|socket hang up|fetch failed|connection (?:terminated|closed|lost)/i,
    lens: 'partial-failure',
    rules: ['swallowed-error', 'unobserved-promise', 'writes-without-transaction', 'call-without-timeout'],
  },
  {
    says: /UnhandledPromiseRejection|ERR_UNHANDLED_REJECTION/i,
    lens: 'partial-failure',
    rules: ['unobserved-promise', 'async-callback-crash', 'late-await'],
  },
];

export function kindOfError(name: string, message: string): ErrorKind | null {
  return KINDS.find(({ says }) => says.test(`${name}: ${message}`)) ?? null;
}
