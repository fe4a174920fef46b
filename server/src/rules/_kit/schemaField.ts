/**
 * What a schema of the zod family says of one field. Owns the reading of schema expressions: objects, extensions, and
 * definitions in other files. What it cannot read is null, never a guess.
 */
import type { Call, Expr } from '../../facts/ir.ts';
import { bare, uncast } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import { returnsOf } from '../../model/values.ts';

/** An expression with the file it is written in. */
interface Placed {
  readonly file: SourceFile;
  readonly expr: Expr;
}

export interface SchemaField {
  /** Steps of the field's own chain, innermost first: `number`, `min`, `optional`. */
  readonly steps: readonly {
    readonly name: string;
    readonly args: readonly Expr[];
    readonly file: SourceFile;
  }[];
  /** False where the chain begins with something that cannot be read. */
  readonly complete: boolean;
}

const KEEPS =
  /^(?:strict|passthrough|loose|strip|catchall|describe|openapi|meta|register|readonly|brand|refine|superRefine|check|optional|nullable|nullish|default|pick|omit|partial|required|deepPartial|annotations)$/;
const ADDS = /^(?:extend|safeExtend|augment|merge|and|setKey)$/;
const OBJECTS = /^(?:object|strictObject|looseObject|interface)$/;
const MAX_DEPTH = 12;

/** The expression that a name stands for, through constants and imports; the expression itself where it is no name. */
function definitionOf(model: Model, file: SourceFile, expr: Expr, depth = 0): Placed | null {
  if (depth > MAX_DEPTH) return null;
  const inner = bare(uncast(expr));
  if (inner.k !== 'id') return { file, expr: inner };
  const decl = file.facts.bindings[inner.b]?.decl;
  if (decl?.k === 'init' && decl.path.length === 0) return definitionOf(model, file, decl.init, depth + 1);
  return decl?.k === 'import' ? exported(model, file, decl.from, decl.name, depth + 1) : null;
}

function exported(model: Model, file: SourceFile, from: string, name: string, depth: number): Placed | null {
  if (depth > MAX_DEPTH) return null;
  const resolved = model.project.modules.resolve(file.path, from);
  const target = resolved.k === 'file' ? model.project.file(resolved.path) : null;
  if (!target) return null;
  for (const x of target.facts.exports) {
    if (x.name !== name) continue;
    if (x.from !== null) return exported(model, target, x.from, x.imported ?? name, depth + 1);
    const decl = target.facts.bindings[x.local]?.decl;
    if (decl?.k === 'init' && decl.path.length === 0)
      return definitionOf(model, target, decl.init, depth + 1);
    if (decl?.k === 'import') return exported(model, target, decl.from, decl.name, depth + 1);
    return x.expr ? definitionOf(model, target, x.expr, depth + 1) : null;
  }
  for (const x of target.facts.exports)
    if (x.name === '*' && x.from !== null) {
      const found = exported(model, target, x.from, name, depth + 1);
      if (found) return found;
    }
  return null;
}

/** The field that a path of keys leads to within a schema. */
export function fieldOf(
  model: Model,
  file: SourceFile,
  schema: Expr,
  path: readonly string[],
): SchemaField | null {
  let at: Placed | null = { file, expr: schema };
  let optional = false;
  for (const key of path) {
    const found: Found | null = at ? member(model, at.file, at.expr, key, 0) : null;
    if (!found) return null;
    at = found;
    optional = found.optional;
  }
  return at ? chainOf(model, at, optional) : null;
}

interface Found extends Placed {
  readonly optional: boolean;
}

function member(model: Model, file: SourceFile, expr: Expr, key: string, depth: number): Found | null {
  if (depth > MAX_DEPTH) return null;
  const at = definitionOf(model, file, expr);
  if (!at) return null;
  const inner = at.expr;
  if (inner.k === 'obj') return inLiteral(model, at.file, inner, key, depth);
  if (inner.k === 'mem' && inner.prop === 'shape') return member(model, at.file, inner.obj, key, depth + 1);
  if (inner.k !== 'call') return null;
  const callee = uncast(inner.callee);
  const name = callee.k === 'mem' ? callee.prop : callee.k === 'id' ? callee.name : '';
  if (OBJECTS.test(name)) {
    const shape = inner.args[0];
    return shape ? member(model, at.file, shape, key, depth + 1) : null;
  }
  if (callee.k === 'mem' && (ADDS.test(name) || KEEPS.test(name))) {
    if (ADDS.test(name) && inner.args[0]) {
      const added = member(model, at.file, inner.args[0], key, depth + 1);
      if (added) return added;
    }
    if (name === 'omit' && names(inner, key)) return null;
    if (name === 'pick' && inner.args[0] && !names(inner, key)) return null;
    const found = member(model, at.file, callee.obj, key, depth + 1);
    return found && name === 'partial' ? { ...found, optional: true } : found;
  }
  const target = model.values.of(at.file, callee);
  const made = target.k === 'fn' ? returnsOf(target.file, target.fn) : [];
  return target.k === 'fn' && made.length === 1 && made[0]
    ? member(model, target.file, made[0], key, depth + 2)
    : null;
}

function names(call: Call, key: string): boolean {
  const arg = call.args[0];
  return arg?.k === 'obj' && arg.props.some((p) => p.key === key);
}

function inLiteral(
  model: Model,
  file: SourceFile,
  obj: Expr & { k: 'obj' },
  key: string,
  depth: number,
): Found | null {
  for (let i = obj.props.length - 1; i >= 0; i--) {
    const prop = obj.props[i];
    if (prop?.key === key) return { file, expr: prop.value, optional: false };
    if (prop?.kind !== 'spread') continue;
    const found = member(model, file, prop.value, key, depth + 1);
    if (found) return found;
  }
  return null;
}

function chainOf(model: Model, field: Placed, optional: boolean): SchemaField {
  const steps: { name: string; args: readonly Expr[]; file: SourceFile }[] = [];
  if (optional) steps.push({ name: 'optional', args: [], file: field.file });
  let { file } = field;
  let at: Expr = bare(uncast(field.expr));
  for (let guard = 0; guard < 60; guard++) {
    if (at.k === 'call') {
      const callee: Expr = uncast(at.callee);
      if (callee.k === 'mem') {
        steps.unshift({ name: callee.prop, args: at.args, file });
        at = bare(uncast(callee.obj));
        continue;
      }
      if (callee.k === 'id') {
        steps.unshift({ name: callee.name, args: at.args, file });
        return { steps, complete: isLibraryName(file, callee) };
      }
      return { steps, complete: false };
    }
    if (at.k === 'mem') {
      if (at.prop === 'shape') return { steps, complete: false };
      const inner = bare(uncast(at.obj));
      // `Other.shape.limit`
      if (inner.k === 'mem' && inner.prop === 'shape') {
        const found = member(model, file, inner.obj, at.prop, 0);
        if (!found) return { steps, complete: false };
        ({ file } = found);
        at = bare(uncast(found.expr));
        continue;
      }
      steps.unshift({ name: at.prop, args: [], file });
      at = inner;
      continue;
    }
    if (at.k === 'id') {
      if (isLibraryName(file, at)) return { steps, complete: true };
      const found = definitionOf(model, file, at);
      if (!found || found.expr === at || found.expr.k === 'id') return { steps, complete: false };
      ({ file } = found);
      at = found.expr;
      continue;
    }
    return { steps, complete: false };
  }
  return { steps, complete: false };
}

/** `z`, `v`, `t` imported from a package. */
function isLibraryName(file: SourceFile, id: Expr & { k: 'id' }): boolean {
  const decl = file.facts.bindings[id.b]?.decl;
  return (
    decl?.k === 'import' && !/^[./~@#]/.test(decl.from.replace(/^@(?:hono|asteasolutions|trpc|orpc)\//, ''))
  );
}
