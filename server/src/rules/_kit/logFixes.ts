/** Fixes that log a failure where it is caught. Owns how a handler is rewritten with the log line in front. */
import type { Expr, FunctionFact, Try } from '../../facts/ir.ts';
import { indentAt, indentUnit, lineEnd, quoteOf, usesSemicolons } from '../../fixes/edits.ts';
import type { SourceFile } from '../../model/project.ts';
import { loggerAt, logLine } from './loggers.ts';
import type { FixDraft, RuleContext } from './rule.ts';

/** The span of the word `catch`. */
export function catchKeyword(file: SourceFile, node: Try): { s: number; e: number } {
  const at = file.text.indexOf('catch', node.block.e);
  return { s: at, e: at + 5 };
}

function errorName(file: SourceFile): string {
  return /\bcatch\s*\(\s*err\b/.test(file.text) && !/\bcatch\s*\(\s*error\b/.test(file.text)
    ? 'err'
    : 'error';
}

/** Logs what a handler lets go, with the logger of the file; where there is none, rethrows. */
export function tryFixes(
  ctx: RuleContext,
  file: SourceFile,
  node: Try,
  fn: FunctionFact,
  name: string,
): FixDraft[] {
  const { handler } = node;
  if (!handler || (node.param && node.param.k !== 'pid')) return [];
  const style = loggerAt(ctx.model, file, fn.id);
  const own = node.param?.k === 'pid' ? node.param.name : errorName(file);
  const body = file.text.slice(handler.s + 1, handler.e - 1).trim();
  // What the handler does instead of failing is meant: rethrowing behind it would never be reached.
  if (!style && /\b(?:return|continue)\b/.test(body)) return [];
  return [
    {
      id: style ? 'log-error' : 'rethrow',
      title: style ? `Log it with \`${style.receiver}\`` : 'Rethrow it',
      kind: style ? 'safe' : 'previewed',
      edits: () => {
        const semi = usesSemicolons(file.text) ? ';' : '';
        const line = style
          ? `${logLine(style, `${name} failed`, own, quoteOf(file.text))}${semi}`
          : `throw ${own}${semi}`;
        const nl = lineEnd(file.text);
        const indent = indentAt(file.text, node.s);
        const inner = `${indent}${indentUnit(file.text)}`;
        const rest = body === '' ? '' : `${inner}${body}${nl}`;
        const at = catchKeyword(file, node);
        const text =
          style || rest === ''
            ? `{${nl}${inner}${line}${nl}${rest}${indent}}`
            : `{${nl}${rest}${inner}${line}${nl}${indent}}`;
        return [
          { file: file.path, edits: [{ start: at.s, end: handler.e, newText: `catch (${own}) ${text}` }] },
        ];
      },
    },
  ];
}

/** The same for a rejection handler that gives nothing back. */
export function promiseFixes(
  ctx: RuleContext,
  file: SourceFile,
  given: Expr,
  fn: FunctionFact,
  name: string,
): FixDraft[] {
  const style = loggerAt(ctx.model, file, fn.id);
  if (!style) return [];
  const own = /\.[cm]?tsx?$/.test(file.path) ? '(error: unknown)' : 'error';
  const line = logLine(style, `${name} failed`, 'error', quoteOf(file.text));
  return [
    {
      id: 'log-rejection',
      title: `Log it with \`${style.receiver}\``,
      kind: 'safe',
      edits: () => [
        { file: file.path, edits: [{ start: given.s, end: given.e, newText: `${own} => ${line}` }] },
      ],
    },
  ];
}
