/**
 * Lowers a TypeScript syntax tree to the facts of `ir.ts`: the one walk over compiler nodes, in layers (types, patterns,
 * expressions, functions, statements). Knows no library. Half-typed code lowers to whatever the parser kept: a missing
 * expression becomes `other/missing`, never an exception.
 */
import { ts } from '../syntax/compiler.ts';
import type { ClassFact, Expr, FileFacts, FunctionFact } from './ir.ts';
import { MAX_DEPTH } from './lowerBase.ts';
import { StatementLowering } from './lowerStatements.ts';
import { directivesOf, type Mutable } from './nodes.ts';

export function lowerFile(path: string, source: ts.SourceFile): FileFacts {
  return new Lowering(path, source).run();
}

class Lowering extends StatementLowering {
  run(): FileFacts {
    const s = this.source;
    const moduleFn = this.blank(0, 'module', s);
    this.functions.push(moduleFn);
    this.scopes.push(0, true);
    this.hoist(s.statements);
    const body = this.stmts(s.statements);
    this.scopes.pop();
    moduleFn.body = body;
    const directives = directivesOf(s.statements);
    moduleFn.directives = directives;
    const bindings = this.scopes.finish();
    for (const exported of this.exports) {
      const binding = exported.local >= 0 ? bindings[exported.local] : undefined;
      if (binding?.decl?.k === 'fn')
        (this.functions[binding.decl.fn] as Mutable<FunctionFact>).exported = true;
      else if (binding?.decl?.k === 'cls')
        (this.classes[binding.decl.cls] as Mutable<ClassFact>).exported = true;
      else if (binding?.decl?.k === 'init') this.markExported(binding.decl.init);
      else if (exported.expr) this.markExported(exported.expr);
    }
    const errors =
      (s as unknown as { parseDiagnostics?: ts.DiagnosticWithLocation[] }).parseDiagnostics ?? [];
    return {
      path: this.path,
      lineStarts: s.getLineStarts() as number[],
      syntaxErrors: [
        ...(this.tooDeep >= 0
          ? [{ s: this.tooDeep, message: `Code is nested more than ${MAX_DEPTH} levels deep here.` }]
          : []),
        ...errors.slice(0, 20).map((d) => ({
          s: d.start,
          message: ts.flattenDiagnosticMessageText(d.messageText, ' '),
        })),
      ],
      functions: this.functions,
      classes: this.classes,
      bindings,
      exports: this.exports,
      specifiers: [...this.specifiers],
      interfaces: this.interfaces,
      directives,
      comments: this.comments.marked(),
      jsx: this.jsx,
    };
  }

  protected markExported(expr: Expr): void {
    if (expr.k === 'fn') (this.functions[expr.fn] as Mutable<FunctionFact>).exported = true;
    else if (expr.k === 'as') this.markExported(expr.arg);
    else if (expr.k === 'cls') (this.classes[expr.cls] as Mutable<ClassFact>).exported = true;
  }
}
