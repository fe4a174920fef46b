/** Unique keys of Sequelize: `define`, `Model.init`, and the query interface of its migrations. */
import type { Call, Expr, Obj } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { addKey, declareEntity, type FoundKeys } from './uniqueKeys.ts';
import { isTrue, listOf, nameOfCallee, objectOf, textOf, textsOf, valueAt } from './literals.ts';
import type { SchemaSource } from './schemaSource.ts';

export function readSequelize({ index }: SchemaSource, found: FoundKeys): void {
  for (const call of index.calls.flat()) {
    if (call.k !== 'call') continue;
    switch (nameOfCallee(call)) {
      case 'define':
        readModel(found, [textOf(call.args[0])], call.args[1], call.args[2]);
        break;
      case 'init': {
        const cls = call.callee.k === 'mem' ? uncast(call.callee.obj) : null;
        if (cls?.k === 'id') readModel(found, [cls.name], call.args[0], call.args[1]);
        break;
      }
      case 'createTable':
        readModel(found, [textOf(call.args[0])], call.args[1], call.args[2]);
        break;
      case 'addIndex':
      case 'addConstraint':
        readAddition(call, found);
        break;
      default:
        break;
    }
  }
}

function readModel(
  found: FoundKeys,
  given: readonly (string | null)[],
  columns: Expr | undefined,
  options: Expr | undefined,
): void {
  const fields = objectOf(columns);
  const rest = objectOf(options);
  const names = [...given, textOf(valueAt(rest, 'tableName'))].filter((n) => n !== null);
  if (!fields || names.length === 0 || !fields.props.some((p) => isColumn(objectOf(p.value)))) return;
  for (const name of names) declareEntity(found, name);
  const add = (key: readonly string[], partial = false): void => {
    for (const name of names) addKey(found, name, key, partial);
  };
  const groups = new Map<string, string[]>();
  for (const p of fields.props) {
    const column = objectOf(p.value);
    if (p.key === null || !column) continue;
    const unique = valueAt(column, 'unique');
    const group = textOf(unique) ?? textOf(valueAt(objectOf(unique), 'name'));
    if (group !== null) groups.set(group, [...(groups.get(group) ?? []), p.key]);
    else if (isTrue(unique) || objectOf(unique) || isTrue(valueAt(column, 'primaryKey'))) add([p.key]);
  }
  for (const group of groups.values()) add(group);
  for (const item of listOf(valueAt(rest, 'indexes'))?.items ?? []) {
    const entry = objectOf(item);
    if (isTrue(valueAt(entry, 'unique'))) addListed(add, entry);
  }
  for (const p of objectOf(valueAt(rest, 'uniqueKeys'))?.props ?? []) addListed(add, objectOf(p.value));
}

/** A column says its type; other objects with keys do not. */
function isColumn(column: Obj | null): boolean {
  return valueAt(column, 'type') !== undefined;
}

function addListed(add: (key: readonly string[], partial?: boolean) => void, entry: Obj | null): void {
  const fields = textsOf(valueAt(entry, 'fields'));
  add(fields ?? ['?'], fields === null || valueAt(entry, 'where') !== undefined);
}

function readAddition(call: Call, found: FoundKeys): void {
  const table = textOf(call.args[0]) ?? textOf(valueAt(objectOf(call.args[0]), 'tableName'));
  const options = objectOf(call.args[2]) ?? objectOf(call.args[1]);
  if (table === null) return;
  const kind = textOf(valueAt(options, 'type'))?.toLowerCase();
  if (!isTrue(valueAt(options, 'unique')) && kind !== 'unique' && kind !== 'primary key') return;
  const fields = textsOf(listOf(call.args[1]) ? call.args[1] : valueAt(options, 'fields'));
  addKey(found, table, fields ?? ['?'], fields === null || valueAt(options, 'where') !== undefined);
}
