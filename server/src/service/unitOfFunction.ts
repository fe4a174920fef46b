/** A unit made on request from an exported async function that no framework registers. */
import type { Model } from '../model/model.ts';
import type { SourceFile } from '../model/project.ts';
import type { UnitRef } from '../units/discover.ts';

/** Null when no named function is at the offset. */
export function unitOfFunction(model: Model, file: SourceFile, offset: number): UnitRef | null {
  const inner = file.index.innermost(offset);
  if (inner === 0) return null;
  const fact = file.facts.functions[model.outermost(file, inner)];
  if (!fact || fact.id === 0 || fact.name === null) return null;
  const cls = fact.cls >= 0 ? file.facts.classes[fact.cls] : undefined;
  const symbol = cls?.name ? `${cls.name}.${fact.name}` : fact.name;
  return {
    unit: {
      id: `${file.path}#${symbol}`,
      kind: 'function',
      name: symbol,
      symbol,
      framework: 'function',
      file: file.path,
      start: file.lines.positionAt(fact.s),
      end: file.lines.positionAt(fact.e),
      startOffset: fact.s,
      endOffset: fact.e,
      route: null,
      method: null,
      handler: {
        file: file.path,
        fn: fact.id,
        start: file.lines.positionAt(fact.s),
        end: file.lines.positionAt(fact.e),
      },
    },
    file,
    fn: fact.id,
  };
}
