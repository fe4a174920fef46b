/**
 * Look-ups over one file's facts that are built when first asked for: parents, calls by function, where a function
 * is written. Never stored; derived from the facts alone.
 */
import type { Call, Expr, FileFacts, FnDecl, FnExpr, FunctionFact, Member, New, Stmt, Tagged } from './ir.ts';
import { eachPart, type AnyNode } from './walk.ts';

/** `obj.prop = value`, or another assignment operator. */
export interface MemberAssignment {
  readonly op: string;
  readonly target: Member;
  readonly value: Expr;
}

export type CallLike = Call | New | Tagged;

export class FileIndex {
  private readonly parents = new Map<AnyNode, AnyNode>();
  private readonly owners = new Map<AnyNode, number>();
  /** Calls, constructions and tagged templates written directly in each function, in source order of their start. */
  readonly calls: readonly (readonly CallLike[])[];
  /** The expression or declaration that holds each function; undefined for the module and class members. */
  private readonly holders: (FnExpr | FnDecl | undefined)[];
  /** Inner functions by the function whose span directly holds them, in source order. */
  private readonly children: number[][];
  /** Assignments to members anywhere in the file, by property name. */
  readonly assigned: ReadonlyMap<string, readonly MemberAssignment[]>;
  /** `try` statements by function. */
  readonly tries: readonly (readonly (Stmt & { k: 'try' })[])[];

  constructor(readonly facts: FileFacts) {
    const calls: CallLike[][] = facts.functions.map(() => []);
    const tries: (Stmt & { k: 'try' })[][] = facts.functions.map(() => []);
    const assigned = new Map<string, MemberAssignment[]>();
    this.holders = new Array<FnExpr | FnDecl | undefined>(facts.functions.length);
    this.children = facts.functions.map(() => []);
    // By span, not by parent: a decorator's function lies inside the span of the method it decorates.
    const open: FunctionFact[] = [];
    for (const fn of facts.functions) {
      while (open.length > 0 && fn.s >= (open.at(-1) as FunctionFact).e) open.pop();
      const around = open.at(-1);
      if (around) this.children[around.id]?.push(fn.id);
      open.push(fn);
    }
    const visitIn = (fn: number, root: AnyNode): void => {
      const visit = (node: AnyNode): void => {
        switch (node.k) {
          case 'call':
          case 'new':
          case 'tag':
            calls[fn]?.push(node);
            this.owners.set(node, fn);
            break;
          case 'fn':
          case 'fndecl':
            this.holders[node.fn] = node;
            this.owners.set(node, fn);
            break;
          case 'try':
            tries[fn]?.push(node);
            break;
          case 'asg':
            if (node.target.k === 'mem') {
              const list = assigned.get(node.target.prop);
              const entry = { op: node.op, target: node.target, value: node.value };
              if (list) list.push(entry);
              else assigned.set(node.target.prop, [entry]);
            }
            break;
          case 'cls':
          case 'clsdecl': {
            const cls = facts.classes[node.cls];
            if (cls?.extends) {
              this.parents.set(cls.extends, node);
              visit(cls.extends);
            }
            break;
          }
          default:
            break;
        }
        eachPart(node, (part) => {
          this.parents.set(part, node);
          visit(part);
        });
      };
      visit(root);
    };
    for (const fn of facts.functions) {
      for (const p of fn.params) visitIn(fn.id, p.target);
      for (const d of fn.decorators) visitIn(Math.max(fn.parent, 0), d);
      for (const st of fn.body) visitIn(fn.id, st);
    }
    for (const cls of facts.classes) {
      for (const d of cls.decorators) visitIn(cls.parent, d);
      for (const p of cls.props) {
        for (const d of p.decorators) visitIn(cls.parent, d);
        if (p.init) visitIn(cls.parent, p.init);
      }
    }
    for (const list of calls) list.sort((a, b) => a.s - b.s || b.e - a.e);
    this.calls = calls;
    this.tries = tries;
    this.assigned = assigned;
  }

  /** The part that directly contains `node` within its function; undefined at the top of a function body. */
  parent(node: AnyNode): AnyNode | undefined {
    return this.parents.get(node);
  }

  /** The function that a call-like or function node is written in. */
  functionOf(node: AnyNode): number {
    for (let at: AnyNode | undefined = node; at; at = this.parents.get(at)) {
      const owner = this.owners.get(at);
      if (owner !== undefined) return owner;
    }
    return this.innermost(node.s);
  }

  /** The innermost function whose span holds an offset. */
  innermost(offset: number): number {
    let at = 0;
    for (;;) {
      const inner = this.childAround(at, offset);
      if (inner < 0) return at;
      at = inner;
    }
  }

  /** The direct inner function whose span holds an offset, -1 when none does. */
  private childAround(fn: number, offset: number): number {
    const list = this.children[fn] ?? [];
    let low = 0;
    let high = list.length - 1;
    while (low <= high) {
      const mid = (low + high) >> 1;
      const child = this.facts.functions[list[mid] ?? 0] as FunctionFact;
      if (offset < child.s) high = mid - 1;
      else if (offset >= child.e) low = mid + 1;
      else return child.id;
    }
    return -1;
  }

  /** A function and those written inside it, in source order. Functions are numbered as they open, so they are a run. */
  within(fn: number): readonly FunctionFact[] {
    const { functions } = this.facts;
    const root = functions[fn];
    if (!root) return [];
    let end = fn + 1;
    while (
      end < functions.length &&
      (functions[end] as FunctionFact).s >= root.s &&
      (functions[end] as FunctionFact).e <= root.e
    )
      end++;
    return functions.slice(fn, end);
  }

  /** The expression or declaration that a function is written as. */
  holder(fn: number): FnExpr | FnDecl | undefined {
    return this.holders[fn];
  }

  /** When a function is written directly as an argument (possibly inside an object literal): that call and the place. */
  argumentSite(fn: number): { call: Call | New; arg: number; path: string } | null {
    const holder = this.holders[fn];
    if (!holder || holder.k !== 'fn') return null;
    let child: AnyNode = holder;
    let path = '';
    for (let at = this.parents.get(holder); at; at = this.parents.get(at)) {
      if (at.k === 'as') {
        child = at;
        continue;
      }
      if (at.k === 'obj') {
        const holderNode: AnyNode = child;
        const prop = at.props.find((p) => p.value === holderNode);
        path = prop?.key ? (path ? `${prop.key}.${path}` : prop.key) : path;
        child = at;
        continue;
      }
      if (at.k === 'call' || at.k === 'new') {
        const arg = at.args.indexOf(child as Expr);
        return arg >= 0 ? { call: at, arg, path } : null;
      }
      return null;
    }
    return null;
  }

  /** Ancestors from the direct container up to the function's top. */
  *ancestors(node: AnyNode): Generator<AnyNode> {
    for (let at = this.parents.get(node); at; at = this.parents.get(at)) yield at;
  }

  /** The statement that directly or indirectly holds an expression, within its function. */
  statementOf(node: AnyNode): Stmt | null {
    for (let at: AnyNode | undefined = node; at; at = this.parents.get(at)) if (isStmt(at)) return at;
    return null;
  }
}

const STATEMENTS = new Set([
  'expr',
  'var',
  'ret',
  'throw',
  'if',
  'for',
  'forof',
  'forin',
  'while',
  'do',
  'try',
  'switch',
  'block',
  'break',
  'continue',
  'label',
  'fndecl',
  'clsdecl',
  'empty',
]);

export function isStmt(node: AnyNode): node is Stmt {
  return STATEMENTS.has(node.k);
}
