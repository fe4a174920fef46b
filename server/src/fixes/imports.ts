/** Adds an import in the file's own style. Owns the choice between merging into an existing one and a new line. */
import { Project, type ImportDeclaration, type SourceFile } from 'ts-morph';
import type { TextEdit } from '../base/textEdit.ts';
import type { FileFacts } from '../facts/ir.ts';
import { indentAt, lineEnd, quoteOf, usesSemicolons } from './edits.ts';

/** Null when the name is already bound at the top of the file: imported already, or taken by something else. */
export function addNamedImport(text: string, facts: FileFacts, name: string, from: string): TextEdit | null {
  if (facts.bindings.some((b) => b.name === name && b.fn === 0)) return null;
  if (!/^\s*import\s/m.test(text)) return addFirst(text, /\brequire\s*\(/.test(text), name, from);
  const declarations = parse(text, facts.path).getImportDeclarations();
  const existing = declarations.find(
    (d) => d.getModuleSpecifierValue() === from && !d.isTypeOnly() && d.getNamedImports().length > 0,
  );
  if (existing) return intoDeclaration(text, existing, name);
  const last = declarations.at(-1);
  if (!last) return addFirst(text, false, name, from);
  const at = last.getEnd();
  return { start: at, end: at, newText: `${lineEnd(text)}${importLine(text, false, name, from)}` };
}

/** ts-morph is loaded for fixes only: one file, no library files, nothing resolved. */
function parse(text: string, path: string): SourceFile {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  return project.createSourceFile(`/file${/\.[cm]?[jt]sx?$/.exec(path)?.[0] ?? '.ts'}`, text);
}

function intoDeclaration(text: string, declaration: ImportDeclaration, name: string): TextEdit | null {
  const last = declaration.getNamedImports().at(-1);
  if (!last) return null;
  const at = last.getEnd();
  const ownLine = /[\r\n]/.test(text.slice(declaration.getStart(), last.getStart()));
  const gap = ownLine ? `${lineEnd(text)}${indentAt(text, last.getStart())}` : ' ';
  return { start: at, end: at, newText: `,${gap}${name}` };
}

function importLine(text: string, commonJs: boolean, name: string, from: string): string {
  const quote = quoteOf(text);
  const semi = usesSemicolons(text) ? ';' : '';
  return commonJs
    ? `const { ${name} } = require(${quote}${from}${quote})${semi}`
    : `import { ${name} } from ${quote}${from}${quote}${semi}`;
}

/** After the last top-level `require`, else at the head, behind a shebang and directives. */
function addFirst(text: string, commonJs: boolean, name: string, from: string): TextEdit {
  const line = importLine(text, commonJs, name, from);
  let end = 0;
  if (commonJs)
    for (const m of text.matchAll(/^(?:const|let|var)\s+[^\n;]*=\s*require\([^)]*\)[^\n]*/gm))
      end = m.index + m[0].trimEnd().length;
  const nl = lineEnd(text);
  if (end > 0) return { start: end, end, newText: `${nl}${line}` };
  const head = /^(?:#![^\n]*\n)?(?:\s*['"]use [a-z]+['"];?[^\n]*\n)*/.exec(text)?.[0].length ?? 0;
  return { start: head, end: head, newText: `${line}${nl}` };
}
