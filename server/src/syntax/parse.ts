/** Text to TypeScript's error-tolerant syntax tree. Owns the choice of script kind and incremental reuse of an old tree. */
import { ts } from './compiler.ts';

function scriptKind(path: string): ts.ScriptKind {
  if (path.endsWith('.tsx')) return ts.ScriptKind.TSX;
  if (/\.[cm]?ts$/.test(path)) return ts.ScriptKind.TS;
  // Flow annotations aside, JSX is legal in every JavaScript flavour that bundlers accept.
  return ts.ScriptKind.JSX;
}

export function parseSource(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(
    path,
    text,
    { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone },
    false,
    scriptKind(path),
  );
}

/** Reparses after one change, reusing unchanged subtrees of `old`; `old` must not be used afterwards. */
export function reparseSource(old: ts.SourceFile, text: string): ts.SourceFile {
  const before = old.text;
  let start = 0;
  const limit = Math.min(before.length, text.length);
  while (start < limit && before.charCodeAt(start) === text.charCodeAt(start)) start++;
  let endBefore = before.length;
  let endAfter = text.length;
  while (
    endBefore > start &&
    endAfter > start &&
    before.charCodeAt(endBefore - 1) === text.charCodeAt(endAfter - 1)
  ) {
    endBefore--;
    endAfter--;
  }
  return ts.updateSourceFile(old, text, {
    span: { start, length: endBefore - start },
    newLength: endAfter - start,
  });
}
