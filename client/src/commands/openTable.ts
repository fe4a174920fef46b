/** `Sixlens: Open Table`: shows the panel of the unit's table, and offers to generate a missing one. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { openTable as request } from '../../../server/src/protocol/messages.ts';
import { ask } from '../languageClient.ts';
import { showTable } from '../panel/showTable.ts';
import { noEditor, targetOf } from '../target.ts';
import { generateTable } from './generateTable.ts';

export async function openTable(client: LanguageClient, argument: unknown): Promise<void> {
  const target = targetOf(argument);
  if (!target) return noEditor();
  if (/\/\.sixlens\/tables\/.+\.ya?ml$/.test(vscode.Uri.parse(target.uri).path))
    return showTable(target.uri, target.row);
  const answer = await ask(client, request, { uri: target.uri, offset: target.offset, unit: target.unit });
  if (!answer.ok) {
    void vscode.window.showInformationMessage(answer.message);
    return;
  }
  if (answer.tableUri !== null) return showTable(answer.tableUri, target.row);
  const generate = vscode.l10n.t('Generate');
  const choice =
    target.generate === true
      ? generate
      : await vscode.window.showInformationMessage(
          vscode.l10n.t('This unit has no failure-mode table yet.'),
          generate,
        );
  if (choice === generate) await generateTable(client, { ...target, unit: answer.unit });
}
