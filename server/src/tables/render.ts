/** Owns printing a table: a new file's YAML, and Markdown for hovers and the inline table. */
import { LENSES, type Lens } from '../base/vocabulary.ts';
import type { Proof } from './evidence.ts';
import { lensOfRow } from './rowId.ts';
import type { LensEntry, Row, Table } from './schema.ts';
import { type RowState, tableState } from './states.ts';
import { blockLines } from './yamlText.ts';

/** The text of a new table file. An existing file is never printed anew: see patch.ts. */
export function renderTable(table: Table): string {
  const { domain, contract, rows, lenses, ...rest } = table;
  const data: Record<string, unknown> = {
    ...rest,
    domain: domain.length > 0 ? domain : undefined,
    contract,
    rows,
  };
  if (Object.keys(lenses).length > 0) data['lenses'] = lenses;
  return `${blockLines(data, { path: [], flow: false, indent: 0, step: 2 }).join('\n')}\n`;
}

export interface MarkdownOptions {
  /** The day to judge expiry by; without it nothing counts as expired. */
  readonly today?: string;
  /** Rows with valid evidence. */
  readonly proof?: (rowId: string, row: Row) => Proof;
  /** A link target for a row, for example a command URI; null for plain text. */
  readonly linkOf?: (rowId: string) => string | null;
  /** States that were judged against the code; absent ones are judged by what the rows say alone. */
  readonly states?: ReadonlyMap<string, RowState>;
  /** Without the heading line (unit, contract, summary). */
  readonly bare?: boolean;
}

const LENS_TITLES: Readonly<Record<Lens, string>> = {
  boundaries: 'Boundaries',
  'hostile-input': 'Hostile input',
  'partial-failure': 'Partial failure',
  concurrency: 'Concurrency',
  'resource-exhaustion': 'Resource exhaustion',
  clock: 'Clock',
};

/** One Markdown table, grouped by the six lenses; a lens nobody looked through says so. */
export function renderMarkdown(table: Table, options: MarkdownOptions = {}): string {
  const state = tableState(table, {
    today: options.today ?? '0000-00-00',
    ...(options.proof ? { proof: options.proof } : {}),
  });
  const lines: string[] = [];
  if (!options.bare) {
    lines.push(`**${escape(table.unit)}** · ${state.summary}`, '');
    lines.push(
      state.contractMissing
        ? '_No contract yet: what may callers still assume when everything inside goes wrong?_'
        : escape(table.contract),
      '',
    );
  }
  lines.push('| Lens | Failure mode | Verdict | |', '|:--|:--|:--|:--|');
  const ids = Object.keys(table.rows).sort();
  for (const lens of LENSES) {
    const own = ids.filter((id) => lensOfRow(id) === lens);
    own.forEach((id, index) => {
      const row = table.rows[id];
      if (row)
        lines.push(
          rowLine(
            id,
            row,
            options.states?.get(id) ?? state.rows.get(id),
            index === 0 ? LENS_TITLES[lens] : '',
            options,
          ),
        );
    });
    if (own.length === 0) lines.push(lensLine(LENS_TITLES[lens], table.lenses[lens]));
  }
  return `${lines.join('\n')}\n`;
}

function rowLine(
  id: string,
  row: Row,
  state: RowState | undefined,
  lens: string,
  options: MarkdownOptions,
): string {
  const link = options.linkOf?.(id) ?? null;
  const failure =
    link === null
      ? escape(row.failure)
      : `[${escape(row.failure)}](${link.replace(/[()\s|]/g, encodeURIComponent)})`;
  const where = row.at === undefined ? '' : ` (\`${row.at.replace(/[`|\r\n]/g, ' ')}\`)`;
  return `| ${lens === '' ? '' : `**${lens}**`} | ${failure}${where} | ${verdictText(row)} | ${state ? stateText(state) : ''} |`;
}

function verdictText(row: Row): string {
  switch (row.verdict) {
    case 'undecided':
      return row.why === undefined ? 'undecided' : `undecided: ${escape(row.why)}`;
    case 'handle':
      return `${row.proposed ? 'handle, proposed' : 'handle'}${row.how ? `: ${escape(row.how)}` : ''}`;
    case 'detect':
      return `detect${row.signal ? `: ${escape(row.signal)}${row.asserted ? '' : ' (fired, not asserted)'}` : ''}`;
    case 'accept':
      return `accept${row.reason ? `: ${escape(row.reason)}` : ''}${row.owner ? `, ${escape(row.owner)}` : ''}${row.expires ? ` until ${row.expires}` : ''}`;
    case 'blocked':
      return `blocked${row.blocker ? `: ${escape(row.blocker)}` : ''}${row.to ? ` → ${escape(row.to)}` : ''}`;
  }
}

export function stateText(state: RowState): string {
  switch (state.state) {
    case 'incomplete':
      return `needs ${state.missing.join(', ')}`;
    case 'stale':
      return state.because === 'row says handled, code does not' ? state.because : `stale: ${state.because}`;
    case 'retired':
      return 'code is gone';
    default:
      return state.state;
  }
}

function lensLine(title: string, entry: LensEntry | undefined): string {
  if (!entry) return `| **${title}** | _nobody looked yet_ | | |`;
  if (entry.exposure === 'none') {
    const looked = entry['looked-at'] ? ` (${escape(entry['looked-at'])})` : '';
    return `| **${title}** | no exposure: ${escape(entry.reason)}${looked} | | |`;
  }
  const calls = entry.unresolved.map((call) => `\`${call.replace(/[`|\r\n]/g, ' ')}\``).join(', ');
  return `| **${title}** | _open${calls ? `: could not follow ${calls}` : ''}_ | | |`;
}

/** Text as text: no Markdown, no HTML, no line break, no cell border. */
function escape(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').replace(/[\\`*_{}[\]<>|#~$&]/g, '\\$&');
}
