/** `Sixlens: Show Table Inline`: toggles the table under the unit's signature. */
import * as vscode from 'vscode';
import type { InlineTables } from '../inlineTable.ts';
import { noEditor, targetOf } from '../target.ts';

export async function showTableInline(tables: InlineTables, argument: unknown): Promise<void> {
  const target = targetOf(argument);
  if (!target) return noEditor();
  const editor = vscode.window.activeTextEditor;
  const position = target.unit === undefined ? editor?.selection.active : undefined;
  await tables.toggle(target.uri, target.unit, position);
}
