/** Functions, parameters, classes and decorators. */
import { ts } from '../syntax/compiler.ts';
import type { ClassFact, ClassProp, Decl, Expr, FunctionFact, Param, PathStepFact, Stmt } from './ir.ts';
import { ExpressionLowering } from './lowerExpressions.ts';
import { directivesOf, hasModifier, propertyKey, type Mutable } from './nodes.ts';

const K = ts.SyntaxKind;

export abstract class FunctionLowering extends ExpressionLowering {
  protected abstract stmts(list: readonly ts.Statement[]): Stmt[];

  protected fn(
    node: ts.SignatureDeclaration | ts.ClassStaticBlockDeclaration,
    kind: FunctionFact['kind'],
    name: string | null,
    nameNode: ts.Node | undefined,
    cls = -1,
  ): number {
    const id = this.functions.length;
    const fact = this.blank(id, kind, node);
    this.functions.push(fact);
    fact.name = name;
    fact.cls = cls;
    if (nameNode) {
      fact.ns = this.start(nameNode);
      fact.ne = nameNode.end;
    }
    fact.async = hasModifier(node, K.AsyncKeyword);
    fact.static = hasModifier(node, K.StaticKeyword);
    fact.generator = 'asteriskToken' in node && node.asteriskToken !== undefined;
    // Decorators run in the scope around the member.
    fact.decorators = this.decorators(node);
    const outer = this.ctx;
    this.ctx = { id, cls: cls >= 0 ? cls : outer.cls };
    this.scopes.push(id, true);
    if (ts.isFunctionExpression(node) && node.name) {
      const b = this.scopes.declare(node.name.text, 'fn', id, this.start(node.name));
      this.scopes.setDecl(b, { k: 'fn', fn: id });
    }
    if (!ts.isClassStaticBlockDeclaration(node)) {
      for (const p of node.parameters) this.declareNames(p.name, 'param');
      fact.params = node.parameters.map((p, index) => this.param(p, id, index));
      fact.ret = node.type ? this.type(node.type) : null;
    }
    const body = (node as ts.FunctionLikeDeclaration).body;
    if (body) {
      fact.bs = this.start(body);
      if (ts.isBlock(body)) {
        this.hoist(body.statements);
        fact.body = this.stmts(body.statements);
        fact.directives = directivesOf(body.statements);
      } else {
        const arg = this.expr(body);
        fact.body = [{ k: 'ret', arg, s: arg.s, e: arg.e }];
        fact.exprBody = true;
      }
    }
    this.scopes.pop();
    this.ctx = outer;
    return id;
  }

  protected param(p: ts.ParameterDeclaration, fn: number, index: number): Param {
    const type = p.type ? this.type(p.type) : null;
    const decl = (path: readonly PathStepFact[]): Decl => ({ k: 'param', fn, index, path, type });
    let target = this.pattern(p.name, decl, []);
    if (p.initializer) {
      const value = this.expr(p.initializer);
      target = { k: 'pdef', target, value, s: this.start(p), e: p.end };
    }
    const property =
      hasModifier(p, K.PrivateKeyword) ||
      hasModifier(p, K.PublicKeyword) ||
      hasModifier(p, K.ProtectedKeyword) ||
      hasModifier(p, K.ReadonlyKeyword) ||
      hasModifier(p, K.OverrideKeyword);
    return {
      target,
      type,
      rest: p.dotDotDotToken !== undefined,
      property,
      decorators: this.decorators(p),
      s: this.start(p),
      e: p.end,
    };
  }

  protected decorators(node: ts.Node): Expr[] {
    const modifiers = (node as { modifiers?: readonly ts.ModifierLike[] }).modifiers;
    if (!modifiers) return [];
    return modifiers.filter(ts.isDecorator).map((d) => this.expr(d.expression));
  }

  protected cls(node: ts.ClassLikeDeclaration): number {
    const id = this.classes.length;
    const methods: number[] = [];
    const props: ClassProp[] = [];
    const heritage = node.heritageClauses ?? [];
    const fact: Mutable<ClassFact> = {
      id,
      name: node.name?.text ?? null,
      extends: null,
      implements: [],
      methods,
      props,
      decorators: this.decorators(node),
      parent: this.ctx.id,
      exported: false,
      s: this.start(node),
      e: node.end,
    };
    this.classes.push(fact);
    for (const clause of heritage) {
      if (clause.token === K.ExtendsKeyword && clause.types[0]) {
        fact.extends = this.expr(clause.types[0].expression);
        if (clause.types[0].typeArguments)
          fact.implements = clause.types[0].typeArguments.map((t) => this.type(t));
      } else fact.implements = [...fact.implements, ...clause.types.map((t) => this.heritageType(t))];
    }
    const outer = this.ctx;
    this.ctx = { id: outer.id, cls: id };
    this.scopes.push(outer.id, false);
    if (ts.isClassExpression(node) && node.name) {
      const b = this.scopes.declare(node.name.text, 'class', outer.id, this.start(node.name));
      this.scopes.setDecl(b, { k: 'cls', cls: id });
    }
    for (const m of node.members) {
      if (ts.isMethodDeclaration(m)) methods.push(this.fn(m, 'method', propertyKey(m.name), m.name, id));
      else if (ts.isConstructorDeclaration(m))
        methods.push(this.fn(m, 'constructor', 'constructor', undefined, id));
      else if (ts.isGetAccessorDeclaration(m))
        methods.push(this.fn(m, 'getter', propertyKey(m.name), m.name, id));
      else if (ts.isSetAccessorDeclaration(m))
        methods.push(this.fn(m, 'setter', propertyKey(m.name), m.name, id));
      else if (ts.isClassStaticBlockDeclaration(m))
        methods.push(this.fn(m, 'static-block', null, undefined, id));
      else if (ts.isPropertyDeclaration(m)) {
        const named = ts.isIdentifier(m.name) || ts.isPrivateIdentifier(m.name) ? m.name : null;
        props.push({
          name: propertyKey(m.name) ?? '',
          static: hasModifier(m, K.StaticKeyword),
          init: m.initializer ? this.exprNamed(m.initializer, named) : null,
          type: m.type ? this.type(m.type) : null,
          decorators: this.decorators(m),
          s: this.start(m),
          e: m.end,
        });
      }
    }
    this.scopes.pop();
    this.ctx = outer;
    return id;
  }
}
