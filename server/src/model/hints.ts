/** What a project says of itself in its config: own wrappers the analysis cannot look into, times that fixes propose. */
import type { Effect } from './sites.ts';

export interface Hints {
  readonly wrappers: {
    readonly timeout: readonly string[];
    readonly retry: readonly string[];
    readonly transaction: readonly string[];
    readonly dedup: readonly string[];
  };
  /** Milliseconds by what is called. */
  readonly timeouts: Readonly<
    Record<'http' | 'payment' | 'database' | 'cache' | 'queue' | 'email' | 'ai' | 'default', number>
  >;
}

export const NO_HINTS: Hints = {
  wrappers: { timeout: [], retry: [], transaction: [], dedup: [] },
  timeouts: {
    http: 10_000,
    payment: 20_000,
    database: 5_000,
    cache: 1_000,
    queue: 5_000,
    email: 15_000,
    ai: 60_000,
    default: 10_000,
  },
};

/** `names` hold `name`, `object.name`, or `module#name`; the callee's own text or its last part must be it. */
export function namesCallee(names: readonly string[], callee: string): boolean {
  if (names.length === 0) return false;
  const last = callee.slice(callee.lastIndexOf('.') + 1);
  return names.some((entry) => {
    const name = entry.slice(entry.indexOf('#') + 1);
    return name === callee || name === last;
  });
}

/** Milliseconds that a fix proposes for a call. */
export function proposedTimeout(hints: Hints, effect: Effect): number {
  const { timeouts } = hints;
  if (effect.op === 'charge') return timeouts.payment;
  if (/openai|anthropic|generative|bedrock|mistral|cohere/.test(effect.library)) return timeouts.ai;
  switch (effect.kind) {
    case 'http':
    case 'rpc':
      return timeouts.http;
    case 'db':
    case 'connection':
      return timeouts.database;
    case 'cache':
      return timeouts.cache;
    case 'queue':
      return timeouts.queue;
    case 'mail':
      return timeouts.email;
    default:
      return timeouts.default;
  }
}
