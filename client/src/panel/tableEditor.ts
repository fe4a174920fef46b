/**
 * The panel for table files: a custom text editor. It never holds the table itself; the YAML document is the only
 * state, every change is an edit of it, and the panel is told anew whatever happens to the document, ours or not.
 */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type {
  PanelMessage,
  PanelRequest,
  TableModelResult,
  WireLocation,
} from '../../../server/src/protocol/messages.ts';
import {
  addRow,
  panelReceiptSchema,
  panelRequestSchema,
  setTableText,
  setVerdict,
  tableModelRequest,
} from '../../../server/src/protocol/messages.ts';
import { applyAnswer, toRange } from '../documentEdits.ts';
import { ask } from '../languageClient.ts';
import { personOf } from '../person.ts';
import { panelHtml } from './panelHtml.ts';

export const PANEL_TYPE = 'sixlens.table';

/** Milliseconds without a change before the panel is told; typing in the text beside it stays smooth. */
const QUIET = 60;

/** Rows to be shown by panels that are not open yet. */
const wanted = new Map<string, string>();
const reveals = new vscode.EventEmitter<string>();

/** Asks the panel of that table, open or about to be, to show the row. */
export function revealRow(uri: string, row: string): void {
  const key = vscode.Uri.parse(uri, true).toString();
  wanted.set(key, row);
  reveals.fire(key);
}

export class TableEditor implements vscode.CustomTextEditorProvider {
  constructor(
    private readonly client: LanguageClient,
    private readonly extension: vscode.Uri,
    private readonly output: vscode.LogOutputChannel,
    private readonly changes: vscode.Event<void>,
  ) {}

  async resolveCustomTextEditor(document: vscode.TextDocument, view: vscode.WebviewPanel): Promise<void> {
    const { webview } = view;
    const uri = document.uri.toString();
    const person = await personOf(document.uri);
    let latest: TableModelResult | null = null;
    let pushed = 0;
    let timer: NodeJS.Timeout | undefined;
    let ready = false;
    // Edits run one after the other: each is computed from the text that the one before left.
    let queue: Promise<unknown> = Promise.resolve();

    const push = async (): Promise<void> => {
      try {
        latest = await ask(this.client, tableModelRequest, { uri });
      } catch (error) {
        latest = {
          version: null,
          model: null,
          problems: [
            { message: textOf(error), severity: 'error', range: toWire(new vscode.Range(0, 0, 0, 0)) },
          ],
        };
      }
      const message: PanelMessage = {
        id: ++pushed,
        type: 'model',
        uri,
        file: vscode.workspace.asRelativePath(document.uri),
        ...latest,
        today: localDate(),
        person,
        ...(wanted.has(uri) ? { reveal: wanted.get(uri)! } : {}),
      };
      wanted.delete(uri);
      await webview.postMessage(message);
    };
    const pushSoon = (): void => {
      if (!ready) return;
      clearTimeout(timer);
      timer = setTimeout(() => void push(), QUIET);
    };

    const answer = async (request: PanelRequest): Promise<string | undefined> => {
      switch (request.type) {
        case 'ready':
          ready = true;
          await push();
          return;
        case 'setVerdict': {
          const { row, verdict, fields } = request;
          await applyAnswer(() =>
            ask(this.client, setVerdict, { uri, row, verdict, fields, by: person || undefined }),
          );
          return;
        }
        case 'setContract':
          await applyAnswer(() => ask(this.client, setTableText, { uri, contract: request.contract }));
          return;
        case 'addRow': {
          const { lens, failure } = request;
          return (await applyAnswer(() => ask(this.client, addRow, { uri, lens, failure }))).row;
        }
        case 'openCode': {
          const rows = latest?.model?.lenses.flatMap((lens) => lens.rows) ?? [];
          const place =
            request.row === null ? latest?.model?.place : rows.find((row) => row.id === request.row)?.place;
          if (!place) throw new Error(vscode.l10n.t('This place is no longer in the code.'));
          await showCode(place);
          return;
        }
        case 'openRule':
          await this.showRule(request.rule);
          return;
        case 'openText':
          await vscode.window.showTextDocument(document, {
            viewColumn: view.viewColumn ?? vscode.ViewColumn.Active,
            selection: new vscode.Range(request.line ?? 0, 0, request.line ?? 0, 0),
          });
      }
    };

    const listeners = [
      webview.onDidReceiveMessage((raw: unknown) => {
        if (panelReceiptSchema.safeParse(raw).success) return;
        const parsed = panelRequestSchema.safeParse(raw);
        if (!parsed.success) {
          this.output.warn(`The panel sent a message of an unknown form: ${JSON.stringify(raw)}`);
          return;
        }
        const request = parsed.data;
        const reply = (error: string | null, row?: string): void => {
          const message: PanelMessage = {
            id: request.id,
            type: 'answer',
            error,
            ...(row === undefined ? {} : { row }),
          };
          void webview.postMessage(message);
        };
        queue = queue
          .then(() => answer(request))
          .then(
            (row) => reply(null, row),
            (error: unknown) => {
              this.output.error(`${request.type}: ${textOf(error)}`);
              reply(textOf(error));
            },
          );
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document.uri.toString() === uri && event.contentChanges.length > 0) pushSoon();
      }),
      this.changes(pushSoon),
      reveals.event((key) => {
        if (key === uri) pushSoon();
      }),
    ];
    view.onDidDispose(() => {
      clearTimeout(timer);
      for (const listener of listeners) listener.dispose();
    });

    webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(this.extension, 'dist', 'panel')],
    };
    webview.html = panelHtml(webview, this.extension);
  }

  private async showRule(rule: string): Promise<void> {
    // The name comes from a file; it must not reach outside the folder.
    if (!/^[a-z][a-z-]*$/.test(rule)) throw new Error(vscode.l10n.t('There is no page for “{0}”.', rule));
    const page = vscode.Uri.joinPath(this.extension, 'docs', 'rules', `${rule}.md`);
    try {
      await vscode.workspace.fs.stat(page);
    } catch {
      throw new Error(vscode.l10n.t('There is no page for “{0}”.', rule));
    }
    await vscode.commands.executeCommand('markdown.showPreviewToSide', page);
  }
}

async function showCode(place: WireLocation): Promise<void> {
  const range = toRange(place.range);
  const column = vscode.window.visibleTextEditors.find(
    (editor) => editor.document.uri.toString() === place.uri,
  )?.viewColumn;
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(place.uri, true), {
    viewColumn: column ?? vscode.ViewColumn.Beside,
    selection: range,
  });
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function toWire(range: vscode.Range): WireLocation['range'] {
  return {
    start: { line: range.start.line, character: range.start.character },
    end: { line: range.end.line, character: range.end.character },
  };
}

function localDate(): string {
  const now = new Date();
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
