/** Type annotations as far as names go. */
import { ts } from '../syntax/compiler.ts';
import type { TypeRef } from './ir.ts';
import { LoweringBase } from './lowerBase.ts';
import { propertyKey } from './nodes.ts';

export abstract class TypeLowering extends LoweringBase {
  protected heritageType(node: ts.ExpressionWithTypeArguments): TypeRef {
    return this.typeRef(node.expression, node.typeArguments, node);
  }

  protected typeRef(name: ts.Node, targs: readonly ts.TypeNode[] | undefined, node: ts.Node): TypeRef {
    const text = this.text.slice(this.start(name), name.end);
    return this.typeNode(
      text,
      (targs ?? []).map((t) => this.type(t)),
      node,
      null,
      text.split('.')[0],
    );
  }

  protected typeNode(
    name: string,
    args: readonly TypeRef[],
    node: ts.Node,
    members: Record<string, TypeRef> | null = null,
    reference?: string,
  ): TypeRef {
    const type: TypeRef = { name, args, b: -1, members, s: this.start(node), e: node.end };
    if (reference && /^[\w$]+$/.test(reference)) this.scopes.referenceType(type, reference);
    return type;
  }

  protected type(node: ts.TypeNode): TypeRef {
    if (this.isTooDeep(node)) return this.typeNode('?', [], node);
    this.depth++;
    try {
      return this.typeAt(node);
    } finally {
      this.depth--;
    }
  }

  protected typeAt(node: ts.TypeNode): TypeRef {
    if (ts.isTypeReferenceNode(node)) return this.typeRef(node.typeName, node.typeArguments, node);
    if (ts.isArrayTypeNode(node)) return this.typeNode('[]', [this.type(node.elementType)], node);
    if (ts.isTupleTypeNode(node))
      return this.typeNode(
        '[,]',
        node.elements.map((t) => this.type(t)),
        node,
      );
    if (ts.isUnionTypeNode(node))
      return this.typeNode(
        '|',
        node.types.map((t) => this.type(t)),
        node,
      );
    if (ts.isIntersectionTypeNode(node))
      return this.typeNode(
        '&',
        node.types.map((t) => this.type(t)),
        node,
      );
    if (ts.isParenthesizedTypeNode(node)) return this.type(node.type);
    if (ts.isNamedTupleMember(node)) return this.type(node.type);
    if (ts.isTypeLiteralNode(node)) return this.typeNode('{}', [], node, this.typeMembers(node.members));
    if (ts.isFunctionTypeNode(node)) return this.typeNode('=>', [this.type(node.type)], node);
    if (ts.isTypeQueryNode(node)) {
      const text = this.text.slice(this.start(node.exprName), node.exprName.end);
      return this.typeNode('typeof', [this.typeNode(text, [], node, null, text.split('.')[0])], node);
    }
    if (ts.isTypeOperatorNode(node)) return this.type(node.type);
    if (ts.isImportTypeNode(node)) {
      const arg = node.argument;
      if (ts.isLiteralTypeNode(arg) && ts.isStringLiteralLike(arg.literal)) {
        this.specifiers.add(arg.literal.text);
        const q = node.qualifier ? this.text.slice(this.start(node.qualifier), node.qualifier.end) : '*';
        return this.typeNode(`import:${arg.literal.text}:${q}`, [], node);
      }
    }
    if (ts.isLiteralTypeNode(node))
      return this.typeNode(this.text.slice(this.start(node), node.end), [], node);
    return this.typeNode(ts.tokenToString(node.kind) ?? '?', [], node);
  }

  protected typeMembers(members: ts.NodeArray<ts.TypeElement>): Record<string, TypeRef> {
    const out: Record<string, TypeRef> = Object.create(null) as Record<string, TypeRef>;
    for (const m of members) {
      const key = m.name ? propertyKey(m.name) : null;
      if (!key) continue;
      if (ts.isPropertySignature(m) && m.type) out[key] = this.type(m.type);
      else if (ts.isMethodSignature(m) && m.type) out[key] = this.typeNode('=>', [this.type(m.type)], m);
    }
    return out;
  }
}
