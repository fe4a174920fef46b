/** Which source texts are not worth analysing: too large, or written by a minifier. Owns the limits; pure. */
import type { Problem } from '../base/problem.ts';

/** Bytes. A hand-written file of 50,000 lines stays below it. */
export const MAX_SOURCE_BYTES = 4 * 1024 * 1024;

/** Below this length a text is read whatever its lines look like. */
const MIN_MINIFIED_LENGTH = 4096;
/** Nobody writes lines of this length by hand; a file made mostly of them was made by a tool. */
const LONG_LINE = 1000;

/**
 * True when most of the text lies on over-long lines that are code, not one long literal. Looking at the share of text,
 * not at the average line, keeps a licence header from hiding a bundle and one embedded key from condemning a module.
 */
export function looksMinified(text: string): boolean {
  if (text.length < MIN_MINIFIED_LENGTH) return false;
  let onLongLines = 0;
  let at = 0;
  while (at < text.length) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    if (end - at > LONG_LINE) onLongLines += codeLength(text, at, end);
    at = end + 1;
  }
  return onLongLines * 2 > text.length;
}

/** Counts a line only when it has the density of punctuation that code has and data or prose does not. */
function codeLength(text: string, start: number, end: number): number {
  let marks = 0;
  for (let i = start; i < end; i++) {
    const c = text.charCodeAt(i);
    // ( ) { } ; =
    if (c === 40 || c === 41 || c === 123 || c === 125 || c === 59 || c === 61) marks++;
  }
  return marks * 25 > end - start ? end - start : 0;
}

/** The problem that keeps a file from being analysed, or null. `bytes` is its size on disk. */
export function sourceLimitProblem(bytes: number, text: string | null): Problem | null {
  if (bytes > MAX_SOURCE_BYTES)
    return {
      code: 'file-too-large',
      message: `Not analysed: ${(bytes / 1048576).toFixed(1)} MB is above the limit of ${MAX_SOURCE_BYTES / 1048576} MB.`,
      start: { line: 1, column: 1 },
      end: { line: 1, column: 1 },
      severity: 'note',
    };
  if (text !== null && looksMinified(text))
    return {
      code: 'minified',
      message: 'Not analysed: the file looks minified. Name its source instead, or list it under `exclude`.',
      start: { line: 1, column: 1 },
      end: { line: 1, column: 1 },
      severity: 'note',
    };
  return null;
}
