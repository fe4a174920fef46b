/** `Sixlens: Why Is Nothing Shown Here?`: the server's reasons for silence, most decisive first. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { State } from 'vscode-languageclient/node';
import { whySilent } from '../../../server/src/protocol/messages.ts';
import { ask } from '../languageClient.ts';
import { noEditor, targetOf } from '../target.ts';

interface Reason extends vscode.QuickPickItem {
  readonly run?: () => Thenable<unknown>;
}

export async function whyNothing(client: LanguageClient): Promise<void> {
  const target = targetOf(undefined);
  if (!target) return noEditor();
  const items: Reason[] = [];
  if (client.state !== State.Running)
    items.push({
      label: `$(error) ${vscode.l10n.t('The Sixlens server is not running.')}`,
      detail: vscode.l10n.t('Press Enter to start it.'),
      run: () => client.restart(),
    });
  else {
    const { reasons } = await ask(client, whySilent, { uri: target.uri, offset: target.offset });
    items.push(...reasons.map((reason): Reason => ({ label: `$(info) ${reason.text}` })));
  }
  items.push({
    label: `$(gear) ${vscode.l10n.t('Open the Sixlens settings')}`,
    run: () => vscode.commands.executeCommand('workbench.action.openSettings', 'sixlens'),
  });
  const choice = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Why is nothing shown here?'),
    matchOnDetail: true,
  });
  await choice?.run?.();
}
