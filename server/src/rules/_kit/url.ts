/** The host that a call talks to, where the code says it. */
import type { Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { readOption, stringOf } from '../../model/options.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';

/** Null when the address is not a constant up to its host, or may be another one. */
export function urlHost(model: Model, site: Site): string | null {
  const at = site.effect?.spec.urlAt;
  if (!at) return null;
  const read = readOption(model.values, site.file, site.node, at);
  return read.k === 'value' ? hostOf(model, read.file, read.expr, 0) : null;
}

/** A file of the program itself: `new URL('./inter.ttf', import.meta.url)`. */
export function isOwnFile(site: Site): boolean {
  const arg = site.node.k === 'tag' ? undefined : site.node.args[0];
  return arg !== undefined && /\bimport\.meta\.url\b/.test(site.file.text.slice(arg.s, arg.e));
}

function hostOf(model: Model, file: SourceFile, expr: Expr, depth: number): string | null {
  if (depth > 6) return null;
  const inner = uncast(expr);
  switch (inner.k) {
    case 'cond': {
      const yes = hostOf(model, file, inner.yes, depth + 1);
      return yes === hostOf(model, file, inner.no, depth + 1) ? yes : null;
    }
    case 'bin':
      // A default that the environment or a caller may replace.
      if (inner.op !== '+') return null;
      return hostOf(model, file, inner.l, depth + 1);
    case 'new':
      return inner.callee.k === 'id' && inner.callee.name === 'URL' && inner.args[0]
        ? hostOf(model, file, inner.args[1] ?? inner.args[0], depth + 1)
        : null;
    case 'call':
      return inner.callee.k === 'mem' && inner.callee.prop === 'toString'
        ? hostOf(model, file, inner.callee.obj, depth + 1)
        : null;
    case 'mem':
      if (inner.prop === 'href') return hostOf(model, file, inner.obj, depth + 1);
      break;
    case 'id': {
      const binding = file.facts.bindings[inner.b];
      if (binding?.decl?.k !== 'init' || binding.decl.path.length > 0) break;
      return binding.writes.length > 0 ? null : hostOf(model, file, binding.decl.init, depth + 1);
    }
    case 'tmpl': {
      const [first] = inner.exprs;
      if (inner.quasis[0] === '' && first) return hostOf(model, file, first, depth + 1);
      break;
    }
    default:
      break;
  }
  const text = stringOf(model.values, file, inner);
  const host = text ? /^https?:\/\/([^/?#:]+)/.exec(text)?.[1] : undefined;
  if (host) return host.includes('$?') ? null : host;
  const value = model.values.of(file, inner);
  return value.k === 'node' && value.expr !== inner ? hostOf(model, value.file, value.expr, depth + 1) : null;
}
