/** What the client can do, and what the server therefore offers. Pure. */
import type { ClientCapabilities, ServerCapabilities } from 'vscode-languageserver';
import { CodeActionKind, TextDocumentSyncKind } from 'vscode-languageserver';

export interface ClientAbilities {
  readonly pullDiagnostics: boolean;
  readonly refreshDiagnostics: boolean;
  readonly refreshCodeLens: boolean;
  readonly codeDescription: boolean;
  readonly relatedInformation: boolean;
  /** Edits of a code action may be sent later. */
  readonly lazyEdits: boolean;
  /** Actions as objects with a kind; without it only commands could be sent, so none are. */
  readonly codeActions: boolean;
  readonly documentChanges: boolean;
  readonly createFiles: boolean;
  readonly changeAnnotations: boolean;
  readonly snippetEdits: boolean;
  readonly configuration: boolean;
  readonly watchConfiguration: boolean;
  readonly watchFiles: boolean;
  readonly folders: boolean;
  readonly markdown: boolean;
  readonly showDocument: boolean;
  readonly progress: boolean;
}

export function abilitiesOf(client: ClientCapabilities): ClientAbilities {
  const { workspace, textDocument, window } = client;
  const action = textDocument?.codeAction;
  return {
    pullDiagnostics: textDocument?.diagnostic !== undefined,
    refreshDiagnostics: workspace?.diagnostics?.refreshSupport === true,
    refreshCodeLens: workspace?.codeLens?.refreshSupport === true,
    codeDescription:
      (textDocument?.diagnostic?.codeDescriptionSupport ??
        textDocument?.publishDiagnostics?.codeDescriptionSupport) === true,
    relatedInformation:
      (textDocument?.diagnostic?.relatedInformation ??
        textDocument?.publishDiagnostics?.relatedInformation) === true,
    lazyEdits: action?.dataSupport === true && action.resolveSupport?.properties.includes('edit') === true,
    codeActions: action?.codeActionLiteralSupport !== undefined,
    documentChanges: workspace?.workspaceEdit?.documentChanges === true,
    createFiles: workspace?.workspaceEdit?.resourceOperations?.includes('create') === true,
    changeAnnotations: workspace?.workspaceEdit?.changeAnnotationSupport !== undefined,
    snippetEdits: workspace?.workspaceEdit?.snippetEditSupport === true,
    configuration: workspace?.configuration === true,
    watchConfiguration: workspace?.didChangeConfiguration?.dynamicRegistration === true,
    watchFiles: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    folders: workspace?.workspaceFolders === true,
    markdown: textDocument?.hover?.contentFormat?.includes('markdown') !== false,
    showDocument: window?.showDocument?.support === true,
    progress: window?.workDoneProgress === true,
  };
}

/** Commands the server itself runs, for clients that have none of their own. */
export const SERVER_COMMANDS = [
  'sixlens.generateTable',
  'sixlens.openTable',
  'sixlens.checkWorkspace',
] as const;

export function serverCapabilities(client: ClientAbilities, clientCommands: boolean): ServerCapabilities {
  return {
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: false },
    ...(client.pullDiagnostics
      ? {
          diagnosticProvider: {
            identifier: 'sixlens',
            interFileDependencies: true,
            workspaceDiagnostics: true,
          },
        }
      : {}),
    ...(client.codeActions
      ? {
          codeActionProvider: {
            codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite],
            resolveProvider: client.lazyEdits,
          },
        }
      : {}),
    hoverProvider: true,
    codeLensProvider: { resolveProvider: false },
    completionProvider: { triggerCharacters: [':', ' '] },
    ...(clientCommands ? {} : { executeCommandProvider: { commands: [...SERVER_COMMANDS] } }),
    workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
  };
}
