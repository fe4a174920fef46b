/** What an inverse is: how one kind of mechanism is taken out of the code around a row's place. */
import type { TextEdit } from '../../base/textEdit.ts';
import type { FunctionFact } from '../../facts/ir.ts';
import type { AnyNode } from '../../facts/walk.ts';
import type { Frame } from '../../model/frames.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';

/** One place that a row is about. */
export interface Spot {
  readonly model: Model;
  readonly file: SourceFile;
  /** The function it is written in. */
  readonly fn: number;
  readonly node: AnyNode;
  /** Null where the place is no call. */
  readonly site: Site | null;
  /** Calls that lead here, outermost first. */
  readonly via: readonly Site[];
}

export interface Edit extends TextEdit {
  /** Relative to the root. */
  readonly file: string;
}

export interface Inverse {
  readonly id: string;
  /** What is gone afterwards: `the time limit`. */
  readonly what: string;
  readonly rules: readonly string[];
  /** Words of a row's `how` that mean this mechanism, for rows without a rule. */
  readonly words: RegExp;
  /** Empty when there is nothing of its kind here. Edits of one answer do not overlap. */
  remove(spot: Spot): readonly Edit[];
  /** A ruder way, for when `remove` finds nothing at any place of the row. */
  otherwise?(spot: Spot): readonly Edit[];
}

export function edit(
  file: SourceFile,
  span: { readonly s: number; readonly e: number },
  newText: string,
): Edit {
  return { file: file.path, start: span.s, end: span.e, newText };
}

export function textOf(file: SourceFile, node: { readonly s: number; readonly e: number }): string {
  return file.text.slice(node.s, node.e);
}

export interface Around {
  readonly file: SourceFile;
  readonly frame: Frame;
}

/** What surrounds the place and, for each call that leads to it, what surrounds that call; innermost first. */
export function* framesAround({ model, file, fn, node, via }: Spot): Generator<Around> {
  for (const frame of model.frames.around(file, node, fn)) yield { file, frame };
  for (const call of [...via].reverse())
    for (const frame of model.frames.around(call.file, call.node, call.fn)) yield { file: call.file, frame };
}

export interface Body {
  readonly file: SourceFile;
  readonly fact: FunctionFact;
}

/** The named function that holds the place, those that lead to it, and all written inside them. */
export function bodiesAround({ model, file, fn, via }: Spot): readonly Body[] {
  const out: Body[] = [];
  const seen = new Set<FunctionFact>();
  for (const at of [{ file, fn }, ...[...via].reverse()])
    for (const fact of model.within(at.file, model.outermost(at.file, at.fn)))
      if (!seen.has(fact)) {
        seen.add(fact);
        out.push({ file: at.file, fact });
      }
  return out;
}
