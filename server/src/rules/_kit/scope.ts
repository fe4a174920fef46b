/** The names that can be written at a place. Owns visibility: declared in a surrounding block before it, a parameter, a loop variable. */
import type { Pattern, Stmt } from '../../facts/ir.ts';
import type { AnyNode } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';

export interface VisibleName {
  readonly name: string;
  /** Index of the binding. */
  readonly b: number;
  /** A loop variable or a name declared within a loop that holds the place: another value for each turn. */
  readonly perTurn: boolean;
}

/** Innermost first; module-level names are left out. */
export function visibleNames(file: SourceFile, node: AnyNode): readonly VisibleName[] {
  const out: VisibleName[] = [];
  const seen = new Set<string>();
  const add = (pattern: Pattern | null, perTurn: boolean): void => {
    eachName(pattern, (name, b) => {
      if (seen.has(name)) return;
      seen.add(name);
      out.push({ name, b, perTurn });
    });
  };
  let fn = file.index.functionOf(node);
  let at: AnyNode = node;
  for (let guard = 0; guard < 64; guard++) {
    const fact = file.facts.functions[fn];
    if (!fact || fn === 0) return out;
    let inLoop = false;
    const steps: AnyNode[] = [];
    for (let up: AnyNode | undefined = at; up; up = file.index.parent(up)) steps.push(up);
    for (const [i, step] of steps.entries()) {
      const child = steps[i - 1];
      if (step.k === 'block')
        declaredBefore(step.body, at.s, (p) => add(p, inLoop || isLoopBody(file, step)));
      else if (step.k === 'switch') {
        for (const c of step.cases)
          if (child && c.body.includes(child as Stmt)) declaredBefore(c.body, at.s, (p) => add(p, inLoop));
      } else if ((step.k === 'forof' || step.k === 'forin') && step.decl && child === step.body) {
        inLoop = true;
        for (const d of step.decl.decls) add(d.target, true);
      } else if (step.k === 'for' && step.init?.k === 'var')
        for (const d of step.init.decls) add(d.target, true);
    }
    declaredBefore(fact.body, at.s, (p) => add(p, false));
    for (const p of fact.params) add(p.target, false);
    const holder = file.index.holder(fn);
    if (!holder) return out;
    at = holder;
    fn = file.index.functionOf(holder);
    if (fn === fact.id) fn = fact.parent;
  }
  return out;
}

/** Every name that is declared where a place can see it, or inside the function around it: a new name must differ. */
export function namesAround(file: SourceFile, node: AnyNode): ReadonlySet<string> {
  let outer = file.facts.functions[file.index.functionOf(node)];
  while (outer && outer.parent > 0) outer = file.facts.functions[outer.parent];
  const out = new Set<string>();
  for (const b of file.facts.bindings) {
    const home = file.facts.functions[b.fn];
    if (b.fn === 0 || (outer && home && home.s >= outer.s && home.e <= outer.e)) out.add(b.name);
  }
  return out;
}

function isLoopBody(file: SourceFile, block: AnyNode): boolean {
  const parent = file.index.parent(block);
  return (
    parent?.k === 'forof' ||
    parent?.k === 'forin' ||
    parent?.k === 'for' ||
    parent?.k === 'while' ||
    parent?.k === 'do'
  );
}

function declaredBefore(body: readonly Stmt[], offset: number, add: (pattern: Pattern) => void): void {
  for (const st of body) {
    if (st.e > offset) return;
    if (st.k === 'var') for (const d of st.decls) add(d.target);
  }
}

export function eachName(pattern: Pattern | null, visit: (name: string, b: number) => void): void {
  if (!pattern) return;
  switch (pattern.k) {
    case 'pid':
      visit(pattern.name, pattern.b);
      return;
    case 'pobj':
      for (const p of pattern.props) eachName(p.value, visit);
      eachName(pattern.rest, visit);
      return;
    case 'parr':
      for (const p of pattern.items) eachName(p, visit);
      return;
    case 'pdef':
      eachName(pattern.target, visit);
      return;
    default:
  }
}
