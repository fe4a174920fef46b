/** Names that statements declare before they run, and destructuring on both sides of an assignment. */
import { ts } from '../syntax/compiler.ts';
import type { Decl, Expr, PathStepFact, Pattern, PatProp } from './ir.ts';
import { TypeLowering } from './lowerTypes.ts';
import { enumValues, propertyKey, type Mutable } from './nodes.ts';

const K = ts.SyntaxKind;

export abstract class PatternLowering extends TypeLowering {
  protected abstract expr(node: ts.Expression): Expr;

  /** Declares functions, classes, imports and `var`-free lexical names of a statement list before their uses are read. */
  protected hoist(statements: readonly ts.Statement[]): void {
    for (const st of statements) {
      if (ts.isFunctionDeclaration(st)) {
        if (st.name) this.scopes.declare(st.name.text, 'fn', this.ctx.id, this.start(st.name));
      } else if (ts.isClassDeclaration(st)) {
        if (st.name) this.scopes.declare(st.name.text, 'class', this.ctx.id, this.start(st.name));
      } else if (ts.isVariableStatement(st)) {
        this.hoistVars(st.declarationList);
      } else if (ts.isEnumDeclaration(st)) {
        const b = this.scopes.declare(st.name.text, 'enum', this.ctx.id, this.start(st.name));
        this.scopes.setDecl(b, { k: 'enum', values: enumValues(st) });
      } else if (ts.isInterfaceDeclaration(st)) {
        this.scopes.declareType(st.name.text, this.ctx.id, this.start(st.name));
      } else if (ts.isTypeAliasDeclaration(st)) {
        this.scopes.declareType(st.name.text, this.ctx.id, this.start(st.name));
      } else if (ts.isImportDeclaration(st)) this.hoistImport(st);
      else if (ts.isImportEqualsDeclaration(st)) this.hoistImportEquals(st);
      else if (ts.isModuleDeclaration(st) && ts.isIdentifier(st.name))
        this.scopes.declare(st.name.text, 'namespace', this.ctx.id, this.start(st.name));
    }
  }

  protected hoistVars(list: ts.VariableDeclarationList): void {
    const kind = list.flags & ts.NodeFlags.Const ? 'const' : list.flags & ts.NodeFlags.Let ? 'let' : 'var';
    for (const d of list.declarations) this.declareNames(d.name, kind);
  }

  protected declareNames(name: ts.BindingName, kind: 'const' | 'let' | 'var' | 'param' | 'catch'): void {
    if (ts.isIdentifier(name)) {
      this.scopes.declare(name.text, kind, this.ctx.id, this.start(name));
      return;
    }
    for (const el of name.elements) if (ts.isBindingElement(el)) this.declareNames(el.name, kind);
  }

  protected hoistImport(st: ts.ImportDeclaration): void {
    if (!ts.isStringLiteralLike(st.moduleSpecifier)) return;
    const from = st.moduleSpecifier.text;
    const clause = st.importClause;
    const typeOnly = clause?.isTypeOnly ?? false;
    if (!typeOnly) this.specifiers.add(from);
    if (!clause) return;
    const add = (id: ts.Identifier, name: string, type: boolean): void => {
      const b = this.scopes.declare(id.text, 'import', 0, this.start(id));
      this.scopes.setDecl(b, { k: 'import', from, name, typeOnly: type });
    };
    if (clause.name) add(clause.name, 'default', typeOnly);
    const named = clause.namedBindings;
    if (named && ts.isNamespaceImport(named)) add(named.name, '*', typeOnly);
    else if (named)
      for (const el of named.elements)
        add(el.name, (el.propertyName ?? el.name).text, typeOnly || el.isTypeOnly);
    // A type import still says which package a typed parameter belongs to.
    if (typeOnly) this.specifiers.add(from);
  }

  protected hoistImportEquals(st: ts.ImportEqualsDeclaration): void {
    const b = this.scopes.declare(st.name.text, 'import', 0, this.start(st.name));
    if (
      ts.isExternalModuleReference(st.moduleReference) &&
      ts.isStringLiteralLike(st.moduleReference.expression)
    ) {
      const from = st.moduleReference.expression.text;
      this.specifiers.add(from);
      this.scopes.setDecl(b, { k: 'import', from, name: '=', typeOnly: st.isTypeOnly });
    }
  }

  protected pattern(
    name: ts.BindingName,
    decl: ((path: readonly PathStepFact[]) => Decl) | null,
    path: readonly PathStepFact[],
  ): Pattern {
    const s = this.start(name);
    const e = name.end;
    if (ts.isIdentifier(name)) {
      const b = this.scopes.lookup(name.text);
      if (decl && b >= 0) this.scopes.setDecl(b, decl(path));
      return { k: 'pid', name: name.text, b, s, e };
    }
    if (ts.isObjectBindingPattern(name)) {
      const props: PatProp[] = [];
      let rest: Pattern | null = null;
      for (const el of name.elements) {
        if (el.dotDotDotToken) {
          rest = this.pattern(el.name, decl, [...path, '...']);
          continue;
        }
        const keyNode = el.propertyName ?? el.name;
        const key = propertyKey(keyNode);
        const computed =
          el.propertyName && ts.isComputedPropertyName(el.propertyName)
            ? this.expr(el.propertyName.expression)
            : null;
        const value = this.withDefault(el, decl, [...path, key ?? '*']);
        props.push({ key, computed, value, s: this.start(el), e: el.end });
      }
      return { k: 'pobj', props, rest, s, e };
    }
    const items = name.elements.map((el, i) => {
      if (!ts.isBindingElement(el)) return null;
      return el.dotDotDotToken
        ? this.pattern(el.name, decl, [...path, '...'])
        : this.withDefault(el, decl, [...path, i]);
    });
    return { k: 'parr', items, s, e };
  }

  protected withDefault(
    el: ts.BindingElement,
    decl: ((path: readonly PathStepFact[]) => Decl) | null,
    path: readonly PathStepFact[],
  ): Pattern {
    const target = this.pattern(el.name, decl, path);
    if (!el.initializer) return target;
    const value = this.expr(el.initializer);
    return { k: 'pdef', target, value, s: this.start(el), e: el.end };
  }

  /** A destructuring assignment target; marks every name in it as written with an unknown value. */
  protected assignPattern(node: ts.Expression): Pattern {
    const s = this.start(node);
    const e = node.end;
    if (ts.isObjectLiteralExpression(node)) {
      const props: PatProp[] = [];
      let rest: Pattern | null = null;
      for (const p of node.properties) {
        if (ts.isShorthandPropertyAssignment(p)) {
          const value = this.assignPattern(p.name);
          props.push({ key: p.name.text, computed: null, value, s: this.start(p), e: p.end });
        } else if (ts.isPropertyAssignment(p)) {
          props.push({
            key: propertyKey(p.name),
            computed: null,
            value: this.assignPattern(p.initializer),
            s: this.start(p),
            e: p.end,
          });
        } else if (ts.isSpreadAssignment(p)) rest = this.assignPattern(p.expression);
      }
      return { k: 'pobj', props, rest, s, e };
    }
    if (ts.isArrayLiteralExpression(node))
      return {
        k: 'parr',
        items: node.elements.map((el) =>
          ts.isOmittedExpression(el) ? null : this.assignPattern(ts.isSpreadElement(el) ? el.expression : el),
        ),
        s,
        e,
      };
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken) {
      const target = this.assignPattern(node.left);
      return { k: 'pdef', target, value: this.expr(node.right), s, e };
    }
    if (ts.isIdentifier(node)) {
      const id: Mutable<Pattern & { k: 'pid' }> = { k: 'pid', name: node.text, b: -1, s, e };
      this.scopes.reference(id, this.ctx.id, null);
      return id;
    }
    return { k: 'pexpr', expr: this.expr(node), s, e };
  }
}
