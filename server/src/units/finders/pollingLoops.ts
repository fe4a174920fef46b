/** Endless loops that wait and work again: `while (true) { await work(); await sleep(n); }` in an exported function. */
import type { Stmt } from '../../facts/ir.ts';
import { eachPart, some, walk, type AnyNode } from '../../facts/walk.ts';
import { defineFinder, type UnitDraft } from '../finder.ts';
import { functionName } from '../names.ts';

export const finder = defineFinder({
  id: 'polling-loop',
  applies: (file) => /\bwhile\s*\(|\bfor\s*\(\s*;\s*;|\bdo\s*\{/.test(file.text),
  find(ctx) {
    const loops = new Map<number, string>();
    const started = new Set<number>();
    for (const fn of ctx.file.facts.functions) {
      if (!fn.async || fn.id === 0 || fn.generator) continue;
      const name = functionName(ctx.file.facts, fn);
      if (!name || !(fn.exported || fn.cls >= 0 || fn.parent === 0)) continue;
      let endless = false;
      for (const st of fn.body)
        walk(st, (node) => {
          const forever =
            (node.k === 'for' && !node.test) ||
            ((node.k === 'while' || node.k === 'do') &&
              ((node.test.k === 'lit' && (node.test.value === true || node.test.value === 1)) ||
                /^!?(?:this\.)?_?(?:running|isRunning|stopped|shutdown|closed|shouldStop|shuttingDown|active|alive)\b/.test(
                  ctx.file.text.slice(node.test.s, node.test.e),
                )));
          if (!forever || !('body' in node) || Array.isArray(node.body)) return;
          const body = node.body as Parameters<typeof some>[0];
          const waits = some(
            body,
            (n) =>
              n.k === 'await' &&
              /sleep|delay|wait|setTimeout|pause|poll|receive|brpop|blpop|read|pop|fetch|interval/i.test(
                ctx.file.text.slice(n.s, Math.min(n.e, n.s + 120)),
              ),
          );
          const returnsResult = some(body, (n) => n.k === 'ret' && n.arg !== null);
          if (waits && !returnsResult && !endsOnItsOwn(ctx.file.text, node.body as Stmt)) endless = true;
        });
      if (endless) loops.set(fn.id, name);
    }
    // An exported function that starts one of the file's own loops is what others know it by.
    const out: UnitDraft[] = [];
    const { functions } = ctx.file.facts;
    for (const fn of functions) {
      if (!fn.exported || !fn.async || !fn.name || loops.has(fn.id)) continue;
      let starts = false;
      for (const site of ctx.model.sites.of(ctx.file, fn.id)) {
        const { target } = site;
        if (target.k !== 'fn' || target.value.file !== ctx.file || functions[target.value.fn]?.exported)
          continue;
        if (loops.delete(target.value.fn) || started.has(target.value.fn)) {
          starts = true;
          started.add(target.value.fn);
        }
      }
      if (starts)
        out.push({
          kind: 'job',
          name: fn.name,
          symbol: fn.name,
          at: fn,
          handler: { file: ctx.file, fn: fn.id },
        });
    }
    for (const [id, name] of loops) {
      const fn = functions[id];
      if (fn) out.push({ kind: 'job', name, symbol: name, at: fn, handler: { file: ctx.file, fn: id } });
    }
    return out;
  },
});

/** A `break` or bare `return` that no shutdown guards: the loop waits for something and ends. */
function endsOnItsOwn(text: string, body: Stmt): boolean {
  let ends = false;
  const visit = (node: AnyNode, guarded: boolean, nested: boolean): void => {
    if ((node.k === 'break' && !nested) || node.k === 'ret') {
      if (!guarded) ends = true;
      return;
    }
    const isLoop =
      node.k === 'for' ||
      node.k === 'forof' ||
      node.k === 'forin' ||
      node.k === 'while' ||
      node.k === 'do' ||
      node.k === 'switch';
    const shuts =
      node.k === 'if' &&
      /stop|shut|running|abort|clos|signal|cancel|exit|drain|active|alive|destroy/i.test(
        text.slice(node.test.s, node.test.e),
      );
    eachPart(node, (part) => visit(part, guarded || shuts, nested || isLoop));
  };
  visit(body, false, false);
  return ends;
}
