/** Unique keys of Mongoose schemas: fields, `schema.index`, and the models that are made of them. */
import type { Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { addKey, declareEntity, type FoundKeys } from './uniqueKeys.ts';
import { isTrue, nameOfCallee, objectOf, textOf, valueAt } from './literals.ts';
import type { SchemaSource } from './schemaSource.ts';

interface SchemaKeys {
  readonly keys: { readonly columns: readonly string[]; readonly partial: boolean }[];
}

export function readMongoose({ facts, index }: SchemaSource, found: FoundKeys): void {
  const schemas = new Map<number, SchemaKeys>();
  for (const [id, binding] of facts.bindings.entries()) {
    const made = binding.decl?.k === 'init' ? uncast(binding.decl.init) : null;
    if (made?.k === 'new' && nameOfCallee(made) === 'Schema') schemas.set(id, keysOf(made.args[0]));
  }
  const calls = index.calls.flat().filter((call) => call.k === 'call');
  for (const call of calls) {
    const schema =
      call.callee.k === 'mem' && call.callee.prop === 'index' ? of(call.callee.obj, schemas) : null;
    const options = objectOf(call.args[1]);
    if (!schema || !isTrue(valueAt(options, 'unique'))) continue;
    const columns = objectOf(call.args[0])?.props.map((p) => p.key) ?? [null];
    const readable = columns.every((c) => c !== null);
    schema.keys.push({
      columns: readable ? columns : ['?'],
      partial:
        !readable ||
        valueAt(options, 'partialFilterExpression') !== undefined ||
        valueAt(options, 'sparse') !== undefined,
    });
  }
  for (const call of calls) {
    const name = nameOfCallee(call) === 'model' ? textOf(call.args[0]) : null;
    const given = call.args[1];
    if (name === null || !given) continue;
    const inner = uncast(given);
    const schema =
      of(given, schemas) ??
      (inner.k === 'new' && nameOfCallee(inner) === 'Schema' ? keysOf(inner.args[0]) : null);
    if (!schema) continue;
    declareEntity(found, name);
    addKey(found, name, ['_id']);
    for (const { columns, partial } of schema.keys) addKey(found, name, columns, partial);
  }
}

function of(expr: Expr, schemas: ReadonlyMap<number, SchemaKeys>): SchemaKeys | null {
  const at = uncast(expr);
  return at.k === 'id' ? (schemas.get(at.b) ?? null) : null;
}

function keysOf(fields: Expr | undefined): SchemaKeys {
  const keys: SchemaKeys['keys'] = [];
  const obj = objectOf(fields);
  for (const p of obj?.props ?? []) {
    const field = objectOf(p.value);
    if (p.key === null) keys.push({ columns: ['?'], partial: true });
    else if (isTrue(valueAt(field, 'unique')))
      keys.push({ columns: [p.key], partial: valueAt(field, 'sparse') !== undefined });
  }
  if (!obj) keys.push({ columns: ['?'], partial: true });
  return { keys };
}
