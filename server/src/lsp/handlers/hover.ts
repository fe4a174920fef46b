/** Hover: a unit's rows on its name line, what bounds a call on the call, and what a finding means. */
import type { Hover } from 'vscode-languageserver';
import { MarkupKind } from 'vscode-languageserver';
import { LineIndex } from '../../base/span.ts';
import type { CallInfo, Finding, Unit } from '../../service/contract.ts';
import { fromLspPosition, pathOfUri, toRange } from '../convert.ts';
import type { Located, Session } from '../session.ts';
import { breathe, guarded, isTablePath } from '../session.ts';
import { tableHover } from './tableFile.ts';
import { unitMarkdown } from './unitMarkdown.ts';

export function registerHover(session: Session): void {
  session.connection.onHover(async (params, token): Promise<Hover | null> => {
    await breathe(token);
    return guarded(session, 'textDocument/hover', null, async () => {
      if (!session.settings.enable || !session.settings.hover.enable) return null;
      const path = pathOfUri(params.textDocument.uri);
      if (path !== null && isTablePath(path))
        return tableHover(session, path, params.position.line, params.position.character);
      const located = session.source(params.textDocument.uri);
      const text = located?.analysis.textOf(located.file);
      if (!located || text == null) return null;
      const offset = LineIndex.of(text).offsetAt(fromLspPosition(params.position));
      return sourceHover(session, located, offset, params.position.line + 1);
    });
  });
}

function sourceHover(session: Session, located: Located, offset: number, line: number): Hover | null {
  const parts: string[] = [];
  let range: Hover['range'];
  const call = located.analysis.callAt(located.file, offset);
  if (call) {
    parts.push(callMarkdown(call));
    range = toRange(call.start, call.end);
  }
  for (const finding of session.findings(located))
    if (finding.startOffset <= offset && offset <= finding.endOffset) {
      parts.push(findingMarkdown(finding));
      range ??= toRange(finding.start, finding.end);
    }
  if (parts.length === 0) {
    const unit = located.analysis
      .units([located.file])
      .find((one: Unit) => one.file === located.file && one.start.line === line);
    if (unit) parts.push(unitMarkdown(session, located, unit, false));
  }
  if (parts.length === 0) return null;
  return {
    contents: { kind: MarkupKind.Markdown, value: parts.join('\n\n---\n\n') },
    ...(range ? { range } : {}),
  };
}

export function findingMarkdown(finding: Finding): string {
  return [
    `**${finding.rule}** · ${finding.lens} · ${finding.severity}${finding.confidence === 'assumed' ? ' · assumed' : ''}`,
    `- **Shows when** ${plain(finding.trigger)}`,
    `- **What happens** ${plain(finding.scenario)}`,
    `- **Found out** ${plain(finding.detection)}`,
    `- **Do** ${plain(finding.fix)}`,
  ].join('\n');
}

const BOUND_NAMES = [
  ['connect', 'connect'],
  ['acquire', 'acquire'],
  ['headers', 'headers'],
  ['idle', 'idle'],
  ['total', 'whole call'],
] as const;

export function callMarkdown(call: CallInfo): string {
  const head = `**${code(call.label)}** · ${plain(call.library)}${call.version ? ` ${plain(call.version)}` : ''} · ${plain(call.effect)}`;
  const rows: [string, string][] = [];
  for (const [key, name] of BOUND_NAMES) {
    const value = call.bounds[key];
    if (value !== undefined) rows.push([name, value === null ? '**no bound**' : duration(value)]);
  }
  if (call.boundedBy !== null) rows.push(['bounded by', plain(call.boundedBy)]);
  rows.push(['retries', call.retries === null ? 'none' : plain(call.retries)]);
  if (call.transaction !== null) rows.push(['transaction', plain(call.transaction)]);
  if (call.idempotencyKey !== null) rows.push(['idempotency key', plain(call.idempotencyKey)]);
  const table = [
    '| bound | value |',
    '|---|---|',
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
  ].join('\n');
  const note =
    call.confidence === 'assumed'
      ? '\n\nAssumed from the shape of the call; its library is not bound by an import.'
      : '';
  return `${head}\n\n${table}${note}`;
}

function duration(ms: number): string {
  return ms >= 1000 && ms % 100 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}

function plain(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ');
}

function code(text: string): string {
  return text.includes('`') ? plain(text) : `\`${plain(text)}\``;
}
