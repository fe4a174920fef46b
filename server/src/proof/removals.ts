/**
 * Which ways there are to take a row's mechanism out. Owns the choice of inverses by the row's rule, or by the words of
 * its `how`, and the joining of their edits over all places that the row is about.
 */
import type { FileEdit } from '../base/textEdit.ts';
import { dropBackoff } from './inverses/dropBackoff.ts';
import { dropBound } from './inverses/dropBound.ts';
import { dropCap } from './inverses/dropCap.ts';
import { dropCause } from './inverses/dropCause.ts';
import { dropClaim } from './inverses/dropClaim.ts';
import { dropConstantTime } from './inverses/dropConstantTime.ts';
import { dropGuard } from './inverses/dropGuard.ts';
import { dropKey } from './inverses/dropKey.ts';
import { dropLimit } from './inverses/dropLimit.ts';
import { dropListener } from './inverses/dropListener.ts';
import { dropLock } from './inverses/dropLock.ts';
import { dropMonotonicClock } from './inverses/dropMonotonicClock.ts';
import { dropOrdering } from './inverses/dropOrdering.ts';
import { dropRelease } from './inverses/dropRelease.ts';
import { dropRethrow } from './inverses/dropRethrow.ts';
import { dropRowLimit } from './inverses/dropRowLimit.ts';
import { dropStatusCheck } from './inverses/dropStatusCheck.ts';
import { dropTransaction } from './inverses/dropTransaction.ts';
import { dropTry } from './inverses/dropTry.ts';
import { dropVerification } from './inverses/dropVerification.ts';
import type { Edit, Inverse, Spot } from './inverses/inverse.ts';

/** Those that change least come first. */
export const INVERSES: readonly Inverse[] = [
  dropBound,
  dropKey,
  dropClaim,
  dropTransaction,
  dropStatusCheck,
  dropLimit,
  dropVerification,
  dropConstantTime,
  dropOrdering,
  dropLock,
  dropRelease,
  dropRowLimit,
  dropCap,
  dropListener,
  dropBackoff,
  dropCause,
  dropMonotonicClock,
  dropRethrow,
  dropTry,
  dropGuard,
];

/** One way to take the mechanism out. */
export interface Removal {
  readonly id: string;
  /** `the time limit` */
  readonly what: string;
  readonly edits: readonly FileEdit[];
}

export interface RemovalWish {
  readonly rule: string | null;
  readonly how: string | null;
}

/** In the order to try them; empty when no inverse finds anything. */
export function removalsAt(spots: readonly Spot[], { rule, how }: RemovalWish): readonly Removal[] {
  const byWords = how === null ? [] : INVERSES.filter((inverse) => inverse.words.test(how));
  const byRule = INVERSES.filter((inverse) => rule !== null && inverse.rules.includes(rule))
    // Words say which of several.
    .sort((a, b) => Number(byWords.includes(b)) - Number(byWords.includes(a)));
  // A row of a rule is about that rule's mechanism; a person may have found another one for it.
  const found = removals(byRule, spots);
  return found.length > 0 ? found : removals(byWords, spots);
}

function removals(inverses: readonly Inverse[], spots: readonly Spot[]): readonly Removal[] {
  return inverses.flatMap(({ id, what, remove, otherwise }) => {
    const kind = spots.flatMap((spot) => remove(spot));
    const edits = joined(kind.length > 0 ? kind : spots.flatMap((spot) => otherwise?.(spot) ?? []));
    return edits.length > 0 ? [{ id, what, edits }] : [];
  });
}

/** By file, without repeats; of edits one within the other the outer stays. */
function joined(edits: readonly Edit[]): readonly FileEdit[] {
  const byFile = new Map<string, Edit[]>();
  for (const edit of edits) byFile.set(edit.file, [...(byFile.get(edit.file) ?? []), edit]);
  return [...byFile].map(([file, all]) => {
    const kept: Edit[] = [];
    for (const edit of [...all].sort((a, b) => a.start - b.start || b.end - a.end)) {
      const last = kept.at(-1);
      if (!last || edit.start >= last.end) kept.push(edit);
      // Neighbours in a list share the comma between them.
      else if (edit.end > last.end && edit.newText === '' && last.newText === '')
        kept[kept.length - 1] = { ...last, end: edit.end };
    }
    return { file, edits: kept.map(({ start, end, newText }) => ({ start, end, newText })) };
  });
}
