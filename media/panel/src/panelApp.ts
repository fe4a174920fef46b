/**
 * The panel: shows the model it is sent and asks for every change. Owns what only the screen knows: which row is
 * current, which are open, what is being typed. The table itself is never kept here.
 */
import type { PropertyValues, TemplateResult } from 'lit';
import { LitElement, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type {
  LensName,
  PanelMessage,
  RowField,
  TableLens,
  TableModel,
  TableRow,
  Verdict,
} from '../../../server/src/protocol/messages.ts';
import type { Cursor, Stop } from './gridKeys.ts';
import { move } from './gridKeys.ts';
import { alert, link, plus } from './icons.ts';
import { keptDraft } from './keptDraft.ts';
import type { EditorApi } from './port.ts';
import { Port } from './port.ts';
import type { RowActions } from './rowView.ts';
import { rowView } from './rowView.ts';
import { panelStyles } from './styles.ts';
import { lensQuestion, lensTitle, t, verdictTitle } from './texts.ts';
import { fieldsOf, leavingFields, startingFields } from './verdictFields.ts';

type Shown = Extract<PanelMessage, { type: 'model' }>;

interface Kept {
  readonly cursor?: Cursor;
  readonly open?: readonly string[];
  readonly scroll?: number;
}

const VERDICT_KEYS: Record<string, Verdict> = {
  '1': 'detect',
  '2': 'handle',
  '3': 'accept',
  u: 'undecided',
  b: 'blocked',
};

export class PanelApp extends LitElement {
  static override styles = panelStyles;
  static override properties = {
    shown: { state: true },
    cursor: { state: true },
    open: { state: true },
    adding: { state: true },
    fault: { state: true },
    spoken: { state: true },
  };

  declare private shown: Shown | null;
  declare private cursor: Cursor | null;
  declare private open: ReadonlySet<string>;
  declare private adding: LensName | null;
  declare private fault: string | null;
  declare private spoken: string;

  private port!: Port;
  private restoreScroll: number | undefined;
  /** What is to get the focus once it is on the page. */
  private focusNext: string | null = null;

  constructor() {
    super();
    this.shown = null;
    this.cursor = null;
    this.open = new Set();
    this.adding = null;
    this.fault = null;
    this.spoken = '';
  }

  /** Called once by the page with the editor's side of the line. */
  connect(api: EditorApi): void {
    this.port = new Port(api, (message) => this.take(message));
    const kept = (api.getState() ?? {}) as Kept;
    this.cursor = kept.cursor ?? null;
    this.open = new Set(kept.open ?? []);
    this.restoreScroll = kept.scroll;
    window.addEventListener('scroll', () => this.keep(), { passive: true });
    void this.ask({ type: 'ready' });
  }

  private take(message: Shown): void {
    const before = this.shown?.model;
    this.shown = message;
    const rows = rowsOf(message.model);
    if (message.reveal !== undefined && rows.some((row) => row.id === message.reveal)) {
      this.cursor = { row: message.reveal, stop: 'row' };
      this.open = new Set([...this.open, message.reveal]);
      this.focusNext = `[data-row="${message.reveal}"][data-stop="row"]`;
    } else if (!rows.some((row) => row.id === this.cursor?.row)) {
      // Stay near where the lost row was rather than jump to the top.
      const at = rowsOf(before ?? null).findIndex((row) => row.id === this.cursor?.row);
      const next = rows[Math.min(Math.max(at, 0), rows.length - 1)];
      this.cursor = next ? { row: next.id, stop: 'row' } : null;
    } else if (
      this.cursor &&
      this.cursor.stop === 'place' &&
      !rows.find((row) => row.id === this.cursor?.row)?.place
    )
      this.cursor = { row: this.cursor.row, stop: 'row' };
  }

  private keep(): void {
    const kept: Kept = {
      ...(this.cursor ? { cursor: this.cursor } : {}),
      open: [...this.open],
      scroll: window.scrollY,
    };
    this.port.state = kept;
  }

  private async ask(request: Parameters<Port['ask']>[0]): Promise<string | undefined> {
    try {
      const row = await this.port.ask(request);
      this.fault = null;
      return row;
    } catch (error) {
      this.fault = error instanceof Error ? error.message : String(error);
      this.say(this.fault);
      return undefined;
    }
  }

  private say(text: string): void {
    // The same text twice would not be read twice.
    this.spoken = this.spoken === text ? `${text}\u00a0` : text;
  }

  // -------------------------------------------------------------------------------------------- life

  protected override updated(changed: PropertyValues): void {
    if (changed.has('cursor') || changed.has('open')) this.keep();
    if (this.restoreScroll !== undefined && this.shown) {
      window.scrollTo(0, this.restoreScroll);
      this.restoreScroll = undefined;
    }
    if (this.focusNext !== null) {
      const target = this.renderRoot.querySelector<HTMLElement>(this.focusNext);
      if (target) {
        this.focusNext = null;
        void this.giveFocus(target);
      }
    }
  }

  private async giveFocus(target: HTMLElement & { updateComplete?: Promise<unknown> }): Promise<void> {
    // A control that is new on the page has nothing to focus until it has rendered itself.
    await target.updateComplete;
    target.focus();
    target.scrollIntoView({ block: 'nearest' });
  }

  // -------------------------------------------------------------------------------------------- doing

  private readonly actions: RowActions = {
    decide: (row, verdict) => void this.decide(row, verdict, false),
    write: (row, field, value) => void this.write(row, field, value),
    toggle: (row) => {
      this.select({ row: row.id, stop: 'row' });
      this.toggle(row.id);
    },
    select: (cursor) => this.select(cursor),
    openCode: (row) => void this.ask({ type: 'openCode', row: row.id }),
    openRule: (rule) => void this.ask({ type: 'openRule', rule }),
  };

  private select(cursor: Cursor): void {
    this.cursor = cursor;
    this.focusNext = `[data-row="${cursor.row}"][data-stop="${cursor.stop}"]`;
  }

  private toggle(row: string, to = !this.open.has(row)): void {
    const next = new Set(this.open);
    if (to) next.add(row);
    else next.delete(row);
    this.open = next;
  }

  private async decide(row: TableRow, verdict: Verdict, byKey: boolean): Promise<void> {
    const shown = this.shown;
    if (!shown) return;
    this.select({ row: row.id, stop: byKey ? 'row' : verdict });
    // Choosing Handle on a proposed row is how a person confirms it.
    if (row.verdict === verdict && !row.proposed) return;
    const fields = startingFields(verdict, row.fields, shown.today, shown.person);
    const changes = {
      ...leavingFields(row.verdict, verdict, row.fields, shown.today, shown.person),
      ...fields,
    };
    await this.ask({
      type: 'setVerdict',
      row: row.id,
      verdict,
      ...(Object.keys(changes).length > 0 ? { fields: changes } : {}),
    });
    if (this.fault !== null) return;
    const missing = fieldsOf(verdict).filter(
      (field) => field.needed && !{ ...row.fields, ...fields }[field.name],
    ).length;
    this.toggle(row.id, verdict !== 'undecided');
    this.say(
      missing === 0
        ? t('{0}: {1}', row.failure, verdictTitle(verdict))
        : missing === 1
          ? t('{0}: {1}. One field is needed; Enter goes to it.', row.failure, verdictTitle(verdict))
          : t(
              '{0}: {1}. {2} fields are needed; Enter goes to them.',
              row.failure,
              verdictTitle(verdict),
              missing,
            ),
    );
  }

  private async write(row: TableRow, field: RowField, value: string): Promise<void> {
    await this.ask({ type: 'setVerdict', row: row.id, fields: { [field]: value === '' ? null : value } });
    if (this.fault === null) this.say(t('Saved to the table file.'));
  }

  private async addRow(lens: LensName, failure: string): Promise<void> {
    if (failure.trim() === '') {
      this.adding = null;
      return;
    }
    const row = await this.ask({ type: 'addRow', lens, failure: failure.trim() });
    if (this.fault !== null) return;
    this.adding = null;
    if (row !== undefined) {
      this.select({ row, stop: 'row' });
      this.toggle(row, true);
    }
    this.say(t('Row added: {0}', failure.trim()));
  }

  private onGridKey(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey) return;
    const target = event.composedPath()[0] as HTMLElement;
    const rows = rowsOf(this.shown?.model ?? null);
    const detail = target.closest<HTMLElement>('[data-detail]') ?? hostIn(event, '[data-detail]');
    if (detail) {
      if (event.key === 'Escape' && !isOpenList(event)) {
        event.preventDefault();
        this.select({ row: detail.dataset['detail']!, stop: 'row' });
        this.requestUpdate();
      }
      return;
    }
    const at = target.closest<HTMLElement>('[data-stop]');
    const row = rows.find((one) => one.id === at?.dataset['row']);
    if (!at || !row) return;
    const stop = at.dataset['stop'] as Stop;
    const has = (id: string, name: Stop): boolean =>
      name !== 'place' || !!rows.find((one) => one.id === id)?.place;
    const next = move(
      event.key,
      { row: row.id, stop },
      rows.map((one) => one.id),
      has,
      event.ctrlKey || stop === 'row',
    );
    if (next) {
      event.preventDefault();
      this.select(next);
      return;
    }
    if (event.ctrlKey) return;
    const verdict = VERDICT_KEYS[event.key.toLowerCase()];
    if (verdict) {
      event.preventDefault();
      void this.decide(row, verdict, true);
    } else if (stop === 'row' && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      this.toggle(row.id, true);
      this.focusNext = this.firstField(row);
      this.requestUpdate();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this.toggle(row.id, false);
      this.select({ row: row.id, stop: 'row' });
    }
  }

  /** The first field that still needs something, else the first. */
  private firstField(row: TableRow): string {
    const fields = fieldsOf(row.verdict);
    const field = fields.find((one) => one.needed && !row.fields[one.name]) ?? fields[0];
    return `[data-detail="${row.id}"] [data-field="${field?.name ?? 'note'}"]`;
  }

  private onGridFocus(event: FocusEvent): void {
    const at = (event.composedPath()[0] as HTMLElement).closest<HTMLElement>('[data-stop]');
    const detail = hostIn(event, '[data-detail]');
    if (at) {
      const cursor: Cursor = { row: at.dataset['row']!, stop: at.dataset['stop'] as Stop };
      if (cursor.row !== this.cursor?.row || cursor.stop !== this.cursor.stop) this.cursor = cursor;
    } else if (detail && detail.dataset['detail'] !== this.cursor?.row)
      this.cursor = { row: detail.dataset['detail']!, stop: 'row' };
  }

  // -------------------------------------------------------------------------------------------- showing

  protected override render(): TemplateResult {
    const { shown } = this;
    return html`
      <div class="hidden" role="status" aria-live="polite">${this.spoken}</div>
      ${
        shown === null
          ? html`<main><p class="hint">${t('Reading the table…')}</p></main>`
          : html`<main>
              ${this.fault === null ? nothing : this.faultView(this.fault)}
              ${shown.model === null ? this.brokenView(shown) : this.tableView(shown, shown.model)}
            </main>`
      }
    `;
  }

  private faultView(text: string): TemplateResult {
    return html`<div class="notice error">
      ${alert}
      <div>
        <p>${text}</p>
        <button type="button" class="link" @click=${() => (this.fault = null)}>${t('Dismiss')}</button>
      </div>
    </div>`;
  }

  private brokenView(shown: Shown): TemplateResult {
    return html`
      <header>
        <div><h1>${shown.file}</h1></div>
      </header>
      <div class="notice error">
        ${alert}
        <div>
          <h2>${t('This table cannot be read')}</h2>
          <p>
            ${t('Nothing in the file was changed. Mend it as text; the table appears as soon as it can be read.')}
          </p>
          <ul>
            ${shown.problems.map(
              (problem) =>
                html`<li>
                  <button
                    type="button"
                    class="link"
                    @click=${() => void this.ask({ type: 'openText', line: problem.range.start.line })}
                  >
                    ${t('Line {0}', problem.range.start.line + 1)}</button
                  >: ${problem.message}
                </li>`,
            )}
          </ul>
          <vscode-button
            @click=${() => void this.ask({ type: 'openText', line: shown.problems[0]?.range.start.line ?? 0 })}
            >${t('Open as text')}</vscode-button
          >
        </div>
      </div>
    `;
  }

  private tableView(shown: Shown, model: TableModel): TemplateResult {
    return html`
      ${this.headView(model)}
      <div class="contract">
        <span class="label" aria-hidden="true"
          >${t('Contract')}
          <span class="hint"
            >${t('what callers may still assume when everything inside goes wrong')}</span
          ></span
        >
        <vscode-textarea
          label=${t('Contract: what callers may still assume when everything inside goes wrong')}
          data-field="contract"
          rows="2"
          resize="vertical"
          placeholder=${t('Any number of deliveries of one event gives exactly one …')}
          .value=${keptDraft(model.contract)}
          @change=${(event: Event) => {
            const contract = (event.currentTarget as HTMLElement & { value: string }).value.trim();
            if (contract !== model.contract.trim()) void this.ask({ type: 'setContract', contract });
          }}
        ></vscode-textarea>
      </div>
      <table
        role="grid"
        aria-label=${t('Failure modes of {0}', model.unit)}
        @keydown=${(event: KeyboardEvent) => this.onGridKey(event)}
        @focusin=${(event: FocusEvent) => this.onGridFocus(event)}
      >
        <colgroup>
          <col />
          <col class="where" />
          <col class="verdict" />
          <col class="state" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">${t('Failure mode')}</th>
            <th scope="col">${t('Where')}</th>
            <th scope="col">${t('Verdict')}</th>
            <th scope="col">${t('State')}</th>
          </tr>
        </thead>
        ${model.lenses.map((lens) => this.lensView(lens))}
      </table>
      <footer>
        <div>
          ${t('Pruned')}
          ${
            model.pruned.length === 0
              ? html`<span>: ${t('no record yet')}</span>`
              : html`<ul>
                  ${model.pruned.map((text) => html`<li>${text}</li>`)}
                </ul>`
          }
        </div>
        <button type="button" class="link" @click=${() => void this.ask({ type: 'openText' })}>
          ${link}<span>${t('Open {0} as text', shown.file)}</span>
        </button>
      </footer>
    `;
  }

  private headView(model: TableModel): TemplateResult {
    const { rows, decided, stale, unlooked } = model.summary;
    const more = [
      stale > 0 ? t('{0} stale', stale) : null,
      unlooked > 0
        ? unlooked === 1
          ? t('1 lens not looked through')
          : t('{0} lenses not looked through', unlooked)
        : null,
    ].filter((text) => text !== null);
    const all = rowsOf(model);
    return html`<header>
      <div>
        <h1>${model.unit}</h1>
        <div class="facts">
          <span class="tag">${model.kind}</span>
          ${
            model.place
              ? html`<button
                  type="button"
                  class="link code"
                  @click=${() => void this.ask({ type: 'openCode', row: null })}
                >
                  ${model.code.file}:${model.place.range.start.line + 1}
                </button>`
              : html`<span class="code">${model.code.file}</span><span>${t('not found in the code')}</span>`
          }
          ${model.domain.map((domain) => html`<span>${domain}</span>`)}
          ${model.owner ? html`<span>${t('owner {0}', model.owner)}</span>` : nothing}
        </div>
      </div>
      <div class="summary">
        <strong>${rows === 0 ? t('No rows') : t('{0} of {1} decided', decided, rows)}</strong>
        <div class="meter" aria-hidden="true">
          ${all.map((_, index) => html`<span class=${index < decided ? 'decided' : ''}></span>`)}
        </div>
        <span class="more">${more.join(' · ')}</span>
      </div>
    </header>`;
  }

  private lensView(lens: TableLens): TemplateResult {
    const title = lensTitle(lens.lens);
    return html`<tbody>
      <tr class="lens">
        <th scope="rowgroup" colspan="4">
          <div class="lenshead">
            <div>
              <h2>${title}</h2>
              <span class="hint">${lensQuestion(lens.lens)}</span>
            </div>
            <button
              type="button"
              class="add"
              aria-label=${t('Add row to {0}', title)}
              @click=${() => this.startAdding(lens.lens)}
            >
              ${plus}<span>${t('Add row')}</span>
            </button>
          </div>
        </th>
      </tr>
      ${repeat(
        lens.rows,
        (row) => row.id,
        (row) => rowView(row, { current: this.cursor, open: this.open.has(row.id), actions: this.actions }),
      )}
      ${lens.rows.length === 0 || lens.exposure === 'open' ? this.emptyView(lens) : nothing}
      ${this.adding === lens.lens ? this.newRowView(lens.lens, title) : nothing}
    </tbody>`;
  }

  private emptyView(lens: TableLens): TemplateResult {
    const text = {
      rows: '',
      none: lens.text ? t('No exposure: {0}', lens.text) : t('No exposure.'),
      open: lens.text ? t('Still open: {0}', lens.text) : t('Still open: something could not be seen.'),
      unlooked: t('Nobody has looked through this lens yet.'),
    }[lens.exposure];
    return html`<tr class="empty">
      <td role="gridcell" colspan="4">
        ${text}
        ${lens.unresolved.length > 0 ? html`<span>${t('Not resolved:')} <code>${lens.unresolved.join(', ')}</code></span>` : nothing}
      </td>
    </tr>`;
  }

  private startAdding(lens: LensName): void {
    this.adding = lens;
    this.focusNext = '[data-field="new-row"]';
  }

  private newRowView(lens: LensName, title: string): TemplateResult {
    const submit = (event: Event): void => {
      const field = (event.currentTarget as HTMLElement)
        .closest('form')!
        .querySelector<HTMLElement & { value: string }>('vscode-textfield')!;
      event.preventDefault();
      void this.addRow(lens, field.value);
    };
    return html`<tr class="newrow">
      <td role="gridcell" colspan="4">
        <form
          @submit=${submit}
          @keydown=${(event: KeyboardEvent) => {
            if (event.key === 'Escape') {
              this.adding = null;
              if (this.cursor) this.select(this.cursor);
            }
            event.stopPropagation();
          }}
        >
          <vscode-textfield
            data-field="new-row"
            label=${t('New failure mode in {0}', title)}
            placeholder=${t('What goes wrong, in one sentence')}
          ></vscode-textfield>
          <vscode-button @click=${submit}>${t('Add')}</vscode-button>
        </form>
      </td>
    </tr>`;
  }
}

function rowsOf(model: TableModel | null): readonly TableRow[] {
  return model?.lenses.flatMap((lens) => lens.rows) ?? [];
}

/** The first element on the event's way up that matches; crosses shadow roots. */
function hostIn(event: Event, selector: string): HTMLElement | null {
  for (const step of event.composedPath())
    if (step instanceof HTMLElement && step.matches(selector)) return step;
  return null;
}

/** Escape in an open list closes the list, not the row. */
function isOpenList(event: Event): boolean {
  return event
    .composedPath()
    .some((step) => step instanceof HTMLElement && step.matches('vscode-single-select[open]'));
}
