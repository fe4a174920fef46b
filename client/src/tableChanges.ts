/** Tells everybody who shows tables that the server sees something new. The client takes one handler a method, so it is here. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { tablesChanged } from '../../server/src/protocol/messages.ts';

export class TableChanges implements vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<void>();
  private readonly listener: vscode.Disposable;
  readonly event = this.emitter.event;

  constructor(client: LanguageClient) {
    this.listener = client.onNotification(tablesChanged.method, () => this.emitter.fire());
  }

  dispose(): void {
    this.listener.dispose();
    this.emitter.dispose();
  }
}
