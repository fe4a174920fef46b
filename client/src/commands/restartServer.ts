/** `Sixlens: Restart Server`. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

export async function restartServer(client: LanguageClient): Promise<void> {
  await client.restart();
  vscode.window.setStatusBarMessage(vscode.l10n.t('Sixlens: the server was restarted.'), 3000);
}
