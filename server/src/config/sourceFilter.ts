/** Which source files the config lets in. Paths are relative to the root, with `/`. */
import picomatch from 'picomatch';
import type { Config } from './schema.ts';

export interface SourceFilter {
  /** `include` and `exclude`. */
  isIncluded(file: string): boolean;
  /** Read where others reach into it, never reported on. */
  isGenerated(file: string): boolean;
}

export function createSourceFilter(config: Config): SourceFilter {
  const matcher = (globs: readonly string[], none: boolean): ((file: string) => boolean) => {
    if (globs.length === 0) return () => none;
    // A folder's name stands for all that is in it.
    const matches = picomatch(
      globs.flatMap((glob) => (/[*?[\]{}()!]/.test(glob) ? [glob] : [glob, `${glob.replace(/\/$/, '')}/**`])),
      { dot: true },
    );
    return (file) => matches(file);
  };
  const included = matcher(config.include, true);
  const excluded = matcher(config.exclude, false);
  const generated = matcher(config.generated, false);
  return { isIncluded: (file) => included(file) && !excluded(file), isGenerated: generated };
}
