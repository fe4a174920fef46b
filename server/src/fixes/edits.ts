/**
 * Builders for the edits of fixes. Owns how new code fits into old: indentation, commas, quotes, line ends. Works on
 * facts and text; the result always parses when the input did.
 */
import type { TextEdit } from '../base/textEdit.ts';
import type { Expr, Obj, Stmt } from '../facts/ir.ts';

/** The white space at the head of the line that holds an offset. */
export function indentAt(text: string, offset: number): string {
  const lineStart = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset + 200))?.[0] ?? '';
}

/** One level deeper than the file's own habit: a tab where lines begin with tabs, else two or four spaces. */
export function indentUnit(text: string): string {
  if (/^\t/m.test(text)) return '\t';
  const widths = [...text.slice(0, 20_000).matchAll(/^( +)\S/gm)]
    .map((m) => m[1]?.length ?? 0)
    .filter((n) => n > 1);
  const four = widths.filter((n) => n % 4 === 0).length;
  return widths.length > 0 && four === widths.length ? '    ' : '  ';
}

export function lineEnd(text: string): string {
  return /\r\n/.test(text.slice(0, 5000)) ? '\r\n' : '\n';
}

/** `'` or `"` by what the file uses more. */
export function quoteOf(text: string): string {
  const head = text.slice(0, 20_000);
  return (head.match(/"/g)?.length ?? 0) > (head.match(/'/g)?.length ?? 0) ? '"' : "'";
}

/** Whether the file ends its statements with semicolons. */
export function usesSemicolons(text: string): boolean {
  const head = text.slice(0, 20_000);
  const lines = head
    .split(/\r?\n/)
    .filter((l) => /^\s*(import|const|let|return)\b/.test(l) && !/[{([,]\s*$/.test(l));
  return lines.length === 0 || lines.filter((l) => l.trimEnd().endsWith(';')).length * 2 >= lines.length;
}

/** Adds a property at the end of an object literal, in its own layout. */
export function addProperty(text: string, obj: Obj, property: string): TextEdit {
  const last = obj.props.at(-1);
  if (!last) {
    const empty = text.slice(obj.s + 1, obj.e - 1);
    return {
      start: obj.s,
      end: obj.e,
      newText: empty.trim() === '' ? `{ ${property} }` : `{ ${property},${empty}}`,
    };
  }
  const tail = text.slice(last.e, obj.e - 1);
  const comma = tail.indexOf(',');
  const hasComma = comma >= 0 && !/\/[/*]/.test(tail.slice(0, comma));
  const multiLine = /[\r\n]/.test(text.slice(obj.s, last.s));
  if (multiLine) {
    const indent = indentAt(text, last.s);
    const at = hasComma ? last.e + comma + 1 : last.e;
    const trailing = /^[^\r\n]*\/[/*][^\r\n]*/.exec(text.slice(at, obj.e - 1))?.[0] ?? '';
    const end = at + trailing.length;
    return hasComma
      ? { start: end, end, newText: `${lineEnd(text)}${indent}${property},` }
      : trailing === ''
        ? { start: last.e, end: last.e, newText: `,${lineEnd(text)}${indent}${property}` }
        : { start: last.e, end: last.e, newText: `, ${property}` };
  }
  const at = hasComma ? last.e + comma + 1 : last.e;
  return { start: at, end: at, newText: hasComma ? ` ${property}` : `, ${property}` };
}

/** Adds an argument at a place in a call; missing ones before it become `undefined`. */
export function addArgument(
  text: string,
  call: { readonly args: readonly Expr[]; readonly e: number },
  index: number,
  value: string,
): TextEdit {
  const filler: string[] = [];
  for (let i = call.args.length; i < index; i++) filler.push('undefined');
  filler.push(value);
  const last = call.args.at(-1);
  if (!last) return { start: call.e - 1, end: call.e - 1, newText: filler.join(', ') };
  const tail = text.slice(last.e, call.e - 1);
  const comma = tail.indexOf(',');
  if (comma >= 0 && !/\/[/*]/.test(tail.slice(0, comma))) {
    const at = last.e + comma + 1;
    const multi = /[\r\n]/.test(tail);
    return multi
      ? { start: at, end: at, newText: `${lineEnd(text)}${indentAt(text, last.s)}${filler.join(', ')},` }
      : { start: at, end: at, newText: ` ${filler.join(', ')}` };
  }
  return { start: last.e, end: last.e, newText: `, ${filler.join(', ')}` };
}

export function replaceNode(node: { readonly s: number; readonly e: number }, newText: string): TextEdit {
  return { start: node.s, end: node.e, newText };
}

/** Lines before a statement, at its indentation. */
export function insertBefore(text: string, st: { readonly s: number }, lines: readonly string[]): TextEdit {
  const indent = indentAt(text, st.s);
  const nl = lineEnd(text);
  return { start: st.s, end: st.s, newText: lines.map((l) => `${l}${nl}${indent}`).join('') };
}

/** Lines after a statement, at its indentation. */
export function insertAfter(
  text: string,
  st: { readonly s: number; readonly e: number },
  lines: readonly string[],
): TextEdit {
  const indent = indentAt(text, st.s);
  const nl = lineEnd(text);
  return { start: st.e, end: st.e, newText: lines.map((l) => `${nl}${indent}${l}`).join('') };
}

/** The text of statements, indented one level deeper. Template literals keep their inner lines. */
export function indentMore(text: string, stmts: readonly Stmt[], unit: string): string {
  const first = stmts[0];
  const last = stmts.at(-1);
  if (!first || !last) return '';
  return text.slice(first.s, last.e).replace(/(\r?\n)([ \t]*)(?=\S)/g, `$1$2${unit}`);
}
