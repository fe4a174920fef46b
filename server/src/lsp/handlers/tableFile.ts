/** Editing `.sixlens/tables/**.yaml` as text: diagnostics, completion and hover of the file's own vocabulary. */
import type { CompletionItem, Diagnostic, Hover } from 'vscode-languageserver';
import { CompletionItemKind, MarkupKind } from 'vscode-languageserver';
import type { Position } from '../../base/span.ts';
import { LENSES } from '../../base/vocabulary.ts';
import { ACCEPT_BECAUSE, VERDICTS } from '../../protocol/messages.ts';
import type { TableFault, TableRead } from '../../service/tableContract.ts';
import { joinPath, pathOfUri, problemDiagnostic } from '../convert.ts';
import type { Located, Session } from '../session.ts';
import { breathe, guarded, isTablePath } from '../session.ts';

/** Reads a table with row states judged against the code as it is now. */
export function readTable(session: Session, path: string, text: string): TableRead {
  const today = session.parts.today();
  const alone = session.parts.tables.read(text, path, null, today);
  if (alone.content === null) return alone;
  const now = session.viewOfTable(path, alone.content);
  if (now) return session.parts.tables.read(text, path, now.view, today);
  const { file, symbol } = alone.content.code;
  return session.parts.tables.read(text, path, null, today, `there is no unit ${symbol} in ${file}`);
}

export function tableDiagnostics(session: Session, path: string): Diagnostic[] {
  const text = session.textOf(path);
  if (text === null) return [];
  const { problems, faults } = readTable(session, path, text);
  return [
    ...problems.map((problem) => problemDiagnostic(problem, true)),
    ...faults.map((fault) => faultDiagnostic(fault, fault)),
  ];
}

/** How the tables of a source file's units fall short, each at the code that its row is about. */
export function rowDiagnostics(session: Session, located: Located): Diagnostic[] {
  const root = session.tableHome(located).root;
  const out: Diagnostic[] = [];
  for (const path of session.tablesOf(located)) {
    const text = session.textOf(path);
    if (text === null) continue;
    for (const fault of readTable(session, path, text).faults)
      if (fault.place && joinPath(root, fault.place.file) === located.path)
        out.push(faultDiagnostic(fault, fault.place));
  }
  return out;
}

function faultDiagnostic(
  fault: TableFault,
  at: { readonly start: Position; readonly end: Position },
): Diagnostic {
  // What is merely unfinished is work to do, not a fault of the file.
  const strict = fault.severity === 'warning';
  const { code, message } = fault;
  const severity = at === fault || fault.severity === 'warning' ? 'warning' : 'note';
  return problemDiagnostic({ code, message, severity, start: at.start, end: at.end }, strict);
}

const VERDICT_TEXT: Record<(typeof VERDICTS)[number], string> = {
  undecided: 'Nobody has decided yet.',
  detect:
    'A named alert, metric or log line tells a person. Needs `signal`; `asserted` names the test that fires it.',
  handle: 'A mechanism in code takes care of it. Needs `how` and `test`.',
  accept: 'It may happen. Needs `because`, `reason`, `owner` and `expires`.',
  blocked: 'It could not be closed. Needs `blocker` and `to`.',
};

const BECAUSE_TEXT: Record<(typeof ACCEPT_BECAUSE)[number], string> = {
  rate: 'It happens too seldom to matter.',
  'blast-radius': 'What it can break is small.',
  'upstream-guarantee': 'Something before this unit rules it out.',
  cost: 'Handling it costs more than it loses.',
  temporary: 'It is accepted for now, until the date.',
};

const FIELD_TEXT: Record<string, string> = {
  failure: 'The failure mode, in one sentence.',
  rule: 'The rule that found this row.',
  at: 'The call or short code in the unit that this row is about; left out for the whole unit.',
  why: 'Why the question applies to this unit.',
  verdict: 'What was decided about this failure.',
  how: 'The mechanism that handles it.',
  test: 'Its own test, as `path > title`.',
  signal: 'The alert, metric or log message.',
  asserted: 'The test that fires the signal and checks it, as `path > title`.',
  because: 'The kind of reason for accepting.',
  reason: 'The reason, in words.',
  owner: 'Who answers for it.',
  expires: 'The date, quoted, on which the decision ends.',
  'holds-while': 'A comparison of constants in code; when it breaks, so does the accept.',
  blocker: 'What stands in the way.',
  to: 'Whom it is handed to.',
  note: 'Anything else worth keeping.',
  ticket: 'Where the work is tracked.',
};

export function registerTableFile(session: Session): void {
  const { connection } = session;
  connection.onCompletion(async (params, token): Promise<CompletionItem[]> => {
    await breathe(token);
    return guarded(session, 'textDocument/completion', [], async () => {
      const path = pathOfUri(params.textDocument.uri);
      if (path === null || !isTablePath(path) || !session.settings.enable) return [];
      const line = (session.textOf(path) ?? '').split(/\r\n|\r|\n/)[params.position.line] ?? '';
      return completionsOn(session, line.slice(0, params.position.character));
    });
  });
}

function completionsOn(session: Session, before: string): CompletionItem[] {
  const value = /^\s*(?:- )?([a-z-]+):\s+["']?[\w-]*$/.exec(before)?.[1];
  if (value === 'verdict')
    return VERDICTS.map((name) => item(name, VERDICT_TEXT[name], CompletionItemKind.EnumMember));
  if (value === 'because')
    return ACCEPT_BECAUSE.map((name) => item(name, BECAUSE_TEXT[name], CompletionItemKind.EnumMember));
  if (value === 'exposure')
    return [
      item(
        'none',
        'Shown to have nothing that can fail this way; needs `reason`.',
        CompletionItemKind.EnumMember,
      ),
      item('open', 'Something could not be seen; `unresolved` lists it.', CompletionItemKind.EnumMember),
    ];
  if (value === 'rule')
    return session.parts.rules().map((rule) => item(rule.id, rule.docs.what, CompletionItemKind.Constant));
  if (value !== undefined) return [];
  // Two spaces: the keys below `lenses:`; four: the fields of a row.
  if (/^ {2}[a-z-]*$/.test(before))
    return LENSES.map((lens) => item(lens, 'Lens', CompletionItemKind.Property, `${lens}:`));
  if (/^ {4}[a-z-]*$/.test(before))
    return Object.entries(FIELD_TEXT).map(([name, text]) =>
      item(name, text, CompletionItemKind.Property, `${name}: `),
    );
  return [];
}

function item(label: string, text: string, kind: CompletionItemKind, insertText = label): CompletionItem {
  return { label, kind, insertText, documentation: { kind: MarkupKind.Markdown, value: text } };
}

/** What a key or a verdict means, or the state of the row whose id is under the cursor. */
export function tableHover(session: Session, path: string, line: number, character: number): Hover | null {
  const text = session.textOf(path);
  const content = text?.split(/\r\n|\r|\n/)[line];
  if (text == null || content === undefined) return null;
  const word = wordAt(content, character);
  if (word === null) return null;
  const range = { start: { line, character: word.start }, end: { line, character: word.end } };
  const rows = readTable(session, path, text).content?.lenses.flatMap((lens) => lens.rows) ?? [];
  const row = rows.find((candidate) => candidate.id === word.text);
  let markdown: string | undefined;
  if (row) markdown = `**${row.state}**: ${row.stateText}\n\n${row.failure}`;
  else if (/^\s*verdict:/.test(content)) markdown = VERDICT_TEXT[word.text as keyof typeof VERDICT_TEXT];
  else if (/^\s*because:/.test(content)) markdown = BECAUSE_TEXT[word.text as keyof typeof BECAUSE_TEXT];
  else if (/^\s*rule:/.test(content)) {
    const rule = session.parts.rules().find((candidate) => candidate.id === word.text);
    if (rule) markdown = `**${rule.id}** (${rule.lens})\n\n${rule.docs.what}\n\n${rule.docs.why}`;
  }
  if (markdown === undefined && new RegExp(`^\\s*${word.text}:`).test(content))
    markdown = FIELD_TEXT[word.text];
  return markdown === undefined ? null : { contents: { kind: MarkupKind.Markdown, value: markdown }, range };
}

function wordAt(line: string, character: number): { text: string; start: number; end: number } | null {
  for (const match of line.matchAll(/[\w-]+/g))
    if (match.index <= character && character <= match.index + match[0].length)
      return { text: match[0], start: match.index, end: match.index + match[0].length };
  return null;
}
