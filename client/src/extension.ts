/** Activation: starts the server and registers what the manifest contributes. Owns the lifetime of both. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { checkWorkspace } from './commands/checkWorkspace.ts';
import { generateTable } from './commands/generateTable.ts';
import { openTable } from './commands/openTable.ts';
import { proveRow } from './commands/proveRow.ts';
import { restartServer } from './commands/restartServer.ts';
import { showTableInline } from './commands/showTableInline.ts';
import { whyNothing } from './commands/whyNothing.ts';
import { InlineTables } from './inlineTable.ts';
import { createLanguageClient } from './languageClient.ts';
import { PANEL_TYPE, TableEditor } from './panel/tableEditor.ts';
import { createStatus } from './status.ts';
import { TableChanges } from './tableChanges.ts';

let running: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('Sixlens', { log: true });
  const client = createLanguageClient(context, output);
  running = client;
  const changes = new TableChanges(client);
  const inline = new InlineTables(client, changes.event);

  const command = (name: string, run: (argument: unknown) => Promise<void>): vscode.Disposable =>
    vscode.commands.registerCommand(name, async (argument: unknown) => {
      try {
        await run(argument);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        output.error(`${name}: ${text}`);
        void vscode.window.showErrorMessage(`Sixlens: ${text}`);
      }
    });

  context.subscriptions.push(
    output,
    changes,
    inline,
    createStatus(client),
    vscode.window.registerCustomEditorProvider(
      PANEL_TYPE,
      new TableEditor(client, context.extensionUri, output, changes.event),
      {
        supportsMultipleEditorsPerDocument: true,
      },
    ),
    command('sixlens.generateTable', (argument) => generateTable(client, argument)),
    command('sixlens.openTable', (argument) => openTable(client, argument)),
    command('sixlens.showTableInline', (argument) => showTableInline(inline, argument)),
    command('sixlens.proveRow', (argument) => proveRow(context.extensionUri, argument)),
    command('sixlens.checkWorkspace', () => checkWorkspace(client)),
    command('sixlens.restartServer', () => restartServer(client)),
    command('sixlens.whyNothing', () => whyNothing(client)),
    command('sixlens.showOutput', async () => output.show()),
    vscode.commands.registerCommand('sixlens.hideInlineTable', (thread: vscode.CommentThread) =>
      inline.close(thread),
    ),
  );

  try {
    await client.start();
  } catch (error) {
    // The commands stay, so that "Restart Server" and "Why is nothing shown here?" can help.
    output.error(`The server did not start: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export async function deactivate(): Promise<void> {
  await running?.dispose();
}
