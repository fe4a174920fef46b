/**
 * A value that passed a schema and is put through the same schema again in the same function. Owns when that changes
 * nothing: the value has one name, nobody assigns to its members, and the schema only checks and never converts.
 */
import type { Expr, Stmt } from '../facts/ir.ts';
import { uncast, walk } from '../facts/walk.ts';
import type { Model } from '../model/model.ts';
import { memberWrites } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { NeedlessCode } from './needlessGuards.ts';

const PARSES: ReadonlySet<string> = new Set(['parse', 'parseAsync']);
/** What gives another value than it was given, so that the second time may differ from the first. */
const CONVERTS =
  /\b(?:transform|preprocess|coerce|pipe|codec|overwrite|lazy|custom|stringbool|prefault|catch|encode|decode)\b/;
/** Of the language itself, as they stand in bounds and defaults. */
const PLAIN_NAMES: ReadonlySet<string> = new Set(['undefined', 'Infinity', 'NaN', 'Date', 'RegExp']);
const MAX_SCHEMAS = 40;

type Call = Expr & { readonly k: 'call' };
interface Parsed {
  readonly schema: number;
  readonly name: string;
}

export function secondParses(model: Model, file: SourceFile): readonly NeedlessCode[] {
  const out: NeedlessCode[] = [];
  for (const fn of file.facts.functions) {
    const parsed = new Map<number, Parsed>();
    const visit = (body: readonly Stmt[]): void => {
      for (const st of body)
        walk(st, (node) => {
          if (node.k === 'call') {
            const second = secondOf(model, file, node, parsed);
            if (second) out.push(second);
          }
          return true;
        });
    };
    // Only what is parsed on every way to the rest: directly in the function's body.
    for (const st of fn.body) {
      visit([st]);
      if (st.k !== 'var') continue;
      for (const { target, init } of st.decls) {
        const call = init && calledIn(init);
        const schema = call && schemaOf(model, file, call);
        if (
          target.k === 'pid' &&
          call &&
          schema &&
          isSettled(file, target.b) &&
          !converts(model, file, schema.binding, new Set())
        )
          parsed.set(target.b, { schema: schema.binding, name: schema.name });
      }
    }
  }
  return out;
}

function calledIn(init: Expr): Call | null {
  const expr = uncast(init);
  const call = expr.k === 'await' ? uncast(expr.arg) : expr;
  return call.k === 'call' ? call : null;
}

function secondOf(
  model: Model,
  file: SourceFile,
  call: Call,
  parsed: ReadonlyMap<number, Parsed>,
): NeedlessCode | null {
  const schema = schemaOf(model, file, call);
  const arg = call.args[0] && uncast(call.args[0]);
  if (!schema || call.args.length !== 1 || arg?.k !== 'id') return null;
  const before = parsed.get(arg.b);
  if (before?.schema !== schema.binding) return null;
  const parent = file.index.parent(call);
  const whole = parent?.k === 'await' ? parent : call;
  // A promise that is handed on stays a promise.
  if (schema.asynchronous && parent?.k !== 'await') return null;
  if (/\/\/|\/\*/.test(file.text.slice(whole.s, whole.e))) return null;
  return {
    rule: 'revalidated-value',
    what: `second ${before.name}.${schema.asynchronous ? 'parseAsync' : 'parse'} of ${arg.name}`,
    startOffset: whole.s,
    endOffset: whole.e,
    edits:
      // Alone it was there for its throwing.
      parent?.k === 'expr' || (parent?.k === 'await' && file.index.parent(parent)?.k === 'expr')
        ? [lineOf(file, file.index.statementOf(call) ?? whole)]
        : [{ start: whole.s, end: whole.e, newText: arg.name }],
    typeAt: null,
  };
}

function lineOf(
  file: SourceFile,
  st: { readonly s: number; readonly e: number },
): { start: number; end: number; newText: string } {
  const { text } = file;
  const start = text.lastIndexOf('\n', st.s - 1) + 1;
  const next = text.indexOf('\n', st.e);
  const end = next < 0 ? text.length : next + 1;
  return text.slice(start, st.s).trim() === '' && text.slice(st.e, end).trim() === ''
    ? { start, end, newText: '' }
    : { start: st.s, end: st.e, newText: '' };
}

function schemaOf(
  model: Model,
  file: SourceFile,
  call: Call,
): { readonly binding: number; readonly name: string; readonly asynchronous: boolean } | null {
  const { callee } = call;
  if (callee.k !== 'mem' || !PARSES.has(callee.prop) || callee.obj.k !== 'id' || callee.obj.b < 0)
    return null;
  const value = model.values.of(file, callee.obj);
  if (value.k !== 'inst' || value.pack.id !== 'zod') return null;
  return { binding: callee.obj.b, name: callee.obj.name, asynchronous: callee.prop === 'parseAsync' };
}

function isSettled(file: SourceFile, binding: number): boolean {
  const found = file.facts.bindings[binding];
  return (
    found !== undefined &&
    found.writes.length === 0 &&
    !found.closureWrite &&
    found.kind === 'const' &&
    memberWrites(file, binding).size === 0
  );
}

/** Whether a schema, or one that it is made from, converts; what cannot be looked into counts as such. */
function converts(model: Model, file: SourceFile, binding: number, seen: Set<unknown>): boolean {
  const found = file.facts.bindings[binding];
  if (!found || seen.size > MAX_SCHEMAS) return true;
  if (seen.has(found)) return false;
  seen.add(found);
  const { decl } = found;
  if (decl?.k === 'import') {
    const resolved = model.values.project.modules.resolve(file.path, decl.from);
    if (resolved.k === 'package') return resolved.name !== 'zod';
    const target = resolved.k === 'file' ? model.values.project.file(resolved.path) : null;
    const own = target?.facts.exports.find(({ name }) => name === decl.name);
    return !target || !own || own.from !== null || own.local < 0 || converts(model, target, own.local, seen);
  }
  if (decl?.k !== 'init' || decl.path.length > 0 || found.writes.length > 0) return true;
  let hit = CONVERTS.test(file.text.slice(decl.init.s, decl.init.e));
  if (!hit)
    walk(decl.init, (node) => {
      if (node.k === 'id' && !hit)
        hit = node.b >= 0 ? converts(model, file, node.b, seen) : !PLAIN_NAMES.has(node.name);
      return !hit;
    });
  return hit;
}
