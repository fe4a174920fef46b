import type { Position } from '../base/span.ts';
import type { UnitKind } from '../base/vocabulary.ts';

/** The thing that is hardened: one handler, job, consumer or exported function. */
export interface Unit {
  /** `<file>#<symbol>`; stable while the registration stays. */
  readonly id: string;
  readonly kind: UnitKind;
  /** What people call it: `POST /webhooks/payments`, a job or topic name, or the symbol. */
  readonly name: string;
  /** The registration (`router.post "/x"`), `Class.method`, or function name; `#n` where it repeats in the file. */
  readonly symbol: string;
  /** The framework idiom that makes it a unit: `express`, `bullmq`, `next-route` … */
  readonly framework: string;
  /** File of the registration, relative to the root, with `/`. */
  readonly file: string;
  /** Span that holds both the registration and, where it is inline, the handler. */
  readonly start: Position;
  readonly end: Position;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly route: string | null;
  readonly method: string | null;
  /** Where the handler's body is. */
  readonly handler: {
    readonly file: string;
    readonly fn: number;
    readonly start: Position;
    readonly end: Position;
  };
}
