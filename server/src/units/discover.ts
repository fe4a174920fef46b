/** Runs every finder over a file and gives the drafts their identity. Owns ids, order and the removal of doubles. */
import type { Model } from '../model/model.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import type { FinderContext, UnitDraft, UnitFinder } from './finder.ts';
import { handlerOf, textOf } from './handler.ts';
import type { Unit } from './unit.ts';

/** A unit with the facts of its handler. */
export interface UnitRef {
  readonly unit: Unit;
  readonly file: SourceFile;
  readonly fn: number;
}

export function discoverUnits(
  model: Model,
  file: SourceFile,
  finders: readonly UnitFinder[],
): readonly UnitRef[] {
  let sites: readonly Site[] | null = null;
  const ctx: FinderContext = {
    model,
    file,
    get sites() {
      return (sites ??= model.sites.all(file));
    },
    handler: (expr, keys) => handlerOf(model, file, expr, keys),
    text: (expr) => textOf(model, file, expr),
  };
  const drafts: { draft: UnitDraft; framework: string }[] = [];
  for (const finder of finders) {
    if (!finder.applies(file)) continue;
    for (const draft of finder.find(ctx)) drafts.push({ draft, framework: finder.id });
  }
  // Chained registrations begin at the same place; the first of them ends first.
  drafts.sort((a, b) => a.draft.at.s - b.draft.at.s || a.draft.at.e - b.draft.at.e);
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  const out: UnitRef[] = [];
  for (const { draft, framework } of drafts) {
    const key = `${draft.handler.file.path}:${draft.handler.fn}:${draft.route ?? draft.name}:${draft.method ?? ''}`;
    if (seen.has(key)) continue;
    seen.add(key);
    out.push(refOf(file, draft, framework, counts));
  }
  return out;
}

function refOf(file: SourceFile, draft: UnitDraft, framework: string, counts: Map<string, number>): UnitRef {
  const n = (counts.get(draft.symbol) ?? 0) + 1;
  counts.set(draft.symbol, n);
  const symbol = n > 1 ? `${draft.symbol}#${n}` : draft.symbol;
  const fact = draft.handler.file.facts.functions[draft.handler.fn];
  const inline = draft.handler.file === file && fact !== undefined && fact.id !== 0;
  const startOffset = inline ? Math.min(draft.at.s, fact.s) : draft.at.s;
  const endOffset = inline ? Math.max(draft.at.e, fact.e) : draft.at.e;
  const lines = draft.handler.file.lines;
  return {
    unit: {
      id: `${file.path}#${symbol}`,
      kind: draft.kind,
      name: draft.name,
      symbol,
      framework,
      file: file.path,
      start: file.lines.positionAt(startOffset),
      end: file.lines.positionAt(endOffset),
      startOffset,
      endOffset,
      route: draft.route ?? null,
      method: draft.method ?? null,
      handler: {
        file: draft.handler.file.path,
        fn: draft.handler.fn,
        start: lines.positionAt(fact?.s ?? 0),
        end: lines.positionAt(fact?.e ?? 0),
      },
    },
    file: draft.handler.file,
    fn: draft.handler.fn,
  };
}
