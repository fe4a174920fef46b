import type { Position } from './span.ts';

/** Bad input as a value: what could not be read, where, and what is done instead. Never thrown. */
export interface Problem {
  /** Stable kebab-case name, for example `tsconfig-unreadable`. */
  readonly code: string;
  readonly message: string;
  /** Relative to the root, with `/`; absent when the problem is about the run itself. */
  readonly file?: string;
  readonly start?: Position;
  readonly end?: Position;
  readonly severity: 'error' | 'warning' | 'note';
}
