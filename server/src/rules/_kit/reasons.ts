/** Comments that give a reason why a failure is let go. Owns which words count as a reason. */
import type { SourceFile } from '../../model/project.ts';

const EMPTY_WORDS =
  /\b(?:eslint|ts|biome|prettier|istanbul|c8|v8|noinspection|sonar)[-\w/:@ .]*|swallow(?:ed|ing)?|ignor(?:e|ed|ing)|silent(?:ly)?|errors?|exceptions?|no-?op|nothing|empty|todo|fixme|xxx|handle|this|that|the|and|do|it|is|here|any|catch|block|we|just|failures?|for|now|on|to/gi;

/** A comment that says more than that the error is ignored. */
export function explains(comment: string | null): boolean {
  if (!comment) return false;
  // A note that something is still to be done is no reason.
  const lines = comment.split('\n').filter((line) => !/\b(?:todo|fixme|xxx)\b/i.test(line));
  const rest = lines
    .join('\n')
    .replace(/[/*]/g, ' ')
    .replace(EMPTY_WORDS, ' ')
    .match(/[\p{L}\p{N}]{2,}/gu);
  return (
    (rest?.length ?? 0) >= 2 ||
    /best[- ]?effort|non-?(?:fatal|critical|blocking)|optional|harmless/i.test(comment)
  );
}

export function commentsIn(file: SourceFile, s: number, e: number): string | null {
  const found = file.text.slice(s, e).match(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g);
  return found ? found.join('\n') : null;
}

export function trailingComment(file: SourceFile, at: number): string | null {
  const rest = /^[^\n]*/.exec(file.text.slice(at, at + 300))?.[0] ?? '';
  return /\/\/.*|\/\*.*?\*\//.exec(rest)?.[0] ?? null;
}

/** The lines of comment right above a statement say that its failure does not matter. */
export function explainedBefore(file: SourceFile, at: number): boolean {
  const above = /(?:[ \t]*(?:\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)[ \t]*\r?\n)+[ \t]*$/.exec(
    file.text.slice(Math.max(0, at - 600), at),
  )?.[0];
  return (
    above !== undefined &&
    /best[- ]?effort|non-?(?:fatal|critical|blocking)|not (?:fatal|critical|block|fail|throw|crash)|(?:n't|not|never) (?:\w+ )?(?:fail|block|break|throw|crash|matter|care|abort|interrupt)|ignor|optional|fire[- ]and[- ]forget|if (?:it|this|that) fails|swallow|tolerat|fail(?:s|ing)? silently|already (?:exist|gone|closed|delet)/i.test(
      above,
    )
  );
}
