/** Adds an import in the file's own style. Owns the choice between merging into an existing one and a new line. */
import type { TextEdit } from '../base/textEdit.ts';
import type { FileFacts } from '../facts/ir.ts';
import { lineEnd, quoteOf, usesSemicolons } from './edits.ts';

/** Null when the name is already imported from there (or already bound to something else: then the caller must rename). */
export function addNamedImport(text: string, facts: FileFacts, name: string, from: string): TextEdit | null {
  const top = facts.bindings.find(b => b.name === name && b.fn === 0);
  if (top) return null;
  const quote = quoteOf(text);
  const semi = usesSemicolons(text) ? ';' : '';
  const nl = lineEnd(text);
  const commonJs = !/^\s*import\s/m.test(text) && /\brequire\s*\(/.test(text);
  if (!commonJs) {
    const existing = new RegExp(
      `import\\s+(?!type\\b)(?:[\\w$]+\\s*,\\s*)?\\{([^}]*)\\}\\s*from\\s*['"]${from.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}['"]`,
    ).exec(text);
    if (existing) {
      const close = existing.index + existing[0].lastIndexOf('}');
      const inner = existing[1] ?? '';
      const trailing = /,\s*$/.test(inner);
      const at = close - (/\s*$/.exec(inner)?.[0].length ?? 0);
      return { start: at, end: at, newText: trailing ? ` ${name},` : `, ${name}` };
    }
  }
  const line = commonJs
    ? `const { ${name} } = require(${quote}${from}${quote})${semi}`
    : `import { ${name} } from ${quote}${from}${quote}${semi}`;
  const at = lastImportEnd(text, commonJs);
  return at > 0
    ? { start: at, end: at, newText: `${nl}${line}` }
    : { start: headEnd(text), end: headEnd(text), newText: `${line}${nl}` };
}

function lastImportEnd(text: string, commonJs: boolean): number {
  const pattern = commonJs
    ? /^(?:const|let|var)\s+[^\n;]*=\s*require\([^)]*\)[^\n]*/gm
    : /^import\s(?:[^'"]*?from\s*)?['"][^'"]+['"][^\n\r]*/gm;
  let end = 0;
  for (const m of text.matchAll(pattern)) end = m.index + m[0].trimEnd().length;
  return end;
}

/** After a shebang and directives. */
function headEnd(text: string): number {
  return /^(?:#![^\n]*\n)?(?:\s*['"]use [a-z]+['"];?[^\n]*\n)*/.exec(text)?.[0].length ?? 0;
}
