/** Unique keys that migrations in code make: Knex's table builder, and SQL written as text. */
import type { Expr } from '../facts/ir.ts';
import { uncast, walk } from '../facts/walk.ts';
import { addKey, declareEntity, readSqlSchema, type FoundKeys } from './uniqueKeys.ts';
import { chainOf, functionOf, nameOfCallee, objectOf, textOf, textsOf, valueAt } from './literals.ts';
import type { SchemaSource } from './schemaSource.ts';

const BUILDERS = /^(?:createTable|createTableIfNotExists|alterTable|table)$/;
const SQL = /\bcreate\s+(?:unique\s+index|table)\b|\balter\s+table\b[\s\S]*\b(?:unique|primary\s+key)\b/i;

export function readKnex({ index }: SchemaSource, found: FoundKeys): void {
  for (const call of index.calls.flat()) {
    if (call.k !== 'call' || !BUILDERS.test(nameOfCallee(call) ?? '')) continue;
    const table = textOf(call.args[0]);
    const build = functionOf(call.args[1]);
    if (table === null || !build) continue;
    if (nameOfCallee(call) !== 'alterTable') declareEntity(found, table);
    for (const fn of index.within(build.fn))
      for (const step of index.calls[fn.id] ?? []) {
        const name = step.k === 'call' ? nameOfCallee(step) : null;
        if (step.k !== 'call' || name === null) continue;
        if (/^(?:increments|bigIncrements)$/.test(name)) addKey(found, table, [textOf(step.args[0]) ?? 'id']);
        if (name !== 'unique' && name !== 'primary') continue;
        const [head] = chainOf(step);
        // `t.string('email').unique()` names its column first, `t.unique([…])` in its own arguments.
        const columns = textsOf(head && head !== step ? head.args[0] : step.args[0]);
        const partial = valueAt(objectOf(step.args[1]), 'predicate') !== undefined;
        addKey(found, table, columns ?? ['?'], columns === null || partial);
      }
  }
}

export function readSqlInCode({ facts }: SchemaSource, found: FoundKeys): void {
  const read = (expr: Expr): void => {
    const at = uncast(expr);
    const text =
      at.k === 'tmpl' || at.k === 'tag'
        ? at.quasis.join(' ')
        : at.k === 'lit' && at.kind === 'string'
          ? String(at.value)
          : null;
    if (text !== null && SQL.test(text)) readSqlSchema(text, found);
  };
  for (const fn of facts.functions)
    for (const st of fn.body)
      walk(st, (node) => {
        if (node.k === 'lit' || node.k === 'tmpl' || node.k === 'tag') read(node);
      });
}
