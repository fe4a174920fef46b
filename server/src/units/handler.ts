/** From an expression at a registration to the function that handles it. Owns the looking through wrappers. */
import type { Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import type { Model } from '../model/model.ts';
import { stringOf } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import { returnsOf } from '../model/values.ts';

export interface HandlerRef {
  readonly file: SourceFile;
  readonly fn: number;
}

const MAX_DEPTH = 8;

export function handlerOf(
  model: Model,
  file: SourceFile,
  expr: Expr,
  keys: readonly string[] = [],
  depth = 0,
): HandlerRef | null {
  if (depth > MAX_DEPTH) return null;
  const inner = uncast(expr);
  if (inner.k === 'fn') return { file, fn: inner.fn };
  if (inner.k === 'obj') {
    for (const key of keys) {
      const prop = inner.props.find((p) => p.key === key);
      const found = prop ? handlerOf(model, file, prop.value, keys, depth + 1) : null;
      if (found) return found;
    }
    return null;
  }
  if (inner.k === 'arr') {
    // `[UsersController, 'index']`, else a list of middleware that ends in the handler.
    const [owner, member] = inner.items;
    if (owner && member?.k === 'lit' && typeof member.value === 'string') {
      const cls = model.values.of(file, owner);
      const method =
        cls.k === 'cls'
          ? model.values.member({ k: 'self', file: cls.file, cls: cls.cls }, member.value)
          : null;
      return method?.k === 'fn' ? { file: method.file, fn: method.fn } : null;
    }
    for (let i = inner.items.length - 1; i >= 0; i--) {
      const item = inner.items[i];
      const found = item ? handlerOf(model, file, item, keys, depth + 1) : null;
      if (found) return found;
    }
    return null;
  }
  if (inner.k === 'call') {
    // `asyncHandler(fn)`, `withAuth(opts, fn)`, `compose(a, b, fn)`, `fn.bind(this)`: the last function wins.
    if (inner.callee.k === 'mem' && inner.callee.prop === 'bind')
      return handlerOf(model, file, inner.callee.obj, keys, depth + 1);
    for (let i = inner.args.length - 1; i >= 0; i--) {
      const arg = inner.args[i];
      const found = arg ? handlerOf(model, file, arg, keys, depth + 1) : null;
      if (found) return found;
    }
    // `createHandler(deps)` gives back the handler itself.
    const callee = model.values.of(file, inner.callee);
    if (callee.k === 'fn') {
      for (const returned of returnsOf(callee.file, callee.fn)) {
        const found = handlerOf(model, callee.file, returned, keys, depth + 1);
        if (found) return found;
      }
    }
    // `middy(handler).use(json())`: the handler is where the chain begins.
    return inner.callee.k === 'mem' && uncast(inner.callee.obj).k === 'call'
      ? handlerOf(model, file, inner.callee.obj, keys, depth + 1)
      : null;
  }
  const value = model.values.of(file, inner);
  if (value.k === 'fn') {
    const fact = value.file.facts.functions[value.fn];
    return fact ? { file: value.file, fn: value.fn } : null;
  }
  if (value.k === 'node' && value.expr !== inner)
    return handlerOf(model, value.file, value.expr, keys, depth + 1);
  if (value.k === 'ret' && value.call.k === 'call')
    return handlerOf(model, value.file, value.call, keys, depth + 1);
  // A name bound to a wrapped function: `const handler = withAuth(async () => …)`.
  if (inner.k === 'id') {
    const decl = file.facts.bindings[inner.b]?.decl;
    if (decl?.k === 'init' && decl.path.length === 0 && uncast(decl.init) !== inner)
      return handlerOf(model, file, decl.init, keys, depth + 1);
  }
  return null;
}

export function textOf(model: Model, file: SourceFile, expr: Expr | undefined): string | null {
  if (!expr) return null;
  const inner = uncast(expr);
  if (inner.k === 'bin' && (inner.op === '??' || inner.op === '||'))
    return textOf(model, file, inner.l) ?? textOf(model, file, inner.r);
  if (inner.k === 'tmpl')
    return inner.quasis.reduce(
      (out, text, i) => out + (textOf(model, file, inner.exprs[i - 1]) ?? ':param') + text,
    );
  const text = stringOf(model.values, file, expr);
  return text === null ? null : text.replaceAll('$?', ':param');
}
