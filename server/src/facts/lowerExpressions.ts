/** Expressions. Functions and classes in them are lowered by the layer above. */
import { ts } from '../syntax/compiler.ts';
import type { Expr, FunctionFact, Prop } from './ir.ts';
import { PatternLowering } from './lowerPatterns.ts';
import { isAssignment, isExpressionNode, missing, propertyKey, unwrap } from './nodes.ts';

const K = ts.SyntaxKind;

/** Longer chains of operators are kept as a flat list of their operands: a tree of them would be as deep as it is long. */
const MAX_OPERANDS = 300;

export abstract class ExpressionLowering extends PatternLowering {
  protected abstract fn(
    node: ts.SignatureDeclaration | ts.ClassStaticBlockDeclaration,
    kind: FunctionFact['kind'],
    name: string | null,
    nameNode: ts.Node | undefined,
    cls?: number,
  ): number;
  protected abstract cls(node: ts.ClassLikeDeclaration): number;
  protected abstract markExported(expr: Expr): void;

  /** An expression that is given to a name: functions and classes without one take it. */
  protected exprNamed(node: ts.Expression, nameNode: ts.Identifier | ts.PrivateIdentifier | null): Expr {
    const inner = unwrap(node);
    if (nameNode && (ts.isArrowFunction(inner) || ts.isFunctionExpression(inner))) {
      const own = ts.isFunctionExpression(inner) ? inner.name : undefined;
      const fn = this.fn(
        inner,
        ts.isArrowFunction(inner) ? 'arrow' : 'function',
        own?.text ?? nameNode.text,
        own ?? nameNode,
      );
      return { k: 'fn', fn, s: this.start(inner), e: inner.end };
    }
    return this.expr(node);
  }

  protected expr(node: ts.Expression): Expr {
    if (this.isTooDeep(node)) return missing(node.end);
    this.depth++;
    try {
      return this.exprAt(node);
    } finally {
      this.depth--;
    }
  }

  protected exprs(list: readonly ts.Expression[]): Expr[] {
    return list.map((x) => this.expr(x));
  }

  protected exprAt(node: ts.Expression): Expr {
    const s = this.start(node);
    const e = node.end;
    switch (node.kind) {
      case K.Identifier: {
        const text = (node as ts.Identifier).text;
        if (text === '') return missing(e);
        const id = { k: 'id' as const, name: text, b: -1, s, e };
        this.scopes.reference(id, this.ctx.id, undefined);
        return id;
      }
      case K.PropertyAccessExpression: {
        const n = node as ts.PropertyAccessExpression;
        return {
          k: 'mem',
          obj: this.expr(n.expression),
          prop: n.name.text,
          ps: this.start(n.name),
          opt: n.questionDotToken !== undefined,
          s,
          e,
        };
      }
      case K.ElementAccessExpression: {
        const n = node as ts.ElementAccessExpression;
        const index = n.argumentExpression;
        if (index && ts.isStringLiteralLike(index))
          return {
            k: 'mem',
            obj: this.expr(n.expression),
            prop: index.text,
            ps: this.start(index),
            opt: n.questionDotToken !== undefined,
            s,
            e,
          };
        return { k: 'idx', obj: this.expr(n.expression), index: index ? this.expr(index) : missing(e), s, e };
      }
      case K.CallExpression: {
        const n = node as ts.CallExpression;
        if (n.expression.kind === K.ImportKeyword) {
          const arg = n.arguments[0];
          if (arg && ts.isStringLiteralLike(arg)) this.specifiers.add(arg.text);
          return { k: 'import', arg: arg ? this.expr(arg) : missing(e), s, e };
        }
        if (ts.isIdentifier(n.expression) && n.expression.text === 'require') {
          const arg = n.arguments[0];
          if (arg && ts.isStringLiteralLike(arg)) this.specifiers.add(arg.text);
        }
        return {
          k: 'call',
          callee: this.expr(n.expression),
          args: this.exprs(n.arguments),
          targs: n.typeArguments ? n.typeArguments.map((t) => this.type(t)) : null,
          opt: n.questionDotToken !== undefined,
          s,
          e,
        };
      }
      case K.NewExpression: {
        const n = node as ts.NewExpression;
        return {
          k: 'new',
          callee: this.expr(n.expression),
          args: this.exprs(n.arguments ?? []),
          targs: n.typeArguments ? n.typeArguments.map((t) => this.type(t)) : null,
          s,
          e,
        };
      }
      case K.StringLiteral:
      case K.NoSubstitutionTemplateLiteral:
        return { k: 'lit', kind: 'string', value: (node as ts.StringLiteralLike).text, s, e };
      case K.NumericLiteral:
        return { k: 'lit', kind: 'number', value: Number((node as ts.NumericLiteral).text), s, e };
      case K.BigIntLiteral:
        return { k: 'lit', kind: 'bigint', value: (node as ts.BigIntLiteral).text, s, e };
      case K.RegularExpressionLiteral:
        return { k: 'lit', kind: 'regex', value: (node as ts.RegularExpressionLiteral).text, s, e };
      case K.TrueKeyword:
      case K.FalseKeyword:
        return { k: 'lit', kind: 'boolean', value: node.kind === K.TrueKeyword, s, e };
      case K.NullKeyword:
        return { k: 'lit', kind: 'null', value: null, s, e };
      case K.ThisKeyword:
        return { k: 'this', cls: this.ctx.cls, s, e };
      case K.SuperKeyword:
        return { k: 'super', cls: this.ctx.cls, s, e };
      case K.TemplateExpression: {
        const n = node as ts.TemplateExpression;
        return {
          k: 'tmpl',
          quasis: [n.head.text, ...n.templateSpans.map((t) => t.literal.text)],
          exprs: n.templateSpans.map((t) => this.expr(t.expression)),
          s,
          e,
        };
      }
      case K.TaggedTemplateExpression: {
        const n = node as ts.TaggedTemplateExpression;
        const tag = this.expr(n.tag);
        if (ts.isNoSubstitutionTemplateLiteral(n.template))
          return { k: 'tag', tag, quasis: [n.template.text], exprs: [], s, e };
        return {
          k: 'tag',
          tag,
          quasis: [n.template.head.text, ...n.template.templateSpans.map((t) => t.literal.text)],
          exprs: n.template.templateSpans.map((t) => this.expr(t.expression)),
          s,
          e,
        };
      }
      case K.ObjectLiteralExpression:
        return { k: 'obj', props: this.props(node as ts.ObjectLiteralExpression), s, e };
      case K.ArrayLiteralExpression:
        return {
          k: 'arr',
          items: (node as ts.ArrayLiteralExpression).elements
            .filter((x) => !ts.isOmittedExpression(x))
            .map((x) => this.expr(x)),
          s,
          e,
        };
      case K.ArrowFunction:
        return { k: 'fn', fn: this.fn(node as ts.ArrowFunction, 'arrow', null, undefined), s, e };
      case K.FunctionExpression: {
        const n = node as ts.FunctionExpression;
        return { k: 'fn', fn: this.fn(n, 'function', n.name?.text ?? null, n.name), s, e };
      }
      case K.ClassExpression:
        return { k: 'cls', cls: this.cls(node as ts.ClassExpression), s, e };
      case K.AwaitExpression:
        return { k: 'await', arg: this.expr((node as ts.AwaitExpression).expression), s, e };
      case K.YieldExpression: {
        const n = node as ts.YieldExpression;
        return {
          k: 'yield',
          arg: n.expression ? this.expr(n.expression) : null,
          star: n.asteriskToken !== undefined,
          s,
          e,
        };
      }
      case K.ParenthesizedExpression:
        return this.expr((node as ts.ParenthesizedExpression).expression);
      case K.NonNullExpression:
        return { k: 'as', arg: this.expr((node as ts.NonNullExpression).expression), type: null, s, e };
      case K.AsExpression:
      case K.SatisfiesExpression:
      case K.TypeAssertionExpression: {
        const n = node as ts.AsExpression;
        return { k: 'as', arg: this.expr(n.expression), type: this.type(n.type), s, e };
      }
      case K.ConditionalExpression: {
        const n = node as ts.ConditionalExpression;
        return {
          k: 'cond',
          test: this.expr(n.condition),
          yes: this.expr(n.whenTrue),
          no: this.expr(n.whenFalse),
          s,
          e,
        };
      }
      case K.SpreadElement:
        return { k: 'spread', arg: this.expr((node as ts.SpreadElement).expression), s, e };
      case K.PrefixUnaryExpression:
      case K.PostfixUnaryExpression: {
        const n = node as ts.PrefixUnaryExpression | ts.PostfixUnaryExpression;
        const op = ts.tokenToString(n.operator) ?? '?';
        const arg = this.expr(n.operand);
        if ((op === '++' || op === '--') && arg.k === 'id') this.scopes.markWrite(arg, null);
        return { k: 'un', op, prefix: node.kind === K.PrefixUnaryExpression, arg, s, e };
      }
      case K.TypeOfExpression:
        return {
          k: 'un',
          op: 'typeof',
          prefix: true,
          arg: this.expr((node as ts.TypeOfExpression).expression),
          s,
          e,
        };
      case K.VoidExpression:
        return {
          k: 'un',
          op: 'void',
          prefix: true,
          arg: this.expr((node as ts.VoidExpression).expression),
          s,
          e,
        };
      case K.DeleteExpression:
        return {
          k: 'un',
          op: 'delete',
          prefix: true,
          arg: this.expr((node as ts.DeleteExpression).expression),
          s,
          e,
        };
      case K.BinaryExpression:
        return this.binary(node as ts.BinaryExpression, s, e);
      case K.ExpressionWithTypeArguments:
        return this.expr((node as ts.ExpressionWithTypeArguments).expression);
      case K.JsxElement:
      case K.JsxSelfClosingElement:
      case K.JsxFragment:
        this.jsx = true;
        return this.other(node, 'jsx');
      case K.MetaProperty:
        return { k: 'other', what: 'meta', kids: [], s, e };
      case K.OmittedExpression:
        return missing(e);
      default:
        return this.other(node, 'other');
    }
  }

  protected other(node: ts.Node, what: 'jsx' | 'other'): Expr {
    const kids: Expr[] = [];
    const visit = (child: ts.Node): void => {
      if (ts.isJsxExpression(child)) {
        if (child.expression) kids.push(this.expr(child.expression));
      } else if (ts.isJsxSpreadAttribute(child)) kids.push(this.expr(child.expression));
      else if (ts.isJsxElement(child) || ts.isJsxSelfClosingElement(child) || ts.isJsxFragment(child))
        kids.push(this.expr(child as ts.Expression));
      else if (what === 'other' && isExpressionNode(child)) kids.push(this.expr(child));
      else ts.forEachChild(child, visit);
    };
    ts.forEachChild(node, visit);
    return { k: 'other', what, kids, s: this.start(node), e: node.end };
  }

  protected binary(root: ts.BinaryExpression, s: number, e: number): Expr {
    const op = ts.tokenToString(root.operatorToken.kind) ?? '?';
    if (op === ',') {
      const kids: Expr[] = [];
      let at: ts.Expression = root;
      const tail: ts.Expression[] = [];
      while (ts.isBinaryExpression(at) && at.operatorToken.kind === K.CommaToken) {
        tail.push(at.right);
        at = at.left;
      }
      kids.push(this.expr(at), ...tail.reverse().map((x) => this.expr(x)));
      return { k: 'other', what: 'seq', kids, s, e };
    }
    if (isAssignment(root.operatorToken.kind)) {
      const left = unwrap(root.left);
      if (op === '=' && (ts.isObjectLiteralExpression(left) || ts.isArrayLiteralExpression(left))) {
        const value = this.expr(root.right);
        return { k: 'asg', op, target: this.assignPattern(left), value, s, e };
      }
      const target = this.expr(root.left);
      const value = this.exprNamed(root.right, ts.isIdentifier(left) ? left : null);
      if (target.k === 'id') this.scopes.markWrite(target, value);
      if (target.k === 'mem') this.commonJsExport(target, value);
      return { k: 'asg', op, target, value, s, e };
    }
    // Long chains of `a + b + c …` nest to the left; walk them without recursion.
    const spine: ts.BinaryExpression[] = [];
    let at: ts.Expression = root;
    while (
      ts.isBinaryExpression(at) &&
      !isAssignment(at.operatorToken.kind) &&
      at.operatorToken.kind !== K.CommaToken
    ) {
      spine.push(at);
      at = at.left;
    }
    let result = this.expr(at);
    if (spine.length > MAX_OPERANDS) {
      const rest = spine.reverse().map((n) => this.expr(n.right));
      return { k: 'other', what: 'other', kids: [result, ...rest], s, e };
    }
    for (let i = spine.length - 1; i >= 0; i--) {
      const n = spine[i] as ts.BinaryExpression;
      const r = this.expr(n.right);
      result = {
        k: 'bin',
        op: ts.tokenToString(n.operatorToken.kind) ?? '?',
        l: result,
        r,
        s: result.s,
        e: n.end,
      };
    }
    return result;
  }

  /** `module.exports = …`, `module.exports.x = …` and `exports.x = …` at any depth of the file. */
  protected commonJsExport(target: Expr & { k: 'mem' }, value: Expr): void {
    const isModuleExports = (x: Expr): boolean =>
      x.k === 'mem' && x.prop === 'exports' && x.obj.k === 'id' && x.obj.name === 'module';
    let name: string | null = null;
    if (isModuleExports(target)) name = '=';
    else if (isModuleExports(target.obj) || (target.obj.k === 'id' && target.obj.name === 'exports'))
      name = target.prop;
    if (name === null) return;
    const local = value.k === 'id' ? this.scopes.lookup(value.name) : -1;
    this.exports.push({ name, local, expr: value, from: null, imported: null });
    this.markExported(value);
  }

  protected props(node: ts.ObjectLiteralExpression): Prop[] {
    const out: Prop[] = [];
    for (const p of node.properties) {
      const s = this.start(p);
      const e = p.end;
      if (ts.isPropertyAssignment(p)) {
        const key = propertyKey(p.name);
        const computed = ts.isComputedPropertyName(p.name) ? this.expr(p.name.expression) : null;
        const named = ts.isIdentifier(p.name) ? p.name : null;
        out.push({ key, computed, value: this.exprNamed(p.initializer, named), kind: 'init', s, e });
      } else if (ts.isShorthandPropertyAssignment(p)) {
        out.push({ key: p.name.text, computed: null, value: this.expr(p.name), kind: 'short', s, e });
      } else if (ts.isSpreadAssignment(p)) {
        out.push({ key: null, computed: null, value: this.expr(p.expression), kind: 'spread', s, e });
      } else {
        const kind = ts.isGetAccessor(p) ? 'get' : ts.isSetAccessor(p) ? 'set' : 'method';
        const key = propertyKey(p.name);
        const fnKind = kind === 'get' ? 'getter' : kind === 'set' ? 'setter' : 'method';
        const fn = this.fn(p, fnKind, key, p.name);
        out.push({ key, computed: null, value: { k: 'fn', fn, s, e }, kind, s, e });
      }
    }
    return out;
  }
}
