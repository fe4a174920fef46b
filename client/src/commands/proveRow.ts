/**
 * `Sixlens: Prove Row`: runs the proof of a row in a task, where its output is seen and where it can be stopped. Owns which
 * row is meant. It runs the project's own tests, so never in a workspace that nobody trusts.
 */
import path from 'node:path';
import * as vscode from 'vscode';
import { handledRows } from '../handledRows.ts';
import { targetOf } from '../target.ts';

const TABLE = /\/\.sixlens\/tables\/.+\.ya?ml$/;

export async function proveRow(extension: vscode.Uri, argument: unknown): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('A proof runs the tests of the workspace, so the workspace has to be trusted first.'),
    );
    return;
  }
  const target = targetOf(argument);
  const uri = target && vscode.Uri.parse(target.uri, true);
  if (uri?.scheme !== 'file') {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Open a failure-mode table, or the code of its unit, first.'),
    );
    return;
  }
  const word = TABLE.test(uri.path) ? (target?.row ?? (await chosenRow(uri))) : uri.fsPath;
  if (word === undefined || !(await saved())) return;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const cwd = TABLE.test(uri.path)
    ? vscode.Uri.file(uri.path.slice(0, uri.path.indexOf('/.sixlens/'))).fsPath
    : (folder?.uri.fsPath ?? path.dirname(uri.fsPath));
  const program = vscode.Uri.joinPath(extension, 'dist', 'cli.js').fsPath;
  const task = new vscode.Task(
    { type: 'sixlens', row: word },
    folder ?? vscode.TaskScope.Workspace,
    `prove ${path.basename(word)}`,
    'sixlens',
    new vscode.ProcessExecution('node', [program, 'prove', word], { cwd }),
    [],
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  await vscode.tasks.executeTask(task);
}

/** The row under the cursor, else the one that is picked. */
async function chosenRow(uri: vscode.Uri): Promise<string | undefined> {
  const document = await vscode.workspace.openTextDocument(uri);
  const rows = handledRows(document.getText());
  const editor = vscode.window.activeTextEditor;
  const line = editor?.document.uri.toString() === uri.toString() ? editor.selection.active.line : -1;
  const here = rows.find(({ start, end }) => start <= line && line < end);
  if (here) return here.id;
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('This table has no handled row, so there is nothing to prove.'),
    );
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    rows.map(({ id, failure }) => ({ label: failure, description: id })),
    { placeHolder: vscode.l10n.t('Which row is to be proven?') },
  );
  return picked?.description;
}

/** A proof is about what is on disk. */
async function saved(): Promise<boolean> {
  if (!vscode.workspace.textDocuments.some(({ isDirty, uri }) => isDirty && uri.scheme === 'file'))
    return true;
  const save = vscode.l10n.t('Save All');
  const choice = await vscode.window.showInformationMessage(
    vscode.l10n.t('A proof runs what is saved, and there are unsaved changes.'),
    save,
    vscode.l10n.t('Prove What Is Saved'),
  );
  if (choice === undefined) return false;
  return choice === save ? vscode.workspace.saveAll(false) : true;
}
