/** Opens a table file in the panel, beside the code it is about. */
import * as vscode from 'vscode';
import { PANEL_TYPE, revealRow } from './tableEditor.ts';

export async function showTable(uri: string, row?: string): Promise<void> {
  if (row !== undefined) revealRow(uri, row);
  await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.parse(uri, true), PANEL_TYPE, {
    viewColumn: vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
    preview: false,
  });
}
