/** The `sixlens/*` requests about tables. Owns turning text edits into edits of a document version; writes nothing. */
import type { CancellationToken } from 'vscode-languageserver';
import { ErrorCodes, ResponseError } from 'vscode-languageserver';
import type * as z from 'zod/mini';
import { LineIndex } from '../../base/span.ts';
import type { TextEdit } from '../../base/textEdit.ts';
import * as messages from '../../protocol/messages.ts';
import type { DocumentEdits, TableModel } from '../../protocol/messages.ts';
import type { Unit } from '../../service/contract.ts';
import type { CodePlace, TableChange, TableContent } from '../../service/tableContract.ts';
import { fromLspPosition, joinPath, pathOfUri, toRange } from '../convert.ts';
import type { Located, Session } from '../session.ts';
import { breathe, guarded, isTablePath } from '../session.ts';
import { readTable } from './tableFile.ts';
import { unitMarkdown } from './unitMarkdown.ts';

type Failure = { ok: false; message: string };

const FAULT: Failure = { ok: false, message: 'Sixlens failed at this; see its log.' };

/** Registers a request whose parameters are checked first, so that a malformed one is answered by what is wrong with it. */
export function onRequest<P extends z.ZodMiniType, R>(
  session: Session,
  method: string,
  params: P,
  fallback: R,
  handle: (params: z.output<P>, token: CancellationToken) => R | Promise<R>,
): void {
  session.connection.onRequest(method, async (raw: unknown, token: CancellationToken) => {
    const parsed = params.safeParse(raw);
    if (!parsed.success) {
      const where = parsed.error.issues
        .map((issue) => `${issue.path.join('.') || 'params'}: ${issue.message}`)
        .join('; ');
      throw new ResponseError(ErrorCodes.InvalidParams, `${method}: ${where}`);
    }
    await breathe(token);
    return guarded(session, method, fallback, async () => handle(parsed.data, token));
  });
}

export function registerTableRequests(session: Session): void {
  const { generateTable, openTable, tableModelRequest, setVerdict, setTableText, addRow, inlineTable } =
    messages;

  onRequest<typeof generateTable.params, z.output<typeof generateTable.result>>(
    session,
    generateTable.method,
    generateTable.params,
    FAULT,
    (params) => {
      const found = unitAt(session, params.uri, params.offset, params.unit);
      return 'ok' in found ? found : generate(session, found.located, found.unit);
    },
  );

  onRequest<typeof openTable.params, z.output<typeof openTable.result>>(
    session,
    openTable.method,
    openTable.params,
    FAULT,
    (params) => {
      const found = unitAt(session, params.uri, params.offset, params.unit);
      if ('ok' in found) return found;
      const table = session.tableOf(found.located, found.unit);
      return { ok: true, unit: found.unit.id, tableUri: table.text === null ? null : table.uri };
    },
  );

  onRequest<typeof tableModelRequest.params, messages.TableModelResult>(
    session,
    tableModelRequest.method,
    tableModelRequest.params,
    { version: null, model: null, problems: [] },
    (params) => {
      const path = pathOfUri(params.uri);
      const text = path === null ? null : session.textOf(path);
      if (path === null || text === null) return { version: null, model: null, problems: [] };
      const read = readTable(session, path, text);
      return {
        version: session.document(path)?.version ?? null,
        model: read.content ? modelOf(session, path, read.content) : null,
        problems: read.problems.map((problem) => ({
          message: problem.message,
          severity: problem.severity,
          range: toRange(
            problem.start ?? { line: 1, column: 1 },
            problem.end ?? problem.start ?? { line: 1, column: 1 },
          ),
        })),
      };
    },
  );

  onRequest<typeof setVerdict.params, z.output<typeof setVerdict.result>>(
    session,
    setVerdict.method,
    setVerdict.params,
    FAULT,
    (params) =>
      changeTable(session, params.uri, (path, text) => {
        const content = readTable(session, path, text).content;
        const now = content && session.viewOfTable(path, content);
        const seen = {
          code: now ? session.parts.tables.seenCode(text, params.row, now.view) : null,
          date: session.parts.today(),
          by: params.by ?? session.parts.person,
        };
        return session.parts.tables.setRow(
          text,
          params.row,
          { verdict: params.verdict, fields: params.fields },
          seen,
        );
      }),
  );

  onRequest<typeof setTableText.params, z.output<typeof setTableText.result>>(
    session,
    setTableText.method,
    setTableText.params,
    FAULT,
    (params) =>
      changeTable(session, params.uri, (_, text) => session.parts.tables.setContract(text, params.contract)),
  );

  onRequest<typeof addRow.params, z.output<typeof addRow.result>>(
    session,
    addRow.method,
    addRow.params,
    FAULT,
    (params) => {
      let row = '';
      const answer = changeTable(session, params.uri, (_, text) => {
        const change = session.parts.tables.addRow(text, params.lens, params.failure);
        if (change.ok) row = change.row ?? '';
        return change;
      });
      return answer.ok ? { ...answer, row } : answer;
    },
  );

  onRequest<typeof inlineTable.params, z.output<typeof inlineTable.result>>(
    session,
    inlineTable.method,
    inlineTable.params,
    null,
    (params) => {
      if (!session.settings.inlineTable.enable) return null;
      const located = session.source(params.uri);
      const text = located?.analysis.textOf(located.file);
      if (!located || text == null) return null;
      const offset = params.position && LineIndex.of(text).offsetAt(fromLspPosition(params.position));
      const unit = session.unit(located, offset, params.unit);
      if (!unit || unit.file !== located.file) return null;
      const table = session.tableOf(located, unit);
      return {
        unit: unit.id,
        range: toRange(unit.start, unit.start),
        markdown: unitMarkdown(session, located, unit, true),
        tableUri: table.text === null ? null : table.uri,
      };
    },
  );
}

function unitAt(
  session: Session,
  uri: string,
  offset: number | undefined,
  id: string | undefined,
): { located: Located; unit: Unit } | Failure {
  if (!session.settings.enable)
    return { ok: false, message: 'Sixlens is turned off (setting "sixlens.enable").' };
  const located = session.source(uri);
  if (!located)
    return { ok: false, message: 'Open a TypeScript or JavaScript file that is saved on disk first.' };
  const unit = session.unit(located, offset, id);
  if (unit) return { located, unit };
  return {
    ok: false,
    message: 'There is no handler, job, consumer or exported async function here. Put the cursor inside one.',
  };
}

export function generate(
  session: Session,
  located: Located,
  unit: Unit,
): { ok: true; unit: string; tableUri: string; created: boolean; edit: DocumentEdits } | Failure {
  const table = session.tableOf(located, unit);
  const made = session.parts.tables.generate(
    session.viewFor(located, unit),
    table.text,
    session.parts.today(),
  );
  if ('message' in made) return { ok: false, message: made.message };
  const before = table.text ?? '';
  return {
    ok: true,
    unit: unit.id,
    tableUri: table.uri,
    created: table.text === null,
    edit: {
      uri: table.uri,
      version: table.version,
      create: table.text === null,
      edits: smallestEdit(before, made.text).map((edit) => wireEdit(LineIndex.of(before), edit)),
    },
  };
}

/** One edit without the text that both ends share, so that cursors and folds elsewhere stay where they are. */
function smallestEdit(before: string, after: string): TextEdit[] {
  if (before === after) return [];
  let start = 0;
  const limit = Math.min(before.length, after.length);
  while (start < limit && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < limit - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return [{ start, end: before.length - tail, newText: after.slice(start, after.length - tail) }];
}

function changeTable(
  session: Session,
  uri: string,
  change: (path: string, text: string) => TableChange,
): { ok: true; edit: DocumentEdits } | Failure {
  const path = pathOfUri(uri);
  if (path === null || !isTablePath(path))
    return { ok: false, message: 'This is no failure-mode table (.sixlens/tables/….yaml).' };
  const text = session.textOf(path);
  if (text === null) return { ok: false, message: 'The table file is gone.' };
  const result = change(path, text);
  if (!result.ok) return result;
  const lines = LineIndex.of(text);
  return {
    ok: true,
    edit: {
      uri,
      version: session.document(path)?.version ?? null,
      create: false,
      edits: result.edits.map((edit) => wireEdit(lines, edit)),
    },
  };
}

function wireEdit(lines: LineIndex, edit: TextEdit): DocumentEdits['edits'][number] {
  return { range: toRange(lines.positionAt(edit.start), lines.positionAt(edit.end)), newText: edit.newText };
}

function modelOf(session: Session, path: string, content: TableContent): TableModel {
  const table = session.locate(path);
  const root = table ? session.tableHome(table).root : path.slice(0, path.indexOf('/.sixlens/'));
  const locationOf = (place: CodePlace): messages.WireLocation => ({
    uri: session.uriOf(joinPath(root, place.file)),
    range: toRange(place.start, place.end),
  });
  const now = session.viewOfTable(path, content);
  return {
    unit: content.unit,
    kind: content.kind,
    code: { ...content.code },
    place: now ? locationOf({ file: content.code.file, start: now.unit.start, end: now.unit.end }) : null,
    domain: [...content.domain],
    contract: content.contract,
    owner: content.owner,
    lenses: content.lenses.map((lens) => ({
      lens: lens.lens,
      exposure: lens.exposure,
      text: lens.text,
      unresolved: [...lens.unresolved],
      rows: lens.rows.map((row) => ({
        id: row.id,
        lens: row.lens,
        failure: row.failure,
        rule: row.rule,
        at: row.at,
        why: row.why,
        verdict: row.verdict,
        fields: { ...row.fields },
        proposed: row.proposed,
        state: row.state,
        stateText: row.stateText,
        place: row.place ? locationOf(row.place) : null,
      })),
    })),
    pruned: [...content.pruned],
    summary: { ...content.summary },
  };
}
