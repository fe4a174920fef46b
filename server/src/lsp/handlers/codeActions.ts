/** Quick fixes, the accept comment, and the way to the table. Owns what is offered; edits come from the analysis. */
import type {
  AnnotatedTextEdit,
  CodeAction,
  Diagnostic,
  SnippetTextEdit,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver';
import { CodeActionKind, LSPErrorCodes, ResponseError } from 'vscode-languageserver';
import * as z from 'zod/mini';
import type { Span } from '../../base/span.ts';
import { LineIndex } from '../../base/span.ts';
import type { Finding, Fix } from '../../service/contract.ts';
import { needlessIn, recordEdits } from '../../service/prunePlan.ts';
import { findingKey, fromLspPosition, joinPath, toDiagnostic, toRange } from '../convert.ts';
import type { Located, Session } from '../session.ts';
import { breathe, guarded } from '../session.ts';
import { diagnosticContext } from './diagnostics.ts';

const dataSchema = z.object({ uri: z.string(), key: z.string(), fix: z.string() });

export function registerCodeActions(session: Session): void {
  const { connection, client } = session;
  if (!client.codeActions) return;

  connection.onCodeAction(async (params, token): Promise<CodeAction[]> => {
    await breathe(token);
    return guarded(session, 'textDocument/codeAction', [], async () => {
      const located = session.source(params.textDocument.uri);
      const text = located?.analysis.textOf(located.file);
      if (!located || text == null) return [];
      const lines = LineIndex.of(text);
      const asked: Span = {
        start: lines.offsetAt(fromLspPosition(params.range.start)),
        end: lines.offsetAt(fromLspPosition(params.range.end)),
      };
      const only = params.context.only;
      const wanted = (kind: string): boolean =>
        only === undefined || only.some((prefix) => kind === prefix || kind.startsWith(`${prefix}.`));
      const actions: CodeAction[] = [];
      const context = diagnosticContext(session, located.analysis.root);
      for (const finding of session.findings(located, token)) {
        if (finding.startOffset > asked.end || finding.endOffset < asked.start) continue;
        const diagnostic = toDiagnostic(finding, context);
        actions.push(
          ...fixActions(session, located, finding, diagnostic, params.textDocument.uri).filter((a) =>
            wanted(a.kind ?? ''),
          ),
        );
        if (wanted(CodeActionKind.QuickFix)) {
          actions.push(acceptAction(session, located, finding, diagnostic, text, lines));
          actions.push({
            title: 'Open failure-mode table',
            kind: CodeActionKind.QuickFix,
            diagnostics: [diagnostic],
            command: {
              title: 'Open failure-mode table',
              command: 'sixlens.openTable',
              arguments: [{ uri: params.textDocument.uri, offset: finding.startOffset, generate: true }],
            },
          });
        }
      }
      if (wanted(CodeActionKind.RefactorRewrite))
        actions.push(...pruneActions(session, located, text, asked));
      return actions;
    });
  });

  if (client.lazyEdits)
    connection.onCodeActionResolve(async (action, token): Promise<CodeAction> => {
      await breathe(token);
      // What is already complete (the accept comment, the table link) carries no data.
      if (action.edit || action.data === undefined) return action;
      const data = dataSchema.safeParse(action.data);
      if (!data.success)
        throw new ResponseError(LSPErrorCodes.RequestFailed, 'This action was not offered by Sixlens.');
      return guarded(session, 'codeAction/resolve', action, async () => {
        const located = session.source(data.data.uri);
        const finding =
          located && session.findings(located, token).find((one) => findingKey(one) === data.data.key);
        const fix = located && finding ? located.analysis.applyFix(finding, data.data.fix) : null;
        if (!located || !fix)
          throw new ResponseError(
            LSPErrorCodes.RequestFailed,
            'The code has changed and this fix no longer applies.',
          );
        return { ...action, edit: editOf(session, located, fix) };
      });
    });
}

function fixActions(
  session: Session,
  located: Located,
  finding: Finding,
  diagnostic: Diagnostic,
  uri: string,
): CodeAction[] {
  const actions: CodeAction[] = [];
  let preferred = true;
  for (const offer of located.analysis.fixesFor(finding)) {
    const action: CodeAction = {
      title: offer.title,
      // A previewed fix changes behaviour beyond the gap, so it is a refactoring and no quick fix runs it unasked.
      kind: offer.kind === 'safe' ? CodeActionKind.QuickFix : CodeActionKind.RefactorRewrite,
      diagnostics: [diagnostic],
    };
    if (offer.kind === 'safe' && preferred) {
      action.isPreferred = true;
      preferred = false;
    }
    if (session.client.lazyEdits) action.data = { uri, key: findingKey(finding), fix: offer.id };
    else {
      const fix = located.analysis.applyFix(finding, offer.id);
      if (!fix) continue;
      action.edit = editOf(session, located, fix);
    }
    actions.push(action);
  }
  return actions;
}

function editOf(session: Session, located: Located, fix: Fix): WorkspaceEdit {
  const { client } = session;
  const confirm =
    client.changeAnnotations && client.documentChanges && (fix.kind === 'previewed' || fix.edits.length > 1);
  const documents: TextDocumentEdit[] = [];
  for (const { file, edits } of fix.edits) {
    const path = joinPath(located.analysis.root, file);
    const lines = LineIndex.of(located.analysis.textOf(file) ?? '');
    documents.push({
      textDocument: { uri: session.uriOf(path), version: session.document(path)?.version ?? null },
      edits: edits.map((edit): TextEdit | AnnotatedTextEdit => ({
        range: toRange(lines.positionAt(edit.start), lines.positionAt(edit.end)),
        newText: edit.newText,
        ...(confirm ? { annotationId: fix.id } : {}),
      })),
    });
  }
  if (!client.documentChanges)
    return {
      changes: Object.fromEntries(documents.map((one) => [one.textDocument.uri, one.edits as TextEdit[]])),
    };
  if (!confirm) return { documentChanges: documents };
  return {
    documentChanges: documents,
    changeAnnotations: { [fix.id]: { label: fix.title, needsConfirmation: true } },
  };
}

/** Deletes a guard that nothing asks for, and says so in the tables of the units that run it. */
function pruneActions(session: Session, located: Located, text: string, asked: Span): CodeAction[] {
  const { analysis, file, path } = located;
  const { client } = session;
  const homes = session.homesIn(analysis);
  const lines = LineIndex.of(text);
  return needlessIn(analysis, homes, file, text, 'shown')
    .filter(({ code }) => code.startOffset <= asked.end && asked.start <= code.endOffset)
    .map(({ code, tables }): CodeAction => {
      const annotation =
        client.changeAnnotations && client.documentChanges && tables.length > 0
          ? { annotationId: 'prune' }
          : {};
      const documents: TextDocumentEdit[] = [
        {
          textDocument: { uri: session.uriOf(path), version: session.document(path)?.version ?? null },
          edits: code.edits.map(({ start, end, newText }) => ({
            range: toRange(lines.positionAt(start), lines.positionAt(end)),
            newText,
            ...annotation,
          })),
        },
      ];
      for (const { prefix, table } of tables) {
        const edits = recordEdits(table, file, [code.what]);
        if ('why' in edits || edits.length === 0) continue;
        const at = joinPath(analysis.root, prefix + table.path);
        const index = LineIndex.of(table.text);
        documents.push({
          textDocument: { uri: session.uriOf(at), version: session.document(at)?.version ?? null },
          edits: edits.map(({ start, end, newText }) => ({
            range: toRange(index.positionAt(start), index.positionAt(end)),
            newText,
            ...annotation,
          })),
        });
      }
      const label = `Delete ${code.what}`;
      const edit: WorkspaceEdit = client.documentChanges
        ? {
            documentChanges: documents,
            ...('annotationId' in annotation
              ? { changeAnnotations: { prune: { label, needsConfirmation: true } } }
              : {}),
          }
        : {
            changes: Object.fromEntries(
              documents.map((one) => [one.textDocument.uri, one.edits as TextEdit[]]),
            ),
          };
      return { title: `${label}: nothing asks for it`, kind: CodeActionKind.RefactorRewrite, edit };
    });
}

/** Puts `// sixlens-accept <rule>: ` on the line above, with the reason left to the person. */
function acceptAction(
  session: Session,
  located: Located,
  finding: Finding,
  diagnostic: Diagnostic,
  text: string,
  lines: LineIndex,
): CodeAction {
  const lineStart = lines.offsetAt({ line: finding.start.line, column: 1 });
  const indent = /^[ \t]*/.exec(text.slice(lineStart, finding.startOffset))![0];
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const comment = `${indent}// sixlens-accept ${finding.rule}: `;
  const at = {
    start: { line: finding.start.line - 1, character: 0 },
    end: { line: finding.start.line - 1, character: 0 },
  };
  const path = located.path;
  const uri = session.uriOf(path);
  const version = session.document(path)?.version ?? null;
  const edit: TextEdit | SnippetTextEdit = session.client.snippetEdits
    ? {
        range: at,
        snippet: { kind: 'snippet', value: `${comment.replace(/[\\$}]/g, '\\$&')}\${1:reason}${end}` },
      }
    : { range: at, newText: `${comment}${end}` };
  return {
    title: `Accept: // sixlens-accept ${finding.rule}: …`,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    edit: session.client.documentChanges
      ? { documentChanges: [{ textDocument: { uri, version }, edits: [edit] }] }
      : { changes: { [uri]: [{ range: at, newText: `${comment}${end}` }] } },
  };
}
