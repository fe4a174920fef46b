/** Small questions about compiler nodes. Pure; owns no state of a lowering. */
import { ts } from '../syntax/compiler.ts';
import type { Expr } from './ir.ts';

const K = ts.SyntaxKind;
// Exported by the compiler at run time, though not in its public typings; `getStart` costs a parent look-up more.
const { skipTrivia } = ts as unknown as { skipTrivia: (text: string, pos: number) => number };

export type Mutable<T> = { -readonly [P in keyof T]: T[P] };

/** Where a node's own text begins, behind white space and comments. */
export function startOf(text: string, node: ts.Node): number {
  // What the parser made up has no width: skipping on would put its start behind its end.
  return node.pos === node.end ? node.pos : skipTrivia(text, node.pos);
}

export function missing(at: number): Expr {
  return { k: 'other', what: 'missing', kids: [], s: at, e: at };
}

export function unwrap(node: ts.Expression): ts.Expression {
  let at = node;
  while (ts.isParenthesizedExpression(at)) at = at.expression;
  return at;
}

export function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= K.FirstAssignment && kind <= K.LastAssignment;
}

export function isExpressionNode(node: ts.Node): node is ts.Expression {
  return ts.isExpression(node);
}

export function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  const modifiers = (node as { modifiers?: readonly ts.ModifierLike[] }).modifiers;
  return modifiers?.some((m) => m.kind === kind) ?? false;
}

export function propertyKey(name: ts.PropertyName | ts.BindingName): string | null {
  if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) return name.text;
  if (ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) return name.text;
  if (ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression)) return name.expression.text;
  return null;
}

export function enumValues(node: ts.EnumDeclaration): Record<string, string | number> {
  const values: Record<string, string | number> = Object.create(null) as Record<string, string | number>;
  let next = 0;
  for (const member of node.members) {
    const key = propertyKey(member.name);
    const init = member.initializer;
    if (init && ts.isStringLiteralLike(init)) {
      if (key) values[key] = init.text;
    } else {
      if (init && ts.isNumericLiteral(init)) next = Number(init.text);
      if (key) values[key] = next;
      next++;
    }
  }
  return values;
}

export function directivesOf(statements: readonly ts.Statement[]): string[] {
  const out: string[] = [];
  for (const st of statements) {
    if (!ts.isExpressionStatement(st) || !ts.isStringLiteral(st.expression)) break;
    out.push(st.expression.text);
  }
  return out;
}
