/**
 * Finds the unit of a table again after its code moved. Owns the order of the steps and when a step is sure enough;
 * only the last step guesses, and a guess is proposed to a person and never acted on.
 */
import type { UnitKind } from '../base/vocabulary.ts';

/** A unit that the table might be about. */
export interface UnitCandidate {
  readonly id: string;
  readonly file: string;
  readonly symbol: string;
  readonly kind: UnitKind;
  readonly name: string;
}

export interface AnchorQuery {
  readonly file: string;
  readonly symbol: string;
  readonly kind: string;
  readonly name: string;
}

export interface AnchorSources<U extends UnitCandidate> {
  unitsOf(file: string): readonly U[];
  /** The path that a file has since been renamed to; null where nobody knows of one. */
  renamed?(file: string): string | null;
  /** Units of other files that may be meant: at least all with the symbol, and with the kind for the last steps. */
  elsewhere?(): readonly U[];
  /** Of the hashes that the table's rows recorded, the share that this unit still has; null when none was recorded. */
  likeness?(unit: U): number | null;
  /** Units that have a table of their own are never taken. */
  taken?(unit: U): boolean;
}

export type AnchorResult<U extends UnitCandidate> =
  | { readonly found: U; readonly by: 'place' | 'git rename' | 'moved symbol' | 'same code' }
  | { readonly found: null; readonly proposal: { readonly unit: U; readonly score: number } | null };

/** Half of the recorded slices in one unit, and in no other, is no accident. */
const SAME_CODE = 0.5;
/** Below this a proposal would be noise. */
const PROPOSED = 0.5;

export function findUnit<U extends UnitCandidate>(
  query: AnchorQuery,
  sources: AnchorSources<U>,
): AnchorResult<U> {
  const here = sources.unitsOf(query.file);
  const own = here.find((unit) => unit.symbol === query.symbol);
  if (own) return { found: own, by: 'place' };
  const isFree = (unit: U): boolean => sources.taken?.(unit) !== true;

  const moved = sources.renamed?.(query.file) ?? null;
  const there = moved === null ? [] : sources.unitsOf(moved);
  const renamed = there.find((unit) => unit.symbol === query.symbol && isFree(unit));
  if (renamed) return { found: renamed, by: 'git rename' };

  const seen = new Set<string>();
  const others = [...there, ...here, ...(sources.elsewhere?.() ?? [])].filter((unit) => {
    if (seen.has(unit.id) || !isFree(unit)) return false;
    seen.add(unit.id);
    return true;
  });
  const same = others.filter((unit) => unit.symbol === query.symbol);
  if (same.length === 1) return { found: same[0]!, by: 'moved symbol' };

  const scored = others.map((unit) => ({ unit, likeness: sources.likeness?.(unit) ?? 0 }));
  const alike = scored.filter(({ likeness }) => likeness >= SAME_CODE);
  if (alike.length === 1) return { found: alike[0]!.unit, by: 'same code' };

  const best = scored
    .map(({ unit, likeness }) => ({ unit, score: score(query, unit, likeness) }))
    .sort((a, b) => b.score - a.score || (a.unit.id < b.unit.id ? -1 : 1))[0];
  return { found: null, proposal: best && best.score >= PROPOSED ? best : null };
}

/** From 0 to 1: what the unit is called weighs most, then its code, then where it is. */
function score(query: AnchorQuery, unit: UnitCandidate, likeness: number): number {
  const name = Math.max(overlap(query.symbol, unit.symbol), overlap(query.name, unit.name));
  const place = overlap(query.file, unit.file);
  return (unit.kind === query.kind ? 0.2 : 0) + 0.5 * name + 0.15 * likeness + 0.15 * place;
}

/** The share of words that two names have in common. */
function overlap(a: string, b: string): number {
  const [left, right] = [words(a), words(b)];
  if (left.size === 0 || right.size === 0) return 0;
  const common = [...left].filter((word) => right.has(word)).length;
  return (2 * common) / (left.size + right.size);
}

function words(text: string): Set<string> {
  return new Set(
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== ''),
  );
}
