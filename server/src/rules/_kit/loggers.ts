/** The logger that a place of a file already uses. Owns the choice for fixes that add a log line. */
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import { inherited } from '../../model/packIndex.ts';
import { exprName } from './text.ts';

export interface LogStyle {
  /** What `.error` is called on: `logger`, `this.logger`, `console`. */
  readonly receiver: string;
  /** Fields come before the text: pino and bunyan. */
  readonly fieldsFirst: boolean;
}

const NAME = /^(?:this\.)?(?:\w*logger|log)$/i;

/** Null when the file logs nowhere. */
export function loggerAt(model: Model, file: SourceFile, fn: number): LogStyle | null {
  const cls = file.facts.functions[model.outermost(file, fn)]?.cls ?? -1;
  let found: LogStyle | null = null;
  let console: LogStyle | null = null;
  for (const f of file.facts.functions)
    for (const call of file.index.calls[f.id] ?? []) {
      if (call.k !== 'call' || call.callee.k !== 'mem') continue;
      if (!/^(?:error|warn|info|debug|log)$/.test(call.callee.prop)) continue;
      const name = exprName(file, call.callee.obj);
      if (name === 'console') {
        console ??= { receiver: 'console', fieldsFirst: false };
        continue;
      }
      if (!NAME.test(name) || name.includes('(')) continue;
      if (name.startsWith('this.') && (file.facts.functions[model.outermost(file, f.id)]?.cls ?? -2) !== cls)
        continue;
      // A logger that is a parameter or local name is only in scope where it is declared.
      const binding = call.callee.obj.k === 'id' ? file.facts.bindings[call.callee.obj.b] : undefined;
      if (binding && binding.fn !== 0) {
        const owner = file.facts.functions[binding.fn];
        const at = file.facts.functions[fn];
        if (!owner || !at || at.s < owner.s || at.e > owner.e) continue;
      }
      found ??= { receiver: name, fieldsFirst: fieldsFirst(model, file, call.callee.obj) };
    }
  found ??= importedLogger(model, file);
  return found ?? console;
}

function importedLogger(model: Model, file: SourceFile): LogStyle | null {
  const binding = file.facts.bindings.find(
    (b) => b.fn === 0 && NAME.test(b.name) && b.kind !== 'type' && b.kind !== 'fn' && b.kind !== 'class',
  );
  if (!binding) return null;
  const value = model.values.binding(file, binding);
  return { receiver: binding.name, fieldsFirst: value.k === 'inst' && isFieldsFirst(value.pack.id) };
}

function fieldsFirst(model: Model, file: SourceFile, receiver: Parameters<typeof exprName>[1]): boolean {
  const value = model.values.of(file, receiver);
  return (
    value.k === 'inst' &&
    inherited(value.pack, value.type, 'role') === 'logger' &&
    isFieldsFirst(value.pack.id)
  );
}

function isFieldsFirst(pack: string): boolean {
  return pack === 'pino' || pack === 'bunyan' || pack === 'fastify';
}

/** `logger.error('…', error)` in the logger's own order of arguments. */
export function logLine(style: LogStyle, text: string, error: string, quote: string): string {
  const message = `${quote}${text.replaceAll(quote, `\\${quote}`)}${quote}`;
  return style.fieldsFirst
    ? `${style.receiver}.error({ err: ${error} }, ${message})`
    : `${style.receiver}.error(${message}, ${error})`;
}
