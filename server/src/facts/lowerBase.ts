/** State that every part of a lowering shares, and the limit on nesting. */
import type { ts } from '../syntax/compiler.ts';
import { CommentReader } from './comments.ts';
import type { ClassFact, ExportFact, FunctionFact, InterfaceFact } from './ir.ts';
import { startOf, type Mutable } from './nodes.ts';
import { ScopeBuilder } from './scopes.ts';

/** Nesting beyond this is machine-made; deeper nodes are kept as opaque so that the walk cannot overflow the stack. */
export const MAX_DEPTH = 600;

export abstract class LoweringBase {
  protected readonly text: string;
  protected readonly functions: FunctionFact[] = [];
  protected readonly classes: ClassFact[] = [];
  protected readonly exports: ExportFact[] = [];
  protected readonly specifiers = new Set<string>();
  protected readonly interfaces: InterfaceFact[] = [];
  protected readonly scopes = new ScopeBuilder();
  protected readonly comments: CommentReader;
  /** The function and class that are being lowered. */
  protected ctx: { readonly id: number; readonly cls: number } = { id: 0, cls: -1 };
  protected depth = 0;
  /** Where nesting first went beyond `MAX_DEPTH`; -1 while it has not. */
  protected tooDeep = -1;
  protected jsx = false;

  constructor(
    protected readonly path: string,
    protected readonly source: ts.SourceFile,
  ) {
    this.text = source.text;
    this.comments = new CommentReader(source);
  }

  protected blank(id: number, kind: FunctionFact['kind'], node: ts.Node): Mutable<FunctionFact> {
    const start = kind === 'module' ? 0 : this.start(node);
    return {
      id,
      name: null,
      kind,
      async: false,
      generator: false,
      static: false,
      params: [],
      ret: null,
      body: [],
      exprBody: false,
      bs: start,
      parent: kind === 'module' ? -1 : this.ctx.id,
      cls: -1,
      decorators: [],
      exported: false,
      ns: start,
      ne: start,
      directives: [],
      s: start,
      e: node.end,
    };
  }

  /** True beyond the deepest nesting that is read; notes the place. */
  protected isTooDeep(node: ts.Node): boolean {
    if (this.depth <= MAX_DEPTH) return false;
    if (this.tooDeep < 0) this.tooDeep = this.start(node);
    return true;
  }

  protected start(node: ts.Node): number {
    return startOf(this.text, node);
  }
}
