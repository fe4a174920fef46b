/** How long the library itself lets a transaction stay open. Owns reading that limit from the call, its client, or the default. */
import { atVersion, inRange, lineage, versionOf } from '../../model/bounds.ts';
import type { Model } from '../../model/model.ts';
import { isNothing, numberOf, readOption } from '../../model/options.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import { uncast } from '../../facts/walk.ts';
import type { Expr } from '../../facts/ir.ts';
import { duration } from './text.ts';

export interface OpenLimit {
  /** Milliseconds; null when the code sets it to something that cannot be read. */
  readonly ms: number | null;
  /** As a phrase: `20 s`, `5 s (where its client sets no other)`, `the time it is given`. */
  readonly text: string;
  readonly error: string;
  readonly library: string;
}

/** The limit of the transaction that a call opens, itself or inside the local function that it is; null: none. */
export function limitOf(model: Model, opener: Site): OpenLimit | null {
  const own = readLimit(model, opener);
  if (own || opener.target.k !== 'fn') return own;
  const { file, fn } = opener.target.value;
  for (const { site, via } of model.reach(file, fn)) {
    if (via.length > 3) continue;
    const inner = readLimit(model, site);
    if (inner) return inner;
  }
  return null;
}

function readLimit(model: Model, opener: Site): OpenLimit | null {
  const { target, file } = opener;
  if (target.k !== 'lib') return null;
  const limit = target.spec.callbacks?.find((c) => c.limit)?.limit;
  const fallback = limit ? atVersion(model.sites, file, target.pack, limit.defaults) : null;
  if (!limit || fallback === null) return null;
  const as = (ms: number | null, text: string): OpenLimit => ({
    ms,
    text,
    error: limit.error,
    library: limit.library,
  });
  const call = readOption(model.values, file, opener.node, limit.call);
  const set = given(model, call);
  if (set !== undefined) return as(set, set === null ? 'the time it is given' : duration(set));
  const { version } = versionOf(model.sites, file, target.pack);
  let known = false;
  for (const inst of lineage(target.recv).reverse()) {
    if (!inst.origin || !inRange(limit.instance.range, version)) continue;
    known = true;
    const option = given(model, readOption(model.values, inst.origin.file, inst.origin.call, limit.instance));
    if (option !== undefined)
      return as(option, option === null ? 'the time its client gives' : duration(option));
  }
  return as(fallback, known ? duration(fallback) : `${duration(fallback)} (where its client sets no other)`);
}

type Read = ReturnType<typeof readOption>;

/** Milliseconds, null for what cannot be read, undefined for what is not set. */
function given(model: Model, read: Read): number | null | undefined {
  if (read.k === 'unknown') return null;
  if (read.k !== 'value' || isNothing(uncast(read.expr))) return undefined;
  return milliseconds(model, read.file, read.expr);
}

function milliseconds(model: Model, file: SourceFile, expr: Expr): number | null {
  const n = numberOf(model.values, file, expr);
  return n !== null && Number.isFinite(n) && n > 0 ? n : null;
}
