/**
 * What the analysis asks of a file system. Owns the interface only; `node/` implements it, tests fake it.
 *
 * Everything is synchronous, so that the engine stays a plain function of its input. Paths are absolute and use `/`
 * on every system. Nothing here throws for bad content or missing permission: a `Problem` says what was wrong, and its
 * `file`, where set, is an absolute path (the host knows no root; callers make it relative). The two exceptions are the
 * writers, which throw an `Error` with the system's reason.
 */
import type { Problem } from '../base/problem.ts';

export type TextEncoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'latin1';

export interface TextRead {
  /** Without a byte order mark; line ends as they are in the file. Offsets refer to this text. */
  readonly text: string;
  /** What to hand to `writeText` so that no byte changes but those of the edit. */
  readonly encoding: TextEncoding;
  /** `not-utf8` when the bytes had to be read in another way. */
  readonly problem: Problem | null;
}

export interface SourceRead {
  /** Null when the file is not analysed; `problem` then says why. */
  readonly text: string | null;
  readonly encoding: TextEncoding;
  /** `not-utf8` (text given), `file-too-large`, `minified`, `file-unreadable` (text null). */
  readonly problem: Problem | null;
}

export interface FileStat {
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
  /** Bytes. */
  readonly size: number;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
}

export interface ListOptions {
  /** Lower case, with the dot: `.ts`. */
  readonly extensions: readonly string[];
  /**
   * Also list what is left out by default: minified files and folders of build output. Never `node_modules`, `.git` or
   * what `.gitignore` names.
   */
  readonly includeAll?: boolean;
}

export interface FileListing {
  /** Absolute, sorted by code unit; each real file once, links to folders not followed. */
  readonly files: readonly string[];
  /** `folder-unreadable` and the like. */
  readonly problems: readonly Problem[];
}

/** The parts of a tsconfig that resolution needs, with `extends` merged. */
export interface TsconfigPaths {
  /** The file this was read from. */
  readonly file: string;
  /** Absolute, or null when unset. */
  readonly baseUrl: string | null;
  /** Pattern → substitutions, each an absolute path that may hold one `*`. Empty when unset. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  readonly module: string | null;
  readonly moduleResolution: string | null;
  readonly customConditions: readonly string[];
  /** Absolute folders; empty when unset. */
  readonly rootDirs: readonly string[];
  readonly rootDir: string | null;
  readonly outDir: string | null;
  /** Absolute paths of the configs that `references` names. */
  readonly references: readonly string[];
}

export interface TsconfigRead {
  readonly config: TsconfigPaths | null;
  /** `tsconfig-unreadable` at its place in the broken file. */
  readonly problem: Problem | null;
}

export interface DirEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
}

export interface FileHost {
  /** Any text file: manifests, lockfiles, tables. Null when there is no such readable file. */
  readText(path: string): TextRead | null;
  /** A source file to analyse: as `readText`, but refuses very large and minified ones. Null when it does not exist. */
  readSource(path: string): SourceRead | null;
  /** Follows links. Null when there is nothing. */
  stat(path: string): FileStat | null;
  exists(path: string): boolean;
  /** Resolves links; the path itself when there is nothing. */
  realpath(path: string): string;
  /** One level, unsorted; empty when it cannot be read. */
  readDir(path: string): readonly DirEntry[];
  /** Recursive; leaves out what `.gitignore` names, dependencies, build output and vendored code. */
  listFiles(root: string, options: ListOptions): FileListing;
  /** Both null when the file does not exist. */
  readTsconfig(path: string): TsconfigRead;
  /** The user's cache folder for this tool (outside every repository), or null when nothing is to be cached. */
  readonly cacheDir: string | null;
  /** Writes whole, through a temporary file and a rename; makes missing folders. Throws when the system refuses. */
  writeText(path: string, text: string, encoding?: TextEncoding): void;
  /** Bytes, for caches. Null when it cannot be read. */
  readBytes(path: string): Uint8Array | null;
  /** As `writeText`. */
  writeBytes(path: string, bytes: Uint8Array): void;
  /** Removes one file; nothing happens when there is none. */
  remove(path: string): void;
}
