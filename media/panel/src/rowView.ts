/** One row of the grid and, when it is open, its fields. Renders only; what happens is decided by `RowActions`. */
import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { classMap } from 'lit/directives/class-map.js';
import type { RowField, TableRow, Verdict } from '../../../server/src/protocol/messages.ts';
import { ACCEPT_BECAUSE } from '../../../server/src/protocol/messages.ts';
import type { Cursor, Stop } from './gridKeys.ts';
import { chevron, link, stateIcon, verdictIcon } from './icons.ts';
import { keptDraft } from './keptDraft.ts';
import { becauseTitle, fieldHint, fieldTitle, stateTitle, t, verdictTitle } from './texts.ts';
import { fieldsOf } from './verdictFields.ts';

export interface RowActions {
  decide(row: TableRow, verdict: Verdict): void;
  write(row: TableRow, field: RowField, value: string): void;
  toggle(row: TableRow): void;
  select(cursor: Cursor): void;
  openCode(row: TableRow): void;
  openRule(rule: string): void;
}

const KEYS: Partial<Record<Verdict, string>> = {
  detect: '1',
  handle: '2',
  accept: '3',
  undecided: 'u',
  blocked: 'b',
};

export function rowView(
  row: TableRow,
  { current, open, actions }: { current: Cursor | null; open: boolean; actions: RowActions },
): TemplateResult {
  const selected = current?.row === row.id;
  const tab = (stop: Stop): number => (selected && current.stop === stop ? 0 : -1);
  return html`
    <tr
      class=${classMap({ row: true, open, retired: row.state === 'retired' })}
      data-row=${row.id}
      data-stop="row"
      tabindex=${tab('row')}
      aria-selected=${selected ? 'true' : 'false'}
      aria-keyshortcuts="1 2 3 U B Enter"
      @click=${(event: Event) => {
        if (!(event.target as Element).closest('button')) actions.toggle(row);
      }}
    >
      <td role="gridcell">
        <div class="mode">
          <span class="turn">${chevron}</span>
          <div>
            <div class="failure">${prose(row.failure)}</div>
            ${open ? html`<span class="hidden">${t('Its fields are shown below.')}</span>` : decision(row)}
          </div>
        </div>
      </td>
      <td role="gridcell">${place(row, tab('place'), actions)}</td>
      <td role="gridcell">
        <div class="verdicts" role="radiogroup" aria-label=${t('Verdict: {0}', row.failure)}>
          ${(['detect', 'handle', 'accept', 'blocked', 'undecided'] as const).map((verdict) => {
            const small = verdict === 'blocked' || verdict === 'undecided';
            const name = verdictTitle(verdict);
            return html`<button
              type="button"
              role="radio"
              class=${small ? 'small' : ''}
              data-row=${row.id}
              data-stop=${verdict}
              tabindex=${tab(verdict)}
              aria-checked=${row.verdict === verdict ? 'true' : 'false'}
              aria-label=${name}
              title=${t('{0} (key {1})', name, KEYS[verdict] ?? '')}
              @click=${() => actions.decide(row, verdict)}
            >
              ${verdictIcon(verdict)}${small ? nothing : html`<span>${name}</span>`}
            </button>`;
          })}
        </div>
      </td>
      <td role="gridcell">
        <span class="badge ${row.state}" title=${row.stateText}
          >${stateIcon(row.state)}<span>${stateTitle(row.state)}</span></span
        >
      </td>
    </tr>
    ${open ? detail(row, actions) : nothing}
  `;
}

/** The decision in one line, and what it still lacks. */
function decision(row: TableRow): TemplateResult | typeof nothing {
  if (row.verdict === 'undecided')
    return row.why ? html`<div class="decision">${prose(row.why)}</div>` : nothing;
  const fields = fieldsOf(row.verdict);
  const missing = fields
    .filter((field) => field.needed && !row.fields[field.name])
    .map((field) => fieldTitle(field.name));
  const first = fields.find((field) => field.control !== 'because' && row.fields[field.name]);
  const proposed = row.proposed ? t('Found in the code, not confirmed: ') : '';
  return html`<div class="decision">
    ${first ? `${proposed}${row.fields[first.name]}` : nothing}
    ${missing.length > 0 ? html`<span class="missing">${t('Missing: {0}', missing.join(', '))}</span>` : nothing}
  </div>`;
}

/** Text in which backticks mark code, as findings write it. */
function prose(text: string): (string | TemplateResult)[] {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** The badge already has the bare word. */
function saysMore(row: TableRow): boolean {
  return row.stateText.trim().toLowerCase() !== row.state;
}

function place(row: TableRow, tabindex: number, actions: RowActions): TemplateResult {
  if (row.at === null && !row.place) return html`<span class="hint">${t('whole unit')}</span>`;
  const text = row.at ?? t('whole unit');
  if (!row.place)
    return html`<span class="code">${text}</span> <span class="hint">${t('not found in the code')}</span>`;
  const line = row.place.range.start.line + 1;
  return html`<button
    type="button"
    class="link code"
    data-row=${row.id}
    data-stop="place"
    tabindex=${tabindex}
    aria-label=${t('{0}:{1}, open in the editor', text, line)}
    @click=${() => actions.openCode(row)}
  >
    ${text}:${line}
  </button>`;
}

function detail(row: TableRow, actions: RowActions): TemplateResult {
  const fields = fieldsOf(row.verdict);
  return html`<tr class="detail" data-detail=${row.id}>
    <td role="gridcell" colspan="4">
      <div class="about">
        ${row.why ? html`<div class="why">${row.why}</div>` : nothing}
        ${saysMore(row) ? html`<span>${row.stateText}</span>` : nothing}
        ${
          row.rule
            ? html`<button type="button" class="link" @click=${() => actions.openRule(row.rule!)}>
                ${link}${row.rule}
              </button>`
            : nothing
        }
        ${row.proposed ? html`<span>${t('Found in the code; choose Handle to confirm it.')}</span>` : nothing}
        ${
          row.verdict === 'undecided'
            ? html`<span class="keys hint"
                ><kbd>1</kbd> ${t('a signal tells a person')} · <kbd>2</kbd> ${t('the code takes care of it')}
                · <kbd>3</kbd> ${t('it may happen')} · <kbd>b</kbd> ${t('it cannot be closed yet')}</span
              >`
            : nothing
        }
      </div>
      <div class="fields" role="group" aria-label=${t('Fields of: {0}', row.failure)}>
        ${fields.map((field) => control(row, field.name, field.control, field.needed, actions))}
        ${control(row, 'note', 'text', false, actions)}
      </div>
    </td>
  </tr>`;
}

function control(
  row: TableRow,
  name: RowField,
  kind: 'line' | 'text' | 'because' | 'date',
  needed: boolean,
  actions: RowActions,
): TemplateResult {
  const value = row.fields[name] ?? '';
  const title = fieldTitle(name);
  const label = needed ? t('{0}, needed', title) : title;
  const write = (event: Event): void => {
    const next = (event.currentTarget as HTMLElement & { value: string }).value.trim();
    if (next !== value) actions.write(row, name, next);
  };
  const head = html`<span class="label" aria-hidden="true"
    >${title} ${needed && value === '' ? html`<span class="hint">${t('needed')}</span>` : nothing}</span
  >`;
  if (kind === 'because')
    return html`<div class="field">
      ${head}
      <vscode-single-select label=${label} data-field=${name} .value=${keptDraft(value)} @change=${write}>
        <vscode-option value="" ?selected=${value === ''}>${t('Choose…')}</vscode-option>
        ${ACCEPT_BECAUSE.map(
          (because) =>
            html`<vscode-option value=${because} ?selected=${value === because}
              >${becauseTitle(because)}</vscode-option
            >`,
        )}
      </vscode-single-select>
    </div>`;
  if (kind === 'text')
    return html`<div class="field wide">
      ${head}
      <vscode-textarea
        label=${label}
        data-field=${name}
        rows="2"
        resize="vertical"
        placeholder=${fieldHint(name)}
        .value=${keptDraft(value)}
        @change=${write}
      ></vscode-textarea>
    </div>`;
  return html`<div class="field">
    ${head}
    <vscode-textfield
      label=${label}
      data-field=${name}
      type=${kind === 'date' ? 'date' : 'text'}
      placeholder=${fieldHint(name)}
      .value=${keptDraft(value)}
      @change=${write}
    ></vscode-textfield>
  </div>`;
}
