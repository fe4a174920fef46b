/**
 * Lexical scopes of one file while it is lowered. Owns the list of bindings and resolves every name to one of them
 * at the end, so that uses before a declaration find it. Types and values have separate name spaces.
 */
import type { Binding, Decl, Expr, Ident, PatId, TypeRef } from './ir.ts';

type MutableBinding = { -readonly [P in keyof Binding]: Binding[P] } & { writes: (Expr | null)[] };

interface Scope {
  readonly parent: Scope | null;
  readonly fn: number;
  readonly isFunction: boolean;
  readonly names: Map<string, number>;
  types: Map<string, number> | null;
}

export class ScopeBuilder {
  private readonly bindings: MutableBinding[] = [];
  private readonly pending: {
    node: Ident | PatId;
    scope: Scope;
    fn: number;
    write: Expr | null | undefined;
  }[] = [];
  private readonly pendingTypes: { type: TypeRef; name: string; scope: Scope }[] = [];
  private readonly at = new Map<Ident | PatId, number>();
  private scope: Scope | null = null;

  push(fn: number, isFunction: boolean): void {
    this.scope = { parent: this.scope, fn, isFunction, names: new Map(), types: null };
  }

  pop(): void {
    this.scope = this.scope?.parent ?? null;
  }

  declare(name: string, kind: Binding['kind'], fn: number, s: number): number {
    let scope = this.scope as Scope;
    if (kind === 'var') while (!scope.isFunction && scope.parent) scope = scope.parent;
    const existing = scope.names.get(name);
    if (existing !== undefined) return existing;
    const id = this.add(name, kind, fn, s);
    scope.names.set(name, id);
    return id;
  }

  declareType(name: string, fn: number, s: number): number {
    const scope = this.scope as Scope;
    scope.types ??= new Map();
    const existing = scope.types.get(name);
    if (existing !== undefined) return existing;
    const id = this.add(name, 'type', fn, s);
    scope.types.set(name, id);
    return id;
  }

  private add(name: string, kind: Binding['kind'], fn: number, s: number): number {
    this.bindings.push({ name, kind, fn, s, decl: null, writes: [], closureWrite: false, reads: 0 });
    return this.bindings.length - 1;
  }

  setDecl(binding: number, decl: Decl): void {
    const b = this.bindings[binding];
    if (b && (b.decl === null || decl.k === 'fn')) b.decl = decl;
  }

  hasDecl(binding: number): boolean {
    return this.bindings[binding]?.decl != null;
  }

  lookup(name: string): number {
    for (let scope = this.scope; scope; scope = scope.parent) {
      const found = scope.names.get(name);
      if (found !== undefined) return found;
    }
    return -1;
  }

  lookupType(name: string): number {
    for (let scope = this.scope; scope; scope = scope.parent) {
      const found = scope.types?.get(name) ?? scope.names.get(name);
      if (found !== undefined) return found;
    }
    return -1;
  }

  /** Notes a use. `write` undefined: a read; else the assigned value (null when unknown). */
  reference(node: Ident | PatId, fn: number, write: Expr | null | undefined): void {
    this.at.set(node, this.pending.length);
    this.pending.push({ node, scope: this.scope as Scope, fn, write });
  }

  /** Turns the use that was just noted into a write. */
  markWrite(node: Ident, value: Expr | null): void {
    const index = this.at.get(node);
    const use = index === undefined ? undefined : this.pending[index];
    if (use) use.write = value;
  }

  referenceType(type: TypeRef, name: string): void {
    this.pendingTypes.push({ type, name, scope: this.scope as Scope });
  }

  finish(): Binding[] {
    for (const use of this.pending) {
      let found = -1;
      for (let scope: Scope | null = use.scope; scope; scope = scope.parent) {
        const b = scope.names.get(use.node.name);
        if (b !== undefined) {
          found = b;
          break;
        }
      }
      use.node.b = found;
      const binding = this.bindings[found];
      if (!binding) continue;
      if (use.write === undefined) binding.reads++;
      else {
        binding.writes.push(use.write);
        if (use.fn !== binding.fn) binding.closureWrite = true;
      }
    }
    for (const use of this.pendingTypes) {
      for (let scope: Scope | null = use.scope; scope; scope = scope.parent) {
        const b = scope.types?.get(use.name) ?? scope.names.get(use.name);
        if (b !== undefined) {
          use.type.b = b;
          break;
        }
      }
    }
    return this.bindings;
  }
}
