/** Applies edits that the server computed. Owns the rule that edits meet the document version they were made for. */
import * as vscode from 'vscode';
import type { DocumentEdits, WireRange } from '../../server/src/protocol/messages.ts';

export function toRange(range: WireRange): vscode.Range {
  return new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
}

/** Creates the file with its whole text, or edits the open document. False when the document has moved on meanwhile. */
export async function applyDocumentEdits(change: DocumentEdits): Promise<boolean> {
  const uri = vscode.Uri.parse(change.uri, true);
  const edit = new vscode.WorkspaceEdit();
  if (change.create) {
    const text = change.edits.map((one) => one.newText).join('');
    edit.createFile(uri, {
      overwrite: false,
      ignoreIfExists: false,
      contents: new TextEncoder().encode(text),
    });
    return vscode.workspace.applyEdit(edit);
  }
  if (change.edits.length === 0) return true;
  const document = await vscode.workspace.openTextDocument(uri);
  if (change.version !== null && document.version !== change.version) return false;
  edit.set(
    uri,
    change.edits.map((one) => vscode.TextEdit.replace(toRange(one.range), one.newText)),
  );
  return vscode.workspace.applyEdit(edit);
}

/** Asks, applies, and asks once more when the person typed in between. Throws an `Error` with a message to show. */
export async function applyAnswer<T extends { ok: true; edit: DocumentEdits }>(
  request: () => Promise<T | { ok: false; message: string }>,
): Promise<T> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await request();
    if (!answer.ok) throw new Error(answer.message);
    if (await applyDocumentEdits(answer.edit)) return answer;
  }
  throw new Error(vscode.l10n.t('The table kept changing while it was edited; try again.'));
}
