/** What a command is about: the argument of a link or CodeLens, else the cursor. */
import * as vscode from 'vscode';

export interface Target {
  readonly uri: string;
  readonly offset?: number;
  readonly unit?: string;
  /** Row to show in the panel. */
  readonly row?: string;
  /** Generate the table when there is none, rather than ask. */
  readonly generate?: boolean;
}

/** Arguments may come from a Markdown link, so nothing about them is taken for granted. */
export function targetOf(argument: unknown): Target | null {
  if (argument !== null && typeof argument === 'object' && !(argument instanceof vscode.Uri)) {
    const { uri, offset, unit, row, generate } = argument as Record<string, unknown>;
    if (typeof uri === 'string')
      return {
        uri,
        ...(typeof offset === 'number' ? { offset } : {}),
        ...(typeof unit === 'string' ? { unit } : {}),
        ...(typeof row === 'string' ? { row } : {}),
        generate: generate === true,
      };
  }
  const editor = vscode.window.activeTextEditor;
  if (!editor) return null;
  return { uri: editor.document.uri.toString(), offset: editor.document.offsetAt(editor.selection.active) };
}

export function noEditor(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Open a handler and put the cursor inside it first.'),
  );
}
