/** The table under a unit's signature: a comment thread that holds Markdown and is toggled. Owns those threads. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { inlineTable as request } from '../../server/src/protocol/messages.ts';
import { toRange } from './documentEdits.ts';
import { ask } from './languageClient.ts';

interface Shown {
  readonly thread: vscode.CommentThread;
  readonly uri: string;
  readonly unit: string;
}

export class InlineTables implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('sixlens.inlineTable', 'Sixlens');
  private readonly shown = new Map<string, Shown>();
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly client: LanguageClient,
    changes: vscode.Event<void>,
  ) {
    this.listeners = [
      changes(() => void this.refresh()),
      vscode.workspace.onDidCloseTextDocument((document) => {
        for (const [key, { uri }] of this.shown) if (uri === document.uri.toString()) this.hide(key);
      }),
    ];
  }

  async toggle(uri: string, unit: string | undefined, position: vscode.Position | undefined): Promise<void> {
    const answer = await ask(this.client, request, {
      uri,
      ...(unit === undefined ? {} : { unit }),
      ...(position ? { position: { line: position.line, character: position.character } } : {}),
    });
    if (!answer) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no unit with a table to show here.'));
      return;
    }
    const key = `${uri}#${answer.unit}`;
    const open = this.shown.get(key);
    if (open && open.thread.collapsibleState === vscode.CommentThreadCollapsibleState.Expanded) {
      this.hide(key);
      return;
    }
    if (open) this.hide(key);
    const thread = this.controller.createCommentThread(vscode.Uri.parse(uri, true), toRange(answer.range), [
      comment(answer.markdown),
    ]);
    thread.canReply = false;
    thread.contextValue = 'sixlens.inlineTable';
    thread.label = vscode.l10n.t('Failure modes');
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.shown.set(key, { thread, uri, unit: answer.unit });
  }

  /** The thread's own close button. */
  close(thread: vscode.CommentThread): void {
    for (const [key, open] of this.shown) if (open.thread === thread) this.hide(key);
  }

  private async refresh(): Promise<void> {
    for (const [key, { thread, uri, unit }] of [...this.shown]) {
      try {
        const answer = await ask(this.client, request, { uri, unit });
        if (!this.shown.has(key)) continue;
        if (answer) thread.comments = [comment(answer.markdown)];
        else this.hide(key);
      } catch {
        // The server is restarting; what is shown stays until it says something newer.
      }
    }
  }

  private hide(key: string): void {
    this.shown.get(key)?.thread.dispose();
    this.shown.delete(key);
  }

  dispose(): void {
    for (const key of [...this.shown.keys()]) this.hide(key);
    for (const listener of this.listeners) listener.dispose();
    this.controller.dispose();
  }
}

function comment(markdown: string): vscode.Comment {
  const body = new vscode.MarkdownString(markdown, true);
  // Only our own two commands: the text comes from files that anybody may have written.
  body.isTrusted = { enabledCommands: ['sixlens.openTable', 'sixlens.generateTable'] };
  return { author: { name: 'Sixlens' }, body, mode: vscode.CommentMode.Preview };
}
