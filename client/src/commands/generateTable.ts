/** `Sixlens: Generate Failure-Mode Table`: creates the unit's table or merges into it, then shows it. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { generateTable as request } from '../../../server/src/protocol/messages.ts';
import { applyAnswer } from '../documentEdits.ts';
import { ask } from '../languageClient.ts';
import { showTable } from '../panel/showTable.ts';
import { noEditor, targetOf } from '../target.ts';

export async function generateTable(client: LanguageClient, argument: unknown): Promise<void> {
  const target = targetOf(argument);
  if (!target) return noEditor();
  const { uri, offset, unit } = target;
  const answer = await applyAnswer(() => ask(client, request, { uri, offset, unit }));
  await showTable(answer.tableUri, target.row);
  if (!answer.created && answer.edit.edits.length === 0)
    vscode.window.setStatusBarMessage(
      vscode.l10n.t('Sixlens: the table already holds everything the code shows.'),
      5000,
    );
}
