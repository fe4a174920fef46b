/** Wires a connection to a session: initialisation, document sync, settings, watched files. Owns the order of start-up. */
import type { Connection, InitializeParams, InitializeResult } from 'vscode-languageserver';
import {
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { initializationSchema } from '../protocol/messages.ts';
import { abilitiesOf, serverCapabilities } from './capabilities.ts';
import { pathOfUri } from './convert.ts';
import { registerCodeActions } from './handlers/codeActions.ts';
import { registerCodeLens } from './handlers/codeLens.ts';
import { registerDiagnostics } from './handlers/diagnostics.ts';
import { registerHover } from './handlers/hover.ts';
import { registerStatus, sendStatus } from './handlers/status.ts';
import { registerTableFile } from './handlers/tableFile.ts';
import { registerTableRequests } from './handlers/tableRequests.ts';
import { registerServerCommands, registerWorkspaceRequests } from './handlers/workspaceRequests.ts';
import { Session, guarded, isTablePath } from './session.ts';
import type { ServerParts } from './session.ts';
import { readSettings } from './settings.ts';

/** What makes an analysis look again. Sources too: a git checkout changes files that no editor has open. */
const WATCHED = [
  '**/package.json',
  '**/tsconfig*.json',
  '**/jsconfig*.json',
  '**/{package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,bun.lock}',
  '**/pnpm-workspace.yaml',
  '**/.sixlens/**',
  '**/*.{prisma,sql}',
  '**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}',
];

export function serve(connection: Connection, parts: ServerParts): void {
  let session: Session | null = null;
  const documents = new TextDocuments(TextDocument);

  connection.onInitialize((params): InitializeResult => {
    const client = abilitiesOf(params.capabilities);
    const options = params.initializationOptions as { settings?: unknown } | undefined;
    const { settings, problems } = readSettings(options?.settings);
    const own = initializationSchema.safeParse(options ?? {});
    const clientCommands = own.success && own.data.clientCommands;
    session = new Session(connection, parts, client, settings);
    session.settingProblems = problems;
    session.setFolders(foldersOf(params));
    registerDiagnostics(session);
    registerCodeActions(session);
    registerHover(session);
    registerCodeLens(session, clientCommands);
    registerTableFile(session);
    registerTableRequests(session);
    registerWorkspaceRequests(session);
    registerStatus(session);
    if (!clientCommands) registerServerCommands(session);
    return {
      capabilities: serverCapabilities(client, clientCommands),
      serverInfo: { name: 'sixlens', version: parts.version },
    };
  });

  connection.onInitialized(async () => {
    const current = session;
    if (!current) return;
    // Before anything is awaited: a folder removed while the client still answers would never be heard of again.
    if (current.client.folders)
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        const gone = new Set(removed.map((folder) => pathOfUri(folder.uri)));
        const stay = current.roots.filter((root) => !gone.has(root));
        current.setFolders([
          ...stay,
          ...added.map((folder) => pathOfUri(folder.uri)).filter((path) => path !== null),
        ]);
      });
    await guarded(current, 'initialized', undefined, async () => {
      const { client } = current;
      if (client.watchConfiguration)
        await connection.client.register(DidChangeConfigurationNotification.type, { section: 'sixlens' });
      if (client.watchFiles)
        await connection.client.register(DidChangeWatchedFilesNotification.type, {
          watchers: WATCHED.map((globPattern) => ({ globPattern })),
        });
      if (client.configuration)
        applySettings(current, await connection.workspace.getConfiguration('sixlens'));
      sendStatus(current, 'ready');
    });
  });

  connection.onDidChangeConfiguration(async (params) => {
    const current = session;
    if (!current) return;
    await guarded(current, 'didChangeConfiguration', undefined, async () => {
      const raw: unknown = current.client.configuration
        ? await connection.workspace.getConfiguration('sixlens')
        : (params.settings as { sixlens?: unknown } | null)?.sixlens;
      applySettings(current, raw);
    });
  });

  connection.onDidChangeWatchedFiles(async (params) => {
    const current = session;
    if (!current) return;
    await guarded(current, 'didChangeWatchedFiles', undefined, async () => {
      const paths = params.changes.map((change) => pathOfUri(change.uri)).filter((path) => path !== null);
      if (current.filesChanged(paths)) refresh(current);
    });
  });

  documents.onDidChangeContent(({ document }) => {
    session?.documentChanged(document);
    const path = pathOfUri(document.uri);
    if (session && path !== null && isTablePath(path)) refreshLenses(session);
  });
  documents.onDidClose(({ document }) => session?.documentClosed(document));
  documents.listen(connection);
  connection.listen();
}

function foldersOf(params: InitializeParams): string[] {
  const uris =
    params.workspaceFolders?.map((folder) => folder.uri) ?? (params.rootUri ? [params.rootUri] : []);
  const paths = uris.map(pathOfUri).filter((path) => path !== null);
  // Deprecated, but older clients send nothing else.
  if (paths.length === 0 && params.rootPath) paths.push(params.rootPath.replaceAll('\\', '/'));
  return paths;
}

function applySettings(session: Session, raw: unknown): void {
  const before = session.settings;
  const { settings, problems } = readSettings(raw);
  session.settings = settings;
  session.settingProblems = problems;
  if (before.preset !== settings.preset) session.resetAnalyses();
  else if (JSON.stringify(before) !== JSON.stringify(settings)) session.touch();
  else return;
  sendStatus(session, 'ready');
  refresh(session);
}

function refresh(session: Session): void {
  if (session.client.pullDiagnostics && session.client.refreshDiagnostics)
    session.connection.languages.diagnostics.refresh().catch(() => undefined);
  refreshLenses(session);
}

const lensTimers = new WeakMap<Session, NodeJS.Timeout>();

/** Typing in a table changes counts above code; asked for once when it pauses. */
function refreshLenses(session: Session): void {
  if (!session.client.refreshCodeLens) return;
  clearTimeout(lensTimers.get(session));
  lensTimers.set(
    session,
    setTimeout(
      () => void session.connection.sendRequest('workspace/codeLens/refresh').catch(() => undefined),
      250,
    ),
  );
}
