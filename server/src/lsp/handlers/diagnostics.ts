/** Diagnostics, pulled where the client can, else pushed; never both. Owns result ids and the held workspace request. */
import type {
  CancellationToken,
  Diagnostic,
  DocumentDiagnosticReport,
  PreviousResultId,
  WorkspaceDiagnosticReport,
  WorkspaceDocumentDiagnosticReport,
} from 'vscode-languageserver';
import { DocumentDiagnosticReportKind, LSPErrorCodes, ResponseError } from 'vscode-languageserver';
import { hashText } from '../../base/hash.ts';
import type { DiagnosticContext } from '../convert.ts';
import { joinPath, pathOfUri, problemDiagnostic, toDiagnostic, uriOfPath } from '../convert.ts';
import { SETTLE, breathe, cancelled, guarded, isSourcePath, isTablePath } from '../session.ts';
import type { Located, Session } from '../session.ts';
import { sendStatus } from './status.ts';
import { rowDiagnostics, tableDiagnostics } from './tableFile.ts';

/** Quiet needed before the whole workspace is looked at again: files that nobody sees can wait. Milliseconds. */
const WORKSPACE_SETTLE = 1000;
/** Source files between two looks at the message queue. */
const CHUNK = 8;

export function diagnosticContext(session: Session, root: string): DiagnosticContext {
  const { client, parts } = session;
  return {
    ruleHref:
      client.codeDescription && parts.ruleDocs !== null
        ? (rule) => {
            const page = joinPath(parts.ruleDocs!, `${rule}.md`);
            return parts.files.exists(page) ? uriOfPath(page) : null;
          }
        : null,
    related: client.relatedInformation,
    uriOf: (file) => session.uriOf(joinPath(root, file)),
  };
}

function sourceDiagnostics(session: Session, located: Located, token?: CancellationToken): Diagnostic[] {
  const context = diagnosticContext(session, located.analysis.root);
  return [
    ...session.findings(located, token).map((finding) => toDiagnostic(finding, context)),
    ...session.problems(located, token).map((problem) => problemDiagnostic(problem, false)),
    ...rowDiagnostics(session, located),
  ];
}

export function diagnosticsOf(session: Session, uri: string, token?: CancellationToken): Diagnostic[] {
  if (!session.settings.enable) return [];
  const path = pathOfUri(uri);
  if (path === null) return [];
  if (isTablePath(path)) return tableDiagnostics(session, path);
  const located = session.source(uri);
  return located ? sourceDiagnostics(session, located, token) : [];
}

function resultId(items: readonly Diagnostic[]): string {
  return hashText(JSON.stringify(items));
}

export function registerDiagnostics(session: Session): void {
  if (session.client.pullDiagnostics) registerPull(session);
  else registerPush(session);
}

function registerPull(session: Session): void {
  const { connection } = session;
  connection.languages.diagnostics.on(async (params, token): Promise<DocumentDiagnosticReport> => {
    announceFirstLook(session, params.textDocument.uri);
    await breathe(token);
    const full = await guarded<Diagnostic[] | null>(session, 'textDocument/diagnostic', null, async () =>
      diagnosticsOf(session, params.textDocument.uri, token),
    );
    // An empty answer would wipe what is on screen; an error keeps it until the next change.
    if (full === null)
      throw new ResponseError(
        LSPErrorCodes.RequestFailed,
        'Sixlens could not analyse this file; see its log.',
      );
    const id = resultId(full);
    if (params.previousResultId === id) return { kind: DocumentDiagnosticReportKind.Unchanged, resultId: id };
    return { kind: DocumentDiagnosticReportKind.Full, resultId: id, items: full };
  });

  let answered: { generation: number; empty: boolean } | null = null;
  connection.languages.diagnostics.onWorkspace(async (params, token): Promise<WorkspaceDiagnosticReport> => {
    for (;;) {
      const known = params.previousResultIds.length > 0 || answered?.empty === true;
      if (answered?.generation === session.generation && known) await changed(session, token);
      await breathe(token);
      const generation = session.generation;
      const items = await guarded<WorkspaceDocumentDiagnosticReport[]>(
        session,
        'workspace/diagnostic',
        [],
        () => workspaceReports(session, params.previousResultIds, token),
      );
      // What an edit overtook is computed again rather than shown late.
      if (generation !== session.generation) {
        await settled(token);
        continue;
      }
      answered = { generation, empty: items.length === 0 };
      const news = items.some((item) => item.kind === DocumentDiagnosticReportKind.Full);
      if (news || !known) return { items };
    }
  });
}

const looked = new WeakMap<Session, Set<string>>();

/** The first answer for a folder reads the project around the file, which may take a while: say so before. */
function announceFirstLook(session: Session, uri: string): void {
  const root = session.source(uri)?.analysis.root;
  if (root === undefined) return;
  const roots = looked.get(session) ?? new Set();
  looked.set(session, roots);
  if (roots.has(root)) return;
  roots.add(root);
  sendStatus(session, 'analysing', 'Reading the project for the first time.');
  setTimeout(() => sendStatus(session, 'ready'), SETTLE);
}

/** Resolves once something changed and then stayed quiet for a moment; rejects when the client gives up waiting. */
function changed(session: Session, token: CancellationToken): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const done = (then: () => void): void => {
      clearTimeout(timer);
      stop();
      cancel.dispose();
      then();
    };
    const stop = session.onChange(() => {
      clearTimeout(timer);
      timer = setTimeout(() => done(resolve), WORKSPACE_SETTLE);
    });
    const cancel = token.onCancellationRequested(() => done(() => reject(cancelled())));
  });
}

async function settled(token: CancellationToken): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, WORKSPACE_SETTLE));
  if (token.isCancellationRequested) throw cancelled();
}

async function workspaceReports(
  session: Session,
  previous: readonly PreviousResultId[],
  token: CancellationToken,
): Promise<WorkspaceDocumentDiagnosticReport[]> {
  const before = new Map(previous.map(({ uri, value }) => [uri, value]));
  const reports: WorkspaceDocumentDiagnosticReport[] = [];
  const seen = new Set<string>();
  const report = (uri: string, items: Diagnostic[], version: number | null): void => {
    seen.add(uri);
    const id = resultId(items);
    if (before.get(uri) === id)
      reports.push({ kind: DocumentDiagnosticReportKind.Unchanged, resultId: id, uri, version });
    else if (items.length > 0 || before.has(uri))
      reports.push({ kind: DocumentDiagnosticReportKind.Full, resultId: id, uri, version, items });
  };
  const whole = session.wholeWorkspace || session.settings.check.scope === 'workspace';
  const { generation } = session;
  if (session.settings.enable && whole)
    for await (const { uri, items, version } of allDiagnostics(session, token)) {
      // Overtaken by an edit: the caller starts again once it is quiet.
      if (session.generation !== generation) return [];
      report(uri, items, version);
    }
  for (const uri of before.keys()) if (!seen.has(uri)) report(uri, [], null);
  return reports;
}

interface FileDiagnostics {
  readonly uri: string;
  readonly items: Diagnostic[];
  readonly version: number | null;
}

/** Every source file of every folder, with pauses in which other requests are answered. */
export async function* allDiagnostics(
  session: Session,
  token: CancellationToken,
): AsyncGenerator<FileDiagnostics> {
  for (const root of session.roots) {
    const analysis = session.analysisOf(root);
    const context = diagnosticContext(session, root);
    // A file belongs to the innermost folder alone.
    const files = analysis
      .sourceFiles()
      .filter((file) => session.locate(joinPath(root, file))?.analysis === analysis);
    for (let at = 0; at < files.length; at += CHUNK) {
      await breathe(token);
      const chunk = files.slice(at, at + CHUNK);
      const found = analysis.check(chunk, {
        get cancelled() {
          return token.isCancellationRequested;
        },
      });
      const result = session.judged(analysis, found);
      const byFile = new Map<string, Diagnostic[]>(chunk.map((file) => [file, []]));
      for (const finding of result.findings) byFile.get(finding.file)?.push(toDiagnostic(finding, context));
      for (const problem of result.problems)
        if (problem.file !== undefined) byFile.get(problem.file)?.push(problemDiagnostic(problem, false));
      for (const [file, items] of byFile) {
        const path = joinPath(root, file);
        const located = session.locate(path);
        if (located) items.push(...rowDiagnostics(session, located));
        yield { uri: session.uriOf(path), items, version: session.document(path)?.version ?? null };
      }
    }
  }
}

function registerPush(session: Session): void {
  const { connection } = session;
  const published = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const publishAll = async (): Promise<void> => {
    const open = new Set<string>();
    const generation = session.generation;
    for (const path of session.openPaths()) {
      await breathe();
      if (generation !== session.generation) return;
      const document = session.document(path);
      if (!document || !(isSourcePath(path) || isTablePath(path))) continue;
      open.add(document.uri);
      const items = await guarded<Diagnostic[] | null>(session, 'diagnostics', null, async () =>
        diagnosticsOf(session, document.uri),
      );
      if (items === null) continue;
      const id = `${document.version}:${resultId(items)}`;
      if (published.get(document.uri) === id) continue;
      published.set(document.uri, id);
      await connection.sendDiagnostics({ uri: document.uri, version: document.version, diagnostics: items });
    }
    for (const uri of published.keys())
      if (!open.has(uri)) {
        published.delete(uri);
        await connection.sendDiagnostics({ uri, diagnostics: [] });
      }
  };
  session.onChange(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      publishAll().catch((error: unknown) => connection.console.error(`diagnostics: ${String(error)}`));
    }, SETTLE);
  });
}
