/** What a unit finder is: one framework's idiom, turned into units. Owns the contract between finders and discovery. */
import type { UnitKind } from '../base/vocabulary.ts';
import type { Expr, FunctionFact } from '../facts/ir.ts';
import type { AnyNode } from '../facts/walk.ts';
import type { Model } from '../model/model.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';

/** A found unit before it gets its id: where it is registered and which function handles it. */
export interface UnitDraft {
  readonly kind: UnitKind;
  readonly name: string;
  /** The registration: `router.post "/x"`, `Class.method`, or a function name. */
  readonly symbol: string;
  readonly route?: string | null;
  readonly method?: string | null;
  /** The registering call, decorator or declaration. */
  readonly at: AnyNode | FunctionFact;
  readonly handler: { readonly file: SourceFile; readonly fn: number };
}

export interface FinderContext {
  readonly model: Model;
  readonly file: SourceFile;
  /** Every call site of the file. */
  readonly sites: readonly Site[];
  /**
   * The function behind an expression: inline, by name, imported, wrapped in higher-order functions (the last function
   * among their arguments), or under one of `keys` in an options object. Null when it cannot be told.
   */
  handler(expr: Expr, keys?: readonly string[]): { file: SourceFile; fn: number } | null;
  /** The text of a string argument; template holes as `:param`. Null when it is not one. */
  text(expr: Expr | undefined): string | null;
}

export interface UnitFinder {
  readonly id: string;
  /** Quick test on the file's specifiers, path or directives, so that most finders skip most files. */
  applies(file: SourceFile): boolean;
  find(ctx: FinderContext): readonly UnitDraft[];
}

export function defineFinder(finder: UnitFinder): UnitFinder {
  return finder;
}
