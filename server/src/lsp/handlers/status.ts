/** The status notification: what the server is doing, and what keeps it from seeing everything. */
import type { ServerStatus } from '../../protocol/messages.ts';
import { statusNotification, tablesChanged } from '../../protocol/messages.ts';
import type { Session } from '../session.ts';
import { SETTLE } from '../session.ts';

export function sendStatus(session: Session, state: ServerStatus['state'], detail?: string): void {
  const { findings, problems } = gathered(session);
  const off = !session.settings.enable;
  const text = off
    ? 'Turned off (setting "sixlens.enable").'
    : (detail ?? (findings === 1 ? 'One finding in open files.' : `${findings} findings in open files.`));
  const status: ServerStatus = { state: off ? 'off' : state, detail: text, findings, problems };
  void session.connection.sendNotification(statusNotification.method, status);
}

/** From what is already computed; the status never causes an analysis. */
function gathered(session: Session): { findings: number; problems: string[] } {
  let findings = 0;
  const problems = new Set<string>(session.settingProblems);
  for (const { path, result } of session.known()) {
    if (session.document(path)) findings += result.findings.length;
    for (const problem of result.problems)
      if (problem.severity !== 'note')
        problems.add(problem.file ? `${problem.file}: ${problem.message}` : problem.message);
  }
  for (const name of new Set(session.crashes)) problems.add(`A request failed: ${name}. See the log.`);
  return { findings, problems: [...problems].slice(0, 20) };
}

/** After things have settled: the status, and word to open panels and CodeLenses that they may be old. */
export function registerStatus(session: Session): void {
  let timer: NodeJS.Timeout | undefined;
  session.onChange(() => {
    clearTimeout(timer);
    // Later than diagnostics, whose answers it counts.
    timer = setTimeout(() => {
      sendStatus(session, 'ready');
      void session.connection.sendNotification(tablesChanged.method, {});
    }, SETTLE * 3);
  });
}
