/** A folder for one test, removed after it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface TempFolder {
  readonly path: string;
  /** Writes files given by their path relative to the folder. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
  remove(): void;
}

export function tempFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'sixlens-test-')));
  const folder: TempFolder = {
    path,
    write(more) {
      for (const [name, content] of Object.entries(more)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), content);
      }
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
  folder.write(files);
  return folder;
}
