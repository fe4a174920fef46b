/** One CodeLens line per unit: how far its table is, and the inline table where the client has one. */
import type { CodeLens } from 'vscode-languageserver';
import { toRange } from '../convert.ts';
import type { Session } from '../session.ts';
import { breathe, guarded } from '../session.ts';
import { readTable } from './tableFile.ts';

export function registerCodeLens(session: Session, clientCommands: boolean): void {
  session.connection.onCodeLens(async (params, token): Promise<CodeLens[]> => {
    await breathe(token);
    return guarded(session, 'textDocument/codeLens', [], async () => {
      if (!session.settings.enable || !session.settings.codeLens.enable) return [];
      const located = session.source(params.textDocument.uri);
      if (!located) return [];
      const lenses: CodeLens[] = [];
      for (const unit of located.analysis.units([located.file])) {
        if (unit.file !== located.file) continue;
        const range = toRange(unit.start, unit.start);
        const target = { uri: params.textDocument.uri, unit: unit.id };
        const table = session.tableOf(located, unit);
        if (table.text === null)
          lenses.push({
            range,
            command: {
              title: 'Generate failure-mode table',
              command: 'sixlens.generateTable',
              arguments: [target],
            },
          });
        else
          lenses.push({
            range,
            command: {
              title: `Failure modes: ${progress(session, table.path, table.text)}`,
              command: 'sixlens.openTable',
              arguments: [target],
            },
          });
        if (clientCommands && session.settings.inlineTable.enable)
          lenses.push({
            range,
            command: { title: 'Show inline', command: 'sixlens.showTableInline', arguments: [target] },
          });
      }
      return lenses;
    });
  });
}

function progress(session: Session, path: string, text: string): string {
  const content = readTable(session, path, text).content;
  if (content === null) return 'table cannot be read';
  const { rows, decided, stale, unlooked } = content.summary;
  const parts = [rows === 0 ? 'no rows' : `${decided} of ${rows} decided`];
  if (stale > 0) parts.push(`${stale} stale`);
  if (unlooked > 0)
    parts.push(unlooked === 1 ? '1 lens not looked through' : `${unlooked} lenses not looked through`);
  return parts.join(' · ');
}
