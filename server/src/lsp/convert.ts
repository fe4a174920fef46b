/** Translates between the analysis (paths, offsets, positions from 1) and the protocol (URIs, positions from 0). Pure. */
import type {
  Diagnostic,
  DiagnosticRelatedInformation,
  Position as LspPosition,
  Range,
} from 'vscode-languageserver';
import { DiagnosticSeverity } from 'vscode-languageserver';
import type { Problem } from '../base/problem.ts';
import type { Position } from '../base/span.ts';
import { hashText } from '../base/hash.ts';
import type { Finding } from '../service/contract.ts';

/** Absolute path with `/`, or null for anything that is not a file on this machine. */
export function pathOfUri(uri: string): string | null {
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    return null;
  }
  if (url.protocol !== 'file:') return null;
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    return null;
  }
  if (url.hostname) return `//${url.hostname}${path}`;
  // `/C:/x` and `/c:/x` are one file.
  const drive = /^\/([A-Za-z]):/.exec(path);
  return drive ? `${drive[1]!.toLowerCase()}:${path.slice(3)}` : path;
}

export function uriOfPath(path: string): string {
  const encoded = path
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
  if (path.startsWith('//')) return `file:${encoded}`;
  return path.startsWith('/') ? `file://${encoded}` : `file:///${encoded}`;
}

/** The path below `folder`, or null when it lies elsewhere. */
export function relativeTo(folder: string, path: string): string | null {
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  return path.startsWith(base) ? path.slice(base.length) : null;
}

export function joinPath(folder: string, relative: string): string {
  return folder.endsWith('/') ? folder + relative : `${folder}/${relative}`;
}

export function toLspPosition(position: Position): LspPosition {
  return { line: Math.max(position.line - 1, 0), character: Math.max(position.column - 1, 0) };
}

export function fromLspPosition(position: LspPosition): Position {
  return { line: position.line + 1, column: position.character + 1 };
}

export function toRange(start: Position, end: Position): Range {
  return { start: toLspPosition(start), end: toLspPosition(end) };
}

/** Blocking critical and high are warnings, other high and medium are information, low is a hint: never an error. */
export function severityOf(finding: Finding): DiagnosticSeverity {
  // Somebody is told when it happens; a row says by what.
  if (finding.row?.effect === 'hint') return DiagnosticSeverity.Hint;
  const grave = finding.severity === 'critical' || finding.severity === 'high';
  if (grave && finding.blocking) return DiagnosticSeverity.Warning;
  return finding.severity === 'low' ? DiagnosticSeverity.Hint : DiagnosticSeverity.Information;
}

/** Finds a finding again after an edit elsewhere: by rule, anchor and place among its like, not by offset. */
export function findingKey(finding: Finding): string {
  return hashText(
    `${finding.rule}\n${finding.file}\n${finding.anchor}\n${finding.units[0] ?? ''}\n${finding.message}`,
  );
}

export interface DiagnosticContext {
  /** Null where the client does not take it. */
  readonly ruleHref: ((rule: string) => string | null) | null;
  readonly related: boolean;
  readonly uriOf: (file: string) => string;
}

export function toDiagnostic(finding: Finding, context: DiagnosticContext): Diagnostic {
  const diagnostic: Diagnostic = {
    range: toRange(finding.start, finding.end),
    severity: severityOf(finding),
    source: 'sixlens',
    code: finding.rule,
    message: finding.row ? `${finding.message} Row ${finding.row.id}: ${finding.row.text}.` : finding.message,
    data: {
      key: findingKey(finding),
      lens: finding.lens,
      axis: finding.axis,
      faultClass: finding.faultClass,
      severity: finding.severity,
      blocking: finding.blocking,
      unit: finding.units[0] ?? null,
      row: finding.row?.id ?? null,
      trigger: finding.trigger,
      scenario: finding.scenario,
      detection: finding.detection,
      fix: finding.fix,
    },
  };
  const href = context.ruleHref?.(finding.rule) ?? null;
  if (href !== null) diagnostic.codeDescription = { href };
  if (context.related && finding.path.length > 0)
    diagnostic.relatedInformation = finding.path.map((step): DiagnosticRelatedInformation => ({
      location: { uri: context.uriOf(step.file), range: toRange(step.start, step.end) },
      message: step.label,
    }));
  return diagnostic;
}

/** `strict` files (tables, settings) have errors; in sources the compiler already reports those, so ours stay quieter. */
export function problemDiagnostic(problem: Problem, strict: boolean): Diagnostic {
  const start = problem.start ?? { line: 1, column: 1 };
  const severity = {
    error: strict ? DiagnosticSeverity.Error : DiagnosticSeverity.Information,
    warning: strict ? DiagnosticSeverity.Warning : DiagnosticSeverity.Information,
    note: strict ? DiagnosticSeverity.Information : DiagnosticSeverity.Hint,
  }[problem.severity];
  return {
    range: toRange(start, problem.end ?? start),
    severity,
    source: 'sixlens',
    code: problem.code,
    message: problem.message,
  };
}
