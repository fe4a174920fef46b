/** Which functions of a file nothing leads to: neither exported nor referred to by code that runs. Owns the references within one file. */
import type { FunctionFact } from '../facts/ir.ts';
import { walk, type AnyNode } from '../facts/walk.ts';
import type { SourceFile } from './project.ts';

const unreachedIn = new WeakMap<object, ReadonlySet<number>>();

/** The place is in a function that the module neither gives away nor runs itself. Judged only where the module gives anything away. */
export function isUnreached(file: SourceFile, fn: number): boolean {
  if (file.facts.exports.length === 0) return false;
  const top = topOf(file, fn);
  if (top === 0) return false;
  let known = unreachedIn.get(file.facts);
  if (!known) unreachedIn.set(file.facts, (known = unreachedOf(file)));
  return known.has(top);
}

/** The function at the top of the module that holds another; 0 for the module body itself. */
function topOf(file: SourceFile, fn: number): number {
  let at = fn;
  for (let guard = 0; guard < 64; guard++) {
    const parent = file.facts.functions[at]?.parent ?? -1;
    if (parent <= 0) return at;
    at = parent;
  }
  return at;
}

function unreachedOf(file: SourceFile): ReadonlySet<number> {
  const { functions, bindings, exports } = file.facts;
  if (/\bmodule\.exports\b|\bexports\.\w/.test(file.text)) return new Set();
  const named = namedFunctions(file);
  for (const e of exports) named.delete(e.local);
  if (named.size === 0) return new Set();
  const usedBy = new Map<number, Set<number>>();
  const seen = new Map<number, number>();
  for (const fact of functions) {
    const user = topOf(file, fact.id);
    const note = (node: AnyNode): void =>
      walk(node, (n) => {
        if (n.k !== 'id' || !named.has(n.b)) return;
        seen.set(n.b, (seen.get(n.b) ?? 0) + 1);
        const users = usedBy.get(n.b) ?? new Set<number>();
        usedBy.set(n.b, users.add(user));
      });
    for (const p of fact.params) note(p.target);
    for (const st of fact.body) note(st);
  }
  const dead = new Map<number, number>();
  for (const [b, fact] of named)
    // A use that the bodies do not hold (a decorator, a field of a class) counts as one that runs.
    if ((seen.get(b) ?? 0) >= (bindings[b]?.reads ?? 0)) dead.set(fact.id, b);
  for (let changed = true; changed;) {
    changed = false;
    for (const [fn, b] of dead) {
      const alive = [...(usedBy.get(b) ?? [])].some((user) => user !== fn && !dead.has(user));
      if (alive) changed = dead.delete(fn) || changed;
    }
  }
  return new Set(dead.keys());
}

/** The functions at the module's top by the name that each is bound to for good. */
function namedFunctions(file: SourceFile): Map<number, FunctionFact> {
  const { functions, bindings } = file.facts;
  const out = new Map<number, FunctionFact>();
  for (const [b, { fn, writes, decl }] of bindings.entries()) {
    if (fn !== 0 || writes.length > 0) continue;
    const id =
      decl?.k === 'fn'
        ? decl.fn
        : decl?.k === 'init' && decl.path.length === 0 && decl.init.k === 'fn'
          ? decl.init.fn
          : -1;
    const fact = functions[id];
    if (fact?.parent === 0 && fact.cls < 0 && !fact.exported) out.set(b, fact);
  }
  return out;
}
