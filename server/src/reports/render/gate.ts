/** The gate's report as text, JSON, SARIF and Markdown. Owns the layouts; decides nothing. */
import { hashText } from '../../base/hash.ts';
import { isClosed, type GateItem, type GateLevel, type GateReport } from '../gateReport.ts';
import { escapeMarkdown } from './markdownText.ts';
import { createPaint, safeText, type Style } from './terminal.ts';

const STYLE: Readonly<Record<GateLevel, readonly Style[]>> = {
  fail: ['bold', 'red'],
  warn: ['yellow'],
  note: ['dim'],
};
const WORDS: Readonly<Record<GateLevel, string>> = { fail: 'falls short', warn: 'warning', note: 'note' };

/** Ends with a line break. */
export function gateToText(report: GateReport, options: { readonly colour: boolean }): string {
  const paint = createPaint(options.colour);
  const out: string[] = [];
  for (const [file, items] of byFile(report.items)) {
    out.push(`${paint(safeText(file), 'bold', 'underline')}  ${safeText(items[0]!.unit)}`);
    for (const item of items) {
      out.push(
        `  ${paint(`${item.start.line}:${item.start.column}`, 'blue')}  ${paint(WORDS[item.level], ...STYLE[item.level])} ${paint(item.code, 'dim')}${item.row === null ? '' : ` ${item.row}`}`,
      );
      out.push(`      ${safeText(item.message)}`);
    }
    out.push('');
  }
  const delta = report.tables.flatMap((table) => table.delta);
  if (delta.length > 0)
    out.push(paint('Since the base', 'bold'), ...delta.map((sentence) => `  ${safeText(sentence)}`), '');
  const unproven = report.items.flatMap(({ code, row }) =>
    code === 'handle-without-proof' && row ? [row] : [],
  );
  if (unproven.length > 0) out.push(`\`sixlens prove ${unproven[0]!}\` runs the proof of a row.`, '');
  out.push(paint(summary(report), 'bold', isClosed(report) ? 'green' : 'red'));
  return `${out.join('\n')}\n`;
}

export function gateToJson(report: GateReport): unknown {
  return {
    version: report.version,
    base: report.base,
    closed: isClosed(report),
    items: report.items,
    tables: report.tables.map(({ path, table, states, delta }) => ({
      path,
      unit: table.unit,
      file: table.code.file,
      rows: Object.fromEntries(
        [...states].map(([id, state]) => [
          id,
          state.state === 'stale' ? `stale: ${state.because}` : state.state,
        ]),
      ),
      delta,
    })),
    untabled: report.untabled,
  };
}

export function gateToSarif(report: GateReport): unknown {
  const codes = [...new Set(report.items.map(({ code }) => code))].sort();
  const level = { fail: 'error', warn: 'warning', note: 'note' } as const;
  const repeats = new Map<string, number>();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Sixlens',
            version: report.version,
            semanticVersion: report.version,
            rules: codes.map((id) => ({ id })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: report.items.map((item) => {
          // Nothing that moves with unrelated edits.
          const identity = [item.code, item.file, item.row ?? '', item.unit].join('\n');
          const nth = repeats.get(identity) ?? 0;
          repeats.set(identity, nth + 1);
          return {
            ruleId: item.code,
            ruleIndex: codes.indexOf(item.code),
            level: level[item.level],
            message: { text: `${item.unit}: ${item.message}` },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: {
                    uri: item.file.split('/').map(encodeURIComponent).join('/'),
                    uriBaseId: '%SRCROOT%',
                  },
                  region: {
                    startLine: item.start.line,
                    startColumn: item.start.column,
                    endLine: item.end.line,
                    endColumn: item.end.column,
                  },
                },
              },
            ],
            partialFingerprints: { 'sixlensGate/v1': hashText(nth === 0 ? identity : `${identity}\n${nth}`) },
          };
        }),
      },
    ],
  };
}

export function gateToMarkdown(report: GateReport): string {
  const lines = [`**${escapeMarkdown(summary(report))}**`, ''];
  const delta = report.tables.flatMap((table) => table.delta);
  if (delta.length > 0) lines.push(...delta.map((sentence) => `- ${escapeMarkdown(sentence)}`), '');
  if (report.items.length > 0) {
    lines.push('| | Unit | What | Where |', '|:--|:--|:--|:--|');
    for (const item of report.items)
      lines.push(
        `| ${WORDS[item.level]} | ${escapeMarkdown(item.unit)} | ${escapeMarkdown(item.message)} (${item.code}) | \`${item.file.replace(/[`|]/g, ' ')}:${item.start.line}\` |`,
      );
    lines.push('');
  }
  return lines.join('\n');
}

function summary(report: GateReport): string {
  const count = (level: GateLevel): number => report.items.filter((item) => item.level === level).length;
  const [fails, warnings] = [count('fail'), count('warn')];
  const units = `${report.tables.length} touched ${report.tables.length === 1 ? 'table' : 'tables'} since ${report.base.of}`;
  const warned = warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`];
  return [
    fails === 0 ? 'Closed' : `${fails} ${fails === 1 ? 'thing falls' : 'things fall'} short`,
    ...warned,
    units,
  ].join(' · ');
}

function byFile(items: readonly GateItem[]): Map<string, GateItem[]> {
  const out = new Map<string, GateItem[]>();
  for (const item of items) {
    const list = out.get(item.file);
    if (list) list.push(item);
    else out.set(item.file, [item]);
  }
  return out;
}
