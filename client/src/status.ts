/** The language status item: analysing, ready, off or stopped, and the way to ask why nothing is shown. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { State } from 'vscode-languageclient/node';
import type { ServerStatus } from '../../server/src/protocol/messages.ts';
import { statusNotification } from '../../server/src/protocol/messages.ts';
import { SELECTOR } from './languageClient.ts';

export function createStatus(client: LanguageClient): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem('sixlens.status', SELECTOR);
  item.name = 'Sixlens';
  item.command = { title: vscode.l10n.t('Why is nothing shown here?'), command: 'sixlens.whyNothing' };
  const show = (
    state: ServerStatus['state'] | 'stopped',
    detail: string,
    problems: readonly string[],
  ): void => {
    item.busy = state === 'starting' || state === 'analysing';
    item.text = {
      starting: vscode.l10n.t('Sixlens is starting'),
      analysing: vscode.l10n.t('Sixlens is analysing'),
      ready: vscode.l10n.t('Sixlens is ready'),
      off: vscode.l10n.t('Sixlens is off'),
      stopped: vscode.l10n.t('Sixlens has stopped'),
    }[state];
    item.detail =
      problems.length > 0
        ? `${detail} ${problems[0]!}${problems.length > 1 ? ` (+${problems.length - 1})` : ''}`
        : detail;
    item.severity =
      state === 'stopped'
        ? vscode.LanguageStatusSeverity.Error
        : problems.length > 0
          ? vscode.LanguageStatusSeverity.Warning
          : vscode.LanguageStatusSeverity.Information;
  };
  show('starting', '', []);
  return vscode.Disposable.from(
    item,
    client.onNotification(statusNotification.method, (raw: unknown) => {
      const parsed = statusNotification.params.safeParse(raw);
      if (parsed.success) show(parsed.data.state, parsed.data.detail, parsed.data.problems);
    }),
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Starting) show('starting', '', []);
      if (newState === State.Stopped)
        show('stopped', vscode.l10n.t('Run “Sixlens: Restart Server”; its log says what happened.'), []);
    }),
  );
}
