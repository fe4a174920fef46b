/**
 * A copy of a work tree in which code may be changed and run. Owns the interface only; `node/` implements it, tests fake
 * it. Making and removing one leaves the work tree, its index, its branches and its stash as they were.
 */
export interface ScratchTree {
  /** The copy of the folder that was asked for. Absolute, with `/`. */
  readonly root: string;
  /** The top of the copied work tree: `root` itself, or above it. */
  readonly top: string;
  /** An empty folder beside the copy, for what runs write down. */
  readonly outbox: string;
  /** Hash of the copied content, as version control names it. */
  readonly tree: string;
  /** Ignored files and folders that were too large to copy, relative to `top`. */
  readonly left: readonly string[];
  /** Takes the copy away; a second call does nothing. */
  dispose(): void;
}

export interface ScratchError {
  /** One sentence without a full stop. */
  readonly error: string;
}

export interface Scratches {
  /**
   * The work tree as it stands: uncommitted and untracked files included; of what is ignored, dependencies are linked
   * and other files copied. First takes away what runs left that were killed.
   */
  create(root: string): ScratchTree | ScratchError;
}
