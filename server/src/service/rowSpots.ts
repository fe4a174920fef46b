/** The places in code that a row is about, as nodes: where its mechanism is looked for to be taken out. */
import type { Model, Reached } from '../model/model.ts';
import type { SourceFile } from '../model/project.ts';
import { walk, type AnyNode } from '../facts/walk.ts';
import type { Spot } from '../proof/inverses/inverse.ts';
import { calleeName } from '../rules/_kit/text.ts';
import type { Row } from '../tables/schema.ts';
import type { UnitRef } from '../units/discover.ts';
import type { RowPlace } from './contract.ts';
import { functionsOf } from './unitSlices.ts';

/** `place`: where the row's `at` was found; null where it names the whole unit or is not found. */
export function spotsOf(
  model: Model,
  ref: UnitRef,
  row: Pick<Row, 'at'>,
  place: RowPlace | null,
): readonly Spot[] {
  const reach = model.reach(ref.file, ref.fn);
  const { at } = row;
  const whole = at === undefined || at === ref.unit.name || at === ref.unit.symbol;
  if (whole) return reach.map((reached) => spotAt(model, reached));
  const ordinal = /^(.*)#(\d+)$/s.exec(at);
  const named = reach.filter(({ site }) => calleeName(site) === (ordinal ? ordinal[1] : at));
  if (named.length > 0) {
    const one = ordinal && named[Number(ordinal[2]) - 1];
    return (one ? [one] : named).map((reached) => spotAt(model, reached));
  }
  const file = place && model.values.project.file(place.file);
  if (!place || !file) return [];
  const span = { s: file.lines.offsetAt(place.start), e: file.lines.offsetAt(place.end) };
  const call = reach.find(({ site }) => site.file === file && isAt(site.node, span));
  if (call) return [spotAt(model, call)];
  const fn = file.index.innermost(span.s);
  const node = nodeAt(file, fn, span);
  if (!node) return [];
  const via = reach.find(({ site }) => site.file === file && site.fn === fn)?.via ?? [];
  const within = functionsOf(model, ref, reach).some((body) => body.file === file && body.fn === fn);
  return within || fn === 0 ? [{ model, file, fn, node, site: null, via }] : [];
}

function spotAt(model: Model, { site, via }: Reached): Spot {
  return { model, file: site.file, fn: site.fn, node: site.node, site, via };
}

interface Range {
  readonly s: number;
  readonly e: number;
}

/** The call itself, or its callee: findings mark one or the other. */
function isAt(node: AnyNode, span: Range): boolean {
  const callee = node.k === 'call' || node.k === 'new' ? node.callee : null;
  return [node, callee].some((part) => part?.s === span.s && part.e === span.e);
}

/** The largest node of just this span, else the smallest around it. */
function nodeAt(file: SourceFile, fn: number, span: Range): AnyNode | null {
  let best: AnyNode | null = null;
  for (const st of file.facts.functions[fn]?.body ?? []) {
    if (st.s > span.s || st.e < span.e) continue;
    walk(st, (node) => {
      if (node.s > span.s || node.e < span.e) return false;
      if (!best || best.s !== span.s || best.e !== span.e) best = node;
      return true;
    });
  }
  return best;
}
