/** Endless loops that wait and work again: `while (true) { await work(); await sleep(n); }` in an exported function. */
import { some, walk } from '../../facts/walk.ts';
import { defineFinder, type UnitDraft } from '../finder.ts';
import { functionName } from '../names.ts';

export const finder = defineFinder({
  id: 'polling-loop',
  applies: file => /\bwhile\s*\(|\bfor\s*\(\s*;\s*;|\bdo\s*\{/.test(file.text),
  find(ctx) {
    const out: UnitDraft[] = [];
    for (const fn of ctx.file.facts.functions) {
      if (!fn.async || fn.id === 0 || fn.generator) continue;
      const name = functionName(ctx.file.facts, fn);
      if (!name || !(fn.exported || fn.cls >= 0 || fn.parent === 0)) continue;
      let endless = false;
      for (const st of fn.body)
        walk(st, node => {
          const forever =
            (node.k === 'for' && !node.test) ||
            ((node.k === 'while' || node.k === 'do') &&
              ((node.test.k === 'lit' && (node.test.value === true || node.test.value === 1)) || /^!?(?:this\.)?_?(?:running|isRunning|stopped|shutdown|closed|shouldStop|shuttingDown|active|alive)\b/.test(ctx.file.text.slice(node.test.s, node.test.e))));
          if (!forever || !('body' in node) || Array.isArray(node.body)) return;
          const body = node.body as Parameters<typeof some>[0];
          const waits = some(body, n => n.k === 'await' && /sleep|delay|wait|setTimeout|pause|poll|receive|brpop|blpop|read|pop|fetch|interval/i.test(ctx.file.text.slice(n.s, Math.min(n.e, n.s + 120))));
          const returnsResult = some(body, n => n.k === 'ret' && n.arg !== null);
          if (waits && !returnsResult) endless = true;
        });
      if (endless) out.push({ kind: 'job', name, symbol: name, at: fn, handler: { file: ctx.file, fn: fn.id } });
    }
    return out;
  },
});
