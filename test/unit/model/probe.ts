/** For tests of the model: what stands at `probe(…)` calls of a text, and the statements that carry a name in a comment. */
import type { Call, Expr } from '../../../server/src/facts/ir.ts';
import type { Model } from '../../../server/src/model/model.ts';
import type { SourceFile } from '../../../server/src/model/project.ts';
import type { Value } from '../../../server/src/model/values.ts';
import { parseFixture } from '../../support/fixture.ts';
import { modelOf } from '../../support/packProbe.ts';

export interface Probe {
  readonly model: Model;
  readonly file: SourceFile;
  /** Arguments of each `probe(…)` call of the file, in source order. */
  readonly calls: readonly Call[];
}

/** The file called `main` is the one that is looked at. */
export function probeOf(text: string): Probe {
  const { files } = parseFixture(text, 'src/main.ts');
  const model = modelOf(files);
  const sources = Object.keys(files).filter((f) => /\.[cm]?[jt]sx?$/.test(f));
  const file = model.project.file(sources.find((f) => /main\.\w+$/.test(f)) ?? sources.at(-1) ?? '');
  if (!file) throw new Error('no file');
  const calls = file.index.calls
    .flat()
    .filter((c): c is Call => c.k === 'call' && c.callee.k === 'id' && c.callee.name === 'probe')
    .sort((a, b) => a.s - b.s);
  return { model, file, calls };
}

export function describeValue(value: Value): string {
  switch (value.k) {
    case 'inst':
      return `${value.pack.id}.${value.type}${value.entity ? ` of ${value.entity}` : ''}`;
    case 'method':
      return `method ${value.pack.id}.${value.recv?.type ?? ''}.${value.name}`;
    case 'fn':
      return `fn ${value.file.facts.functions[value.fn]?.name ?? 'anonymous'}`;
    case 'self':
      return `instance ${value.file.facts.classes[value.cls]?.name ?? 'anonymous'}`;
    case 'cls':
      return `class ${value.file.facts.classes[value.cls]?.name ?? 'anonymous'}`;
    case 'ext':
      return `ext ${value.pkg}${value.path ? `:${value.path}` : ''}`;
    case 'node':
      return value.file.text.slice(value.expr.s, value.expr.e);
    case 'ns':
      return `module ${value.file.path}`;
    case 'global':
      return `global ${value.name}`;
    case 'param':
      return `param ${value.index}${value.path.length > 0 ? `.${value.path.join('.')}` : ''}`;
    default:
      return value.k;
  }
}

/** The values of the first arguments of the `probe(…)` calls. */
export function valuesOf(text: string): string[] {
  const { model, file, calls } = probeOf(text);
  return calls.map((c) => describeValue(model.values.of(file, c.args[0] as Expr)));
}

/** Calls of a function by its name, in source order, wherever they stand. */
export function callsOf(file: SourceFile, name: string): Call[] {
  return file.index.calls
    .flat()
    .filter((c): c is Call => c.k === 'call' && c.callee.k === 'id' && c.callee.name === name)
    .sort((a, b) => a.s - b.s);
}
