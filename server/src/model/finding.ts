import type { Position } from '../base/span.ts';
import type { FileEdit } from '../base/textEdit.ts';
import type { Axis, Confidence, FaultClass, FixKind, Lens, Severity } from '../base/vocabulary.ts';

/** One step of the path of calls that leads from a unit to the place of a finding. */
export interface PathStep {
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
  readonly label: string;
}

/** A repair that can be offered for a finding. Its edits are computed only when asked for. */
export interface FixOffer {
  /** Stable within the rule, for example `add-timeout-signal`. */
  readonly id: string;
  readonly title: string;
  readonly kind: FixKind;
}

/** What a fix does: edits by file. Applying it removes its finding; asking again then yields no fix. */
export interface Fix extends FixOffer {
  readonly edits: readonly FileEdit[];
}

/** What a row of a table says of a finding that it does not silence. */
export interface FindingRow {
  readonly id: string;
  /** `hint`: somebody is told when it happens, so it weighs little here; `note`: shown as before, with the words beside it. */
  readonly effect: 'note' | 'hint';
  /** One clause without a full stop. */
  readonly text: string;
}

/** One hit of one rule in code. */
export interface Finding {
  readonly rule: string;
  readonly lens: Lens;
  readonly axis: Axis;
  readonly faultClass: FaultClass;
  readonly severity: Severity;
  readonly blocking: boolean;
  readonly confidence: Confidence;
  /** Relative to the root, with `/`. */
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
  /** UTF-16 offsets of the same span. */
  readonly startOffset: number;
  readonly endOffset: number;
  readonly message: string;
  readonly trigger: string;
  readonly scenario: string;
  readonly detection: string;
  /** One sentence: what to do. */
  readonly fix: string;
  /** Ids of the units that reach this place; the first is the one it is shown under. */
  readonly units: readonly string[];
  readonly path: readonly PathStep[];
  readonly fixes: readonly FixOffer[];
  /** The callee or short code at the place, as rows anchor to it: `stripe.charges.create`, `#2` appended where it repeats in the unit. */
  readonly anchor: string;
  /** Absent where no row speaks for it, or only one that changes nothing. */
  readonly row?: FindingRow;
}
