/** Unique keys of classes with decorators: TypeORM, MikroORM, sequelize-typescript, Mongoose in Nest. */
import type { ClassFact, ClassProp, Expr } from '../facts/ir.ts';
import { addKey, declareEntity, type FoundKeys } from './uniqueKeys.ts';
import { decoratorOf, isTrue, objectOf, textOf, textsOf, valueAt } from './literals.ts';
import type { SchemaSource } from './schemaSource.ts';

const MODEL = /^(?:Entity|Table|Schema|ChildEntity|modelOptions)$/;
const PRIMARY = /^(?:PrimaryColumn|PrimaryGeneratedColumn|PrimaryKey|ObjectIdColumn|SerializedPrimaryKey)$/;
const COLUMN = /^(?:Column|Property|Prop|prop|Enum|OneToOne|ManyToOne|JoinColumn)$/;

export function readDecoratedModels({ facts }: SchemaSource, found: FoundKeys): void {
  for (const cls of facts.classes) {
    const model = cls.decorators.map(decoratorOf).find((d) => d && MODEL.test(d.name));
    if (!model || cls.name === null) continue;
    const names = namesOf(cls.name, model.args[0]);
    for (const name of names) declareEntity(found, name);
    const add = (columns: readonly string[], partial = false): void => {
      for (const name of names) addKey(found, name, columns, partial);
    };
    readClass(cls, add);
    for (const prop of cls.props) readProp(prop, add);
  }
}

function namesOf(own: string, given: Expr | undefined): readonly string[] {
  const options = objectOf(given);
  const table =
    textOf(given) ??
    textOf(valueAt(options, 'tableName')) ??
    textOf(valueAt(options, 'name')) ??
    textOf(valueAt(options, 'collection'));
  return table !== null && table !== own ? [own, table] : [own];
}

type Add = (columns: readonly string[], partial?: boolean) => void;

function readClass(cls: ClassFact, add: Add): void {
  for (const decorator of cls.decorators.map(decoratorOf)) {
    if (!decorator || !/^(?:Index|Unique)$/.test(decorator.name)) continue;
    const options = decorator.args.map(objectOf).find((o) => o !== null) ?? null;
    if (decorator.name === 'Index' && !isTrue(valueAt(options, 'unique'))) continue;
    const listed = decorator.args.find((a) => textsOf(a) !== null && textOf(a) === null);
    const columns = textsOf(listed ?? valueAt(options, 'properties') ?? valueAt(options, 'fields'));
    // Columns named by a function are there all the same: nothing may be said about what is not unique.
    add(columns ?? ['?'], columns === null || isPartial(options));
  }
}

function readProp(prop: ClassProp, add: Add): void {
  for (const decorator of prop.decorators.map(decoratorOf)) {
    if (!decorator) continue;
    const options = decorator.args.map(objectOf).find((o) => o !== null) ?? null;
    const unique =
      PRIMARY.test(decorator.name) ||
      decorator.name === 'Unique' ||
      (decorator.name === 'Index' && isTrue(valueAt(options, 'unique'))) ||
      (COLUMN.test(decorator.name) &&
        ['unique', 'primary', 'primaryKey'].some((key) => isTrue(valueAt(options, key))));
    if (!unique) continue;
    add([prop.name], isPartial(options));
    // The foreign key's own column.
    if (decorator.name === 'OneToOne' || decorator.name === 'ManyToOne')
      add([`${prop.name}Id`], isPartial(options));
  }
}

function isPartial(options: ReturnType<typeof objectOf>): boolean {
  return ['where', 'sparse', 'partialFilterExpression'].some((key) => valueAt(options, key) !== undefined);
}
