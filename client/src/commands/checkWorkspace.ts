/** `Sixlens: Check Workspace`: analyses every source file, with progress and a way to stop. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { WorkDoneProgress } from 'vscode-languageclient/node';
import { checkWorkspace as request } from '../../../server/src/protocol/messages.ts';
import { ask } from '../languageClient.ts';

let runs = 0;

export async function checkWorkspace(client: LanguageClient): Promise<void> {
  const answer = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Sixlens: checking the workspace'),
      cancellable: true,
    },
    async (progress, token) => {
      const workDoneToken = `sixlens-check-${++runs}`;
      let before = 0;
      const listener = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
        const now = value.kind === 'report' ? (value.percentage ?? before) : before;
        progress.report({
          increment: now - before,
          ...('message' in value ? { message: value.message } : {}),
        });
        before = now;
      });
      try {
        return await ask(client, request, { workDoneToken }, token);
      } finally {
        listener.dispose();
      }
    },
  );
  if (answer.cancelled) return;
  if (answer.findings === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Sixlens: no findings in {0} files.', answer.files),
    );
    return;
  }
  const show = vscode.l10n.t('Show Problems');
  const text = vscode.l10n.t(
    'Sixlens: {0} findings in {1} files, {2} of them blocking.',
    answer.findings,
    answer.files,
    answer.blocking,
  );
  if ((await vscode.window.showInformationMessage(text, show)) === show)
    await vscode.commands.executeCommand('workbench.actions.view.problems');
}
