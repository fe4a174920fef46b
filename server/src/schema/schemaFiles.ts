/**
 * Finds and reads the schema of a root when somebody first asks: schema files, models and migrations in code. Owns which files count as
 * the database's word.
 */
import type { FileHost } from '../host/fileHost.ts';
import { readDecoratedModels } from './decoratedModels.ts';
import { readDrizzle } from './drizzleTables.ts';
import { readKnex, readSqlInCode } from './migrationsInCode.ts';
import { readMongoose } from './mongooseSchemas.ts';
import type { SchemaSource } from './schemaSource.ts';
import { readSequelize } from './sequelizeModels.ts';
import { readPrismaSchema, readSqlSchema, type FoundKeys, type UniqueKeys } from './uniqueKeys.ts';

const MAX_FILES = 2000;
const MAX_BYTES = 2 * 1024 * 1024;

const READERS = [
  readDecoratedModels,
  readSequelize,
  readDrizzle,
  readMongoose,
  readKnex,
  readSqlInCode,
] as const;
/** Words without which a code file declares no table. */
const DECLARES =
  /@(?:Entity|Table|Schema|ChildEntity|modelOptions)\b|\b(?:pg|mysql|sqlite|singlestore)Table\w*\(|drizzle-orm|\bnew\s+(?:\w+\.)?Schema\b|\.define\(|\.init\(\s*\{|\b(?:create|alter)Table\w*\(|\badd(?:Index|Constraint)\(|\bcreate\s+(?:unique\s+index|table)\b|\balter\s+table\b/i;

/** The code files of a root, as the project knows them. */
export interface SchemaCode {
  /** Relative to the root. */
  files(): readonly string[];
  text(file: string): string | null;
  /** Null when the file cannot be parsed. */
  parse(file: string, text: string): SchemaSource | null;
}

export class SchemaFiles {
  private merged: FoundKeys | null = null;
  private strict: boolean | null = null;
  /** Prisma and SQL files of the root. */
  private listing: readonly string[] | null = null;
  /** What each file says; null for one that says nothing. */
  private readonly byFile = new Map<string, FoundKeys | null>();
  /** Code files that have another text since they were read. */
  private readonly changed = new Set<string>();

  constructor(
    private readonly host: FileHost,
    private readonly root: string,
    private readonly code: SchemaCode,
  ) {}

  reset(): void {
    this.merged = null;
    this.strict = null;
    this.listing = null;
    this.byFile.clear();
    this.changed.clear();
  }

  /** One code file has another text. Costs nothing until somebody asks. */
  forget(file: string): void {
    if (this.byFile.has(file)) this.changed.add(file);
  }

  /** Some Prisma generator of the root asks that `undefined` in a query be refused. */
  refusesUndefined(): boolean {
    return (this.strict ??= this.listed()
      .filter((file) => file.endsWith('.prisma'))
      .slice(0, MAX_FILES)
      .some((file) =>
        /\bpreviewFeatures\s*=\s*\[[^\]]*"strictUndefinedChecks"/.test(this.host.readText(file)?.text ?? ''),
      ));
  }

  uniqueKeys(): UniqueKeys {
    this.takeUpChanges();
    return (this.merged ??= this.merge());
  }

  /** A file that declares no table, before and after, leaves all else as it is. */
  private takeUpChanges(): void {
    for (const file of this.changed) {
      const before = this.byFile.get(file) ?? null;
      const now = this.readCode(file);
      this.byFile.set(file, now);
      if (before !== null || now !== null) this.merged = null;
    }
    this.changed.clear();
  }

  private merge(): FoundKeys {
    const merged: FoundKeys = new Map();
    for (const file of this.listed().slice(0, MAX_FILES))
      join(
        merged,
        this.of(file, () => this.readText(file)),
      );
    for (const file of this.code.files())
      join(
        merged,
        this.of(file, () => this.readCode(file)),
      );
    return merged;
  }

  private listed(): readonly string[] {
    return (this.listing ??= this.host.listFiles(this.root, {
      extensions: ['.prisma', '.sql'],
      includeAll: true,
    }).files);
  }

  private of(file: string, read: () => FoundKeys | null): FoundKeys | null {
    const known = this.byFile.get(file);
    if (known !== undefined) return known;
    const found = read();
    this.byFile.set(file, found);
    return found;
  }

  private readText(file: string): FoundKeys | null {
    if ((this.host.stat(file)?.size ?? 0) > MAX_BYTES) return null;
    const text = this.host.readText(file)?.text;
    if (text === undefined) return null;
    const found: FoundKeys = new Map();
    if (file.endsWith('.prisma')) readPrismaSchema(text, found);
    else if (/\bunique\b|primary\s+key/i.test(text)) readSqlSchema(text, found);
    return found;
  }

  private readCode(file: string): FoundKeys | null {
    const text = this.code.text(file);
    if (text === null || !DECLARES.test(text)) return null;
    const source = this.code.parse(file, text);
    if (!source) return null;
    const found: FoundKeys = new Map();
    for (const read of READERS) read(source, found);
    return found;
  }
}

function join(merged: FoundKeys, found: FoundKeys | null): void {
  for (const [entity, keys] of found ?? []) merged.set(entity, [...(merged.get(entity) ?? []), ...keys]);
}
