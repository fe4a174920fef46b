/**
 * What a named constant of a file is, told from the source alone. Owns which names count as constant: everything that
 * could be another value in another process (environment, calls, reassignment) does not.
 */
import type { Binding, Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { memberWrites } from './options.ts';
import type { SourceFile } from './project.ts';
import type { Values } from './values.ts';

export type ConstantRead =
  | { readonly value: number | boolean }
  /** A clause without a full stop that says why it is none. */
  | { readonly problem: string };

/** Where the name leads: an expression of a file, the members of an enum, or a whole module. */
type Meant =
  | { readonly k: 'expr'; readonly file: SourceFile; readonly expr: Expr }
  | { readonly k: 'enum'; readonly values: Readonly<Record<string, string | number>> }
  | { readonly k: 'module'; readonly file: SourceFile }
  | { readonly k: 'value'; readonly value: number }
  | { readonly k: 'not'; readonly problem: string };

const MAX_DEPTH = 32;

/** `name` may have members: `LIMITS.retryDays`. `path` is only quoted. */
export function readConstant(values: Values, file: SourceFile, name: string): ConstantRead {
  const [head = '', ...members] = name.split('.');
  const reader = new Reader(values, name);
  let at = reader.top(file, head);
  for (const member of members) at = reader.member(at, member);
  return reader.read(at);
}

class Reader {
  private depth = 0;

  constructor(
    private readonly values: Values,
    private readonly name: string,
  ) {}

  private not(problem: string): Meant & { readonly k: 'not' } {
    return { k: 'not', problem: `${this.name} ${problem}` };
  }

  top(file: SourceFile, name: string): Meant {
    const binding = file.facts.bindings.find((one) => one.name === name && one.fn === 0);
    if (binding) return this.binding(file, binding);
    if (file.facts.exports.some((one) => one.name === name || one.name === '*'))
      return this.exported(file, name);
    return this.not(`is no constant in ${file.path}`);
  }

  private binding(file: SourceFile, binding: Binding): Meant {
    if (++this.depth > MAX_DEPTH) return this.not('leads in a circle');
    if (binding.writes.length > 0 || binding.closureWrite)
      return this.not(`is assigned again in ${file.path}, so it is no constant`);
    const { decl } = binding;
    switch (decl?.k) {
      case 'import':
        return this.imported(file, decl.from, decl.name);
      case 'enum':
        return { k: 'enum', values: decl.values };
      case 'init': {
        if (memberWrites(file, file.facts.bindings.indexOf(binding)).size > 0)
          return this.not(`has members that are assigned again in ${file.path}`);
        let at: Meant = { k: 'expr', file, expr: decl.init };
        for (const step of decl.path)
          at =
            typeof step === 'string' && step !== '*' && step !== '...'
              ? this.member(at, step)
              : this.not('is taken out of a list');
        return at;
      }
      default:
        return this.not(`is no constant in ${file.path}`);
    }
  }

  private imported(file: SourceFile, from: string, name: string): Meant {
    const resolved = this.values.project.modules.resolve(file.path, from);
    const target = resolved.k === 'file' ? this.values.project.file(resolved.path) : null;
    if (!target) return this.not(`comes from ${from}, which is not in this project`);
    return name === '*' ? { k: 'module', file: target } : this.exported(target, name);
  }

  private exported(file: SourceFile, name: string): Meant {
    if (++this.depth > MAX_DEPTH) return this.not('leads in a circle');
    const own = file.facts.exports.find((one) => one.name === name);
    if (own) {
      if (own.from !== null) return this.imported(file, own.from, own.imported ?? name);
      const binding = file.facts.bindings[own.local];
      if (binding) return this.binding(file, binding);
      if (own.expr) return { k: 'expr', file, expr: own.expr };
    }
    for (const one of file.facts.exports) {
      if (one.name !== '*' || one.from === null) continue;
      const found = this.imported(file, one.from, name);
      if (found.k !== 'not') return found;
    }
    return this.not(`is not exported by ${file.path}`);
  }

  member(of: Meant, name: string): Meant {
    switch (of.k) {
      case 'not':
        return of;
      case 'module':
        return this.exported(of.file, name);
      case 'enum': {
        const value = of.values[name];
        return typeof value === 'number' ? { k: 'value', value } : this.not('is no number in its enum');
      }
      case 'value':
        return this.not('is a member of a number');
      case 'expr': {
        if (++this.depth > MAX_DEPTH) return this.not('leads in a circle');
        const expr = frozen(uncast(of.expr));
        if (expr.k === 'id' || expr.k === 'mem') return this.member(this.followed(of.file, expr), name);
        if (expr.k !== 'obj') return this.not('is a member of something that is computed');
        const prop = expr.props.findLast(({ key }) => key === name);
        const hidden = expr.props
          .slice(prop ? expr.props.indexOf(prop) : 0)
          .some(({ kind, computed }) => kind === 'spread' || computed);
        if (!prop)
          return this.not(hidden ? 'may come from a spread' : `is not in its object in ${of.file.path}`);
        if (hidden) return this.not('may be overwritten by a spread');
        return prop.kind === 'init' || prop.kind === 'short'
          ? { k: 'expr', file: of.file, expr: prop.value }
          : this.not('is computed by a method');
      }
    }
  }

  private followed(file: SourceFile, expr: Expr & { readonly k: 'id' | 'mem' }): Meant {
    if (expr.k === 'mem') return this.member({ k: 'expr', file, expr: expr.obj }, expr.prop);
    const binding = file.facts.bindings[expr.b];
    return binding
      ? this.binding(file, binding)
      : this.not(`rests on ${expr.name}, which is not declared in ${file.path}`);
  }

  read(at: Meant): ConstantRead {
    if (++this.depth > MAX_DEPTH * 4) return this.not('leads in a circle');
    switch (at.k) {
      case 'not':
        return at;
      case 'value':
        return { value: at.value };
      case 'enum':
      case 'module':
        return this.not('is no number; name one of its members');
      case 'expr':
        return this.expression(at.file, frozen(uncast(at.expr)));
    }
  }

  private expression(file: SourceFile, expr: Expr): ConstantRead {
    const part = (inner: Expr): ConstantRead => this.read({ k: 'expr', file, expr: inner });
    switch (expr.k) {
      case 'lit':
        return typeof expr.value === 'number' || typeof expr.value === 'boolean'
          ? { value: expr.value }
          : this.not('is no number');
      case 'id':
      case 'mem':
        if (expr.k === 'id' && expr.name === 'Infinity' && expr.b < 0) return { value: Infinity };
        if (process(expr)) return this.not('depends on the environment');
        return this.read(this.followed(file, expr));
      case 'un': {
        const inner = part(expr.arg);
        if ('problem' in inner) return inner;
        if (typeof inner.value === 'number' && (expr.op === '-' || expr.op === '+'))
          return { value: expr.op === '-' ? -inner.value : inner.value };
        return expr.op === '!' && typeof inner.value === 'boolean'
          ? { value: !inner.value }
          : this.not('is computed');
      }
      case 'bin': {
        const l = part(expr.l);
        if ('problem' in l) return l;
        const r = part(expr.r);
        if ('problem' in r) return r;
        const value =
          typeof l.value === 'number' && typeof r.value === 'number'
            ? arithmetic(expr.op, l.value, r.value)
            : null;
        return value === null ? this.not('is computed') : { value };
      }
      case 'obj':
        return this.not('is no number; name one of its members');
      default:
        return this.not(`is computed in ${file.path}, so its value is known only when it runs`);
    }
  }
}

function arithmetic(op: string, l: number, r: number): number | null {
  switch (op) {
    case '+':
      return l + r;
    case '-':
      return l - r;
    case '*':
      return l * r;
    case '/':
      return l / r;
    case '%':
      return l % r;
    case '**':
      return l ** r;
    default:
      return null;
  }
}

function process(expr: Expr): boolean {
  let at: Expr = expr;
  while (at.k === 'mem') at = at.obj;
  return at.k === 'id' && at.name === 'process' && at.b < 0;
}

/** `Object.freeze({…})` */
function frozen(expr: Expr): Expr {
  if (expr.k !== 'call' || expr.callee.k !== 'mem' || expr.args.length !== 1) return expr;
  const { obj, prop } = expr.callee;
  return prop === 'freeze' && obj.k === 'id' && obj.name === 'Object' && obj.b < 0
    ? uncast(expr.args[0]!)
    : expr;
}
