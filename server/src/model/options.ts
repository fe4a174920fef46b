/** Reads options at call sites: through literals, spreads, shorthand and objects built elsewhere. Unreadable is a value of its own. */
import type { Call, Expr, New, Obj, Tagged } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import type { OptionAt } from '../packs/contract.ts';
import type { SourceFile } from './project.ts';
import type { Values } from './values.ts';

export type OptionValue =
  | { readonly k: 'absent' }
  | { readonly k: 'value'; readonly file: SourceFile; readonly expr: Expr }
  /** The object is built where it cannot be read: the option may or may not be there. */
  | { readonly k: 'unknown' };

const ABSENT: OptionValue = { k: 'absent' };
const UNREADABLE: OptionValue = { k: 'unknown' };

export function argumentAt(call: Call | New, arg: number | 'last'): Expr | null | 'unknown' {
  const at = arg === 'last' ? call.args.length - 1 : arg;
  for (let i = 0; i <= at && i < call.args.length; i++) if (call.args[i]?.k === 'spread') return 'unknown';
  return call.args[at] ?? null;
}

export function readOption(
  values: Values,
  file: SourceFile,
  call: Call | New | Tagged,
  at: OptionAt,
): OptionValue {
  if (call.k === 'tag') return ABSENT;
  const arg = argumentAt(call, at.arg);
  if (arg === 'unknown') return UNREADABLE;
  if (arg === null) return ABSENT;
  if (at.path === '') return { k: 'value', file, expr: arg };
  return readPath(values, file, arg, at.path.split('.'));
}

/** Follows property names into an expression that should be an object. */
export function readPath(values: Values, file: SourceFile, expr: Expr, path: readonly string[]): OptionValue {
  let at: OptionValue = { k: 'value', file, expr };
  for (const key of path) {
    if (at.k !== 'value') return at;
    at = readKey(values, at.file, at.expr, key, 0);
  }
  return at;
}

function readKey(values: Values, file: SourceFile, expr: Expr, key: string, depth: number): OptionValue {
  if (depth > 6) return UNREADABLE;
  const inner = uncast(expr);
  if (inner.k === 'obj') return inObject(values, file, inner, key, depth);
  if (isNothing(inner) || inner.k === 'fn') return ABSENT;
  if (inner.k === 'cond') {
    const yes = readKey(values, file, inner.yes, key, depth + 1);
    const no = readKey(values, file, inner.no, key, depth + 1);
    return yes.k === 'value' && no.k === 'value'
      ? yes
      : yes.k === 'absent' && no.k === 'absent'
        ? ABSENT
        : UNREADABLE;
  }
  if (inner.k === 'id') {
    const written = memberWrites(file, inner.b).get(key);
    if (written) return { k: 'value', file, expr: written };
  }
  const value = values.of(file, inner);
  if (value.k === 'node') {
    const node = uncast(value.expr);
    if (node.k === 'obj') return inObject(values, value.file, node, key, depth);
    if (isNothing(node)) return ABSENT;
    if (node.k === 'lit') return ABSENT;
  }
  if (value.k === 'fn') return ABSENT;
  return UNREADABLE;
}

function inObject(values: Values, file: SourceFile, obj: Obj, key: string, depth: number): OptionValue {
  let unreadable = false;
  for (let i = obj.props.length - 1; i >= 0; i--) {
    const p = obj.props[i];
    if (!p) continue;
    if (p.key === key) return { k: 'value', file, expr: p.value };
    if (p.kind === 'spread') {
      const spread = spreadPart(p.value);
      if (!spread) continue;
      const found = readKey(values, file, spread, key, depth + 1);
      if (found.k === 'value') return found;
      if (found.k === 'unknown') unreadable = true;
    } else if (p.key === null && p.computed) {
      // A computed key is some other option nearly always; treating it as a hit would hide real gaps.
      continue;
    }
  }
  return unreadable ? UNREADABLE : ABSENT;
}

/** `...(cond && {…})` and `...(cond ? {…} : {})` spread what they hold. */
function spreadPart(expr: Expr): Expr | null {
  const inner = uncast(expr);
  if (inner.k === 'bin' && inner.op === '&&') return spreadPart(inner.r);
  if (inner.k === 'bin' && (inner.op === '??' || inner.op === '||')) return spreadPart(inner.l);
  return inner;
}

export function isNothing(expr: Expr): boolean {
  return (
    (expr.k === 'lit' && expr.kind === 'null') ||
    (expr.k === 'id' && expr.name === 'undefined' && expr.b < 0) ||
    (expr.k === 'un' && expr.op === 'void')
  );
}

const writesByFile = new WeakMap<SourceFile, Map<number, Map<string, Expr>>>();
/** `options.signal = x` anywhere in the file, by the binding of `options`. */
export function memberWrites(file: SourceFile, binding: number): ReadonlyMap<string, Expr> {
  let all = writesByFile.get(file);
  if (!all) {
    const found = new Map<number, Map<string, Expr>>();
    for (const list of file.index.assigned.values())
      for (const { target, value } of list) {
        if (target.obj.k !== 'id' || target.obj.b < 0) continue;
        const of = found.get(target.obj.b) ?? new Map<string, Expr>();
        of.set(target.prop, value);
        found.set(target.obj.b, of);
      }
    writesByFile.set(file, found);
    all = found;
  }
  return all.get(binding) ?? new Map<string, Expr>();
}

/** The number an expression is known to be; null when it cannot be told. */
export function numberOf(values: Values, file: SourceFile, expr: Expr, depth = 0): number | null {
  if (depth > 12) return null;
  const inner = uncast(expr);
  switch (inner.k) {
    case 'lit':
      return typeof inner.value === 'number' && inner.kind === 'number' ? inner.value : null;
    case 'un': {
      const n = numberOf(values, file, inner.arg, depth + 1);
      return n === null ? null : inner.op === '-' ? -n : inner.op === '+' ? n : null;
    }
    case 'bin': {
      if (inner.op === '??' || inner.op === '||') return numberOf(values, file, inner.r, depth + 1);
      const l = numberOf(values, file, inner.l, depth + 1);
      const r = numberOf(values, file, inner.r, depth + 1);
      if (l === null || r === null) return null;
      switch (inner.op) {
        case '*':
          return l * r;
        case '+':
          return l + r;
        case '-':
          return l - r;
        case '/':
          return r === 0 ? null : l / r;
        case '**':
          return l ** r;
        default:
          return null;
      }
    }
    case 'id':
      if (inner.name === 'Infinity' && inner.b < 0) return Infinity;
      break;
    default:
      break;
  }
  const value = values.of(file, inner);
  if (value.k === 'global' && value.name === 'Infinity') return Infinity;
  return value.k === 'node' && value.expr !== inner
    ? numberOf(values, value.file, value.expr, depth + 1)
    : null;
}

/** The string an expression is known to be, template holes as `$?`; null when it cannot be told. */
export function stringOf(values: Values, file: SourceFile, expr: Expr, depth = 0): string | null {
  if (depth > 12) return null;
  const inner = uncast(expr);
  switch (inner.k) {
    case 'lit':
      return typeof inner.value === 'string' && inner.kind === 'string' ? inner.value : null;
    case 'tmpl':
      return inner.quasis.join('$?');
    case 'bin': {
      if (inner.op !== '+') return null;
      const l = stringOf(values, file, inner.l, depth + 1);
      const r = stringOf(values, file, inner.r, depth + 1);
      return l === null && r === null ? null : `${l ?? '$?'}${r ?? '$?'}`;
    }
    default: {
      const value = values.of(file, inner);
      return value.k === 'node' && value.expr !== inner
        ? stringOf(values, value.file, value.expr, depth + 1)
        : null;
    }
  }
}

/** True for `true`, null when it cannot be told. */
export function booleanOf(values: Values, file: SourceFile, expr: Expr): boolean | null {
  const inner = uncast(expr);
  if (inner.k === 'lit' && inner.kind === 'boolean') return inner.value === true;
  if (isNothing(inner)) return false;
  const value = values.of(file, inner);
  return value.k === 'node' && value.expr !== inner ? booleanOf(values, value.file, value.expr) : null;
}
