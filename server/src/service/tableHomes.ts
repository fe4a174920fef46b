/**
 * The folders that hold `.sixlens/` in one analysed root, and the tables in each. Owns which folder a source file belongs
 * to (the nearest one at or above it) and reading each table once; `forget` when a table changed.
 */
import type { FileHost } from '../host/fileHost.ts';
import { readTableFiles, type TableFile } from './tableFiles.ts';

export type TableTexts = Pick<FileHost, 'exists' | 'readDir' | 'readText'>;

export interface TableHome {
  /** Absolute. */
  readonly root: string;
  /** What a path in its tables lacks of one that is relative to the analysed root: empty or ending in `/`. */
  readonly prefix: string;
}

export class TableHomes {
  private readonly homes = new Map<string, TableHome>();
  private readonly files = new Map<string, readonly TableFile[]>();
  private readonly ofSource = new Map<string, readonly TableFile[]>();
  private readonly rules = new Map<string, boolean>();

  constructor(
    private readonly texts: TableTexts,
    readonly root: string,
  ) {}

  forget(): void {
    this.homes.clear();
    this.files.clear();
    this.ofSource.clear();
    this.rules.clear();
  }

  /** `file` is relative to the analysed root. */
  homeOf(file: string): TableHome {
    const folder = file.slice(0, Math.max(0, file.lastIndexOf('/')));
    const known = this.homes.get(folder);
    if (known) return known;
    let home: TableHome = { root: this.root, prefix: '' };
    for (let at = folder; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/'))))
      if (this.texts.exists(`${this.root}/${at}/.sixlens`)) {
        home = { root: `${this.root}/${at}`, prefix: `${at}/` };
        break;
      }
    this.homes.set(folder, home);
    return home;
  }

  tablesOf(home: TableHome): readonly TableFile[] {
    let files = this.files.get(home.root);
    if (!files) this.files.set(home.root, (files = readTableFiles(this.texts, home.root)));
    return files;
  }

  /** Tables about units of one source file, which is relative to the analysed root. */
  tablesFor(file: string): readonly TableFile[] {
    let found = this.ofSource.get(file);
    if (!found) {
      const home = this.homeOf(file);
      const inner = file.slice(home.prefix.length);
      found = this.tablesOf(home).filter((table) => table.mayName((source) => source === inner));
      this.ofSource.set(file, found);
    }
    return found;
  }

  /** Whether any table of the home might speak of a rule; parses nothing. */
  mention(home: TableHome, rule: string): boolean {
    const key = `${home.root}\0${rule}`;
    let known = this.rules.get(key);
    if (known === undefined) {
      known = this.tablesOf(home).some(({ text }) => text.includes(rule));
      this.rules.set(key, known);
    }
    return known;
  }
}
