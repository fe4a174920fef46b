/** What an export name stands for in a file's own text: the expression to look at and the span that registers it. */
import type { Expr, FileFacts } from '../facts/ir.ts';

export interface ExportedExpr {
  readonly value: Expr;
  /** The declaration or expression. */
  readonly at: Expr;
}

export function exportedExpr(facts: FileFacts, name: string): ExportedExpr | null {
  const x = facts.exports.find((e) => e.name === name);
  if (!x || x.from !== null) return null;
  const binding = facts.bindings[x.local];
  if (binding?.decl?.k === 'init' && binding.decl.path.length === 0) {
    const { init } = binding.decl;
    return { value: init, at: { ...init, s: Math.min(binding.s, init.s) } as Expr };
  }
  if (binding?.decl?.k === 'fn') {
    const fn = facts.functions[binding.decl.fn];
    if (!fn) return null;
    const value: Expr = { k: 'fn', fn: fn.id, s: fn.s, e: fn.e };
    return { value, at: value };
  }
  if (binding?.decl?.k === 'import') {
    const value: Expr = {
      k: 'id',
      name: binding.name,
      b: x.local,
      s: binding.s,
      e: binding.s + binding.name.length,
    };
    return { value, at: value };
  }
  if (x.expr) return { value: x.expr, at: x.expr };
  return null;
}
