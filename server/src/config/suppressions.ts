/**
 * `// sixlens-accept <rule>[, <rule>…]: <reason>` in comments: silences a rule's findings on the comment's own line, or,
 * where the comment stands alone, on the next line that is not a comment. Pure.
 *
 * Apply it to what the rules found *before* the preset filters, so that an accept for a finding that the preset hides
 * does not look unused.
 */
import type { Problem } from '../base/problem.ts';
import type { LineIndex, Position } from '../base/span.ts';
import { nearestName } from './nearestName.ts';

/** Offsets and the text with its delimiters. */
export interface SourceComment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Acceptable {
  readonly rule: string;
  readonly start: Position;
}

export interface AcceptComment {
  readonly rules: readonly string[];
  /** Empty when none was given. */
  readonly reason: string;
  readonly start: number;
  readonly end: number;
  /** The line (from 1) whose findings it silences. */
  readonly line: number;
}

export interface SuppressionInput<F extends Acceptable> {
  readonly file: string;
  readonly text: string;
  readonly lines: LineIndex;
  readonly comments: readonly SourceComment[];
  readonly findings: readonly F[];
  /** All rule names; others in a comment are reported. */
  readonly knownRules: Iterable<string>;
  /** Whether the rule ran on this file; an accept for one that did not is not called unused. */
  readonly ran: (rule: string) => boolean;
  /** The first line of the statement around a finding, where known: a comment above the statement counts too. */
  readonly statementLine?: (finding: F) => number | null;
}

export interface SuppressionResult<F extends Acceptable> {
  readonly kept: readonly F[];
  readonly suppressed: readonly (F & { readonly reason: string })[];
  /** `accept-without-reason`, `accept-without-rule`, `accept-unknown-rule`, `unused-accept`. */
  readonly problems: readonly Problem[];
}

const MARKER = 'sixlens-accept';
/** What people leave where a reason belongs. */
const PLACEHOLDER = /^(?:todo|fixme|tbd|xxx|reason|why|n\/?a|none|<.*>)\W*$/i;

export function applySuppressions<F extends Acceptable>(input: SuppressionInput<F>): SuppressionResult<F> {
  const accepts = parseAccepts(input.text, input.lines, input.comments);
  if (accepts.length === 0) return { kept: input.findings, suppressed: [], problems: [] };

  const problems: Problem[] = [];
  const report = (code: string, message: string, accept: AcceptComment): void => {
    problems.push({
      code,
      message,
      file: input.file,
      start: input.lines.positionAt(accept.start),
      end: input.lines.positionAt(accept.end),
      severity: 'warning',
    });
  };

  const known = new Set(input.knownRules);
  const used = new Set<string>();
  const valid: { readonly accept: AcceptComment; readonly index: number }[] = [];
  accepts.forEach((accept, index) => {
    if (accept.rules.length === 0)
      report(
        'accept-without-rule',
        `Silences nothing: name the rule, as in \`${MARKER} call-without-timeout: reason\`.`,
        accept,
      );
    else if (accept.reason === '')
      report(
        'accept-without-reason',
        `Silences nothing: say why after a colon, as in \`${MARKER} ${accept.rules.join(', ')}: reason\`.`,
        accept,
      );
    else valid.push({ accept, index });
    for (const rule of accept.rules) {
      if (known.has(rule)) continue;
      const near = nearestName(rule, known);
      report(
        'accept-unknown-rule',
        `No rule is called \`${rule}\`${near ? `; did you mean \`${near}\`?` : '.'}`,
        accept,
      );
    }
  });

  const kept: F[] = [];
  const suppressed: (F & { reason: string })[] = [];
  for (const finding of input.findings) {
    const statement = input.statementLine?.(finding) ?? finding.start.line;
    const hit = valid.find(
      ({ accept }) =>
        accept.rules.includes(finding.rule) &&
        (accept.line === finding.start.line || accept.line === statement),
    );
    if (hit) {
      used.add(`${hit.index} ${finding.rule}`);
      suppressed.push({ ...finding, reason: hit.accept.reason });
    } else kept.push(finding);
  }

  for (const { accept, index } of valid)
    for (const rule of accept.rules)
      if (known.has(rule) && input.ran(rule) && !used.has(`${index} ${rule}`))
        report(
          'unused-accept',
          `\`${rule}\` finds nothing on line ${accept.line}: delete the comment, or its part for this rule.`,
          accept,
        );
  return { kept, suppressed, problems };
}

/** All accept comments of a file, well formed or not, in order of place. */
export function parseAccepts(
  text: string,
  lines: LineIndex,
  comments: readonly SourceComment[],
): AcceptComment[] {
  const accepts: AcceptComment[] = [];
  const sorted = [...comments].sort((a, b) => a.start - b.start);
  sorted.forEach((comment, index) => {
    const body = comment.text
      .replace(/^\/\/+|^\/\*+|\*+\/$/g, '')
      .split(/\r\n|\r|\n/)
      .map((line) => line.replace(/^\s*\*?\s*/, '').trimEnd())
      .join(' ')
      .trim();
    if (!body.startsWith(MARKER)) return;
    const rest = body.slice(MARKER.length);
    if (rest !== '' && !/^[\s:]/.test(rest)) return;
    const colon = rest.indexOf(':');
    const rules = (colon < 0 ? rest : rest.slice(0, colon)).split(/[\s,]+/).filter(Boolean);
    const reason = colon < 0 ? '' : rest.slice(colon + 1).trim();
    accepts.push({
      rules,
      reason: /[\p{L}\p{N}]/u.test(reason) && !PLACEHOLDER.test(reason) ? reason : '',
      start: comment.start,
      end: comment.end,
      line: targetLine(text, lines, sorted, index),
    });
  });
  return accepts;
}

function targetLine(
  text: string,
  lines: LineIndex,
  comments: readonly SourceComment[],
  index: number,
): number {
  const comment = comments[index]!;
  const own = lines.positionAt(comment.start).line;
  const before = text.slice(lines.lineStarts[own - 1] ?? 0, comment.start);
  // A lone `{` is what JSX puts around a comment.
  if (!/^\s*\{?\s*$/.test(before)) return own;
  // Code after a block comment on its last line is what it stands before.
  let at = comment.end;
  let next = index + 1;
  if (before.includes('{')) at += /^\s*\}?/.exec(text.slice(at, at + 4096))![0].length;
  for (;;) {
    at += /^\s*/.exec(text.slice(at, at + 4096))![0].length;
    const following = comments[next];
    if (following && following.start === at) {
      at = following.end;
      next++;
    } else return lines.positionAt(Math.min(at, text.length)).line;
  }
}
