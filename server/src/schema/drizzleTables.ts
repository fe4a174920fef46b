/** Unique keys of Drizzle tables: columns, and the constraints of the third argument. */
import type { Call, Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { addKey, declareEntity, type FoundKeys } from './uniqueKeys.ts';
import { chainOf, functionOf, listOf, nameOfCallee, objectOf, textOf, valueAt } from './literals.ts';
import type { SchemaSource } from './schemaSource.ts';

const TABLE = /^(?:pgTable|mysqlTable|sqliteTable|singlestoreTable|table|createTable)$/;

export function readDrizzle({ facts, index }: SchemaSource, found: FoundKeys): void {
  if (!facts.specifiers.some((from) => from.startsWith('drizzle-orm'))) return;
  for (const binding of facts.bindings) {
    const made = binding.decl?.k === 'init' ? uncast(binding.decl.init) : null;
    if (made?.k !== 'call' || !TABLE.test(nameOfCallee(made) ?? '')) continue;
    const table = textOf(made.args[0]);
    const columns = objectOf(made.args[1]);
    if (table === null || !columns) continue;
    const names = [binding.name, table];
    for (const name of names) declareEntity(found, name);
    const add = (key: readonly string[], partial = false): void => {
      for (const name of names) addKey(found, name, key, partial);
    };
    for (const p of columns.props)
      if (p.key === null) add(['?'], true);
      else if (chainOf(p.value).some((call) => /^(?:unique|primaryKey)$/.test(nameOfCallee(call) ?? '')))
        add([p.key]);
    const extra = functionOf(made.args[2]);
    if (!extra) continue;
    for (const fn of index.within(extra.fn))
      for (const call of index.calls[fn.id] ?? []) if (call.k === 'call') readConstraint(call, index, add);
  }
}

function readConstraint(
  call: Call,
  index: SchemaSource['index'],
  add: (key: readonly string[], partial?: boolean) => void,
): void {
  const name = nameOfCallee(call);
  if (name === 'primaryKey') {
    const columns = listOf(valueAt(objectOf(call.args[0]), 'columns'))?.items ?? call.args;
    return addColumns(columns, add, false);
  }
  if (name !== 'on') return;
  const [head] = chainOf(call);
  if (!head || !/^(?:unique|uniqueIndex)$/.test(nameOfCallee(head) ?? '')) return;
  // `.where(…)` behind it makes the index partial.
  const member = index.parent(call);
  addColumns(call.args, add, member?.k === 'mem' && member.prop === 'where');
}

/** Columns are members of the table that the function is given: `t.email`. */
function addColumns(
  columns: readonly Expr[],
  add: (key: readonly string[], partial?: boolean) => void,
  partial: boolean,
): void {
  const names = columns.map((c) => {
    const at = uncast(c);
    return at.k === 'mem' ? at.prop : null;
  });
  if (names.every((n) => n !== null)) add(names, partial);
  else add(['?'], true);
}
