/**
 * Finds the place in a unit that a row's `at` names, and hashes its slice. Owns the steps from a text to a place: the
 * callee, the place of the finding, short code, then the callee without its first name, which may be a renamed local.
 */
import { hashText } from '../base/hash.ts';
import type { Lens } from '../base/vocabulary.ts';
import { isStmt } from '../facts/fileIndex.ts';
import type { Expr } from '../facts/ir.ts';
import { walk, type AnyNode } from '../facts/walk.ts';
import type { Finding } from '../model/finding.ts';
import type { Model, Reached } from '../model/model.ts';
import type { SourceFile } from '../model/project.ts';
import { inputsOf, sliceOfCall, sliceOfLens, sliceOfNode } from '../model/slice.ts';
import { calleeName, exprName, short } from '../rules/_kit/text.ts';
import type { UnitRef } from '../units/discover.ts';
import type { RowPlace, UnitSlices } from './contract.ts';

/** Kinds of code, calls aside, that rows are anchored to. */
const NAMED_BY_CODE: ReadonlySet<AnyNode['k']> = new Set([
  'switch',
  'if',
  'while',
  'forof',
  'try',
  'throw',
  'bin',
]);

export function slicesOf(
  model: Model,
  ref: UnitRef,
  reach: readonly Reached[],
  findings: readonly Finding[],
): UnitSlices {
  const byLens = new Map<Lens, string>();
  const hashes = new Map<Reached, string>();
  const hashOf = (reached: Reached): string => {
    const known = hashes.get(reached) ?? `s${hashText(sliceOfCall(model, reached))}`;
    hashes.set(reached, known);
    return known;
  };
  const names = new Map<string, Reached[]>();
  for (const reached of reach) {
    const name = calleeName(reached.site);
    const list = names.get(name);
    if (list) list.push(reached);
    else names.set(name, [reached]);
  }
  const placeOf = (file: SourceFile, node: AnyNode, slice: string): RowPlace => ({
    slice,
    file: file.path,
    start: file.lines.positionAt(node.s),
    end: file.lines.positionAt(node.e),
  });
  const ofCalls = (found: readonly Reached[], nth: number | null): RowPlace | null => {
    const one = nth === null ? found[0] : found[nth - 1];
    if (!one) return null;
    // A row that names no one of several calls speaks for all of them.
    const all = [...new Set((nth === null ? found : [one]).map(hashOf))].sort();
    return placeOf(one.site.file, one.site.node, all.length === 1 ? all[0]! : `s${hashText(all.join(' '))}`);
  };
  const ofFinding = (at: string, rule: string | null): RowPlace | null => {
    const finding = findings.find((f) => f.anchor === at && (rule === null || f.rule === rule));
    const file = finding ? model.values.project.file(finding.file) : null;
    if (!finding || !file) return null;
    const node = smallestAround(file, finding.startOffset, finding.endOffset);
    if (!node) return null;
    return {
      ...placeOf(
        file,
        node,
        `s${hashText(sliceOfNode(model, file, file.index.innermost(finding.startOffset), node))}`,
      ),
      start: finding.start,
      end: finding.end,
    };
  };
  const ofCode = (at: string, nth: number | null): RowPlace | null => {
    let left = nth ?? 1;
    const wanted = flat(at);
    for (const { file, fn } of functionsOf(model, ref, reach)) {
      let hit: AnyNode | null = null;
      for (const st of file.facts.functions[fn]?.body ?? [])
        walk(st, (node) => {
          if (hit) return false;
          if (codeNames(file, node).some((name) => flat(name) === wanted) && --left === 0) hit = node;
          return !hit;
        });
      if (hit) return placeOf(file, hit, `s${hashText(sliceOfNode(model, file, fn, hit))}`);
    }
    return null;
  };
  const ofSeenCode = (seen: string): RowPlace | null => {
    const hits: RowPlace[] = [];
    for (const { file, fn } of functionsOf(model, ref, reach))
      for (const st of file.facts.functions[fn]?.body ?? [])
        walk(st, (node) => {
          if (!NAMED_BY_CODE.has(node.k)) return;
          const slice = `s${hashText(sliceOfNode(model, file, fn, node))}`;
          if (slice === seen) hits.push(placeOf(file, node, slice));
        });
    return hits.length === 1 ? hits[0]! : null;
  };
  const ofTail = (name: string, nth: number | null): RowPlace | null => {
    const dot = name.indexOf('.');
    if (dot < 0) return null;
    const tail = name.slice(dot);
    const other = [...names.keys()].filter(
      (key) => key.indexOf('.') >= 0 && key.slice(key.indexOf('.')) === tail,
    );
    return other.length === 1 ? ofCalls(names.get(other[0]!) ?? [], nth) : null;
  };
  return {
    lens(lens) {
      const known =
        byLens.get(lens) ?? `s${hashText(sliceOfLens(model, reach, lens, inputsOf(ref.file, ref.fn)))}`;
      byLens.set(lens, known);
      return known;
    },
    at(at, rule, seen) {
      const ordinal = /^(.*)#(\d+)$/s.exec(at);
      const name = ordinal ? ordinal[1]! : at;
      const nth = ordinal ? Number(ordinal[2]) : null;
      const exact = names.get(name);
      const found =
        (exact ? ofCalls(exact, nth) : null) ??
        ofFinding(at, rule ?? null) ??
        ofCode(name, nth) ??
        ofTail(name, nth);
      if (found || seen === undefined) return found;
      // Under another name, but unchanged: the same call.
      const same = reach.filter((reached) => hashOf(reached) === seen);
      return same.length === 1 ? ofCalls(same, null) : ofSeenCode(seen);
    },
  };
}

/** Functions whose code the unit runs, its own first. */
export function functionsOf(
  model: Model,
  ref: UnitRef,
  reach: readonly Reached[],
): readonly { readonly file: SourceFile; readonly fn: number }[] {
  const seen = new Set<object>();
  const out: { file: SourceFile; fn: number }[] = [];
  const add = (file: SourceFile, root: number): void => {
    for (const fact of model.within(file, root)) {
      if (seen.has(fact)) continue;
      seen.add(fact);
      out.push({ file, fn: fact.id });
    }
  };
  add(ref.file, ref.fn);
  for (const { site } of reach) add(site.file, model.outermost(site.file, site.fn));
  return out;
}

/** How people write a place that is no call: `switch event.type`, `a === b`, `for order of orders`. */
function codeNames(file: SourceFile, node: AnyNode): readonly string[] {
  const text = (expr: Expr): string => exprName(file, expr);
  switch (node.k) {
    case 'switch':
      return [`switch ${text(node.disc)}`];
    case 'if':
      return [`if ${source(file, node.test)}`];
    case 'while':
      return [`while ${source(file, node.test)}`];
    case 'forof':
      return [`for of ${text(node.iter)}`, text(node.iter)];
    case 'try':
      return ['try'];
    case 'throw':
      return [source(file, node)];
    case 'bin':
      return [`${text(node.l)} ${node.op} ${text(node.r)}`, source(file, node)];
    case 'pid':
    case 'id':
      return [];
    default:
      return isStmt(node) ? [] : node.e - node.s <= 80 ? [source(file, node)] : [short(source(file, node))];
  }
}

function source(file: SourceFile, node: AnyNode): string {
  return file.text.slice(node.s, node.e);
}

function flat(text: string): string {
  return text.replace(/[\s()]+/g, ' ').trim();
}

/** The smallest expression or statement that holds the span. */
function smallestAround(file: SourceFile, start: number, end: number): AnyNode | null {
  const fn = file.index.innermost(start);
  let best: AnyNode | null = null;
  for (const st of file.facts.functions[fn]?.body ?? []) {
    if (st.s > start || st.e < end) continue;
    walk(st, (node) => {
      if (node.s > start || node.e < end) return false;
      if (!['pid', 'pobj', 'parr', 'pdef', 'pexpr'].includes(node.k)) best = node;
      return true;
    });
  }
  return best;
}
