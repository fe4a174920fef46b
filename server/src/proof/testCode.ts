/** The code of a named test in its file. Owns finding the call that declares it, and the hash that changes when it does. */
import { hashText } from '../base/hash.ts';
import type { Call } from '../facts/ir.ts';
import { uncast, type AnyNode } from '../facts/walk.ts';
import { NormalForm } from '../model/normalForm.ts';
import type { SourceFile } from '../model/project.ts';
import { isNamed } from './testName.ts';

/** Starts with a letter. Layout, comments and names of locals do not count; where no call declares the title, the whole file does. */
export function hashOfTest(file: SourceFile, title: string): string {
  const form = new NormalForm();
  const found = declarations(file).filter((test) => isNamed(title, test));
  const text =
    found.length > 0
      ? found.map(({ call }) => form.expr(file, call, { functions: 'keep' })).join('\n')
      : file.text.replace(/\s+/g, ' ');
  return `t${hashText(text)}`;
}

interface Declared {
  readonly call: Call;
  readonly title: string;
  readonly full: string;
}

const DECLARES = /^(?:it|test|specify|fit|xit|its?|should)$/;
const GROUPS = /^(?:describe|suite|context|fdescribe|xdescribe)$/;

function declarations(file: SourceFile): readonly Declared[] {
  const out: Declared[] = [];
  for (const calls of file.index.calls)
    for (const call of calls) {
      if (call.k !== 'call' || !DECLARES.test(kindOf(call))) continue;
      const title = titleOf(call);
      if (title === null) continue;
      const groups: string[] = [];
      for (let fn = file.index.functionOf(call); fn > 0;) {
        const holder: AnyNode | undefined = file.index.holder(fn);
        const around = holder && file.index.parent(holder);
        if (around?.k === 'call' && (GROUPS.test(kindOf(around)) || DECLARES.test(kindOf(around)))) {
          const group = titleOf(around);
          if (group !== null) groups.unshift(group);
        }
        fn = holder ? file.index.functionOf(around ?? holder) : 0;
        if (around === undefined) break;
      }
      out.push({ call, title, full: [...groups, title].join(' ') });
    }
  return out;
}

/** `it` of `it(…)`, `it.only(…)`, `it.each(rows)(…)` and `t.test(…)`. */
function kindOf(call: Call): string {
  let at = uncast(call.callee);
  const names: string[] = [];
  for (let guard = 0; guard < 6; guard++) {
    if (at.k === 'call') at = uncast(at.callee);
    else if (at.k === 'tag') at = uncast(at.tag);
    else if (at.k === 'mem') {
      names.unshift(at.prop);
      at = uncast(at.obj);
    } else break;
  }
  if (at.k === 'id') names.unshift(at.name);
  return names.find((name) => DECLARES.test(name) || GROUPS.test(name)) ?? '';
}

function titleOf(call: Call): string | null {
  const first = call.args[0] && uncast(call.args[0]);
  if (first?.k === 'lit' && typeof first.value === 'string') return first.value;
  return first?.k === 'tmpl' && first.exprs.length === 0 ? (first.quasis[0] ?? null) : null;
}
