/** The check for people at a terminal: by file, each finding with what happens, what to do and the line of code. */
import type { Problem } from '../../base/problem.ts';
import { LineIndex } from '../../base/span.ts';
import { SEVERITIES, type Severity } from '../../base/vocabulary.ts';
import type { Finding } from '../../model/finding.ts';
import type { Unit } from '../../units/unit.ts';
import { codeFrame } from './codeFrame.ts';
import { compareFindings, type CheckReport } from './report.ts';
import { createPaint, safeText, wrapText, type Paint, type Style } from './terminal.ts';

export interface TextOptions {
  readonly colour: boolean;
  /** Columns of the terminal; 100 where unknown. */
  readonly columns: number;
  /** Source text of a file, for the code frame; null leaves the frame out. */
  readonly textOf: (file: string) => string | null;
  /** What people call a unit, by its id; null shows the id. */
  readonly unitName: (id: string) => string | null;
  /** Files that were reported on. */
  readonly fileCount: number;
  /** Milliseconds the run took; null leaves it out. */
  readonly took: number | null;
}

const SEVERITY_STYLE: Readonly<Record<Severity, readonly Style[]>> = {
  critical: ['bold', 'magenta'],
  high: ['bold', 'red'],
  medium: ['yellow'],
  low: ['cyan'],
};

const PROBLEM_STYLE: Readonly<Record<Problem['severity'], readonly Style[]>> = {
  error: ['bold', 'red'],
  warning: ['yellow'],
  note: ['dim'],
};

/** Rules about tables that a check of code shows. */
const ABOUT_ROWS: ReadonlySet<string> = new Set(['row-stale', 'mechanism-gone', 'accept-expired']);

const INDENT = '      ';

/** Ends with a line break. */
export function checkToText(report: CheckReport, options: TextOptions): string {
  const paint = createPaint(options.colour);
  const out: string[] = [];
  const byFile = new Map<string, Finding[]>();
  for (const finding of [...report.findings].sort(compareFindings)) {
    const list = byFile.get(finding.file);
    if (list) list.push(finding);
    else byFile.set(finding.file, [finding]);
  }
  for (const [file, findings] of byFile) {
    out.push(paint(safeText(file), 'bold', 'underline'));
    const text = options.textOf(file);
    const lines = text === null ? null : { text, index: LineIndex.of(text) };
    for (const finding of findings) out.push(...findingLines(finding, lines, options, paint), '');
  }
  const rows = report.problems.filter(({ code }) => ABOUT_ROWS.has(code));
  const unread = report.problems.filter(({ code }) => !ABOUT_ROWS.has(code));
  for (const [title, problems] of [
    ['Rows of tables that the code has left behind', rows],
    ['Could not be read in full', unread],
  ] as const) {
    if (problems.length === 0) continue;
    out.push(paint(title, 'bold'));
    for (const problem of problems) out.push(...problemLines(problem, options, paint));
    out.push('');
  }
  out.push(summary(report, options, paint));
  return out.join('\n') + '\n';
}

function findingLines(
  finding: Finding,
  source: { readonly text: string; readonly index: LineIndex } | null,
  options: TextOptions,
  paint: Paint,
): string[] {
  const place = `${finding.start.line}:${finding.start.column}`;
  const width = Math.max(40, Math.min(options.columns, 120) - INDENT.length);
  const marks = [
    paint(finding.severity, ...SEVERITY_STYLE[finding.severity]),
    finding.row?.effect === 'hint' ? paint('detected', 'green') : '',
    finding.blocking && finding.row?.effect !== 'hint' ? paint('blocking', 'red') : '',
    finding.confidence === 'assumed' ? paint('assumed', 'dim') : '',
    paint(finding.rule, 'dim'),
  ].filter(Boolean);
  const lines = [`  ${paint(place, 'blue')}  ${marks.join(paint(' · ', 'dim'))}`];
  for (const line of wrapText(safeText(finding.message), width)) lines.push(INDENT + line);
  wrapText(safeText(finding.fix), width - 2).forEach((line, index) => {
    if (line) lines.push(INDENT + paint((index === 0 ? '→ ' : '  ') + line, 'green'));
  });
  if (finding.row)
    for (const line of wrapText(safeText(`row ${finding.row.id}: ${finding.row.text}`), width))
      lines.push(INDENT + paint(line, 'dim'));
  if (source) {
    const frame = codeFrame(
      lineAt(source.text, source.index, finding.start.line),
      finding.start,
      finding.end,
      {
        paint,
        width: width - 6,
        gutter: String(finding.start.line).length,
      },
    );
    for (const line of frame) lines.push(INDENT + line);
  }
  const unit = finding.units[0];
  const reach = [
    unit === undefined ? '' : safeText(options.unitName(unit) ?? unit),
    ...finding.path.map(
      (step) => `${safeText(step.label)} ${paint(`${safeText(step.file)}:${step.start.line}`, 'dim')}`,
    ),
  ].filter(Boolean);
  if (reach.length > 0) lines.push(INDENT + paint('reached from ', 'dim') + reach.join(paint(' → ', 'dim')));
  return lines;
}

function problemLines(problem: Problem, options: TextOptions, paint: Paint): string[] {
  const place =
    problem.file === undefined
      ? ''
      : `${safeText(problem.file)}${problem.start ? `:${problem.start.line}:${problem.start.column}` : ''}  `;
  const width = Math.max(40, Math.min(options.columns, 120) - INDENT.length);
  return [
    `  ${paint(place, 'blue')}${paint(problem.severity, ...PROBLEM_STYLE[problem.severity])}${paint(' · ', 'dim')}${paint(problem.code, 'dim')}`,
    ...wrapText(safeText(problem.message), width).map((line) => INDENT + line),
  ];
}

function summary(report: CheckReport, options: TextOptions, paint: Paint): string {
  const checked = `${count(options.fileCount, 'file')} checked${options.took === null ? '' : ` in ${duration(options.took)}`}`;
  const hints = report.findings.filter(({ row }) => row?.effect === 'hint').length;
  const accepted = [
    ...(hints > 0 ? [`${hints} detected`] : []),
    ...(report.suppressed.length > 0 ? [`${report.suppressed.length} accepted`] : []),
  ];
  const counted = report.findings.filter(({ row }) => row?.effect !== 'hint');
  if (counted.length === 0)
    return [paint('No findings', 'bold', 'green'), ...accepted, checked].join(paint(' · ', 'dim'));
  const parts = SEVERITIES.flatMap((severity) => {
    const n = counted.filter((finding) => finding.severity === severity).length;
    return n === 0 ? [] : [paint(`${n} ${severity}`, ...SEVERITY_STYLE[severity])];
  });
  const blocking = counted.filter((finding) => finding.blocking).length;
  return [
    `${paint(count(counted.length, 'finding'), 'bold')} in ${count(new Set(counted.map(({ file }) => file)).size, 'file')}: ${parts.join(', ')}`,
    ...(blocking > 0 ? [`${blocking} blocking`] : []),
    ...accepted,
    checked,
  ].join(paint(' · ', 'dim'));
}

/** Units as a list, by file. Ends with a line break. */
export function unitsToText(units: readonly Unit[], colour: boolean): string {
  const paint = createPaint(colour);
  if (units.length === 0)
    return 'No units: nothing here is registered as a handler, job, consumer or schedule.\n';
  const out: string[] = [];
  let file = '';
  const widest = Math.max(...units.map((unit) => unit.kind.length));
  for (const unit of units) {
    if (unit.file !== file) {
      file = unit.file;
      out.push(paint(safeText(file), 'bold', 'underline'));
    }
    out.push(
      `  ${paint(unit.kind.padEnd(widest), 'cyan')}  ${safeText(unit.name)}  ${paint(`${unit.framework} · line ${unit.start.line}`, 'dim')}`,
    );
  }
  out.push(
    '',
    `${count(units.length, 'unit')} in ${count(new Set(units.map((unit) => unit.file)).size, 'file')}`,
  );
  return out.join('\n') + '\n';
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function lineAt(text: string, index: LineIndex, line: number): string | undefined {
  const start = index.lineStarts[line - 1];
  if (start === undefined) return undefined;
  return text.slice(start, index.lineStarts[line] ?? text.length).replace(/[\r\n]+$/, '');
}
