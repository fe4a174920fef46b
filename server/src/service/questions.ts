/** Failure modes that code cannot answer, offered by what the unit is and does. Owns the wording and when each applies. */
import type { Lens, UnitKind } from '../base/vocabulary.ts';
import type { Reached } from '../model/model.ts';
import type { UnitRef } from '../units/discover.ts';
import type { StandingQuestion } from './contract.ts';

interface Question {
  readonly id: string;
  readonly lens: Lens;
  readonly failure: string;
  readonly kinds: readonly UnitKind[] | null;
  /** Why it applies here; null when it does not. */
  why(ref: UnitRef, reach: readonly Reached[]): string | null;
}

const MESSAGE_KINDS: readonly UnitKind[] = ['webhook', 'consumer', 'job', 'subscriber'];

function hosts(reach: readonly Reached[]): string[] {
  return [
    ...new Set(
      reach
        .filter((r) => r.site.effect?.kind === 'http' || r.site.effect?.kind === 'sdk')
        .map((r) => r.site.effect?.library ?? ''),
    ),
  ];
}

const QUESTIONS: readonly Question[] = [
  {
    id: 'burst-after-outage',
    lens: 'resource-exhaustion',
    failure: 'everything that queued up during our own outage arrives at once',
    kinds: MESSAGE_KINDS,
    why: (ref) =>
      `${ref.unit.kind === 'webhook' ? 'the sender retries' : 'messages wait'} while this unit is down`,
  },
  {
    id: 'poison-message',
    lens: 'partial-failure',
    failure: 'one message fails every time it is tried',
    kinds: MESSAGE_KINDS,
    why: () =>
      'a failed delivery comes back, and nothing in the code says who looks at one that always fails',
  },
  {
    id: 'slow-provider',
    lens: 'clock',
    failure: 'a provider is slow for hours instead of down',
    kinds: null,
    why: (_ref, reach) => {
      const names = hosts(reach);
      return names.length > 0 ? `it waits for ${names.slice(0, 3).join(', ')}` : null;
    },
  },
  {
    id: 'versions-side-by-side',
    lens: 'boundaries',
    failure: 'old and new versions of the producer and of this code run side by side',
    kinds: ['consumer', 'job', 'subscriber'],
    why: () => 'its input is written by another deployment than the one that reads it',
  },
  {
    id: 'late-run',
    lens: 'clock',
    failure: 'the scheduled run is late, skipped, or two overlap',
    kinds: ['cron'],
    why: () => 'nothing in the code says who is told when a run does not happen',
  },
  {
    id: 'ten-times-load',
    lens: 'resource-exhaustion',
    failure: 'ten times the usual load arrives',
    kinds: ['http', 'rpc', 'graphql', 'server-action', 'socket'],
    why: (_ref, reach) =>
      reach.some((r) => r.site.effect?.kind === 'db') ? 'each request takes a database connection' : null,
  },
  {
    id: 'switch-off',
    lens: 'partial-failure',
    failure: 'this has to be turned off without a deploy',
    kinds: null,
    why: (_ref, reach) => (reach.some((r) => r.site.effect?.op === 'charge') ? 'it moves money' : null),
  },
];

export function questionsFor(ref: UnitRef, reach: readonly Reached[]): readonly StandingQuestion[] {
  const out: StandingQuestion[] = [];
  for (const q of QUESTIONS) {
    if (q.kinds && !q.kinds.includes(ref.unit.kind)) continue;
    const why = q.why(ref, reach);
    if (why === null) continue;
    if (out.filter((o) => o.lens === q.lens).length >= 2) continue;
    out.push({ id: q.id, lens: q.lens, failure: q.failure, why });
  }
  return out;
}
