/** Names of functions, classes and registrations as units show them. Owns the words; pure over facts. */
import type { ClassFact, Expr, FileFacts, FunctionFact } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';

/** `Class.method`, or the function's own name; null when it has none. */
export function functionName(facts: FileFacts, fn: FunctionFact): string | null {
  const cls = fn.cls >= 0 ? facts.classes[fn.cls] : undefined;
  if (!fn.name) return null;
  return cls?.name ? `${cls.name}.${fn.name}` : fn.name;
}

/** The leftmost name of a receiver: `router` in `router.route('/x').post`; the property for `this.app`. */
export function rootName(expr: Expr): string {
  const inner = uncast(expr);
  if (inner.k === 'id') return inner.name;
  if (inner.k === 'mem') return inner.obj.k === 'this' ? inner.prop : rootName(inner.obj);
  if (inner.k === 'call' && inner.callee.k === 'mem') return rootName(inner.callee.obj);
  if (inner.k === 'call' || inner.k === 'new') return rootName(inner.callee);
  return 'router';
}

/** The name a decorator is used under: `Post` in `@Post('/x')`. */
export function decoratorName(decorator: Expr): string | null {
  const inner = uncast(decorator);
  const callee = inner.k === 'call' ? uncast(inner.callee) : inner;
  return callee.k === 'id' ? callee.name : callee.k === 'mem' ? callee.prop : null;
}

export function decoratorArgs(decorator: Expr): readonly Expr[] {
  const inner = uncast(decorator);
  return inner.k === 'call' ? inner.args : [];
}

export function findDecorator(owner: FunctionFact | ClassFact, names: ReadonlySet<string>): Expr | null {
  return owner.decorators.find((d) => names.has(decoratorName(d) ?? '')) ?? null;
}

/** File name without folders and extensions. */
export function baseName(path: string): string {
  return (path.split('/').at(-1) ?? path).replace(/\.[cm]?[jt]sx?$/, '');
}

/** `pages/api/users/[id].ts` → `/api/users/:id`; `after` names the folder that the route begins behind. */
export function routeOfPath(path: string, after: RegExp): string {
  const m = after.exec(path);
  const rest = m ? path.slice(m.index + m[0].length) : path;
  const parts = rest
    .replace(/\.[cm]?[jt]sx?$/, '')
    .split('/')
    .filter(
      (p) =>
        p !== '' &&
        !/^\(.*\)$/.test(p) &&
        p !== 'route' &&
        p !== 'index' &&
        !p.startsWith('+') &&
        !p.startsWith('@'),
    );
  return `/${parts.map((p) => p.replace(/^\[\[?\.{3}(.+?)\]?\]$/, '*$1').replace(/^\[(.+)\]$/, ':$1')).join('/')}`;
}
