/** Comments of one file. Owns telling them from strings and templates; only those that rules ask for are kept. */
import { ts } from '../syntax/compiler.ts';
import type { CommentFact } from './ir.ts';
import { startOf } from './nodes.ts';

const K = ts.SyntaxKind;

export class CommentReader {
  private readonly text: string;

  constructor(private readonly source: ts.SourceFile) {
    this.text = source.text;
  }

  /** Comments that hold `sixlens-`, in source order. */
  marked(): CommentFact[] {
    const found: CommentFact[] = [];
    let at = this.text.indexOf('sixlens-');
    let last = -1;
    while (at >= 0) {
      const comment = this.commentAround(at);
      if (comment && comment.s !== last) {
        found.push(comment);
        last = comment.s;
      }
      at = this.text.indexOf('sixlens-', at + 8);
    }
    return found;
  }

  /** The comment that holds `offset`; null when the text there is code, a string or JSX text. */
  private commentAround(offset: number): CommentFact | null {
    let node: ts.Node = this.source;
    for (;;) {
      let next: ts.Node | undefined;
      ts.forEachChild(node, (child) => {
        if (child.pos <= offset && offset < child.end) {
          next = child;
          return true;
        }
        return undefined;
      });
      if (!next) break;
      node = next;
    }
    const ranges: ts.CommentRange[] = [];
    for (const pos of new Set([node.pos, node.end])) {
      ranges.push(...(ts.getLeadingCommentRanges(this.text, pos) ?? []));
      ranges.push(...(ts.getTrailingCommentRanges(this.text, pos) ?? []));
    }
    let range = ranges.find((r) => r.pos <= offset && offset < r.end);
    if (!range) {
      // Between tokens that are no nodes (before a `}` or `)`): look at the line itself.
      const lineStart =
        Math.max(this.text.lastIndexOf('\n', offset), this.text.lastIndexOf('\r', offset)) + 1;
      const line = this.text.slice(lineStart, offset);
      const slash = line.lastIndexOf('//');
      const inside = slash >= 0 && this.isTrivia(node, lineStart + slash);
      if (!inside) return null;
      let end = offset;
      while (end < this.text.length && this.text[end] !== '\n' && this.text[end] !== '\r') end++;
      range = { pos: lineStart + slash, end, kind: K.SingleLineCommentTrivia };
    }
    return { s: range.pos, e: range.end, text: this.text.slice(range.pos, range.end) };
  }

  /** True when no child token of `node` covers `offset`: scans the node's own tokens. */
  private isTrivia(node: ts.Node, offset: number): boolean {
    if (ts.isStringLiteralLike(node) || ts.isJsxText(node) || node.kind === K.RegularExpressionLiteral)
      return offset < startOf(this.text, node);
    if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      return offset < startOf(this.text, node);
    return true;
  }

  /** Text of the comments of a block outside nested statements, joined by newlines; null when it has none or is long. */
  inBlock(block: ts.Block): string | null {
    if (block.end - block.pos > 4000) return null;
    const parts: string[] = [];
    const add = (pos: number, leading: boolean): void => {
      const ranges = leading
        ? ts.getLeadingCommentRanges(this.text, pos)
        : ts.getTrailingCommentRanges(this.text, pos);
      for (const r of ranges ?? [])
        if (r.pos >= block.pos && r.end <= block.end) parts.push(this.text.slice(r.pos, r.end));
    };
    const open = startOf(this.text, block) + 1;
    add(open, false);
    add(open, true);
    for (const statement of block.statements) {
      if (statement.pos !== open) add(statement.pos, true);
      add(statement.end, false);
    }
    const last = block.statements.at(-1);
    if (last) add(last.end, true);
    return parts.length > 0 ? [...new Set(parts)].join('\n') : null;
  }
}
