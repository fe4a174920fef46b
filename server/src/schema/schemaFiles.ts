/** Finds and reads the schema files of a root when somebody first asks. Owns which files count as the database's word. */
import type { FileHost } from '../host/fileHost.ts';
import { readPrismaSchema, readSqlSchema, type UniqueKeys } from './uniqueKeys.ts';

const MAX_FILES = 2000;
const MAX_BYTES = 2 * 1024 * 1024;

export class SchemaFiles {
  private keys: UniqueKeys | null = null;

  constructor(
    private readonly host: FileHost,
    private readonly root: string,
  ) {}

  reset(): void {
    this.keys = null;
  }

  uniqueKeys(): UniqueKeys {
    if (this.keys) return this.keys;
    const found = new Map<string, string[][]>();
    const { files } = this.host.listFiles(this.root, { extensions: ['.prisma', '.sql'], includeAll: true });
    for (const file of files.slice(0, MAX_FILES)) {
      if ((this.host.stat(file)?.size ?? 0) > MAX_BYTES) continue;
      const text = this.host.readText(file)?.text;
      if (text === undefined) continue;
      if (file.endsWith('.prisma')) readPrismaSchema(text, found);
      else if (/\bunique\b|primary\s+key/i.test(text)) readSqlSchema(text, found);
    }
    this.keys = found;
    return found;
  }
}
