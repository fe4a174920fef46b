/**
 * What the analysis asks of version control. Owns the interface only; `node/` implements it, tests fake it. Optional
 * everywhere: without it nothing but what needs history is lost. Synchronous, bounded in time; a refusal is a `GitError`
 * value, never a throw. Paths are relative to the folder that was given, with `/`, and only what lies below it is told.
 */
export interface GitChange {
  readonly file: string;
  /** Where the file was before; null for a file that was not there. */
  readonly from: string | null;
  readonly gone: boolean;
  /** Changed or added lines as they are now, from 1, both inclusive. Null: all of them. */
  readonly lines: readonly { readonly start: number; readonly end: number }[] | null;
}

export interface GitError {
  /** One sentence without a full stop. */
  readonly error: string;
}

export interface Git {
  /** Whether the folder is in a work tree. */
  isRepository(folder: string): boolean;
  /**
   * The commit where the work tree's branch left `ref`; without one, where it left the default branch: what the remote
   * calls its head, else `main` or `master`.
   */
  mergeBase(folder: string, ref: string | null): { readonly commit: string; readonly of: string } | GitError;
  /** What differs between a commit and the work tree as it stands, files that are not yet added included. */
  changes(folder: string, commit: string): readonly GitChange[] | GitError;
  /** Text of a file at a commit; null when it was not there. */
  textAt(folder: string, commit: string, file: string): string | null;
  /** Files below `under` at a commit. */
  filesAt(folder: string, commit: string, under: string): readonly string[];
  /** Old path → path now, over the history that is still cheap to read. */
  renames(folder: string): ReadonlyMap<string, string>;
  /** Merges three files line by line into the first, with conflict markers. Paths are absolute. */
  mergeFile(
    folder: string,
    files: { readonly ours: string; readonly base: string; readonly theirs: string },
    markerSize: number,
  ): { readonly conflicts: number } | GitError;
  /** Who commits here; null where nobody said. */
  person(folder: string): string | null;
}
