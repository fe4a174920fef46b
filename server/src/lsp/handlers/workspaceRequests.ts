/** Requests about the whole: checking everything, and why a place shows nothing. Also the commands for plain clients. */
import type { CancellationToken, WorkDoneProgressReporter } from 'vscode-languageserver';
import { CreateFile, DiagnosticSeverity, ResponseError } from 'vscode-languageserver';
import * as z from 'zod/mini';
import * as messages from '../../protocol/messages.ts';
import { pathOfUri } from '../convert.ts';
import type { Session } from '../session.ts';
import { breathe, guarded, isTablePath } from '../session.ts';
import { allDiagnostics } from './diagnostics.ts';
import { sendStatus } from './status.ts';
import { generate, onRequest } from './tableRequests.ts';

type CheckAnswer = z.output<typeof messages.checkWorkspace.result>;

export function registerWorkspaceRequests(session: Session): void {
  const { whySilent, checkWorkspace } = messages;

  onRequest<typeof whySilent.params, z.output<typeof whySilent.result>>(
    session,
    whySilent.method,
    whySilent.params,
    { reasons: [{ code: 'failed', text: 'Sixlens failed to find out; see its log.' }] },
    (params) => ({ reasons: reasons(session, params.uri, params.offset) }),
  );

  onRequest<typeof checkWorkspace.params, CheckAnswer>(
    session,
    checkWorkspace.method,
    checkWorkspace.params,
    { files: 0, findings: 0, blocking: 0, problems: 0, cancelled: true },
    async (params, token) => {
      const progress =
        params.workDoneToken !== undefined && session.client.progress
          ? session.connection.window.attachWorkDoneProgress(params.workDoneToken)
          : null;
      return checkAll(session, token, progress);
    },
  );
}

async function checkAll(
  session: Session,
  token: CancellationToken,
  progress: WorkDoneProgressReporter | null,
): Promise<CheckAnswer> {
  const answer = { files: 0, findings: 0, blocking: 0, problems: 0, cancelled: false };
  if (!session.settings.enable) return answer;
  const total = session.roots.reduce((sum, root) => sum + session.analysisOf(root).sourceFiles().length, 0);
  progress?.begin('Sixlens', 0, `0 of ${total} files`, true);
  sendStatus(session, 'analysing', `Checking ${total} files`);
  try {
    for await (const { items } of allDiagnostics(session, token)) {
      answer.files++;
      for (const item of items) {
        if ((item.data as { key?: unknown } | undefined)?.key === undefined) answer.problems++;
        else answer.findings++;
        if (item.severity === DiagnosticSeverity.Warning) answer.blocking++;
      }
      if (answer.files % 32 === 0)
        progress?.report((answer.files / total) * 100, `${answer.files} of ${total} files`);
    }
    // The held workspace request, if any, now answers for all files.
    session.wholeWorkspace = true;
    session.touch();
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    answer.cancelled = true;
  } finally {
    progress?.done();
    sendStatus(session, 'ready');
  }
  return answer;
}

export function reasons(
  session: Session,
  uri: string,
  offset: number | undefined,
): { code: string; text: string }[] {
  if (!session.settings.enable)
    return [{ code: 'off', text: 'Sixlens is turned off (setting "sixlens.enable").' }];
  const path = pathOfUri(uri);
  if (path === null)
    return [
      {
        code: 'not-a-file',
        text: 'This document is not a file on disk, so nothing around it can be followed.',
      },
    ];
  if (isTablePath(path))
    return [
      { code: 'table', text: 'This is a failure-mode table; findings are shown in the code it is about.' },
    ];
  const located = session.source(uri);
  if (!located)
    return [
      {
        code: 'not-source',
        text: 'Only TypeScript and JavaScript files inside a folder or package are analysed.',
      },
    ];
  const accepted = session
    .check(located)
    .suppressed.filter(
      (finding) =>
        finding.acceptedBy !== undefined &&
        finding.file === located.file &&
        (offset === undefined || (finding.startOffset <= offset && offset <= finding.endOffset)),
    )
    .map(({ rule, acceptedBy, reason, start }) => ({
      code: 'accepted-by-row',
      text: `\`${rule}\` on line ${start.line} is accepted by row ${acceptedBy}: ${reason}`,
    }));
  const silent = [
    ...accepted,
    ...located.analysis.whySilent(located.file, offset).map(({ code, text }) => ({ code, text })),
  ];
  return silent.length > 0
    ? silent
    : [{ code: 'clean', text: 'The file is analysed and no rule of the current preset speaks here.' }];
}

const argumentSchema = z.object({
  uri: z.string(),
  offset: z.optional(z.number()),
  unit: z.optional(z.string()),
});

/** For clients that have no commands of their own: edits are applied and files shown through the protocol. */
export function registerServerCommands(session: Session): void {
  const { connection } = session;
  connection.onExecuteCommand(async (params, token) => {
    await breathe(token);
    return guarded(session, params.command, null, async () => {
      if (params.command === 'sixlens.checkWorkspace') return checkAll(session, token, null);
      const argument = argumentSchema.safeParse(params.arguments?.[0]);
      if (!argument.success) {
        connection.window.showErrorMessage(`${params.command} needs an argument { uri, offset | unit }.`);
        return null;
      }
      const { uri, offset, unit: id } = argument.data;
      const located = session.source(uri);
      const unit = located && session.unit(located, offset, id);
      if (!located || !unit) {
        connection.window.showErrorMessage(
          'There is no handler, job, consumer or exported async function here.',
        );
        return null;
      }
      const table = session.tableOf(located, unit);
      if (params.command === 'sixlens.generateTable' || table.text === null) {
        const made = generate(session, located, unit);
        if (!made.ok) {
          connection.window.showErrorMessage(made.message);
          return null;
        }
        const textDocument = { uri: made.edit.uri, version: made.edit.version };
        const create = made.edit.create ? [CreateFile.create(made.edit.uri, { ignoreIfExists: true })] : [];
        await connection.workspace.applyEdit(
          session.client.documentChanges && (session.client.createFiles || !made.edit.create)
            ? { documentChanges: [...create, { textDocument, edits: made.edit.edits }] }
            : { changes: { [made.edit.uri]: made.edit.edits } },
        );
      }
      if (session.client.showDocument)
        await connection.window.showDocument({ uri: table.uri, takeFocus: true });
      return { tableUri: table.uri };
    });
  });
}
